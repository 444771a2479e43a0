#include "course/data/planted_reviews.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

PlantedReviewOptions SmallWorld() {
  PlantedReviewOptions options;
  options.users = 60;
  options.reviews = 6;
  options.fillers = 40;
  return options;
}

/// Returns the topic number after words of this prefix, or −1.
int TopicIn(const std::string& text, const std::string& kind) {
  int topic = -1;
  for (const std::string_view word : SplitWhitespace(text)) {
    if (word.starts_with(kind)) topic = word.back() - '0';
  }
  return topic;
}

TEST(PlantedReviews, OneReviewOfEachUserAndOfEachItemDecides) {
  const PlantedReviews world(SmallWorld(), 3);
  ASSERT_EQ(world.reviews().size(), 360);
  std::map<std::string, int> reviews, decisive;
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Review& review : world.reviews()) {
    EXPECT_TRUE(pairs.emplace(review.user, review.item).second);
    ++reviews[review.user];
    ++reviews[review.item];
    decisive[review.user] += review.decides_user ? 1 : 0;
    decisive[review.item] += review.decides_item ? 1 : 0;
    EXPECT_EQ(TopicIn(review.text, "taste") >= 0, review.decides_user);
    EXPECT_EQ(TopicIn(review.text, "trait") >= 0, review.decides_item);
    EXPECT_GE(SplitWhitespace(review.text).size(), 2);
    EXPECT_LE(SplitWhitespace(review.text).size(), 6);
  }
  EXPECT_EQ(reviews.size(), 120);
  for (const auto& [name, count] : reviews) EXPECT_EQ(count, 6) << name;
  for (const auto& [name, count] : decisive) EXPECT_EQ(count, 1) << name;
}

TEST(PlantedReviews, TasteAndTraitAreTheRating) {
  const PlantedReviews world(SmallWorld(), 3);
  std::map<std::string, int> topics;
  for (const Review& review : world.reviews()) {
    if (review.decides_user) {
      topics[review.user] = TopicIn(review.text, "taste");
      EXPECT_EQ(TopicIn(review.user_word, "taste"), topics[review.user]);
    }
    if (review.decides_item) {
      topics[review.item] = TopicIn(review.text, "trait");
      EXPECT_EQ(TopicIn(review.item_word, "trait"), topics[review.item]);
    }
  }
  double sum = 0;
  const auto others = world.OtherPairs(500, 1);
  for (const Review& review : others) {
    const int taste = topics[review.user], trait = topics[review.item];
    const auto sign = [](int topic) { return topic < 2 ? 1 : -1; };
    const double expected = 3 + 1.2 * sign((trait - taste + 4) % 4) +
                            0.4 * sign(taste) + 0.4 * sign(trait);
    EXPECT_NEAR(review.rating, expected, 1.2);
    sum += review.rating;
    EXPECT_FALSE(review.decides_user || review.decides_item);
  }
  EXPECT_NEAR(sum / 500, 3, 0.4);
}

TEST(PlantedReviews, AreFunctionsOfTheSeedAndOtherPairsAreOthers) {
  const PlantedReviews world(SmallWorld(), 3);
  const PlantedReviews same(SmallWorld(), 3);
  const PlantedReviews other(SmallWorld(), 4);
  const auto lines = [](const std::vector<Review>& reviews) {
    std::string all;
    for (const Review& review : reviews) all += ReviewLine(review) + "\n";
    return all;
  };
  EXPECT_EQ(lines(world.reviews()), lines(same.reviews()));
  EXPECT_NE(lines(world.reviews()), lines(other.reviews()));
  EXPECT_EQ(lines(world.OtherPairs(50, 1)), lines(same.OtherPairs(50, 1)));
  EXPECT_NE(lines(world.OtherPairs(50, 1)), lines(world.OtherPairs(50, 2)));
  std::set<std::pair<std::string, std::string>> known;
  for (const Review& review : world.reviews()) {
    known.emplace(review.user, review.item);
  }
  for (const Review& review : world.OtherPairs(500, 1)) {
    EXPECT_TRUE(known.emplace(review.user, review.item).second);
  }
}

TEST(PlantedReviews, WorldsThatAreNoneAreRefused) {
  PlantedReviewOptions options = SmallWorld();
  options.reviews = 31;
  EXPECT_THROW(PlantedReviews(options, 1), ConfigError);
  options = SmallWorld();
  options.topics = 3;
  EXPECT_THROW(PlantedReviews(options, 1), ConfigError);
  EXPECT_THROW(PlantedReviews(SmallWorld(), 1).OtherPairs(100000, 1),
               ConfigError);
}

}  // namespace
}  // namespace heed
