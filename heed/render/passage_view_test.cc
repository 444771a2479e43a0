#include "heed/render/passage_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/render/axis_kind.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

using testing::HasSubstr;

std::string SvgOfPassage(const ExplanationSegment& e, const std::string& view) {
  const Explanation whole = ExplanationOf(e);
  return ExplanationSvg({&whole, 1}, {.view = view});
}

TEST(PassageView, IsShownFirstWithQuestionAnswerAndEachHop) {
  const ExplanationSegment e = PassageSegment();
  CheckExplanation(ExplanationOf(e));
  const std::string svg = SvgOfPassage(e, "");
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(svg, SvgOfPassage(e, "passage"));
  EXPECT_EQ(Count(svg, "Where ? → b&lt;"), 1u);
  EXPECT_EQ(Count(svg, "b&lt; 0.75, a 0.25"), 1u);
  EXPECT_EQ(Count(svg, "hop 1 of 2; the darkest word has 0.50"), 1u);
  EXPECT_EQ(Count(svg, "hop 2 of 2; the darkest word has 0.75"), 1u);
  EXPECT_EQ(Count(svg, "b&lt;: 0.75"), 1u);
}

TEST(PassageView, OfManySentencesShowsThoseWithTheLargestWeights) {
  const std::string svg = SvgOfPassage(PassageSegment(500), "passage");
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "442 sentences of less weight"), 2u);
}

TEST(PassageView, InATerminalHasALineForEachSentence) {
  const std::string text =
      TerminalExplanation(ExplanationOf(PassageSegment()), {}, {.width = 60});
  EXPECT_THAT(text, HasSubstr("Where ? → b<\nb< 0.75, a 0.25\nhop 1 of 2"));
  EXPECT_THAT(text, HasSubstr("  a(0.25) b<(0.75)\n  c\n"));
}

TEST(PassageView, WithoutAttentionToAPassageIsRefused) {
  EXPECT_NE(PassageView().refusal(ExampleSegment(3, 1), {}), "");
  EXPECT_NE(PassageView().refusal(DocumentSegment(), {}), "");
  EXPECT_EQ(PassageView().refusal(PassageSegment(), {}), "");
}

TEST(PassageKind, ShadesWordsSentenceBySentence) {
  const ExplanationSegment e = PassageSegment();
  const std::vector<float> values = {0.2f, 1, -0.5f};
  const AxisKind& kind = KindOf(e.axes[0]);
  EXPECT_EQ(kind.name, "passage");
  EXPECT_EQ(kind.shade_text(e, e.axes[0], values, 2, {}),
            "  a(0.20) b<(1.00)\n  c(-0.50)\n");
}

}  // namespace
}  // namespace heed
