#include "heed/render/panels_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// Two queries that may attend to one and to two keys.
AttentionPanels ExamplePanels() {
  const float a = 1.0f / (1.0f + std::exp(1.0f));
  return {.map = 1,
          .head = 1,
          .query = {{2, 0, 0, 0}, {0, 2, 0, 0}},
          .key = {{1, 0, 0, 0}, {0, 1, 0, 0}},
          .scores = {{1, kMasked}, {0, 1}},
          .weights = {{1, 0}, {a, 1 - a}},
          .value = {{10, -4}, {20, 8}},
          .context = {{10, -4}, {10 * a + 20 * (1 - a), -4 * a + 8 * (1 - a)}}};
}

std::string PanelsSvg(const AttentionPanels& panels) {
  const Drawing drawing = DrawPanels(ExampleSegment(), panels);
  return SvgPicture({&drawing, 1}, {.label = "panels"});
}

TEST(DrawPanels, ShowsNumbersSumsAndMasks) {
  const std::string svg = PanelsSvg(ExamplePanels());
  EXPECT_EQ(Count(svg, ">decoder.self_attention, head 1</text>"), 1u);
  EXPECT_EQ(Count(svg, ">0.27</text>"), 1u);   // softmax(0, 1)
  EXPECT_EQ(Count(svg, ">17.31</text>"), 1u);  // the context of the second
  EXPECT_EQ(Count(svg, ">-4.00</text>"), 2u);  // a value and its context
  EXPECT_EQ(Count(svg, "class='hatch'"), 2u);  // the masked score and weight
  EXPECT_NE(svg.find("hatched: masked"), std::string::npos);
  EXPECT_EQ(Count(svg, "class='minus'"), 2u);
  // Both rows sum to 1; the first weight and the second key's score are 1 too.
  EXPECT_EQ(Count(svg, ">1.00</text>"), 5u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawPanels, NamesFormulaAndNormaliserOfTheAttention) {
  ExplanationSegment e = ExampleSegment();
  const auto svg = [&](const AttentionPanels& panels) {
    const Drawing drawing = DrawPanels(e, panels);
    return SvgPicture({&drawing, 1}, {.label = "panels"});
  };
  EXPECT_NE(svg(ExamplePanels()).find("scores = Q Kᵀ / √4"), std::string::npos);
  EXPECT_NE(svg(ExamplePanels()).find(">softmax</text>"), std::string::npos);
  e.maps[1].normalizer = "sparsemax";
  e.maps[1].modifiers = {"alibi"};
  EXPECT_EQ(svg(ExamplePanels()).find("Q Kᵀ"), std::string::npos);
  EXPECT_NE(svg(ExamplePanels()).find(">sparsemax</text>"), std::string::npos);
  e.maps[1].modifiers.clear();
  AttentionPanels without = ExamplePanels();
  without.query.clear();
  EXPECT_EQ(svg(without).find("Q Kᵀ"), std::string::npos);
}

TEST(DrawPanels, TokensAreThoseOfTheLayer) {
  EXPECT_NE(PanelsSvg(ExamplePanels()).find("&lt;s&gt;</text>"),
            std::string::npos);
}

TEST(DrawPanels, SaysHowManyFeaturesThereAre) {
  AttentionPanels panels = ExamplePanels();
  for (auto* rows : {&panels.value, &panels.context}) {
    for (auto& row : *rows) row.resize(64, 0.5f);
  }
  const std::string svg = PanelsSvg(panels);
  EXPECT_NE(svg.find("8 of 64 features"), std::string::npos);
  EXPECT_EQ(Count(svg, ">0.50</text>"), 4u * 6u);
}

TEST(DrawPanels, ManyKeysHaveShadesInsteadOfNumbers) {
  const std::vector<std::vector<float>> square(
      60, std::vector<float>(60, 1.0f / 60.0f));
  AttentionPanels panels{.map = 9,
                         .head = 0,
                         .query = {},
                         .key = {},
                         .scores = square,
                         .weights = square,
                         .value = square,
                         .context = square};
  const std::string svg = PanelsSvg(panels);
  EXPECT_EQ(Count(svg, ">0.02</text>"), 2u * 60u * 8u);  // values and context
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawPanels, PartsMustFit) {
  AttentionPanels panels = ExamplePanels();
  panels.weights[0].pop_back();
  EXPECT_THROW(PanelsSvg(panels), ShapeError);
  panels = ExamplePanels();
  panels.context.pop_back();
  EXPECT_THROW(PanelsSvg(panels), ShapeError);
  panels = ExamplePanels();
  panels.key[1].pop_back();
  EXPECT_THROW(PanelsSvg(panels), ShapeError);
  EXPECT_TRUE(IsDrawable(PanelsSvg({})));
}

}  // namespace
}  // namespace heed
