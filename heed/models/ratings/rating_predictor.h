// What predicts how a user rates an item, from who they are and what was
// written by the one and about the other.
#ifndef HEED_MODELS_RATINGS_RATING_PREDICTOR_H_
#define HEED_MODELS_RATINGS_RATING_PREDICTOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/model_outline.h"
#include "heed/models/roles.h"

namespace heed {

/// The reviews of one side of B pairs: those that the users wrote, or those
/// about the items, one behind the other.
struct ReviewDocuments {
  Tensor ids;      ///< i32 [B, S]: words; behind a document any
  Tensor lengths;  ///< i32 [B]: words of each document
  Tensor starts;   ///< i32 [B, R + 1]: where each review begins, then lengths
  Tensor counts;   ///< i32 [B]: reviews of each, none of them without words

  int64_t B() const { return ids.dim(0); }
  int64_t S() const { return ids.dim(1); }
  int64_t R() const { return starts.dim(1) - 1; }
};

struct RatingBatch {
  Tensor users;  ///< i32 [B]: ids from 1; 0: not known
  Tensor items;  ///< the same
  ReviewDocuments user;
  ReviewDocuments item;

  int64_t B() const { return users.dim(0); }
};

/// How much of a document is read; what is older is left out.
struct DocumentLimits {
  int64_t reviews = 0;  ///< 0: the model reads none
  int64_t words_of_review = 0;
  int64_t words = 0;
};

/// All numbers of it, row by row.
std::vector<double> NumbersOf(const Var& x);

/// How a rating is made up: mean + user + item + reviews, and what was looked
/// at for it. Of one pair.
struct RatingParts {
  /// Of one side.
  struct Side {
    std::vector<double> gates;  ///< of each word, 0 to 1; empty: none
    /// Of all words alike, 0 to 1; none: 1.
    double document_gate = 1;
    /// Of each pointer: how much of it is at each review.
    std::vector<std::vector<double>> pointers;
    /// Of each pointer: the weight of each word.
    std::vector<std::vector<double>> words;
  };

  double mean = 0;
  double user = 0;
  double item = 0;
  double reviews = 0;
  Side user_side;
  Side item_side;
  /// Of each pointer the affinity of each two reviews [R of user, R of item].
  std::vector<std::vector<double>> affinity;
};

/// mean + b_user + b_item, where what is not known has no bias. Parameters:
/// mean [1], user [users + 1, 1], item [items + 1, 1].
class RatingBiases {
 public:
  RatingBiases(const Scope& scope, int64_t users, int64_t items);

  /// Shapes: result [B].
  Var operator()(const Context& ctx, const RatingBatch& batch) const;
  /// Σ_b user_shares_b b_user² + item_shares_b b_item². Shapes: shares [B].
  Var Penalty(const Context& ctx, const RatingBatch& batch,
              const Tensor& user_shares, const Tensor& item_shares) const;
  /// Starts at these. Shapes: as the numbers of users and items.
  void Start(double mean, std::span<const double> users,
             std::span<const double> items);
  /// Of one pair.
  void AddTo(const RatingBatch& batch, RatingParts& parts) const;
  /// As the last layer of a model.
  OutlineBlock Outline() const;

 private:
  Parameter& mean_;
  Parameter& user_;
  Parameter& item_;
};

/// An observer knows the vectors of words as "user_words" and "item_words",
/// and the attentions to them and to "user_reviews" and "item_reviews".
/// Immutable but for its parameters.
class RatingPredictor {
 public:
  virtual ~RatingPredictor() = default;

  /// Shapes: result [B]. Throws: ShapeError.
  virtual Var Ratings(const Context& ctx, const RatingBatch& batch) const = 0;
  /// Of a batch of one pair, without dropout. Throws: ShapeError.
  virtual RatingParts Parts(const RatingBatch& batch) const = 0;
  virtual DocumentLimits limits() const { return {}; }
  /// Null if it has none.
  virtual RatingBiases* biases() { return nullptr; }
  const RatingBiases* biases() const {
    return const_cast<RatingPredictor*>(this)->biases();
  }
  /// Starts at the mean of the ratings, where it has no biases.
  virtual void StartAt(double /*mean*/) {}
  /// What it is made of, but for its name, as TaskModel has it; undefined: it
  /// does not say.
  virtual ModelOutline Outline() const { return {}; }
};

struct RatingSizes {
  int64_t users = 0;
  int64_t items = 0;
  int64_t words = 0;
};

/// Predicts ratings.
class RatingSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "predictor of ratings";

  /// As TranslatorSettings::Fill.
  virtual void Fill() = 0;
  /// Of settings that are filled. Throws: ConfigError.
  virtual std::unique_ptr<RatingPredictor> Make(
      const Scope& scope, const RatingSizes& sizes) const = 0;
};

/// What makes a rating of what is known of a user and of an item, which two
/// sequences before this one give, or their names.
OutlineSequence RatingOutline(std::vector<OutlineBlock> blocks,
                              std::vector<size_t> of = {});

/// 1 where a pair has words on both sides, else 0. Shapes: result [B].
Tensor HasBothDocuments(const RatingBatch& batch, DType dtype);

/// Throws: ShapeError, naming `where`, unless all sizes fit, ids of words are
/// below `words` and documents within `limits`.
void CheckRatingBatch(const char* where, const RatingBatch& batch,
                      int64_t words, const DocumentLimits& limits);

}  // namespace heed

#endif  // HEED_MODELS_RATINGS_RATING_PREDICTOR_H_
