// Graph convolution: sums over neighbours with weights fixed by the graph.
#ifndef HEED_MODELS_GRAPH_GRAPH_CONVOLUTION_H_
#define HEED_MODELS_GRAPH_GRAPH_CONVOLUTION_H_

#include "heed/autograd/observer.h"
#include "heed/models/node_classifier.h"

namespace heed {

/// y_i = Σ_j h_j / √(d_i d_j) over the neighbours j of node i and i itself,
/// with d the number of these: a product with D^(−1/2) (A + I) D^(−1/2).
/// Observers receive the weights as those of an attention. No parameters.
/// Paper: Kipf and Welling 2017, arXiv:1609.02907, eq. 2.
class GraphConvolution {
 public:
  /// `dropout`: rate for weights in training, independent for each head.
  GraphConvolution(const Scope& scope, int64_t heads, double dropout);

  /// Sums over neighbours. Shapes: h and result [N, K D].
  Var operator()(const Context& ctx, const GraphInput& graph,
                 const Var& h) const;
  const AttentionInfo& info() const { return info_; }

 private:
  AttentionInfo info_;
  double dropout_;
};

}  // namespace heed

#endif  // HEED_MODELS_GRAPH_GRAPH_CONVOLUTION_H_
