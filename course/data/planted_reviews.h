// Made-up reviews of which it is known what decides a rating: data that needs
// no files and no permission.
#ifndef HEED_COURSE_DATA_PLANTED_REVIEWS_H_
#define HEED_COURSE_DATA_PLANTED_REVIEWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/reviews.h"

namespace heed {

/// How they are made.
struct PlantedReviewOptions {
  int64_t users = 1000;     ///< and as many items
  int64_t reviews = 10;     ///< of each user, and of each item
  int64_t topics = 4;       ///< tastes of users, traits of items
  int64_t fillers = 100;    ///< words that say nothing
  int64_t least_words = 2;  ///< of a review, beside what decides
  int64_t most_words = 4;
  double match = 1.2;   ///< what taste and trait together add or take away
  double lean = 0.4;    ///< what each of them does alone
  double noise = 0.25;  ///< standard deviation
};

/// A world of users with a taste and items with a trait each. One review of a
/// user, and one of an item, has a word for it ("taste2", "trait0"); all other
/// words are drawn from fillers ("filler017"). The rating of a pair is
///   3 ± match ± lean ± lean + noise, within 1 to 5,
/// the first + where (trait − taste) mod topics < topics / 2: of any user, and
/// of any item, half the ratings, so that neither says anything of it; the
/// others + for the first half of the tastes, and of the traits, as biases may
/// know. Who reviews what is a random graph in which each has the same number.
/// Depends on the options and the seed alone; immutable.
class PlantedReviews {
 public:
  /// Throws: ConfigError for options that no reviews follow from.
  PlantedReviews(const PlantedReviewOptions& options, uint64_t seed);

  /// What there is to learn from, with what each review decides.
  const std::vector<Review>& reviews() const { return reviews_; }
  /// Other pairs with reviews of fillers; other ones for each number.
  std::vector<Review> OtherPairs(int64_t count, uint64_t number) const;

 private:
  double RatingOf(int64_t user, int64_t item, uint64_t key) const;
  Review MakeReview(int64_t user, int64_t item, uint64_t key) const;

  PlantedReviewOptions options_;
  uint64_t seed_;
  std::vector<int64_t> tastes_;
  std::vector<int64_t> traits_;
  std::vector<std::vector<int64_t>> items_of_;  // of each user, sorted
  std::vector<Review> reviews_;
};

}  // namespace heed

#endif  // HEED_COURSE_DATA_PLANTED_REVIEWS_H_
