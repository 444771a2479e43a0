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

/// One map with these weights, of one row unless the query has more items.
AttentionMap MapOnto(const std::string& name, const std::string& query,
                     const std::string& key, int64_t rows,
                     std::vector<float> weights) {
  return {.name = name,
          .title = TitleOfPath(name),
          .query = query,
          .key = key,
          .score = "co-attention",
          .normalizer = "softmax",
          .heads = 1,
          .query_size = rows,
          .key_size = std::ssize(weights) / rows,
          .weights = std::move(weights)};
}

/// Two reviews of a user and one of an item, the second of which is chosen.
ExplanationSegment RatingSegment() {
  ExplanationSegment e;
  e.text = "ann\tlamp";
  e.answer = "4.21";
  Axis user = {.id = "user_reviews", .kind = "reviews", .label = "By the user"};
  user.items = {"desk (4)", "ch<air (2)"};
  user.of = "user_words";
  user.spans = {{0, 1}, {1, 3}};
  Axis user_words = {.id = "user_words", .items = {"plain", "it", "hurts"}};
  Axis item = {.id = "item_reviews", .kind = "reviews", .label = "Of the item"};
  item.items = {"bob (1)"};
  item.of = "item_words";
  item.spans = {{0, 2}};
  Axis item_words = {.id = "item_words", .items = {"went", "dark"}};
  Axis answer = {.id = "answer", .label = "Rating", .items = {"4.21"}};
  answer.payload = {
      {"from", "model"},
      {"user", "ann"},
      {"item", "lamp"},
      {"parts",
       {{"mean", 3.5}, {"user", 0.5}, {"item", -0.25}, {"reviews", 0.46}}}};
  e.axes = {user, user_words, item, item_words, answer};
  e.maps = {
      MapOnto("p.0.user_reviews", "answer", "user_reviews", 1, {0, 1}),
      MapOnto("p.0.user_words", "answer", "user_words", 1, {0, 0.25f, 0.75f}),
      MapOnto("p.0.item_reviews", "answer", "item_reviews", 1, {1}),
      MapOnto("p.0.item_words", "answer", "item_words", 1, {0.5f, 0.5f}),
      MapOnto("p.0.affinity", "user_reviews", "item_reviews", 2, {1, 1})};
  e.targets = {{.axis = "answer", .item = 0, .map = 0}};
  return e;
}

/// The same by gates of words, without pointers.
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
  EXPECT_GE(Count(svg, "fits each"), 1u);
}

TEST(ReviewsView, ShowsGatesWhereNothingPoints) {
  const std::string svg = SvgOfReviews(GatedSegment(), "reviews");
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "words by their gates"), 1u);
  EXPECT_EQ(Count(svg, "class='cell pointer'"), 0u);
  EXPECT_EQ(Count(svg, "hurts: 0.80"), 1u);
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
  EXPECT_THAT(text, HasSubstr("it(0.33) hurts(1.00)"));
  EXPECT_THAT(text, HasSubstr("fits each of the user"));
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
