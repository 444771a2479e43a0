#include "heed/explain/explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
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
  const std::vector<LayerAttention> layers = CollectAttentions(watch.seen, 1);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].heads, 2);
  EXPECT_EQ(layers[0].query_size, 3);
  EXPECT_EQ(layers[0].key_size, 3);
  EXPECT_EQ(layers[0].OfHead(1),
            (std::vector<float>{10, 0, 0, 11, 11, 0, 12, 12, 12}));
  EXPECT_EQ(layers[0].MeanOfHeads()[3], 6);
  EXPECT_EQ(layers[1].layer, "cross");
}

LayerAttention OneHead(std::vector<float> weights, int64_t queries,
                       int64_t keys) {
  LayerAttention a;
  a.layer = "layer";
  a.heads = 1;
  a.query_size = queries;
  a.key_size = keys;
  a.weights = std::move(weights);
  return a;
}

TEST(HeadStatistics, OfSharpAndEvenHeads) {
  const auto sharp = StatisticsOf(OneHead({0, 1, 1, 0}, 2, 2)).at(0);
  EXPECT_DOUBLE_EQ(sharp.entropy, 0);
  EXPECT_DOUBLE_EQ(sharp.distance, 1);
  const auto even = StatisticsOf(OneHead({.25, .25, .25, .25}, 1, 4)).at(0);
  EXPECT_DOUBLE_EQ(even.entropy, 2);  // bits
  EXPECT_DOUBLE_EQ(even.distance, (0 + 1 + 2 + 3) / 4.0);
}

TEST(HeadStatistics, RowsWithoutWeightDoNotCount) {
  const auto s = StatisticsOf(OneHead({0, 0, .5, .5}, 2, 2)).at(0);
  EXPECT_DOUBLE_EQ(s.entropy, 1);
}

TEST(HeadStatistics, AcrossSidesDistanceIsRelative) {
  LayerAttention a = OneHead({0, 0, 1, 1, 0, 0}, 2, 3);
  a.queries = TokenSide::kTarget;
  EXPECT_DOUBLE_EQ(StatisticsOf(a).at(0).distance, 1);
}

Explanation Example() {
  Explanation e;
  e.source = {"a", "b", "</s>"};
  e.target = {"x", "y"};
  e.target_inputs = {"<s>", "x"};
  LayerAttention a = OneHead({.5, .3, .2, .1, .2, .7}, 2, 3);
  a.queries = TokenSide::kTarget;
  e.layers.push_back(a);
  e.alignment = 0;
  e.alignment_rows = {0, 1};
  return e;
}

TEST(Explanation, ComparesOrdersWithAttention) {
  Explanation e = Example();
  e.attributions.push_back({"same", {5, 3, 2, 1, 2, 7}, {}});
  e.attributions.push_back({"opposite", {2, 3, -5, 7, -2, 1}, {}});
  e.attributions.push_back({"flat", {1, 1, 1, 1, 1, 1}, {}});
  CompareWithAttention(e);
  ASSERT_EQ(e.agreements.size(), 3u);
  EXPECT_DOUBLE_EQ(e.agreements[0].spearman, 1);
  EXPECT_DOUBLE_EQ(e.agreements[1].kendall, -1);
  EXPECT_EQ(e.agreements[2].targets, 0);
}

TEST(Explanation, AlignmentRowsChooseTheQueries) {
  Explanation e = Example();
  e.alignment_rows = {1, -1};
  EXPECT_EQ(AlignmentWeights(e), (std::vector<float>{.1f, .2f, .7f, 0, 0, 0}));
  const AlignmentView view = ViewOfHead(e, 0, 0);
  EXPECT_EQ(view.target_tokens, e.target_inputs);
  EXPECT_THROW(ViewOfHead(e, 0, 1), ConfigError);
}

TEST(Explanation, JsonHasEverything) {
  Explanation e = Example();
  e.attributions.push_back({"saliency", {1, 2, 3, 4, 5, 6}, {}});
  AttentionPanels panels;
  panels.scores = {{-INFINITY, 2}};
  e.panels.push_back(panels);
  const auto json = ExplanationJson(e);
  EXPECT_EQ(json["layers"][0]["queries"], "target");
  EXPECT_EQ(json["layers"][0]["weights"][0][1][2], 0.7);
  EXPECT_EQ(json["attributions"][0]["scores"][1][0], 4);
  EXPECT_TRUE(json["panels"][0]["scores"][0][0].is_null());
  EXPECT_EQ(json["alignment"], 0);
}

}  // namespace
}  // namespace heed
