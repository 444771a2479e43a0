#include "heed/models/graph/graph_convolution.h"

#include <cmath>
#include <memory>

#include "heed/base/at.h"
#include "heed/base/shape.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/ops/sparse.h"

namespace heed {
namespace {

std::shared_ptr<const kernels::SparsePattern> PatternOf(
    const kernels::Neighbourhood& graph) {
  return std::make_shared<const kernels::SparsePattern>(
      kernels::SparsePattern{graph.queries, graph.key_count, graph.offsets,
                             graph.keys, graph.queries_of_edges,
                             graph.transposed_offsets, graph.transposed_edges});
}

/// Degree of each node in the whole graph, even if the input is a part of it.
std::vector<double> DegreesOf(const GraphInput& input,
                              const kernels::Neighbourhood& graph) {
  std::vector<double> degrees;
  for (int64_t i = 0; i < graph.queries; ++i) {
    const int32_t* offsets = graph.offsets.data<int32_t>();
    degrees.push_back(input.degrees.empty() ? offsets[i + 1] - offsets[i]
                                            : At(input.degrees, i));
  }
  return degrees;
}

/// 1 / √(d_i d_j) of each edge, for each head. Shapes: result [H, E].
Tensor WeightsOf(const GraphInput& input, const kernels::Neighbourhood& graph,
                 int64_t heads, DType dtype) {
  const std::vector<double> degrees = DegreesOf(input, graph);
  const int32_t* from = graph.queries_of_edges.data<int32_t>();
  const int32_t* to = graph.keys.data<int32_t>();
  std::vector<double> weights;
  weights.reserve(static_cast<size_t>(heads * graph.keys.numel()));
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t e = 0; e < graph.keys.numel(); ++e) {
      weights.push_back(1 /
                        std::sqrt(At(degrees, from[e]) * At(degrees, to[e])));
    }
  }
  return Tensor::Of(weights, {heads, graph.keys.numel()}).To(dtype);
}

}  // namespace

GraphConvolution::GraphConvolution(const Scope& scope, int64_t heads,
                                   double dropout)
    : info_{.path = scope.path(),
            .score = "degrees",
            .normalizer = "symmetric",
            .heads = heads,
            .parts = false},
      dropout_(dropout) {}

Var GraphConvolution::operator()(const Context& ctx, const GraphInput& graph,
                                 const Var& h) const {
  const kernels::Neighbourhood& lists = *graph.neighbours.graph();
  Var weights = WeightsOf(graph, lists, info_.heads, h.value().dtype());
  AttentionRequest request;
  if (ctx.observer != nullptr) request = ctx.observer->Wants(info_);
  if (request.gradient && ctx.tape != nullptr) {
    weights = ctx.tape->Leaf(weights.value());
  }
  if (request.any()) ctx.observer->OnAttention({info_, 0, weights, &lists});
  Var y = SparseMatMul(PatternOf(lists), Dropout(ctx, weights, dropout_), h);
  if (ctx.observer == nullptr) return y;
  return Reshape(
      ctx.observer->OnContext(info_, Reshape(y, {1, y.dim(0), y.dim(1)})),
      y.shape());
}

}  // namespace heed
