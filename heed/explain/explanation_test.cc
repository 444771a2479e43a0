#include "heed/explain/explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/explain/head_statistics.h"
#include "heed/explain/observed_attention.h"

namespace heed {
namespace {

TEST(ObservedAttention, PutsStepsTogether) {
  AttentionWatch watch;
  const AttentionInfo self = {
      .path = "self", .query_axis = "target", .heads = 2};
  // Two sentences, two heads; keys grow by one from step to step.
  for (int step = 0; step < 3; ++step) {
    Tensor w({2, 2, 1, step + 1});
    for (int head = 0; head < 2; ++head) {
      w[0][head].Fill(0);
      w[1][head].Fill(10 * head + step);
    }
    watch.OnAttention({self, step, w});
  }
  const AttentionInfo cross = {.path = "cross"};
  watch.OnAttention({cross, 0, Tensor::Full({2, 1, 3, 4}, 0.25)});
  const std::vector<AttentionMap> layers = CollectMaps(watch.seen, 1);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].heads, 2);
  EXPECT_EQ(layers[0].query_size, 3);
  EXPECT_EQ(layers[0].key_size, 3);
  EXPECT_EQ(layers[0].OfHead(1),
            (std::vector<float>{10, 0, 0, 11, 11, 0, 12, 12, 12}));
  EXPECT_EQ(layers[0].MeanOfHeads()[3], 6);
  EXPECT_EQ(layers[1].name, "cross");
  EXPECT_EQ(layers[0].query, "target");
}

TEST(ObservedAttention, EdgesOfAGraphStayEdges) {
  AttentionWatch watch;
  const AttentionInfo info = {.path = "graph", .heads = 2};
  const kernels::Neighbourhood graph =
      kernels::MakeNeighbourhood(Tensor::Of<int32_t>({0, 1, 3}, {3}),
                                 Tensor::Of<int32_t>({2, 0, 1}, {3}), 3);
  watch.OnAttention({info, 0,
                     Tensor::Of<float>({1, .25f, .75f, 1, .5f, .5f}, {2, 3}),
                     &graph});
  const AttentionMap map = CollectMaps(watch.seen).at(0);
  EXPECT_EQ(map.edges,
            (std::vector<std::pair<int32_t, int32_t>>{{0, 2}, {1, 0}, {1, 1}}));
  EXPECT_EQ(map.OfHead(0), (std::vector<float>{0, 0, 1, .25f, .75f, 0}));
  EXPECT_EQ(map.MeanOfHeads()[3], .375f);
}

TEST(ObservedAttention, OfAPartOfAGraphTheRestIsOutside) {
  // Node 0 attends to 1 and 2, node 1 to 0 alone, node 2 to 1 alone.
  AttentionMap map = {.name = "graph",
                      .title = "Graph",
                      .heads = 2,
                      .query_size = 3,
                      .key_size = 3,
                      .weights = {.25f, .75f, 1, 1, .5f, .5f, 1, 1},
                      .edges = {{0, 1}, {0, 2}, {1, 0}, {2, 1}}};
  AttentionMap all = map;
  KeepNodes(std::vector<int32_t>{0, 1, 2}, all);
  EXPECT_EQ(all.weights, map.weights);
  EXPECT_TRUE(all.outside.empty());
  KeepNodes(std::vector<int32_t>{1, 0}, map);
  EXPECT_EQ(map.edges,
            (std::vector<std::pair<int32_t, int32_t>>{{1, 0}, {0, 1}}));
  EXPECT_EQ(map.weights, (std::vector<float>{.25f, 1, .5f, 1}));
  EXPECT_EQ(map.outside, (std::vector<float>{0, .75f, 0, .5f}));
  EXPECT_EQ(map.Outside(1, -1), .625f);
  // Node 0 has weight outside, so only the row with one key counts.
  EXPECT_EQ(StatisticsOf(map, 0).entropy, 0);
  EXPECT_EQ(StatisticsOf(map, 0).distance, 1);
  map.outside[0] = map.outside[2] = .1f;
  EXPECT_TRUE(std::isnan(StatisticsOf(map, 0).entropy)) << "no row is complete";
}

AttentionMap OneHead(std::vector<float> weights, int64_t queries,
                     int64_t keys) {
  return {.name = "layer",
          .title = "Layer",
          .heads = 1,
          .query_size = queries,
          .key_size = keys,
          .weights = std::move(weights)};
}

TEST(HeadStatistics, OfSharpAndEvenHeads) {
  const HeadStatistics sharp = StatisticsOf(OneHead({0, 1, 1, 0}, 2, 2), 0);
  EXPECT_DOUBLE_EQ(sharp.entropy, 0);
  EXPECT_DOUBLE_EQ(sharp.distance, 1);
  const HeadStatistics even =
      StatisticsOf(OneHead({.25, .25, .25, .25}, 1, 4), 0);
  EXPECT_DOUBLE_EQ(even.entropy, 2);  // bits
  EXPECT_DOUBLE_EQ(even.distance, (0 + 1 + 2 + 3) / 4.0);
}

TEST(HeadStatistics, WordsArePerplexitiesOfRows) {
  // One row on one word, one on four: the mean of words is not 2^(mean bits).
  const HeadStatistics both =
      StatisticsOf(OneHead({1, 0, 0, 0, .25, .25, .25, .25}, 2, 4), 0);
  EXPECT_DOUBLE_EQ(both.words, 2.5);
  EXPECT_DOUBLE_EQ(both.entropy, 1);
}

TEST(HeadStatistics, StepsAreDistancesOfRowsThatFollow) {
  EXPECT_DOUBLE_EQ(StatisticsOf(OneHead({1, 0, 0, 1}, 2, 2), 0).step, 1);
  EXPECT_DOUBLE_EQ(StatisticsOf(OneHead({.5, .5, .5, .5}, 2, 2), 0).step, 0);
  // √(½ ((1 − √½)² + ½)) = √(1 − √½)
  EXPECT_NEAR(StatisticsOf(OneHead({1, 0, .5, .5}, 2, 2), 0).step,
              std::sqrt(1 - std::sqrt(.5)), 1e-7);
  EXPECT_TRUE(std::isnan(StatisticsOf(OneHead({1, 0}, 1, 2), 0).step));
  EXPECT_TRUE(std::isnan(StatisticsOf(OneHead({0, 0, 0, 1}, 2, 2), 0).step));
}

TEST(HeadSimilarity, IsOneOfEqualHeadsAndZeroOfApartOnes) {
  AttentionMap a = OneHead({1, 0, 0, 1}, 1, 2);
  EXPECT_TRUE(std::isnan(HeadSimilarity(a)));
  a.heads = 2;
  EXPECT_DOUBLE_EQ(HeadSimilarity(a), 0);
  a.weights = {.5, .5, .5, .5};
  EXPECT_DOUBLE_EQ(HeadSimilarity(a), 1);
  a.weights = {1, 0, .5, .5};
  EXPECT_NEAR(HeadSimilarity(a), std::sqrt(.5), 1e-7);
  // Maps along edges give equal results.
  AttentionMap edges = a;
  edges.edges = {{0, 0}, {0, 1}};
  EXPECT_DOUBLE_EQ(HeadSimilarity(edges), HeadSimilarity(a));
  // Rows of three heads: the mean of three pairs.
  a.heads = 3;
  a.weights = {1, 0, 1, 0, 0, 1};
  EXPECT_NEAR(HeadSimilarity(a), 1.0 / 3, 1e-12);
}

TEST(ContextSimilarity, IsTheMeanCosineOverQueriesAndPairsOfHeads) {
  // Two queries; heads of two features: (1, 0) beside (1, 1), with a cosine of
  // √½, and (0, 2) beside (−1, 0), with one of 0.
  const std::vector<float> two = {1, 0, 1, 1, 0, 2, -1, 0};
  EXPECT_NEAR(ContextSimilarity(two, 2, 2), std::sqrt(.5) / 2, 1e-12);
  // Three heads of one query, (1, 0), (1, 0) and (−3, 0): cosines 1, −1 and −1.
  EXPECT_NEAR(ContextSimilarity(std::vector<float>{1, 0, 1, 0, -3, 0}, 3, 1),
              -1.0 / 3, 1e-12);
  // A query with a zero context does not count.
  const std::vector<float> nothing = {1, 0, 1, 1, 0, 0, 1, 0};
  EXPECT_NEAR(ContextSimilarity(nothing, 2, 2), std::sqrt(.5), 1e-12);
  EXPECT_TRUE(std::isnan(ContextSimilarity(two, 1, 2)));
  EXPECT_TRUE(std::isnan(ContextSimilarity({}, 2, 2)));
}

TEST(HeadStatistics, RowsWithoutWeightDoNotCount) {
  EXPECT_DOUBLE_EQ(StatisticsOf(OneHead({0, 0, .5, .5}, 2, 2), 0).entropy, 1);
}

TEST(HeadStatistics, AcrossAxesDistanceIsAShare) {
  AttentionMap a = OneHead({0, 0, 1, 1, 0, 0}, 2, 3);
  a.query = "target";
  EXPECT_DOUBLE_EQ(StatisticsOf(a, 0).distance, 1);
}

/// Two one-hot heads that attend to different items have a uniform mean.
TEST(HeadStatistics, OfTheMeanIsNotTheMean) {
  AttentionMap a = OneHead({1, 0, 0, 1}, 1, 2);
  a.heads = 2;
  EXPECT_DOUBLE_EQ(StatisticsOf(a, 0).entropy, 0);
  EXPECT_DOUBLE_EQ(StatisticsOf(a, 1).entropy, 0);
  EXPECT_DOUBLE_EQ(StatisticsOf(a, -1).entropy, 1);
  const ExplanationSegment segment = {
      .text = "",
      .answer = "",
      .axes = {{.id = "source", .items = {"a"}}},
      .maps = {a}};
  const auto json = ExplanationJson({"", "", "", "", {segment}});
  EXPECT_EQ(json["maps"][0]["statistics"]["mean"]["entropy"], 1);
  EXPECT_EQ(json["maps"][0]["statistics"]["unit"], "items");
}

TEST(TitleOfPath, IsWhatAReaderCallsIt) {
  EXPECT_EQ(TitleOfPath("decoder.layers.0.cross_attention"),
            "Decoder 0 · cross");
  EXPECT_EQ(TitleOfPath("encoder.attention"), "Encoder · attention");
  EXPECT_EQ(TitleOfPath("pooling"), "Pooling");
}

ExplanationSegment Example() {
  ExplanationSegment e;
  e.axes = {{.id = "source", .label = "Source", .items = {"a", "b", "</s>"}},
            {.id = "target", .label = "Target", .items = {"x", "y"}}};
  AttentionMap a = OneHead({.5, .3, .2, .1, .2, .7}, 2, 3);
  a.query = "target";
  e.maps.push_back(a);
  e.targets = {{.item = 0, .map = 0, .row = 0},
               {.item = 1, .map = 0, .row = 1}};
  return e;
}

Attribution Scores(const std::string& method, std::vector<float> scores) {
  return {method, std::move(scores), {}, "source", {0, 1}};
}

TEST(Explanation, ComparesOrdersWithAttention) {
  ExplanationSegment e = Example();
  e.attributions = {Scores("same", {5, 3, 2, 1, 2, 7}),
                    Scores("opposite", {2, 3, -5, 7, -2, 1}),
                    Scores("flat", {1, 1, 1, 1, 1, 1})};
  CompareWithAttention(e);
  ASSERT_EQ(e.agreements.size(), 3u);
  EXPECT_DOUBLE_EQ(e.agreements[0].spearman, 1);
  EXPECT_DOUBLE_EQ(e.agreements[1].kendall, -1);
  EXPECT_EQ(e.agreements[2].targets, 0);
}

/// A target without attention has no row instead of a row of zeros.
TEST(Explanation, AMissingRowIsMissing) {
  ExplanationSegment e = Example();
  SCOPED_TRACE("the first target");
  e.targets[0].map.reset();
  const AlignmentView view = AlignmentOf(e);
  EXPECT_EQ(view.target_tokens, (std::vector<std::string>{"y"}));
  EXPECT_EQ(view.weights, (std::vector<float>{.1f, .2f, .7f}));
  EXPECT_TRUE(RowOf(e, e.targets[0]).empty());
  const auto json = ExplanationJson({"", "", "", "", {e}});
  EXPECT_FALSE(json["targets"][0].contains("map"));
  EXPECT_EQ(json["targets"][1]["row"], 1);
  EXPECT_EQ(ViewOfHead(e, 0, 0).target_tokens, e.axes[1].items);
  EXPECT_THROW(ViewOfHead(e, 0, 1), ConfigError);
}

TEST(Explanation, SubWordsMergeToWords) {
  ExplanationSegment e = Example();
  e.axes[0].words = {{0, 2}, {2, 3}};
  e.axes[0].labels = {"A", "B", "</s>"};
  e.axes[1].words = {{0, 2}};
  e.targets[0].probability = 0.5;
  e.targets[1].probability = 0.5;
  e.attributions = {Scores("m", {1, 2, 3, 4, 5, 6})};
  const auto json = ExplanationJson({"", "", "", "", {e}});
  // Weights are summed over the keys of a word and averaged over its queries.
  EXPECT_EQ(json["maps"][0]["by_word"]["weights"],
            nlohmann::ordered_json::parse("[[[0.55,0.45]]]"));
  const ExplanationSegment words = MergeWords(e);
  CheckExplanation({"", "", "", "", {words}});
  EXPECT_EQ(words.axis("source").items,
            (std::vector<std::string>{"AB", "</s>"}));
  ASSERT_EQ(words.targets.size(), 1u);
  EXPECT_DOUBLE_EQ(*words.targets[0].probability, 0.25);
  EXPECT_EQ(words.attributions[0].scores, (std::vector<float>{6, 4.5f}));
}

TEST(Explanation, MovedBlocksAreThoseOfWords) {
  ExplanationSegment e = Example();
  e.axes[0].items = {"a", "b", ".", "</s>"};
  e.axes[1].items = {"x", "y", ".", "</s>"};
  // x and y change places; the full stop and the end attend to earlier words.
  e.maps[0] = OneHead({0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 4, 4);
  e.maps[0].query = "target";
  EXPECT_EQ(MovedBlocks(e, 0), (std::vector<AlignmentBlock>{{0, 2, 0, 2}}));
  e.maps[0].query = "source";
  EXPECT_TRUE(MovedBlocks(e, 0).empty());
}

TEST(Explanation, JsonHasEverything) {
  ExplanationSegment e = Example();
  e.text = "a b";
  e.answer = "x y";
  e.targets[1].probability = 0.75;
  e.targets[1].alternatives = {{"z", 0.125}};
  e.attributions = {Scores("saliency", {1, 2, 3, 4, 5, 6})};
  AttentionPanels panels;
  panels.scores = {{-INFINITY, 2}};
  e.panels.push_back(panels);
  const Explanation two = {"translate", "m", "t", "a", {e, e}};
  CheckExplanation(two);
  const auto json = ExplanationJson(two);
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["axes"]["source"]["items"][1], "b");
  EXPECT_EQ(json["maps"][1]["query"], "target.1");
  EXPECT_EQ(json["maps"][0]["weights"][0][1][2], 0.7);
  EXPECT_FALSE(json["maps"][0].contains("mean"));  // a single head
  EXPECT_EQ(json["maps"][0]["statistics"]["unit"], "share");
  EXPECT_EQ(json["targets"][1]["alternatives"][0]["label"], "z");
  EXPECT_EQ(json["targets"][3]["map"], 1);
  EXPECT_TRUE(json["targets"][3]["head"].is_null());
  EXPECT_EQ(json["attributions"][1]["axis"], "source.1");
  EXPECT_EQ(json["attributions"][1]["targets"],
            nlohmann::ordered_json::parse("[2,3]"));
  EXPECT_EQ(json["attributions"][0]["scores"][1][0], 4);
  EXPECT_TRUE(json["panels"][0]["scores"][0][0].is_null());
  EXPECT_EQ(json["panels"][1]["map"], 1);
  EXPECT_EQ(json["segments"][1]["targets"],
            nlohmann::ordered_json::parse("[2,3]"));
  EXPECT_EQ(json["segments"][0]["answer"], "x y");
}

TEST(Explanation, RefusesPartsThatDoNotFit) {
  const auto check = [](const ExplanationSegment& e) {
    CheckExplanation({"", "", "", "", {e}});
  };
  ExplanationSegment e = Example();
  check(e);
  e.axes[0].items.emplace_back("more");
  EXPECT_THROW(check(e), ShapeError);
  e = Example();
  e.targets[0].row = 2;
  EXPECT_THROW(check(e), ShapeError);
  e = Example();
  e.maps[0].key = "document";
  EXPECT_THROW(check(e), ShapeError);
}

TEST(ComposedMaps, AttendThroughWhatIsBetween) {
  const AttentionMap outer = {.name = "outer",
                              .title = "Outer",
                              .query = "answer",
                              .key = "sentences",
                              .heads = 2,
                              .query_size = 1,
                              .key_size = 2,
                              .weights = {1, 0, 0.5f, 0.5f}};  // mean .75 .25
  const AttentionMap dense = {.name = "inner",
                              .title = "Inner",
                              .query = "sentences",
                              .heads = 1,
                              .query_size = 2,
                              .key_size = 3,
                              .weights = {0.4f, 0.6f, 0, 0, 0, 1}};
  AttentionMap edges = dense;
  edges.edges = {{0, 0}, {0, 1}, {1, 2}};
  edges.weights = {0.4f, 0.6f, 1};
  for (const AttentionMap& inner : {dense, edges}) {
    const AttentionMap map = ComposedMap(outer, inner, "all", "All");
    EXPECT_EQ(map.query, "answer");
    EXPECT_EQ(map.key, "source");
    ASSERT_EQ(map.weights.size(), 3u);
    EXPECT_NEAR(map.weights[0], 0.3, 1e-6);
    EXPECT_NEAR(map.weights[1], 0.45, 1e-6);
    EXPECT_NEAR(map.weights[2], 0.25, 1e-6);
  }
  EXPECT_THROW(ComposedMap(dense, outer, "all", "All"), ShapeError);
}

TEST(MergedWords, AreWhatAxesThatCoverThemCover) {
  ExplanationSegment e;
  e.axes = {{.id = "source", .items = {"a", "b", "c", "d"}},
            {.id = "sentences", .items = {"ab", "", "cd"}, .of = "source"}};
  e.axes[0].words = {{0, 2}, {2, 3}, {3, 4}};
  e.axes[1].spans = {{0, 2}, {2, 2}, {2, 4}};
  const ExplanationSegment merged = MergeWords(e);
  EXPECT_EQ(merged.axes[0].items.size(), 3u);
  EXPECT_EQ(merged.axes[1].spans,
            (std::vector<ItemRange>{{0, 1}, {1, 1}, {1, 3}}));
}

}  // namespace
}  // namespace heed
