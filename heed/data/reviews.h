// Reviews with ratings of items by users.
#ifndef HEED_DATA_REVIEWS_H_
#define HEED_DATA_REVIEWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Maximum length of a user's or an item's name.
inline constexpr size_t kMaxNameBytes = 1000;
/// Maximum number of reviews per side in a question.
inline constexpr size_t kMaxGivenReviews = 1000;

/// Range of ratings.
struct RatingScale {
  double min = 1;
  double max = 5;

  bool operator==(const RatingScale&) const = default;
  bool Has(double rating) const { return rating >= min && rating <= max; }
};

/// A review in a file.
struct Review {
  std::string user;
  std::string item;
  double rating = 0;
  std::string text;
  double time = 0;  ///< on any scale; 0 if unknown
  /// Ground truth of synthetic reviews: the user's, or the item's, rating
  /// depends on this review, and on this word of it (empty: unknown).
  bool decides_user = false;
  bool decides_item = false;
  std::string user_word = {};
  std::string item_word = {};
  std::string place = {};  ///< "train.tsv:3"
};

/// Parses the fields user, item, rating, text, time and what the review decides
/// ("user", "item", "both", or with words "user:taste2 item:trait0"); the last
/// three may be empty. Throws: FormatError that begins with `place`, for an
/// invalid field.
Review ReviewOfFields(const std::vector<std::string>& fields,
                      std::string place);

/// Tab-separated line with the columns user, item, rating, review, time and
/// decides, without line end. Tabs and line ends in fields become spaces.
std::string ReviewLine(const Review& review);

/// Reviews split into training, validation and test sets.
struct ReviewSplit {
  std::vector<Review> train;
  std::vector<Review> valid;
  std::vector<Review> test;
};

/// Splits by time: for each user with at least three reviews, the last one (by
/// time, then by line) is for testing and the one before for validation. Paper:
/// the split of Tay et al. 2018, arXiv:1801.09251, section 4.1.
ReviewSplit SplitByUser(std::vector<Review> reviews);

/// A rating to predict: user and item by name, or with reviews that replace the
/// known ones.
struct RatingQuestion {
  std::string user;
  std::string item;
  std::optional<std::vector<std::string>> user_reviews;
  std::optional<std::vector<std::string>> item_reviews;
};

/// Parses user TAB item, or {"user": "A1", "item": "B7", "user_reviews":
/// ["..."], "item_reviews": [...]}. A name is optional if its reviews are
/// given. Throws: FormatError that begins with `place`.
RatingQuestion ParseRatingQuestion(std::string_view line,
                                   const std::string& place);

/// Sorted names; the id of a name is its index.
class NameTable {
 public:
  NameTable() = default;
  explicit NameTable(std::vector<std::string> names);

  int64_t size() const { return std::ssize(names_); }
  const std::vector<std::string>& names() const { return names_; }
  /// Id of a name; −1 if unknown.
  int32_t Find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

/// The reviews that a model knows, indexed by user and item. Immutable.
class ReviewMemory {
 public:
  ReviewMemory() = default;
  /// Texts are normalised to words, as SplitWords does.
  explicit ReviewMemory(std::vector<Review> reviews);
  /// Parses the result of Serialize. Throws: FormatError with `name`.
  static ReviewMemory Parse(std::string_view text, const std::string& name);
  std::string Serialize() const;

  /// Reviews whose texts are words separated by spaces.
  const std::vector<Review>& reviews() const { return reviews_; }
  const NameTable& users() const { return users_; }
  const NameTable& items() const { return items_; }
  /// User and item of each review.
  const std::vector<int32_t>& user_ids() const { return user_ids_; }
  const std::vector<int32_t>& item_ids() const { return item_ids_; }
  /// Indices of a user's or an item's reviews, oldest first; in the original
  /// order for equal times.
  const std::vector<int32_t>& OfUser(int32_t user) const {
    return At(of_user_, user);
  }
  const std::vector<int32_t>& OfItem(int32_t item) const {
    return At(of_item_, item);
  }
  /// Mean of all ratings, and of the ratings of a user or an item.
  double mean() const { return mean_; }
  double MeanOfUser(int32_t user) const { return MeanOf(OfUser(user)); }
  double MeanOfItem(int32_t item) const { return MeanOf(OfItem(item)); }

 private:
  /// Builds the index of users and items.
  void Index();
  double MeanOf(const std::vector<int32_t>& some) const;

  std::vector<Review> reviews_;
  NameTable users_;
  NameTable items_;
  std::vector<int32_t> user_ids_;
  std::vector<int32_t> item_ids_;
  std::vector<std::vector<int32_t>> of_user_;
  std::vector<std::vector<int32_t>> of_item_;
  double mean_ = 0;
};

/// Bias model: rating ≈ mean + user + item.
struct RatingBiasFit {
  double mean = 0;
  std::vector<double> users;
  std::vector<double> items;
};

/// Fits the mean of the ratings, and the biases that minimise
///   Σ (r − mean − b_u − b_i)² + shrinkage (Σ b_u² + Σ b_i²),
/// by alternating minimisation. Range: shrinkage > 0. Paper: Koren et al. 2009,
/// "Matrix Factorization Techniques for Recommender Systems".
RatingBiasFit FitBiases(const ReviewMemory& memory, double shrinkage);

/// Lower-case words of each text, separated by spaces, without punctuation.
std::vector<std::string> WordsOfReviews(std::span<const std::string> texts);

}  // namespace heed

#endif  // HEED_DATA_REVIEWS_H_
