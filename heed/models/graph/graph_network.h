// Networks over the nodes of a graph, where each node attends to its
// neighbours.
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
  /// Throws: ConfigError.
  void Check() const;
};

/// Layers of
///   h = Dropout(x) W;  α = attention over the neighbours of queries and keys
///   h;  y = Σ α Dropout(h) + b
/// for each of K heads of D units, which stand side by side behind an ELU, and
/// in the last layer, where each head has as many units as there are classes,
/// become their mean. Dropout is of the layer's input, of the weights, and of
/// the values, while queries and keys are whole: as in the authors' code, of
/// which the paper has the first two. With "symmetric" α is 1 / √(d_i d_j), as
/// in a graph convolution; with "none" each node sees itself alone. Parameters:
/// layers.L.weight [K D_in, K D], layers.L.bias [K D], and those of the score.
/// Papers: Veličković et al. 2018, arXiv:1710.10903, eq. 1 to 6; Kipf and
/// Welling 2017, arXiv:1609.02907, eq. 2.
class GraphNetwork : public NodeClassifier {
 public:
  /// `config` leaves nothing to the model.
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
    /// At most one; neither: a node sees itself alone.
    std::unique_ptr<Attention> attention = nullptr;
    std::optional<GraphConvolution> convolution = {};

    /// How it reads neighbours; null: it does not.
    const AttentionInfo* info() const;
  };

  /// The products with the weight: of the features, or of x [N, ·].
  Var ProjectFeatures(const Context& ctx, const GraphInput& graph) const;
  Var Project(const Context& ctx, size_t layer, const Var& x) const;
  /// What a layer makes of them. Shapes: h and result [N, K D].
  Var Attend(const Context& ctx, const GraphInput& graph, size_t layer,
             const Var& h) const;
  /// The logits [N, V] from what the first layer projected.
  Var ScoresOf(const Context& ctx, const GraphInput& graph, Var h) const;

  GraphNetworkConfig config_;
  std::vector<Layer> layers_;
};

}  // namespace heed

#endif  // HEED_MODELS_GRAPH_GRAPH_NETWORK_H_
