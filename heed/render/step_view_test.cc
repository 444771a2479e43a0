#include "heed/render/step_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string StepSvg(const ExplanationSegment& e, int64_t step) {
  const Drawing drawing = DrawStep(e, {.step = step});
  return SvgPicture({&drawing, 1}, {.label = "step"});
}

TEST(StepView, ShowsTheNumbersOfTheStep) {
  const std::string svg = StepSvg(SteppedSegment(), 1);
  EXPECT_THAT(svg, HasSubstr("example, step i = 2: &#39;t1&#39;"));
  EXPECT_THAT(svg, HasSubstr(">3.25</text>"));       // a score
  EXPECT_THAT(svg, HasSubstr(">0.38</text>"));       // a weight
  EXPECT_THAT(svg, HasSubstr(">2.25</text>"));       // context
  EXPECT_THAT(svg, HasSubstr(">7.00</text>"));       // query
  EXPECT_THAT(svg, Not(HasSubstr(">9.00</text>")));  // a value of another step
  EXPECT_THAT(svg, HasSubstr(">other</text>"));
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(StepView, LeadsResultsToWhatReadsThem) {
  const std::string svg = StepSvg(SteppedSegment(), 0);
  // c reads s′ and h; s reads y, s′ and c; y reads s and c.
  EXPECT_EQ(Count(svg, "<title>sᵢ₋₁</title>"), 2U);
  EXPECT_EQ(Count(svg, "<title>hⱼ</title>"), 1U);
  EXPECT_EQ(Count(svg, "<title>cᵢ</title>"), 2U);
  EXPECT_EQ(Count(svg, "<title>sᵢ</title>"), 1U);
}

TEST(StepView, TheSourceIsBelowAndTheDecoderAbove) {
  const std::string svg = StepSvg(SteppedSegment(), 1);
  // Boxes are drawn from top to bottom.
  const auto at = [&](const std::string& text) {
    const size_t place = svg.find(">" + text + "</text>");
    EXPECT_NE(place, std::string::npos) << text;
    return place;
  };
  EXPECT_LT(at("decoder"), at("= softmax(W [sᵢ; cᵢ])"));
  EXPECT_LT(at("= softmax(W [sᵢ; cᵢ])"), at("other"));
  EXPECT_LT(at("other"), at("= GRU(yᵢ₋₁, sᵢ₋₁, cᵢ)"));
  EXPECT_LT(at("= GRU(yᵢ₋₁, sᵢ₋₁, cᵢ)"), at("the state before"));
  EXPECT_LT(at("the state before"), at("encoder"));
  EXPECT_LT(at("encoder"), at("hⱼ"));
}

TEST(StepView, TextFollowsTheStepsInOrder) {
  const std::string text =
      StepView().text(SteppedSegment(), {.step = 1}, {.width = 80});
  EXPECT_LT(text.find("cᵢ   = Σⱼ"), text.find("sᵢ   = GRU"));
  EXPECT_LT(text.find("sᵢ   = GRU"), text.find("yᵢ   = softmax"));
  EXPECT_THAT(text, HasSubstr("s0    3.25    0.50   1.00   2.00"));
  EXPECT_THAT(text, HasSubstr("t1 0.500, other 0.375"));
  EXPECT_THAT(text, HasSubstr("'t0', written before"));
}

TEST(StepView, OfALongSourceTheLargestWeightsAreShown) {
  ExplanationSegment e = ExampleSegment(/*sources=*/30, /*targets=*/1,
                                        /*heads=*/1);
  e.outline = AttentiveOutline();
  AttentionPanels panels;
  panels.map = 2;
  panels.weights.emplace_back();
  panels.scores.emplace_back();
  for (int s = 0; s < 30; ++s) {
    panels.weights[0].push_back(s == 29 ? 0.42F : 0.02F);
    panels.scores[0].push_back(0);
    panels.value.push_back({1});
  }
  panels.context = {{1}};
  e.panels.push_back(panels);
  const std::string text = StepView().text(e, {}, {.width = 80});
  EXPECT_THAT(text, HasSubstr("s29"));
  EXPECT_THAT(text, Not(HasSubstr("s28")));
  EXPECT_THAT(text, HasSubstr("the 24 of 30 with the largest weights"));
}

TEST(StepView, RefusesWhatHasNoSteps) {
  const ExplanationView view = StepView();
  ExplanationSegment e = SteppedSegment();
  EXPECT_EQ(view.refusal(e, {}), "");
  EXPECT_THAT(view.refusal(e, {.step = 2}), HasSubstr("2 steps"));
  e.panels.clear();
  EXPECT_THAT(view.refusal(e, {}), HasSubstr("numbers"));
  e.outline.sequences.clear();
  EXPECT_THAT(view.refusal(e, {}), HasSubstr("recurrent decoder"));
}

}  // namespace
}  // namespace heed
