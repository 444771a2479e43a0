#include "heed/explain/attention_flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"

namespace heed {
namespace {

AttentionMap MapOf(const std::string& name, const std::string& query,
                   int64_t queries, std::vector<float> weights,
                   int64_t heads = 1) {
  AttentionMap map;
  map.name = name;
  map.query = query;
  map.heads = heads;
  map.query_size = queries;
  map.key_size = 2;
  map.weights = std::move(weights);
  return map;
}

/// Two layers over two tokens, of two heads and one.
ExplanationSegment TwoLayers() {
  ExplanationSegment segment;
  segment.axes = {{.id = "source", .items = {"a", "b"}},
                  {.id = "target", .items = {"x", "y", "z"}}};
  // Means of heads: [[1, 0], [0.5, 0.5]] and [[0.2, 0.8], [0.6, 0.4]].
  segment.maps = {
      MapOf("first", "source", 2, {1, 0, 0.2F, 0.8F, 1, 0, 0.8F, 0.2F}, 2),
      MapOf("second", "source", 2, {0.2F, 0.8F, 0.6F, 0.4F})};
  return segment;
}

TEST(Rollout, MultipliesLayersWithTheirResidualConnections) {
  ExplanationSegment segment = TwoLayers();
  segment.targets = {{.map = 1, .row = 0}, {.map = {}}, {.map = 1, .row = 1}};
  const Attribution rollout = Rollout(segment);
  EXPECT_EQ(rollout.axis, "source");
  EXPECT_EQ(rollout.targets, (std::vector<size_t>{0, 2}));
  // ½ (A + I) of the layers: [[1, 0], [.25, .75]] and [[.6, .4], [.3, .7]].
  const std::vector<float> expected = {0.7F, 0.3F, 0.475F, 0.525F};
  ASSERT_EQ(rollout.scores.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(rollout.scores[i], expected[i], 1e-6) << i;
  }
}

TEST(Rollout, OfADecoderPassesThroughTheEncoder) {
  ExplanationSegment segment = TwoLayers();
  segment.maps.push_back(MapOf("cross", "target", 3, {1, 0, 0, 1, 0.5F, 0.5F}));
  segment.targets = {{.map = 2, .row = 1}};
  const Attribution rollout = Rollout(segment);
  ASSERT_EQ(rollout.scores.size(), 2U);
  EXPECT_NEAR(rollout.scores[0], 0.475, 1e-6);
  EXPECT_NEAR(rollout.scores[1], 0.525, 1e-6);
}

TEST(Rollout, NeedsAnAttentionRow) {
  ExplanationSegment segment = TwoLayers();
  segment.targets = {{.map = {}}};
  EXPECT_THROW(Rollout(segment), ConfigError);
}

TEST(FillNorms, IsTheLengthOfWeightedValuesBehindTheOutput) {
  AttentionPanels panels;
  panels.head = 1;
  panels.weights = {{1, 0}, {0.25F, 0.75F}};
  panels.value = {{3, 4}, {0, 2}};
  // Rows 2 and 3 belong to head 1.
  const Tensor output = Tensor::Of(
      std::vector<double>{9, 9, 9, 9, 9, 9, 1, 0, 0, 0, 0, 2}, {4, 3});
  FillNorms(output, panels);
  const double first = std::sqrt(9 + 64);
  EXPECT_NEAR(panels.norms[0][0], first, 1e-5);
  EXPECT_EQ(panels.norms[0][1], 0);
  EXPECT_NEAR(panels.norms[1][0], first / 4, 1e-5);
  EXPECT_NEAR(panels.norms[1][1], 0.75 * 4, 1e-5);
}

}  // namespace
}  // namespace heed
