#include "heed/ops/attention.h"

#include "heed/kernels/attention.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

void CheckKeys(std::string_view op, const Var& q, const Var& k,
               const Tensor& lengths) {
  const bool fits = q.shape().rank() == 3 && k.shape().rank() == 3 &&
                    q.dim(0) == k.dim(0) && q.dim(2) == k.dim(2);
  CheckShapes(fits, op, "queries and keys that do not fit",
              {q.shape(), k.shape()});
  CheckLengths(op, lengths, k.dim(0), k.dim(1));
}

/// The accumulator of input i, or scratch of the same shape if it is constant.
Tensor GradientOrScratch(Grads& g, int i, const Tensor& like) {
  return g.Needs(i) ? g.Accumulate(i)
                    : Tensor::Zeros(like.shape(), like.dtype());
}

}  // namespace

Var AdditiveScores(const Var& q, const Var& k, const Var& w,
                   const Tensor& lengths) {
  CheckKeys("additive scores", q, k, lengths);
  CheckColumns("additive scores", k, w);
  return Record(
      "additive scores",
      kernels::AdditiveScores(q.value(), k.value(), w.value(), lengths),
      {q, k, w},
      [q = q.value(), k = k.value(), w = w.value(), lengths](const Tensor& de,
                                                             Grads& g) {
        Tensor dq = GradientOrScratch(g, 0, q);
        Tensor dk = GradientOrScratch(g, 1, k);
        Tensor dw = GradientOrScratch(g, 2, w);
        kernels::AdditiveScoresGrad(de, q, k, w, lengths, dq, dk, dw);
      });
}

Var DotScores(const Var& q, const Var& k, double scale, const Tensor& lengths) {
  CheckKeys("dot scores", q, k, lengths);
  return Record("dot scores",
                kernels::DotScores(q.value(), k.value(), scale, lengths),
                {q, k},
                [q = q.value(), k = k.value(), scale, lengths](const Tensor& de,
                                                               Grads& g) {
                  Tensor dq = GradientOrScratch(g, 0, q);
                  Tensor dk = GradientOrScratch(g, 1, k);
                  kernels::DotScoresGrad(de, q, k, scale, lengths, dq, dk);
                });
}

Var MaskedSoftmax(const Var& scores, const Tensor& lengths) {
  CheckShapes(scores.shape().rank() == 3, "masked softmax",
              "scores that are not [B, T, S]", {scores.shape()});
  CheckLengths("masked softmax", lengths, scores.dim(0), scores.dim(2));
  Tensor a = kernels::MaskedSoftmax(scores.value().Contiguous(), lengths);
  return Record("masked softmax", a, {scores}, [a](const Tensor& da, Grads& g) {
    g.Add(0, kernels::MaskedSoftmaxGrad(da, a));
  });
}

Var WeightedSum(const Var& weights, const Var& values, const Tensor& lengths) {
  CheckShapes(weights.shape().rank() == 3 && values.shape().rank() == 3 &&
                  weights.dim(0) == values.dim(0) &&
                  weights.dim(2) == values.dim(1),
              "weighted sum", "weights and values that do not fit",
              {weights.shape(), values.shape()});
  CheckLengths("weighted sum", lengths, values.dim(0), values.dim(1));
  return Record("weighted sum",
                kernels::WeightedSum(weights.value(), values.value(), lengths),
                {weights, values},
                [a = weights.value(), v = values.value(), lengths](
                    const Tensor& dc, Grads& g) {
                  Tensor da(a.shape(), a.dtype());
                  Tensor dv = GradientOrScratch(g, 1, v);
                  kernels::WeightedSumGrad(dc, a, v, lengths, da, dv);
                  g.Add(0, std::move(da));
                });
}

Var NormalizeRows(const Var& x, double epsilon) {
  Tensor inv_norm;
  Tensor y = kernels::NormalizeRows(x.value().Contiguous(), epsilon, &inv_norm);
  return Record("normalize rows", y, {x},
                [y, inv_norm](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::NormalizeRowsGrad(dy, y, inv_norm));
                });
}

Var LayerNorm(const Var& x, const Var& gain, const Var& bias, double epsilon) {
  CheckColumns("layer norm", x, gain);
  CheckColumns("layer norm", x, bias);
  Tensor mean;
  Tensor inv_std;
  const Tensor dense = x.value().Contiguous();
  Tensor y = kernels::LayerNorm(dense, gain.value(), bias.value(), epsilon,
                                &mean, &inv_std);
  return Record("layer norm", std::move(y), {x, gain, bias},
                [x = dense, gain = gain.value(), mean, inv_std](
                    const Tensor& dy, Grads& g) {
                  Tensor dgain = GradientOrScratch(g, 1, gain);
                  Tensor dbias = GradientOrScratch(g, 2, gain);
                  g.Add(0, kernels::LayerNormGrad(dy, x, gain, mean, inv_std,
                                                  dgain, dbias));
                });
}

}  // namespace heed
