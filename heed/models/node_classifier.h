// Role of node classifiers, and their input.
#ifndef HEED_MODELS_NODE_CLASSIFIER_H_
#define HEED_MODELS_NODE_CLASSIFIER_H_

#include <memory>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/base/model_outline.h"
#include "heed/kernels/sparse.h"
#include "heed/models/roles.h"

namespace heed {

/// All nodes of a graph. Copies share the tensors.
struct GraphInput {
  /// Sparse features, one row for each node.
  std::shared_ptr<const kernels::SparsePattern> features;
  Tensor values;    // values of the features [1, E]
  Mask neighbours;  // Adjacency: neighbours of each node, including itself
  /// Degree of each node, including itself, in the whole graph if this is a
  /// subgraph; empty: this is the whole graph.
  std::vector<int32_t> degrees;
  /// Number of copies of the graph in one computation. Copies are equal unless
  /// an observer of the input "source" (nodes as projected by the first layer)
  /// changes them.
  int64_t copies = 1;

  int64_t nodes() const { return features->rows; }
};

/// Immutable except for its parameters; thread-safe.
class NodeClassifier {
 public:
  virtual ~NodeClassifier() = default;
  /// Logits of the classes of all nodes. Shapes: result [copies N, V].
  virtual Var Scores(const Context& ctx, const GraphInput& graph) const = 0;
  /// Output of the first layer, a representation of nodes. Shapes: result [N,
  /// M].
  virtual Var FirstLayer(const Context& ctx, const GraphInput& graph) const = 0;
  /// Receptive field: maximum distance in edges of a node that affects a
  /// prediction.
  virtual int64_t hops() const = 0;
  /// Structure for diagrams, without the name, which TaskModel adds; undefined
  /// if not provided.
  virtual ModelOutline Outline() const { return {}; }
};

/// Role: classifies nodes by their features and neighbours.
class NodeSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "classifier of nodes";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError if the
  /// settings do not fit together.
  virtual void Fill() = 0;
  /// Makes a classifier; settings must be filled. Throws: ConfigError.
  virtual std::unique_ptr<NodeClassifier> Make(const Scope& scope,
                                               int64_t features,
                                               int64_t classes) const = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_NODE_CLASSIFIER_H_
