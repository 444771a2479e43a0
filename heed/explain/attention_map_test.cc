// Maps whose weights are computed from factors when they are read.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/explain/attention_summary.h"
#include "heed/explain/explanation.h"
#include "heed/explain/observed_attention.h"
#include "heed/kernels/attention_factors.h"
#include "heed/kernels/testing.h"

namespace heed {
namespace {

constexpr int64_t kHeads = 2;

/// Event of an attention of T queries and S keys, as an explanation sees it.
AttentionWatch::Seen Event(int64_t T, int64_t S, int64_t batch = 1) {
  kernels::AttentionArgs args;
  args.q = kernels::Random({batch, T, kHeads * 4}, DType::kF32, 1);
  args.k = kernels::Random({batch, S, kHeads * 4}, DType::kF32, 2);
  args.v = args.k;
  args.heads = args.key_heads = kHeads;
  const Tensor log_sum = kernels::FusedAttention(args).log_sum;
  return {.info = {.path = "layer", .heads = kHeads},
          .step = 0,
          .weights = {},
          .graph = {},
          .parts = {},
          .context = {},
          .factors = std::make_shared<kernels::AttentionFactors>(args, log_sum,
                                                                 nullptr)};
}

/// A segment with one map that is larger than kDenseWeights.
ExplanationSegment Large() {
  constexpr int64_t kLength = 740;
  ExplanationSegment segment;
  segment.axes = {{.id = "source"}};
  for (int64_t i = 0; i < kLength; ++i) {
    segment.axes[0].items.push_back(std::to_string(i % 50));
  }
  segment.maps = CollectMaps(std::vector{Event(kLength, kLength)});
  segment.targets = {{.axis = "source", .item = 3, .map = 0, .row = 3}};
  SummarizeLargeMaps(segment);
  return segment;
}

/// The segment with its weights stored.
ExplanationSegment Dense(ExplanationSegment segment) {
  AttentionMap& map = segment.maps[0];
  map.weights = map.factors->Weights().ToVector<float>();
  map.factors = nullptr;
  map.summary = nullptr;
  return segment;
}

void ExpectNear(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST(AttentionMap, KeepsTheWeightsOfFewItems) {
  const AttentionWatch::Seen event = Event(20, 30, 2);
  for (const int64_t b : {0, 1}) {
    const AttentionMap map = CollectMaps({&event, 1}, b).at(0);
    EXPECT_FALSE(map.large());
    EXPECT_EQ(map.query_size, 20);
    EXPECT_EQ(map.key_size, 30);
    ExpectNear(map.weights, event.factors->Weights()[b].ToVector<float>());
  }
}

TEST(AttentionMap, ReadsPartsOfManyItems) {
  const ExplanationSegment segment = Large();
  CheckExplanation({"", "", "", "", {segment}});
  const AttentionMap& map = segment.maps.at(0);
  ASSERT_TRUE(map.large() && map.weights.empty());
  const AttentionMap dense = Dense(segment).maps.at(0);
  for (const int64_t head : {-1, 1}) {
    ExpectNear(map.OfHead(head), dense.OfHead(head));
    ExpectNear(map.Rows(head, {17, 19}), dense.Rows(head, {17, 19}));
    ExpectNear(map.Tile(head, {700, 740}, {5, 300}),
               dense.Tile(head, {700, 740}, {5, 300}));
    ExpectNear(map.Pooled(head, 64), dense.Pooled(head, 64));
  }
  EXPECT_NEAR(map.Largest(), dense.Largest(), 1e-6);
  EXPECT_TRUE(map.Tile(0, {3, 3}, {0, 5}).empty());
  ExpectNear(RowOf(segment, segment.targets[0]), dense.Rows(-1, {3, 4}));
  const std::vector<int32_t> tokens = NumberItems(segment.axes[0].items);
  const HeadStatistics mean = StatisticsOf(map, -1, tokens);
  EXPECT_NEAR(mean.repeated, StatisticsOf(dense, -1, tokens).repeated, 1e-5);
  EXPECT_NEAR(StatisticsOf(map, 1, tokens).induction,
              StatisticsOf(dense, 1, tokens).induction, 1e-5);
}

TEST(AttentionMap, ShowsSomeRowsOfAHead) {
  const ExplanationSegment segment = Large();
  const AlignmentView view = ViewOfHead(segment, 0, 1, {17, 19});
  EXPECT_EQ(view.target_tokens, (std::vector<std::string>{"17", "18"}));
  ExpectNear(view.weights, segment.maps[0].Rows(1, {17, 19}));
  EXPECT_TRUE(view.title.ends_with("head 1, rows 17:19")) << view.title;
  EXPECT_THROW(ViewOfHead(segment, 0, 1, {17, 741}), ConfigError);
  EXPECT_THROW(ViewOfHead(segment, 0, 1, {-1, 2}), ConfigError);
}

TEST(AttentionMap, PoolingKeepsTheLargest) {
  AttentionMap map = {.name = "a",
                      .title = "A",
                      .heads = 1,
                      .query_size = 4,
                      .key_size = 3,
                      .weights = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  EXPECT_EQ(map.Pooled(0, 2), (std::vector<float>{5, 6, 11, 12}));
  EXPECT_EQ(map.Pooled(0, 9), map.weights);
}

TEST(AttentionMap, MergesPiecesOfWordsWhenItIsRead) {
  ExplanationSegment segment = Large();
  for (int64_t i = 0; i < segment.axes[0].size(); i += 2) {
    segment.axes[0].words.push_back({i, i + 2});
  }
  const ExplanationSegment merged = MergeWords(segment);
  const AttentionMap& map = merged.maps.at(0);
  const AttentionMap dense = MergeWords(Dense(segment)).maps.at(0);
  EXPECT_TRUE(map.large());
  EXPECT_EQ(map.query_size, 370);
  ExpectNear(map.OfHead(1), dense.OfHead(1));
  ExpectNear(map.Tile(-1, {20, 31}, {7, 9}), dense.Tile(-1, {20, 31}, {7, 9}));
  EXPECT_NEAR(StatisticsOf(map, 0).entropy, StatisticsOf(dense, 0).entropy,
              1e-4);
  CheckExplanation({"", "", "", "", {merged}});
}

TEST(ExplanationJson, OfALargeMapHasTheTopTheRestAndPooledCells) {
  const ExplanationSegment segment = Large();
  const auto json = ExplanationJson({"", "", "", "", {segment}}, {.pooled = 8});
  EXPECT_EQ(json["version"], 3);
  const auto& map = json["maps"][0];
  EXPECT_FALSE(map.contains("weights") || map.contains("mean"));
  EXPECT_FALSE(map.contains("tile"));
  const AttentionMap& own = segment.maps[0];
  const std::vector<float> row = own.Rows(1, {5, 6});
  double sum = map["rest"][1][5].get<double>();
  for (size_t i = 0; i < 16; ++i) {
    const double weight = map["top"]["weights"][1][5][i].get<double>();
    const auto key = map["top"]["keys"][1][5][i].get<int64_t>();
    EXPECT_NEAR(weight, At(row, key), 1e-5);
    sum += weight;
  }
  EXPECT_NEAR(sum, 1, 1e-4);
  EXPECT_GT(map["rest"][1][5].get<double>(), 0);
  EXPECT_EQ(map["pooled"]["rows"], 8);
  const std::string cells =
      FromBase64(map["pooled"]["cells"][1].get<std::string>()).value();
  const std::vector<float> pooled = own.Pooled(1, 8);
  ASSERT_EQ(cells.size(), pooled.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    const double root = static_cast<unsigned char>(cells[i]) / 255.0;
    EXPECT_NEAR(root, std::sqrt(pooled[i]), 1.0 / 255);
    EXPECT_GT(root, 0);
  }
  EXPECT_TRUE(map["statistics"]["repeated"][0].is_number());
  EXPECT_TRUE(map["statistics"]["largest"][0].is_number());
}

TEST(ExplanationJson, NamesTheAddressOfTiles) {
  const auto json = ExplanationJson({"", "", "", "", {Large()}},
                                    {.pooled = 8, .top = false, .tiles = "/t"});
  const auto& map = json["maps"][0];
  EXPECT_EQ(map["tile"], "/t&map=0");
  EXPECT_FALSE(map.contains("top"));
}

}  // namespace
}  // namespace heed
