// Predictors of the rating of an item by a user, from their identities and
// reviews.
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

/// Reviews of one side of B pairs (written by the users, or about the items),
/// concatenated.
struct ReviewDocuments {
  Tensor ids;      ///< i32 [B, S]: words; padding is arbitrary
  Tensor lengths;  ///< i32 [B]: words of each document
  Tensor starts;   ///< i32 [B, R + 1]: start of each review, then lengths
  Tensor counts;   ///< i32 [B]: number of reviews, none of them empty

  int64_t B() const { return ids.dim(0); }
  int64_t S() const { return ids.dim(1); }
  int64_t R() const { return starts.dim(1) - 1; }
};

struct RatingBatch {
  Tensor users;  ///< i32 [B]: ids from 1; 0: unknown
  Tensor items;  ///< i32 [B]: ids from 1; 0: unknown
  ReviewDocuments user;
  ReviewDocuments item;

  int64_t B() const { return users.dim(0); }
};

/// Limits on the text that is read; older text is dropped.
struct DocumentLimits {
  int64_t reviews = 0;  ///< 0: the model reads no reviews
  int64_t words_of_review = 0;
  int64_t words = 0;
};

/// All elements of x, row by row.
std::vector<double> NumbersOf(const Var& x);

/// Exact decomposition of one pair's rating, mean + user + item + reviews, with
/// the attention that led to it.
struct RatingParts {
  /// Attention on one side.
  struct Side {
    std::vector<double> gates;  ///< gate of each word, 0 to 1; empty: none
    /// Gate of the whole document, 0 to 1; 1 if there is none.
    double document_gate = 1;
    /// Weights over reviews, for each pointer.
    std::vector<std::vector<double>> pointers;
    /// Weights over words, for each pointer.
    std::vector<std::vector<double>> words;
  };

  double mean = 0;
  double user = 0;
  double item = 0;
  double reviews = 0;
  Side user_side;
  Side item_side;
  /// Affinity of each pair of reviews [R of user, R of item], for each pointer.
  std::vector<std::vector<double>> affinity;
};

/// mean + b_user + b_item; unknown users and items have no bias. Parameters:
/// mean [1], user [users + 1, 1], item [items + 1, 1].
class RatingBiases {
 public:
  RatingBiases(const Scope& scope, int64_t users, int64_t items);

  /// Biases of each pair. Shapes: result [B].
  Var operator()(const Context& ctx, const RatingBatch& batch) const;
  /// Σ_b user_shares_b b_user² + item_shares_b b_item². Shapes: shares [B].
  Var Penalty(const Context& ctx, const RatingBatch& batch,
              const Tensor& user_shares, const Tensor& item_shares) const;
  /// Initialises the biases. Shapes: one number for each user and item.
  void Start(double mean, std::span<const double> users,
             std::span<const double> items);
  /// Adds the biases of a batch of one pair to its parts.
  void AddTo(const RatingBatch& batch, RatingParts& parts) const;
  /// Block of the biases as the last layer of a model.
  OutlineBlock Outline() const;

 private:
  Parameter& mean_;
  Parameter& user_;
  Parameter& item_;
};

/// Rating predictor. Observers receive word vectors as "user_words" and
/// "item_words", and the attentions to these and to "user_reviews" and
/// "item_reviews". Immutable except for its parameters.
class RatingPredictor {
 public:
  virtual ~RatingPredictor() = default;

  /// Predicted ratings. Shapes: result [B]. Throws: ShapeError.
  virtual Var Ratings(const Context& ctx, const RatingBatch& batch) const = 0;
  /// Decomposition of the rating of a batch of one pair, without dropout.
  /// Throws: ShapeError.
  virtual RatingParts Parts(const RatingBatch& batch) const = 0;
  virtual DocumentLimits limits() const { return {}; }
  /// Null if the model has no biases.
  virtual RatingBiases* biases() { return nullptr; }
  const RatingBiases* biases() const {
    return const_cast<RatingPredictor*>(this)->biases();
  }
  /// Initialises a model without biases with the mean of the ratings.
  virtual void StartAt(double /*mean*/) {}
  /// Structure for diagrams, without the name, which TaskModel adds; undefined
  /// if not provided.
  virtual ModelOutline Outline() const { return {}; }
};

struct RatingSizes {
  int64_t users = 0;
  int64_t items = 0;
  int64_t words = 0;
};

/// Role: predicts ratings.
class RatingSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "predictor of ratings";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError.
  virtual void Fill() = 0;
  /// Makes a predictor; settings must be filled. Throws: ConfigError.
  virtual std::unique_ptr<RatingPredictor> Make(
      const Scope& scope, const RatingSizes& sizes) const = 0;
};

/// Outline of the layers that turn user and item into a rating. Their vectors
/// come from the two earlier sequences `of`, or from the ids if it is empty.
OutlineSequence RatingOutline(std::vector<OutlineBlock> blocks,
                              std::vector<size_t> of = {});

/// 1 if a pair has words on both sides, else 0. Shapes: result [B].
Tensor HasBothDocuments(const RatingBatch& batch, DType dtype);

/// Throws: ShapeError, naming `where`, unless all sizes are consistent, word
/// ids are below `words` and documents within `limits`.
void CheckRatingBatch(const char* where, const RatingBatch& batch,
                      int64_t words, const DocumentLimits& limits);

}  // namespace heed

#endif  // HEED_MODELS_RATINGS_RATING_PREDICTOR_H_
