// Graph neural networks in which each node attends to its neighbours.
#ifndef HEED_MODELS_GRAPH_GRAPH_NETWORK_H_
#define HEED_MODELS_GRAPH_GRAPH_NETWORK_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/base/config.h"
#include "heed/models/graph/graph_convolution.h"
#include "heed/models/node_classifier.h"

namespace heed {

struct GraphNetworkConfig {
  std::string score = "auto";  // or "symmetric" or "none"
  int layers = 2;
  int heads = 8;
  int units = 8;
  int output_heads = 1;
  double dropout = 0.6;
  double attention_dropout = 0.6;

  void Visit(FieldList& v);
  /// Throws: ConfigError for an invalid choice.
  void Check() const;
};

/// Layers of
///   h = Dropout(x) W;  α = attention over the neighbours of queries and keys
///   h;  y = Σ α Dropout(h) + b
/// for K heads of D units. Hidden layers concatenate heads and apply an ELU. In
/// the last layer each head has one unit for each class, and heads are
/// averaged. Dropout applies to the layer's input, the weights and the values,
/// but not to queries and keys, as in the authors' code; the paper has the
/// first two. With "symmetric" α is 1 / √(d_i d_j), a graph convolution; with
/// "none" each node attends only to itself. Parameters: layers.L.weight [K
/// D_in, K D], layers.L.bias [K D], and those of the score. Papers: Veličković
/// et al. 2018, arXiv:1710.10903, eq. 1 to 6; Kipf and Welling 2017,
/// arXiv:1609.02907, eq. 2.
class GraphNetwork : public NodeClassifier {
 public:
  /// `config` must not contain "auto".
  GraphNetwork(const Scope& scope, const GraphNetworkConfig& config,
               int64_t features, int64_t classes);

  Var Scores(const Context& ctx, const GraphInput& graph) const override;
  Var FirstLayer(const Context& ctx, const GraphInput& graph) const override;
  int64_t hops() const override;
  ModelOutline Outline() const override;

 private:
  struct Layer {
    Parameter& weight;
    Parameter& bias;
    /// At most one is set; if neither is, a node attends only to itself.
    std::unique_ptr<Attention> attention = nullptr;
    std::optional<GraphConvolution> convolution = {};

    /// Attention to neighbours; null if there is none.
    const AttentionInfo* info() const;
  };

  /// Products with the weight, of the input features or of x [N, ·].
  Var ProjectFeatures(const Context& ctx, const GraphInput& graph) const;
  Var Project(const Context& ctx, size_t layer, const Var& x) const;
  /// Attention and bias of a layer. Shapes: h and result [N, K D].
  Var Attend(const Context& ctx, const GraphInput& graph, size_t layer,
             const Var& h) const;
  /// Logits [N, V] from the projection of the first layer.
  Var ScoresOf(const Context& ctx, const GraphInput& graph, Var h) const;

  GraphNetworkConfig config_;
  std::vector<Layer> layers_;
};

}  // namespace heed

#endif  // HEED_MODELS_GRAPH_GRAPH_NETWORK_H_
