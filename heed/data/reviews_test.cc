#include "heed/data/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Review Of(const std::string& user, const std::string& item, double rating,
          const std::string& text = "", double time = 0) {
  Review review;
  review.user = user;
  review.item = item;
  review.rating = rating;
  review.text = text;
  review.time = time;
  return review;
}

std::vector<std::string> ItemsOf(const std::vector<Review>& reviews) {
  std::vector<std::string> items;
  for (const Review& review : reviews) items.push_back(review.item);
  return items;
}

TEST(SplitByUser, KeepsTheLastTwoByTimeAndThenByLine) {
  const ReviewSplit split =
      SplitByUser({Of("a", "3", 1, "", 9), Of("b", "1", 1),
                   Of("a", "1", 1, "", 2), Of("b", "2", 1), Of("c", "1", 1),
                   Of("a", "2", 1, "", 5), Of("c", "2", 1), Of("c", "3", 1)});
  EXPECT_THAT(ItemsOf(split.train), ElementsAre("1", "1", "2", "1"));
  EXPECT_THAT(ItemsOf(split.valid), ElementsAre("2", "2"));
  EXPECT_THAT(ItemsOf(split.test), ElementsAre("3", "3"));
}

TEST(RatingQuestion, NamesAreEqualInAnyCanonicalForm) {
  const RatingQuestion composed = ParseRatingQuestion("\u00FC\tl\u00E4mp", "p");
  const RatingQuestion marks = ParseRatingQuestion("u\u0308\tla\u0308mp", "p");
  EXPECT_EQ(composed.user, marks.user);
  EXPECT_EQ(composed.item, marks.item);
}

TEST(RatingQuestion, IsAPairOrBringsReviews) {
  const RatingQuestion pair = ParseRatingQuestion("ann\tlamp", "p");
  EXPECT_EQ(pair.user, "ann");
  EXPECT_EQ(pair.item, "lamp");
  EXPECT_FALSE(pair.user_reviews || pair.item_reviews);
  const RatingQuestion given = ParseRatingQuestion(
      R"( {"item": 7, "user_reviews": ["a b", ""], "item_reviews": []})", "p");
  EXPECT_EQ(given.item, "7");
  EXPECT_EQ(given.user, "");
  EXPECT_EQ(*given.user_reviews, (std::vector<std::string>{"a b", ""}));
  EXPECT_TRUE(given.item_reviews->empty());
}

TEST(RatingQuestion, WhatIsNoneIsRefused) {
  const auto error = [](const std::string& line) {
    return MessageOf<FormatError>([&] { ParseRatingQuestion(line, "p:3"); });
  };
  EXPECT_THAT(error("ann lamp"), HasSubstr("p:3: is not a pair; write user, "));
  EXPECT_THAT(error("ann\t"), HasSubstr("there is no item"));
  EXPECT_THAT(error("{}"), HasSubstr("there is no user"));
  EXPECT_THAT(error(R"({"user": "a", "thing": 1})"),
              HasSubstr("unknown member \"thing\""));
  EXPECT_THAT(error(R"({"user": ["a"], "item": "b"})"),
              HasSubstr("\"user\" is not a name"));
  EXPECT_THAT(error(R"({"user": "a", "item": "b", "user_reviews": "x"})"),
              HasSubstr("not a list of texts"));
  EXPECT_THAT(error("{" + std::string(100, '[')), HasSubstr("p:3"));
  std::string many = R"({"user": "a", "item_reviews": [)";
  for (int i = 0; i < 1001; ++i) many += i == 0 ? "\"\"" : ",\"\"";
  EXPECT_THAT(error(many + "]}"), HasSubstr("at most 1000 are read"));
}

TEST(ReviewMemory, KnowsWhoReviewedWhatByTime) {
  const ReviewMemory memory({Of("b", "y", 5, "Good, good!", 3),
                             Of("a", "x", 1, "", 1),
                             Of("b", "x", 3, "BAD", 2)});
  EXPECT_THAT(memory.users().names(), ElementsAre("a", "b"));
  EXPECT_EQ(memory.users().Find("b"), 1);
  EXPECT_EQ(memory.users().Find("c"), -1);
  EXPECT_THAT(memory.OfUser(1), ElementsAre(2, 0));
  EXPECT_THAT(memory.OfItem(0), ElementsAre(1, 2));
  EXPECT_EQ(memory.reviews()[0].text, "good good");
  EXPECT_DOUBLE_EQ(memory.mean(), 3);
  EXPECT_DOUBLE_EQ(memory.MeanOfUser(1), 4);
  EXPECT_DOUBLE_EQ(memory.MeanOfItem(0), 2);
  const ReviewMemory again = ReviewMemory::Parse(memory.Serialize(), "m");
  EXPECT_EQ(again.Serialize(), memory.Serialize());
  EXPECT_EQ(again.OfUser(1), memory.OfUser(1));
  EXPECT_THAT(
      MessageOf<FormatError>([] { ReviewMemory::Parse("a\tb\n", "m"); }),
      HasSubstr("m:1: 2 fields"));
  EXPECT_THROW(ReviewMemory::Parse("", "m"), FormatError);
}

/// Loss Σ (r − mean − b_u − b_i)² + shrinkage (Σ b_u² + Σ b_i²).
double BiasLoss(const ReviewMemory& memory, const RatingBiasFit& fit,
                double shrinkage) {
  double loss = 0;
  for (size_t i = 0; i < memory.reviews().size(); ++i) {
    const double apart = memory.reviews()[i].rating - fit.mean -
                         At(fit.users, memory.user_ids()[i]) -
                         At(fit.items, memory.item_ids()[i]);
    loss += apart * apart;
  }
  for (const double b : fit.users) loss += shrinkage * b * b;
  for (const double b : fit.items) loss += shrinkage * b * b;
  return loss;
}

TEST(FitBiases, IsTheMinimum) {
  const ReviewMemory memory({Of("a", "x", 5), Of("a", "y", 4), Of("b", "x", 2),
                             Of("b", "z", 1), Of("c", "y", 3)});
  for (const double shrinkage : {0.1, 5.0}) {
    RatingBiasFit fit = FitBiases(memory, shrinkage);
    EXPECT_DOUBLE_EQ(fit.mean, 3);
    const double min = BiasLoss(memory, fit, shrinkage);
    for (std::vector<double>* biases : {&fit.users, &fit.items}) {
      for (double& bias : *biases) {
        for (const double step : {-1e-3, 1e-3}) {
          bias += step;
          EXPECT_GT(BiasLoss(memory, fit, shrinkage), min);
          bias -= step;
        }
      }
    }
    EXPECT_GT(fit.users[0], 0);
    EXPECT_LT(fit.users[1], 0);
  }
}

}  // namespace
}  // namespace heed
