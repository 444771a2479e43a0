// Reviews of items by users with a rating each, and who reviewed what.
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

/// Most bytes of the name of a user or an item.
inline constexpr size_t kMostNameBytes = 1000;
/// Most reviews that a question may bring along for one side.
inline constexpr size_t kMostGivenReviews = 1000;

/// The numbers that a rating may be.
struct RatingScale {
  double least = 1;
  double most = 5;

  bool operator==(const RatingScale&) const = default;
  bool Has(double rating) const { return rating >= least && rating <= most; }
};

/// A review as it stands in a file.
struct Review {
  std::string user;
  std::string item;
  double rating = 0;
  std::string text;
  double time = 0;  ///< on any scale; 0 where it is not given
  /// What is known of made-up reviews: this is the one of its user, or of its
  /// item, that ratings depend on.
  bool decides_user = false;
  bool decides_item = false;
  std::string place = {};  ///< "train.tsv:3"
};

/// The review of these fields: user, item, rating, text, time, and what it
/// decides, of which the last three may be empty. Throws: FormatError that
/// begins with `place`, for a name or a number that cannot be one.
Review ReviewOfFields(const std::vector<std::string>& fields,
                      std::string place);

/// A line of a tab-separated file with the columns user, item, rating, review,
/// time and decides, without its end; what would end a field becomes a space.
std::string ReviewLine(const Review& review);

/// Reviews in two parts and the rest, whose places are those among the given.
struct ReviewSplit {
  std::vector<Review> train;
  std::vector<Review> valid;
  std::vector<Review> test;
};

/// Of each user with at least three reviews the last one, by time and then by
/// line, is of the test, and the one before it of validation: the other pairs
/// are what there was to learn from before. Paper: the split of Tay et al.
/// 2018, arXiv:1801.09251, section 4.1.
ReviewSplit SplitByUser(std::vector<Review> reviews);

/// What is asked: a pair of names, or reviews in the place of those that are
/// known of either.
struct RatingQuestion {
  std::string user;
  std::string item;
  std::optional<std::vector<std::string>> user_reviews;
  std::optional<std::vector<std::string>> item_reviews;
};

/// user TAB item, or {"user": "A1", "item": "B7", "user_reviews": ["..."],
/// "item_reviews": [...]}, of which either name may be left out where reviews
/// stand for it. Throws: FormatError, which begins with `place`.
RatingQuestion ParseRatingQuestion(std::string_view line,
                                   const std::string& place);

/// Names in the order of their bytes; the id of one is its place.
class NameTable {
 public:
  NameTable() = default;
  explicit NameTable(std::vector<std::string> names);

  int64_t size() const { return std::ssize(names_); }
  const std::vector<std::string>& names() const { return names_; }
  /// −1: not known.
  int32_t Find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

/// Who reviewed what: the reviews that a model knows. Immutable.
class ReviewMemory {
 public:
  ReviewMemory() = default;
  /// Texts become their words, as SplitWords has them.
  explicit ReviewMemory(std::vector<Review> reviews);
  /// As Serialize wrote them, or by `name` what is damaged. Throws:
  /// FormatError.
  static ReviewMemory Parse(std::string_view text, const std::string& name);
  std::string Serialize() const;

  /// Their texts are words with a space between them.
  const std::vector<Review>& reviews() const { return reviews_; }
  const NameTable& users() const { return users_; }
  const NameTable& items() const { return items_; }
  /// Of each review.
  const std::vector<int32_t>& user_ids() const { return user_ids_; }
  const std::vector<int32_t>& item_ids() const { return item_ids_; }
  /// Places of the reviews of one, the oldest first; of a time, as given.
  const std::vector<int32_t>& OfUser(int32_t user) const {
    return At(of_user_, user);
  }
  const std::vector<int32_t>& OfItem(int32_t item) const {
    return At(of_item_, item);
  }
  /// Mean of all ratings, and of those of one.
  double mean() const { return mean_; }
  double MeanOfUser(int32_t user) const { return MeanOf(OfUser(user)); }
  double MeanOfItem(int32_t item) const { return MeanOf(OfItem(item)); }

 private:
  /// Of words.
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

/// rating ≈ mean + user + item.
struct RatingBiasFit {
  double mean = 0;
  std::vector<double> users;
  std::vector<double> items;
};

/// The mean of the ratings, and the biases that minimise
///   Σ (r − mean − b_u − b_i)² + shrinkage (Σ b_u² + Σ b_i²),
/// by minimising over each in turn. Range: shrinkage > 0.
/// Paper: Koren et al. 2009, "Matrix Factorization Techniques for Recommender
/// Systems".
RatingBiasFit FitBiases(const ReviewMemory& memory, double shrinkage);

/// Words of a text, in lower case with spaces between them, without
/// punctuation.
std::vector<std::string> WordsOfReviews(std::span<const std::string> texts);

}  // namespace heed

#endif  // HEED_DATA_REVIEWS_H_
