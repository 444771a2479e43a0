#include "heed/render/reviews_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/render/axis_kind.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

using testing::HasSubstr;

/// RatingSegment with word gates instead of pointers.
ExplanationSegment GatedSegment() {
  ExplanationSegment e = RatingSegment();
  e.maps.clear();
  e.targets[0].map.reset();
  e.attributions = {{.method = "gates",
                     .scores = {0.2f, 0.4f, 0.8f},
                     .differences = {},
                     .axis = "user_words",
                     .targets = {0}}};
  return e;
}

std::string SvgOfReviews(const ExplanationSegment& e, const std::string& view) {
  const Explanation whole = ExplanationOf(e);
  return ExplanationSvg({&whole, 1}, {.view = view});
}

TEST(ReviewsView, IsShownFirstWithBarsWordsAndTheirMap) {
  const ExplanationSegment e = RatingSegment();
  const Explanation whole = ExplanationOf(e);
  CheckExplanation(whole);
  const std::string svg = ExplanationSvg({&whole, 1}, {});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(svg, SvgOfReviews(e, "reviews"));
  EXPECT_EQ(Count(svg, "Rating 4.21 for lamp by ann"), 1u);
  EXPECT_EQ(Count(svg, "3.50 mean + 0.50 user − 0.25 item + 0.46 reviews"), 1u);
  EXPECT_EQ(Count(svg, "ch&lt;air (2): 1.00"), 1u);
  EXPECT_EQ(Count(svg, "desk (4): 0.00"), 1u);
  EXPECT_EQ(Count(svg, "hurts: 0.75"), 1u);
  EXPECT_GE(Count(svg, "fits each of the user; darkest: 1.00"), 1u);
  EXPECT_EQ(Count(svg, "By the user (words by their attention, darkest: 0.75)"),
            1u);
  EXPECT_GE(Count(svg, "Affinity of reviews"), 1u);
  EXPECT_EQ(Count(svg, "Affinity of reviews, pointer"), 0u);
}

TEST(ReviewsView, ShowsGatesWhereNothingPoints) {
  const std::string svg = SvgOfReviews(GatedSegment(), "reviews");
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg,
                  "(words by their gates minus the smallest of 0.20, darkest: "
                  "0.60)"),
            1u);
  EXPECT_EQ(Count(svg, "class='cell pointer'"), 0u);
  EXPECT_EQ(Count(svg, "hurts: 0.60"), 1u);
}

TEST(ReviewsView, OfManyLongReviewsStaysWithinThePage) {
  ExplanationSegment e = GatedSegment();
  e.axes[0].items.clear();
  e.axes[0].spans.clear();
  e.axes[1].items.clear();
  for (int r = 0; r < 200; ++r) {
    e.axes[0].items.push_back("r" + std::to_string(r));
    e.axes[0].spans.push_back({100 * r, 100 * (r + 1)});
    for (int w = 0; w < 100; ++w) e.axes[1].items.push_back("w");
  }
  e.attributions[0].scores.assign(20000, 0.5f);
  e.attributions[0].scores[15050] = 1;
  const std::string svg = SvgOfReviews(e, "reviews");
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_LT(svg.size(), 400'000u);
  EXPECT_EQ(Count(svg, "By the user, 12 of 200"), 1u);
  EXPECT_EQ(Count(svg, ">r150<"), 1u);
}

TEST(ReviewsView, InATerminalMarksWhatIsChosen) {
  const std::string text =
      TerminalExplanation(ExplanationOf(RatingSegment()), {}, {});
  EXPECT_THAT(text, HasSubstr("Rating 4.21 for lamp by ann\n3.50 mean"));
  EXPECT_THAT(text, HasSubstr("  desk (4)\n"));
  EXPECT_THAT(text, HasSubstr("▶ ch<air (2)  pointed at 1.00\n"));
  EXPECT_THAT(text, HasSubstr("it(0.25) hurts(0.75)"));
  EXPECT_THAT(text, HasSubstr("fits each of the user"));
}

TEST(ReviewsView, ARatingWithoutReviewsIsShownAsItsSum) {
  ExplanationSegment e = RatingSegment();
  e.maps.clear();
  e.targets[0].map.reset();
  e.axes.erase(e.axes.begin(), e.axes.begin() + 4);
  const std::string svg = SvgOfReviews(e, "");
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "Rating 4.21 for lamp by ann"), 1u);
  EXPECT_EQ(Count(svg,
                  "3.50 mean + 0.50 user − 0.25 item + 0.46 user and item "
                  "together"),
            1u);
  EXPECT_EQ(Count(svg, ">mean of all ratings<"), 1u);
  EXPECT_EQ(Count(svg, ">− 0.25<"), 1u);
  // Components of 0 are omitted.
  ChangePayload<RatingPayload>(e.axes[0],
                               [](auto& about) { about.parts->reviews = 0; });
  EXPECT_EQ(Count(SvgOfReviews(e, "reviews"), "together"), 0u);
  EXPECT_THAT(TerminalExplanation(ExplanationOf(e), {}, {}),
              HasSubstr("3.50 mean + 0.50 user − 0.25 item\n"));
  e.axes[0].payload = RatingPayload{"mean", "ann", "lamp", {}};
  EXPECT_EQ(Count(SvgOfReviews(e, "reviews"), "the mean of all ratings"), 1u);
}

TEST(ReviewsView, WithoutReviewsIsRefused) {
  EXPECT_NE(ReviewsView().refusal(ExampleSegment(3, 1), {}), "");
  EXPECT_EQ(ReviewsView().refusal(RatingSegment(), {}), "");
}

TEST(ReviewsKind, ShadesReviewsByTheirNames) {
  const ExplanationSegment e = RatingSegment();
  const std::vector<float> values = {0.2f, 1};
  const AxisKind& kind = KindOf(e.axes[0]);
  EXPECT_EQ(kind.name, "reviews");
  EXPECT_EQ(
      Count(kind.shade(e, e.axes[0], values, 300).svg, "ch&lt;air (2): 1.00"),
      1u);
  EXPECT_EQ(kind.shade_text(e, e.axes[0], values, 2, {}),
            "  desk (4)(0.20) ch<air (2)(1.00)\n");
}

}  // namespace
}  // namespace heed
