#include "heed/render/contributions_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(Contributions, VisitsCanBePointedAtInEachPanel) {
  const std::string svg = PatientSvg(PatientSegment());
  for (const char* visit : {"0", "1", "2"}) {
    const std::string mark =
        "data-axis='source' data-item='" + std::string(visit) + "'";
    EXPECT_EQ(Count(svg, mark), 2u) << "attention, bars";
    EXPECT_EQ(Count(svg, "fill-opacity='0' pointer-events='all'"), 6u)
        << "no column covers its panel";
  }
}

TEST(Contributions, WithoutAttentionAndBetaAreBarsAlone) {
  ExplanationSegment e = PatientSegment();
  e.maps.clear();
  e.targets[0].map.reset();
  e.axes[0].payload = {};
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
  EXPECT_EQ(Count(svg, ">code</text>"), 24u) << "the largest, as fit";
}

/// Forty visits of three codes; the first code of the 11th is by far the
/// largest.
ExplanationSegment LongPatient() {
  ExplanationSegment e = PatientSegment();
  Axis& visits = e.axes[0];
  Axis& codes = e.axes[1];
  visits.items.clear();
  visits.spans.clear();
  visits.payload = TimelinePayload{{}, -0.25, {}};
  codes.items.clear();
  e.attributions[0].scores.clear();
  for (int64_t j = 0; j < 40; ++j) {
    visits.items.push_back("visit " + std::to_string(j + 1));
    visits.spans.push_back({3 * j, 3 * j + 3});
    for (int k = 0; k < 3; ++k) {
      codes.items.push_back("c" + std::to_string(3 * j + k));
      e.attributions[0].scores.push_back(j == 10 && k == 0 ? -3.0F : 0.01F);
    }
  }
  e.maps.clear();
  e.targets[0].map.reset();
  return e;
}

TEST(Contributions, OfManyTheLargestHaveTheirNamesAndVisitsEvenly) {
  const std::string svg = PatientSvg(LongPatient());
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, ">c30</text>"), 1u);
  EXPECT_EQ(Count(svg, "rotate(-60)"), 24u);
  // Every second or third group name, at equal distances.
  std::vector<int> shown;
  for (int j = 1; j <= 40; ++j) {
    if (Count(svg, ">visit " + std::to_string(j) + "</text>") > 0) {
      shown.push_back(j);
    }
  }
  ASSERT_GE(shown.size(), 10u);
  EXPECT_EQ(shown.front(), 1);
  for (size_t i = 2; i < shown.size(); ++i) {
    EXPECT_EQ(shown[i] - shown[i - 1], shown[1] - shown[0]);
  }
}

TEST(Contributions, AddUpToTheLogOddsForEyesToCheck) {
  ExplanationSegment e = PatientSegment();
  EXPECT_EQ(Count(PatientSvg(e), "by visit and code: sum +1.100<"), 1u);
  ChangePayload<TimelinePayload>(e.axes[0],
                                 [](auto& visits) { visits.bias = -0.25; });
  const std::string sum =
      "sum +1.100, with b -0.250 log-odds of "
      "+0.850";
  EXPECT_EQ(Count(PatientSvg(e), sum), 1u);
  const std::string text =
      TerminalExplanation(ExplanationOf(e), {.view = "contributions"}, {});
  EXPECT_EQ(Count(text, sum), 1u);
}

TEST(Contributions, InATerminalAreBarsWithNumbers) {
  const std::string text = TerminalExplanation(ExplanationOf(PatientSegment()),
                                               {.view = "contributions"}, {});
  EXPECT_EQ(text,
            "Probability of label 1: 0.7500\n"
            "contributions: sum +1.100\n"
            "visit 1 (0)  α 0.25  β -0.50 to +0.50\n"
            "  I50   +1.500 ████████████████████████████████████████\n"
            "visit 2 (7)  α 0.50  β +0.00 to +1.00\n"
            "  E<11  -0.500 ▒▒▒▒▒▒▒▒▒▒▒▒▒\n"
            "  J45   +0.100 ███\n"
            "visit 3 (41.5)  α 0.25  β -0.10 to +0.20\n");
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
