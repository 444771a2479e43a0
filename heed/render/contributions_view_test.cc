#include "heed/render/contributions_view.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string PatientSvg(const ExplanationSegment& e) {
  const Explanation whole = ExplanationOf(e);
  return ExplanationSvg({&whole, 1}, {.view = "contributions"});
}

TEST(Contributions, AreSignedBarsUnderTheAttentionOfTheirVisits) {
  const std::string svg = PatientSvg(PatientSegment());
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "<circle"), 3u);
  EXPECT_EQ(Count(svg, "visit 1 (0), I50: +1.500"), 1u);
  EXPECT_EQ(Count(svg, "visit 2 (7), E&lt;11: -0.500"), 1u);
  EXPECT_EQ(Count(svg, "Probability of label 1: 0.7500"), 1u);
  EXPECT_EQ(Count(svg, "β"), 1u);
}

TEST(Contributions, WithoutAttentionAndBetaAreBarsAlone) {
  ExplanationSegment e = PatientSegment();
  e.maps.clear();
  e.targets[0].map.reset();
  e.axes[0].payload = nullptr;
  const std::string svg = PatientSvg(e);
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "<circle"), 0u);
  EXPECT_EQ(Count(svg, "β"), 0u);
}

TEST(Contributions, OfThousandsOfCodesStayWithinThePage) {
  ExplanationSegment e = PatientSegment();
  e.axes[0].spans[1].end = e.axes[0].spans[2].begin = e.axes[0].spans[2].end =
      5000;
  e.axes[1].items.assign(5000, "code");
  e.attributions[0].scores.assign(5000, 0.5f);
  const std::string svg = PatientSvg(e);
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, ">code</text>"), 0u);
}

TEST(Contributions, InATerminalAreBarsWithNumbers) {
  const std::string text = TerminalExplanation(ExplanationOf(PatientSegment()),
                                               {.view = "contributions"}, {});
  EXPECT_EQ(text,
            "Probability of label 1: 0.7500\n"
            "visit 1 (0)  α 0.25\n"
            "  I50   +1.500 ████████████████████████████████████████\n"
            "visit 2 (7)  α 0.50\n"
            "  E<11  -0.500 ▒▒▒▒▒▒▒▒▒▒▒▒▒\n"
            "  J45   +0.100 ███\n"
            "visit 3 (41.5)  α 0.25\n");
}

TEST(Contributions, AreRefusedWhereThereAreNone) {
  ExplanationSegment e = PatientSegment();
  e.attributions.clear();
  EXPECT_NE(ContributionsView().refusal(e, {}), "");
  EXPECT_NE(ContributionsView().refusal(ExampleSegment(3, 1), {}), "");
  EXPECT_EQ(ContributionsView().refusal(PatientSegment(), {}), "");
}

TEST(TimelineKind, ShadesEvents) {
  const Explanation whole = ExplanationOf(PatientSegment());
  const std::string svg = ExplanationSvg({&whole, 1}, {.view = "saliency"});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "visit 2: 0.50"), 1u);
}

}  // namespace
}  // namespace heed
