// Baseline rating predictors, which read no reviews.
#ifndef HEED_MODELS_RATINGS_RATING_FACTORS_H_
#define HEED_MODELS_RATINGS_RATING_FACTORS_H_

#include "heed/models/ratings/rating_config.h"
#include "heed/models/ratings/rating_predictor.h"
#include "heed/nn/linear.h"

namespace heed {

/// Mean of all ratings. Parameter: mean [1].
class RatingMean : public RatingPredictor {
 public:
  explicit RatingMean(const Scope& scope);

  Var Ratings(const Context& ctx, const RatingBatch& batch) const override;
  RatingParts Parts(const RatingBatch& batch) const override;
  ModelOutline Outline() const override;
  void StartAt(double mean) override;

 private:
  Parameter& mean_;
};

/// Rating mean + b_u + b_i.
class RatingBias : public RatingPredictor {
 public:
  RatingBias(const Scope& scope, const RatingSizes& sizes);

  Var Ratings(const Context& ctx, const RatingBatch& batch) const override;
  RatingParts Parts(const RatingBatch& batch) const override;
  ModelOutline Outline() const override;
  using RatingPredictor::biases;
  RatingBiases* biases() override { return &biases_; }

 private:
  RatingBiases biases_;
};

/// Rating mean + b_u + b_i + p_uᵀ q_i, without the product if either is
/// unknown. Parameters: those of RatingBiases under biases; user, item [names +
/// 1, F]. Paper: Koren et al. 2009.
class RatingFactors : public RatingPredictor {
 public:
  RatingFactors(const Scope& scope, const RatingFactorsConfig& config,
                const RatingSizes& sizes);

  Var Ratings(const Context& ctx, const RatingBatch& batch) const override;
  RatingParts Parts(const RatingBatch& batch) const override;
  ModelOutline Outline() const override;
  using RatingPredictor::biases;
  RatingBiases* biases() override { return &biases_; }

 private:
  Var Product(const Context& ctx, const RatingBatch& batch) const;

  double dropout_;
  RatingBiases biases_;
  Embedding user_;
  Embedding item_;
};

}  // namespace heed

#endif  // HEED_MODELS_RATINGS_RATING_FACTORS_H_
