// Synthetic reviews for which the reviews that determine a rating are known.
#ifndef HEED_COURSE_DATA_PLANTED_REVIEWS_H_
#define HEED_COURSE_DATA_PLANTED_REVIEWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/reviews.h"

namespace heed {

/// Sizes and effects of the synthetic reviews.
struct PlantedReviewOptions {
  int64_t users = 1000;   ///< number of users and number of items
  int64_t reviews = 10;   ///< of each user, and of each item
  int64_t topics = 4;     ///< number of user tastes and of item traits
  int64_t fillers = 100;  ///< number of words without information
  int64_t min_words = 2;  ///< filler words of a review
  int64_t max_words = 4;
  double match = 1.2;   ///< effect of taste and trait together
  double lean = 0.4;    ///< effect of a taste or a trait alone
  double noise = 0.25;  ///< standard deviation
};

/// A world of users with one taste and items with one trait each. One review of
/// a user, and one of an item, contains a word for it ("taste2", "trait0"). All
/// other words are fillers ("filler017"). The rating of a pair is
///   3 ± match ± lean ± lean + noise, within 1 to 5.
/// The sign of match is + where (trait − taste) mod topics < topics / 2. This
/// holds for half of the pairs of any user and of any item, so neither predicts
/// it alone. The signs of lean are + for the first half of the tastes and of
/// the traits; bias terms can learn them. Users and items form a random regular
/// bipartite graph. Depends on the options and the seed alone; immutable.
class PlantedReviews {
 public:
  /// Throws: ConfigError for options that admit no reviews.
  PlantedReviews(const PlantedReviewOptions& options, uint64_t seed);

  /// Training reviews, marked where they decide the rating of a user or an
  /// item.
  const std::vector<Review>& reviews() const { return reviews_; }
  /// Returns further pairs whose reviews contain fillers only, different for
  /// each `number`.
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
