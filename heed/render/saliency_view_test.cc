#include "heed/render/saliency_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"
#include "heed/render/shadings.h"

namespace heed {
namespace {

std::string SaliencySvg(const ExplanationSegment& segment) {
  const Drawing drawing = DrawSaliency(segment);
  return SvgPicture({&drawing, 1}, {.label = "saliency"});
}

TEST(DrawSaliency, FewTargetsAreShadedText) {
  const std::string svg = SaliencySvg(ExampleSegment(3, 2));
  EXPECT_EQ(Count(svg, "class='matrix'"), 0u);
  EXPECT_EQ(Count(svg, ">attention</text>"), 1u);
  EXPECT_EQ(Count(svg, ">gradient × input</text>"), 1u);
  EXPECT_EQ(Count(svg, ">→ t1</text>"), 2u);
  // Scores 2, −1, 2 and −1, 2, −1 are divided by 2.
  EXPECT_EQ(Count(svg, ">1.00</text>"), 3u);
  EXPECT_EQ(Count(svg, ">-0.50</text>"), 3u);
  EXPECT_EQ(Count(svg, "class='minus'"), 3u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawSaliency, OfAnInputThatIsNoTextTargetsAreTitledAsInOtherViews) {
  ExplanationSegment e = ExampleSegment(3, 1);
  const auto titles = [&e](const std::string& view) {
    const std::string shown =
        TerminalExplanation(ExplanationOf(e), {.view = view}, {});
    return shown.substr(0, shown.find('\n'));
  };
  EXPECT_EQ(titles("saliency"), "→ t0");
  e.axes[0].kind = "dials";
  e.answer = "t0";
  EXPECT_EQ(titles("saliency"), "t0");
  EXPECT_EQ(titles("alignment"), "t0");
  EXPECT_EQ(Count(SaliencySvg(e), "→"), 0u);
}

TEST(DrawSaliency, ALegendHasTwoSidesOnlyWhereScoresDo) {
  ExplanationSegment e = ExampleSegment(3, 2);
  const auto against = [&e] {
    const Explanation whole = ExplanationOf(e);
    const std::string svg = ExplanationSvg({&whole, 1}, {.view = "saliency"});
    return Count(svg, ">against</text>");
  };
  EXPECT_EQ(against(), 1u);
  for (float& score : e.attributions[0].scores) score = std::abs(score);
  EXPECT_EQ(against(), 0u);
}

TEST(DrawSaliency, ManyTargetsAreHeatmaps) {
  const std::string svg = SaliencySvg(ExampleSegment(3, 5));
  EXPECT_EQ(Count(svg, "class='matrix'"), 2u);
  EXPECT_EQ(Count(svg, ": -0.50</title>"), 7u);
  EXPECT_TRUE(IsDrawable(svg));
}

/// An image with `targets` answers and an attribution of each.
ExplanationSegment AttributedImage(size_t targets) {
  ExplanationSegment e = ImageSegment();
  Attribution found = {.method = "occlusion", .scores = {}, .differences = {}};
  e.axes[1].items.assign(targets, "cat");
  e.maps = {DiagonalMap("pooling", "answer", "source", 1,
                        static_cast<int64_t>(targets), 4)};
  e.targets.clear();
  for (size_t i = 0; i < targets; ++i) {
    const auto row = static_cast<int64_t>(i);
    e.targets.push_back({.axis = "answer", .item = row, .map = 0, .row = row});
    found.targets.push_back(i);
    for (const float score : {4.0f, -2.0f, 0.0f, 1.0f}) {
      found.scores.push_back(score);
    }
  }
  e.attributions = {found};
  return e;
}

TEST(DrawSaliency, AnImageIsShadedForEachTargetHoweverManyThereAre) {
  const std::string svg = SaliencySvg(AttributedImage(6));
  EXPECT_EQ(Count(svg, "class='matrix'"), 0u);
  // Attention and one method.
  EXPECT_EQ(Count(svg, "<image"), 1u);
  EXPECT_EQ(Count(svg, "<use href='#image-"), 11u);
  EXPECT_EQ(Count(svg, ">occlusion</text>"), 1u);
  EXPECT_EQ(Count(svg, "row 1, column 2: -0.50</title>"), 6u);
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(DrawSaliency, SmallAttentionHasTheFullShadeWhereItIsLargest) {
  ExplanationSegment e = AttributedImage(1);
  e.maps[0].weights = {0.1f, 0.2f, 0.05f, 0.0f};
  const auto svg_of = [&e](ShadeScale scale) {
    const Explanation all = ExplanationOf(e);
    return ExplanationSvg({&all, 1}, {.view = "saliency", .scale = scale});
  };
  const std::string scaled = svg_of(ShadeScale::kAuto);
  EXPECT_EQ(Count(scaled, "row 1, column 2: 1.00</title>"), 1u);
  EXPECT_EQ(Count(scaled, ">divided by 0.2</text>"), 1u);
  EXPECT_EQ(Count(svg_of(ShadeScale::kAbsolute), "row 1, column 2: 0.20"), 1u);
  EXPECT_EQ(Count(svg_of(ShadeScale::kAbsolute), ">divided by"), 0u);
}

TEST(ExplanationView, MethodsViewIsTheDefaultIfMethodsAreRequested) {
  const Explanation e = ExplanationOf(AttributedImage(1));
  EXPECT_EQ(Count(ExplanationSvg({&e, 1}, {}), ">occlusion</text>"), 0u);
  EXPECT_EQ(
      Count(ExplanationSvg({&e, 1}, {.methods = true}), ">occlusion</text>"),
      1u);
  EXPECT_EQ(Count(ExplanationSvg({&e, 1}, {.view = "input", .methods = true}),
                  ">occlusion</text>"),
            0u);
}

TEST(FramesView, AnImageHasNoWordsForFrames) {
  EXPECT_NE(ExplanationViewOf("frames")
                .refusal(AttributedImage(2), {})
                .find("--view input"),
            std::string::npos);
  EXPECT_EQ(ExplanationViewOf("frames").refusal(ExampleSegment(), {}), "");
}

TEST(DrawSaliency, SaysHowFarMethodsAgreeWithAttention) {
  ExplanationSegment e = ExampleSegment(3, 5);
  EXPECT_EQ(SaliencySvg(e).find("Spearman"), std::string::npos);
  e.agreements = {{.method = "gradient_x_input",
                   .spearman = 0.25,
                   .kendall = -0.5,
                   .targets = 5}};
  EXPECT_NE(SaliencySvg(e).find(
                "agrees with attention: Spearman 0.25, Kendall -0.50"),
            std::string::npos);
}

TEST(DrawSaliency, NeedsNoAttention) {
  ExplanationSegment e = ExampleSegment();
  e = WithoutRows(e);
  const std::string svg = SaliencySvg(e);
  EXPECT_EQ(Count(svg, ">attention</text>"), 0u);
  EXPECT_EQ(Count(svg, ">gradient × input</text>"), 1u);
  EXPECT_TRUE(IsDrawable(SaliencySvg({})));
}

TEST(MethodName, IsReadable) {
  EXPECT_EQ(MethodName("integrated_gradients"), "integrated gradients");
  EXPECT_EQ(MethodName("gradient_x_input"), "gradient × input");
}

}  // namespace
}  // namespace heed
