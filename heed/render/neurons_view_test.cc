#include "heed/render/neurons_view.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

/// ExampleSegment with the numbers of two queries and two keys of a head.
ExplanationSegment NeuronSegment() {
  ExplanationSegment segment = ExampleSegment();
  segment.panels = {{.map = 1,
                     .head = 1,
                     .query = {{2, 0}, {1, -2}},
                     .key = {{1, 5}, {3, 1}},
                     .scores = {{2, kHidden}, {-9, 1}},
                     .weights = {{1, 0}, {0.25F, 0.75F}},
                     .value = {{10, -4}, {20, 8}},
                     .context = {{10, -4}, {17.5F, 5}},
                     .norms = {{3, 0}, {0.75F, 6}}}};
  return segment;
}

TEST(NeuronsView, MultipliesFeatures) {
  const ExplanationSegment segment = NeuronSegment();
  const NeuronRows rows = NeuronsOf(segment, segment.panels[0], {});
  EXPECT_EQ(rows.query, 1);
  EXPECT_EQ(rows.keys, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(rows.products,
            (std::vector<std::vector<float>>{{1, -10}, {3, -2}}));
  EXPECT_EQ(rows.scores, (std::vector<float>{-9, 1}));
  EXPECT_EQ(rows.norms, (std::vector<float>{0.75F, 6}));
}

TEST(NeuronsView, LeavesMaskedAndUnimportantKeysOut) {
  ExplanationSegment segment = NeuronSegment();
  segment.targets = {{.map = 1, .row = 0}};
  EXPECT_EQ(NeuronsOf(segment, segment.panels[0], {.step = 0}).keys,
            std::vector<int64_t>{0});
  AttentionPanels& panels = segment.panels[0];
  panels.query = {{1, 1}};
  panels.key.assign(100, {1, 1});
  panels.scores = {std::vector<float>(100, 0)};
  panels.weights = {std::vector<float>(100, 0.001F)};
  panels.weights[0][99] = 0.9F;
  panels.norms.clear();
  const NeuronRows rows = NeuronsOf(segment, panels, {});
  EXPECT_EQ(rows.keys.size(), 48U);
  EXPECT_EQ(rows.keys.back(), 99);
  EXPECT_EQ(rows.left_out, 52);
}

TEST(NeuronsView, DrawsAndPrints) {
  const ExplanationSegment segment = NeuronSegment();
  const ExplanationView view = NeuronsView();
  EXPECT_EQ(view.refusal(segment, {}), "");
  const std::vector<Drawing> drawings = view.draw(segment, {});
  const std::string svg = SvgPicture(drawings, {.label = "neurons"});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, ">-9.00</text>"), 1U);
  EXPECT_EQ(Count(svg, ">norm</text>"), 1U);
  EXPECT_EQ(Count(svg, "class='minus'"), 4U);  // −2 of q, 2 products, 1 score
  const std::string text = view.text(segment, {}, {});
  EXPECT_NE(text.find("1: -10.00, 0: +1.00"), std::string::npos);
}

TEST(NeuronsView, RefusesOtherScores) {
  ExplanationSegment segment = NeuronSegment();
  const ExplanationView view = NeuronsView();
  EXPECT_NE(view.refusal(segment, {.step = 99}).find("steps"),
            std::string::npos);
  segment.panels[0].query = {{1, 2, 3}, {1, 2, 3}};
  EXPECT_NE(view.refusal(segment, {}).find("different"), std::string::npos);
  segment.panels[0].query.clear();
  EXPECT_NE(view.refusal(segment, {}).find("queries"), std::string::npos);
  segment.panels.clear();
  EXPECT_NE(view.refusal(segment, {}).find("layer"), std::string::npos);
}

}  // namespace
}  // namespace heed
