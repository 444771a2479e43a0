#include "heed/render/saliency_view.h"

#include <gtest/gtest.h>

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

TEST(DrawSaliency, ManyTargetsAreHeatmaps) {
  const std::string svg = SaliencySvg(ExampleSegment(3, 5));
  EXPECT_EQ(Count(svg, "class='matrix'"), 2u);
  EXPECT_EQ(Count(svg, ": -0.50</title>"), 7u);
  EXPECT_TRUE(IsDrawable(svg));
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
