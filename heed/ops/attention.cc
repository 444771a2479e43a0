#include "heed/ops/attention.h"

#include <cstddef>
#include <utility>

#include "heed/kernels/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/sinks.h"

namespace heed {
namespace {

using kernels::AttentionArgs;
using kernels::AttentionGrads;

constexpr size_t kModifiers = 4;  // number of inputs before those of modifiers

void CheckKeys(std::string_view op, const Var& q, const Var& k) {
  const bool fits = q.shape().rank() == 3 && k.shape().rank() == 3 &&
                    q.dim(0) == k.dim(0) && q.dim(2) == k.dim(2) &&
                    q.value().dtype() == k.value().dtype();
  CheckShapes(fits, op, "queries and keys that do not fit",
              {q.shape(), k.shape()});
}

/// Sets the tensors of `args` from the inputs of an attention.
void SetTensors(std::span<const Var> inputs, AttentionArgs& args) {
  args.q = inputs[0].value();
  args.k = inputs[1].value();
  args.v = inputs[2].value();
  if (inputs[3].defined()) args.w = inputs[3].value().Contiguous();
  for (size_t i = kModifiers; i < inputs.size(); ++i) {
    args.modifiers[i - kModifiers].x = inputs[i].value().Contiguous();
  }
}

/// Member that selects the destination of gradients of queries, keys and
/// values.
using Sink = Tensor (Sinks::*)(int, const Tensor&);

AttentionGrads GradsOf(const AttentionArgs& args, Sink sink, Sinks& sinks) {
  AttentionGrads grads;
  grads.dq = (sinks.*sink)(0, args.q);
  grads.dk = (sinks.*sink)(1, args.k);
  grads.dv = (sinks.*sink)(2, args.v);
  grads.dw = sinks.Of(3, args.w);
  for (size_t i = 0; i < args.modifiers.size(); ++i) {
    const kernels::ScoreModifier& m = args.modifiers[i];
    const bool constant = m.kind == kernels::ScoreModifier::Kind::kWindow;
    grads.modifiers.push_back(
        constant ? Tensor() : sinks.Of(static_cast<int>(kModifiers + i), m.x));
  }
  return grads;
}

}  // namespace

Var PairScores(AttentionArgs::Score kind, double value, const Var& q,
               const Var& k, const Var& w) {
  CheckKeys("pair scores", q, k);
  CheckShapes(w.shape().rank() == 2 && w.dim(1) == q.dim(2) && w.dim(0) > 0 &&
                  q.dim(0) % w.dim(0) == 0,
              "pair scores", "a weight that does not fit the keys",
              {w.shape(), k.shape()});
  return Record(
      "pair scores",
      kernels::PairScores(kind, value, q.value(), k.value(), w.value()),
      {q, k, w},
      [kind, value, q = q.value(), k = k.value(), w = w.value()](
          const Tensor& de, Grads& g) {
        Sinks sinks(g);
        Tensor dq = sinks.OrScratch(0, q);
        Tensor dk = sinks.OrScratch(1, k);
        Tensor dw = sinks.OrScratch(2, w);
        kernels::PairScoresGrad(kind, value, de, q, k, w, dq, dk, dw);
        sinks.Finish();
      });
}

Var DotScores(const Var& q, const Var& k, double scale) {
  CheckKeys("dot scores", q, k);
  return Record(
      "dot scores", kernels::DotScores(q.value(), k.value(), scale), {q, k},
      [q = q.value(), k = k.value(), scale](const Tensor& de, Grads& g) {
        Sinks sinks(g);
        Tensor dq = sinks.OrScratch(0, q);
        Tensor dk = sinks.OrScratch(1, k);
        kernels::DotScoresGrad(de, q, k, scale, dq, dk);
        sinks.Finish();
      });
}

Var WeightedSum(const Var& weights, const Var& values) {
  CheckShapes(weights.shape().rank() == 3 && values.shape().rank() == 3 &&
                  weights.dim(0) == values.dim(0) &&
                  weights.dim(2) == values.dim(1) &&
                  weights.value().dtype() == values.value().dtype(),
              "weighted sum", "weights and values that do not fit",
              {weights.shape(), values.shape()});
  return Record(
      "weighted sum", kernels::WeightedSum(weights.value(), values.value()),
      {weights, values},
      [a = weights.value(), v = values.value()](const Tensor& dc, Grads& g) {
        Tensor da(a.shape(), a.dtype());
        Tensor dv = Sinks(g).OrScratch(1, v);
        kernels::WeightedSumGrad(dc, a, v, da, dv);
        g.Add(0, std::move(da));
      });
}

Var FusedAttention(AttentionArgs& args,
                   std::shared_ptr<const kernels::MaskRule> mask,
                   std::span<const Var> inputs, Tensor& log_sum) {
  SetTensors(inputs, args);
  args.mask = mask.get();
  const kernels::AttentionResult result = kernels::FusedAttention(args);
  log_sum = result.log_sum;
  return Record(
      "attention", result.context, inputs,
      [args, result, mask = std::move(mask)](const Tensor& dc, Grads& g) {
        Sinks sinks(g);
        AttentionGrads grads = GradsOf(args, &Sinks::RowsOf, sinks);
        kernels::FusedAttentionGrad(args, result, dc, grads);
        sinks.Finish();
      });
}

Var SparseAttention(AttentionArgs& args,
                    std::shared_ptr<const kernels::Neighbourhood> graph,
                    std::span<const Var> inputs, Tensor& weights) {
  SetTensors(inputs, args);
  Tensor context = kernels::SparseAttention(args, *graph, weights);
  return Record(
      "sparse attention", std::move(context), inputs,
      [args, weights, graph = std::move(graph)](const Tensor& dc, Grads& g) {
        Sinks sinks(g);
        AttentionGrads grads = GradsOf(args, &Sinks::Of, sinks);
        kernels::SparseAttentionGrad(args, *graph, weights, dc, grads);
        sinks.Finish();
      });
}

}  // namespace heed
