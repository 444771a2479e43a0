// Models that classify the nodes of a graph: a role, and what they read.
#ifndef HEED_MODELS_NODE_CLASSIFIER_H_
#define HEED_MODELS_NODE_CLASSIFIER_H_

#include <memory>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/base/model_outline.h"
#include "heed/kernels/sparse.h"
#include "heed/models/roles.h"

namespace heed {

/// All nodes of a graph at once. Copies share the tensors.
struct GraphInput {
  /// A row for each node: its features.
  std::shared_ptr<const kernels::SparsePattern> features;
  Tensor values;    // of the features [1, E]
  Mask neighbours;  // Adjacency: of each node, itself among them
  /// Neighbours that each node has in the graph of which this one is a part,
  /// itself among them; empty: this one is whole.
  std::vector<int32_t> degrees;
  /// How often the whole is computed: equal, unless an observer of the input
  /// "source" (nodes as the first layer projects them) makes them differ.
  int64_t copies = 1;

  int64_t nodes() const { return features->rows; }
};

/// Immutable but for its parameters; used from many threads.
class NodeClassifier {
 public:
  virtual ~NodeClassifier() = default;
  /// Logits of the classes of all nodes. Shapes: result [copies N, V].
  virtual Var Scores(const Context& ctx, const GraphInput& graph) const = 0;
  /// What the first layer gives: nodes as the model tells them apart. Shapes:
  /// result [N, M].
  virtual Var FirstLayer(const Context& ctx, const GraphInput& graph) const = 0;
  /// How many edges away a node may be that an answer depends on.
  virtual int64_t hops() const = 0;
  /// What it is made of, but for its name, as TaskModel has it; undefined: it
  /// does not say.
  virtual ModelOutline Outline() const { return {}; }
};

/// Classifies nodes by their features and neighbours.
class NodeSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "classifier of nodes";

  /// Replaces what is left to the model, and checks that the choices fit
  /// together. Throws: ConfigError.
  virtual void Fill() = 0;
  /// Of settings that are filled. Throws: ConfigError.
  virtual std::unique_ptr<NodeClassifier> Make(const Scope& scope,
                                               int64_t features,
                                               int64_t classes) const = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_NODE_CLASSIFIER_H_
