#include "heed/render/contributions_view.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

/// Three visits with 1, 2 and no codes.
ExplanationSegment PatientSegment() {
  ExplanationSegment e;
  e.answer = "0.7500";
  Axis visits = {.id = "source", .kind = "timeline", .label = "Visits"};
  visits.items = {"visit 1", "visit 2", "visit 3"};
  visits.of = "codes";
  visits.spans = {{0, 1}, {1, 3}, {3, 3}};
  visits.payload = {{"times", {0, 7, 41.5}},
                    {"beta", {{0.5, -0.5}, {1, 0}, {0.2, -0.1}}}};
  Axis codes = {.id = "codes", .kind = "timeline", .label = "Codes"};
  codes.items = {"I50", "E<11", "J45"};
  e.axes = {visits,
            codes,
            {.id = "answer", .label = "Probability of label", .items = {"1"}}};
  AttentionMap alpha{.name = "alpha",
                     .title = "Alpha",
                     .query = "answer",
                     .key = "source",
                     .score = "linear",
                     .normalizer = "softmax",
                     .heads = 1,
                     .query_size = 1,
                     .key_size = 3,
                     .weights = {0.25f, 0.5f, 0.25f}};
  e.maps = {alpha};
  e.targets = {{.axis = "answer", .item = 0, .probability = 0.75, .map = 0}};
  e.attributions = {{.method = "contributions",
                     .scores = {1.5f, -0.5f, 0.1f},
                     .differences = {1.1},
                     .axis = "codes",
                     .targets = {0}}};
  return e;
}

std::string SvgOf(const ExplanationSegment& e) {
  const Explanation whole = ExplanationOf(e);
  return ExplanationSvg({&whole, 1}, {.view = "contributions"});
}

TEST(Contributions, AreSignedBarsUnderTheAttentionOfTheirVisits) {
  const std::string svg = SvgOf(PatientSegment());
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
  const std::string svg = SvgOf(e);
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
  const std::string svg = SvgOf(e);
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
