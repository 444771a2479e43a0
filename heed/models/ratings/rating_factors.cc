#include "heed/models/ratings/rating_factors.h"

#include <utility>

#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

Tensor BothKnown(const RatingBatch& batch, DType dtype) {
  Tensor known({batch.B()}, DType::kF64);
  for (int64_t b = 0; b < batch.B(); ++b) {
    known.data<double>()[b] =
        batch.users.data<int32_t>()[b] > 0 && batch.items.data<int32_t>()[b] > 0
            ? 1
            : 0;
  }
  return known.To(dtype);
}

}  // namespace

RatingMean::RatingMean(const Scope& scope)
    : mean_(scope.Add("mean", {1}, kZeroInit)) {}

Var RatingMean::Ratings(const Context& ctx, const RatingBatch& batch) const {
  CheckRatingBatch("mean of ratings", batch, 0, {});
  const Tensor ids = Tensor::Zeros({batch.B()}, DType::kI32);
  return Reshape(Embed(Reshape(ctx.Use(mean_), {1, 1}), ids), {batch.B()});
}

RatingParts RatingMean::Parts(const RatingBatch& batch) const {
  CheckRatingBatch("mean of ratings", batch, 0, {});
  RatingParts parts;
  parts.mean = mean_.value().To(DType::kF64).item();
  return parts;
}

void RatingMean::StartAt(double mean) {
  mean_.mutable_value().Fill(mean);
  mean_.Changed();
}

RatingBias::RatingBias(const Scope& scope, const RatingSizes& sizes)
    : biases_(scope / "biases", sizes.users, sizes.items) {}

Var RatingBias::Ratings(const Context& ctx, const RatingBatch& batch) const {
  CheckRatingBatch("biases of ratings", batch, 0, {});
  return biases_(ctx, batch);
}

RatingParts RatingBias::Parts(const RatingBatch& batch) const {
  CheckRatingBatch("biases of ratings", batch, 0, {});
  RatingParts parts;
  biases_.AddTo(batch, parts);
  return parts;
}

RatingFactors::RatingFactors(const Scope& scope,
                             const RatingFactorsConfig& config,
                             const RatingSizes& sizes)
    : dropout_(config.dropout),
      biases_(scope / "biases", sizes.users, sizes.items),
      user_(scope / "user", sizes.users + 1, config.factors, kEmbeddingInit),
      item_(scope / "item", sizes.items + 1, config.factors, kEmbeddingInit) {}

Var RatingFactors::Product(const Context& ctx, const RatingBatch& batch) const {
  const Var p = Dropout(ctx, user_(ctx, batch.users), dropout_);
  const Var product =
      Reshape(RowSums(Mul(p, item_(ctx, batch.items))), {batch.B()});
  return Mul(product, BothKnown(batch, product.value().dtype()));
}

Var RatingFactors::Ratings(const Context& ctx, const RatingBatch& batch) const {
  CheckRatingBatch("factors of ratings", batch, 0, {});
  return Add(biases_(ctx, batch), Product(ctx, batch));
}

RatingParts RatingFactors::Parts(const RatingBatch& batch) const {
  CheckRatingBatch("factors of ratings", batch, 0, {});
  RatingParts parts;
  biases_.AddTo(batch, parts);
  parts.reviews =
      Product({}, batch).value().To(DType::kF64).Contiguous().item();
  return parts;
}

ModelOutline RatingMean::Outline() const {
  return {{},
          {RatingOutline(
              {{{{OutlinePart::Kind::kPool, "mean of all ratings", 1}}, 1}})}};
}

ModelOutline RatingBias::Outline() const {
  OutlineBlock biases = biases_.Outline();
  biases.parts[0].kind = OutlinePart::Kind::kPool;
  return {{}, {RatingOutline({std::move(biases)})}};
}

ModelOutline RatingFactors::Outline() const {
  return {
      {},
      {RatingOutline(
          {{{{.name = "factors", .features = user_.weight().value().dim(1)}},
            1},
           {{{OutlinePart::Kind::kPool, "product", 1}}, 1},
           biases_.Outline()})}};
}

}  // namespace heed
