// Observers of a computation: attention weights, inputs and contexts of heads.
#ifndef HEED_AUTOGRAD_OBSERVER_H_
#define HEED_AUTOGRAD_OBSERVER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/kernels/sparse_attention.h"

namespace heed {

namespace kernels {
class AttentionFactors;
}  // namespace kernels

/// Identity of an attention and the meaning of its weights.
struct AttentionInfo {
  std::string path;        ///< in the model: "decoder.layers.0.cross_attention"
  std::string score = {};  ///< "scaled_dot"
  std::string normalizer = {};              ///< "softmax"
  std::vector<std::string> modifiers = {};  ///< of scores: "alibi"
  /// Meaning of queries and keys: an input of the model ("source",
  /// "target_inputs"), "target" if a query gives the next token, or "answer" if
  /// one query pools all keys.
  std::string query_axis = "source";
  std::string key_axis = "source";
  int64_t heads = 1;  ///< H
  /// Name of the output projection [H D, M]; empty if there is none.
  std::string output = {};
  bool parts = true;  ///< true if AttentionParts are available
};

/// Inputs and results of one call of an attention. Shapes: query [B, H, T, A],
/// keys [B, H, S, A], values [B, H, S, D] (shared heads are repeated); scores,
/// after modifiers and mask (−∞: masked), and weights [B, H, T, S]; context [B,
/// H, T, D]. Query and keys are undefined for a score without them.
struct AttentionParts {
  Tensor query, keys, values, scores, weights, context;
};

/// Data that an observer requests of an attention. Parts and a gradient force
/// composed ops.
struct AttentionRequest {
  bool weights = false;
  bool gradient = false;  ///< weights with a gradient, before dropout
  bool parts = false;
  /// Factors instead of the weights, if a fused kernel computes them all at
  /// once; other attentions pass the weights.
  bool factors = false;

  bool any() const { return weights || gradient || parts || factors; }
};

/// Call of an attention.
struct AttentionEvent {
  const AttentionInfo& info;
  int64_t step = 0;  ///< position of the first query
  /// Weights [B, H, T, S] that form the contexts; along a graph [H, E], one for
  /// each edge.
  Var weights;
  /// Graph of an attention along edges; null: all pairs.
  const kernels::Neighbourhood* graph = nullptr;
  /// Null unless requested.
  const AttentionParts* parts = nullptr;
  /// Log-probability of hard samples [B, H, T], with a gradient; undefined if
  /// nothing was sampled.
  Var log_probability = {};
  Var entropy = {};
  /// Factors of the weights, which are then undefined; null unless requested.
  std::shared_ptr<const kernels::AttentionFactors> factors = {};
};

/// Base of observers (alignments, explanations), also used to make a loss of
/// weights or to replace intermediate values. It requests nothing unless a
/// member is overridden.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual AttentionRequest Wants(const AttentionInfo& /*info*/) { return {}; }
  /// Called after each call of an attention from which data is requested.
  virtual void OnAttention(const AttentionEvent& /*event*/) {}
  /// Called with the concatenated contexts of the heads, before the output
  /// projection; the result replaces them. Shapes: context [B, T, H D].
  virtual Var OnContext(const AttentionInfo& /*info*/, const Var& context) {
    return context;
  }

  virtual bool WantsInput(const std::string& /*name*/) { return false; }
  /// Called with the vectors of an input of the model, before positions are
  /// added; the result replaces them. Vectors are in reading order, also in a
  /// model that reads backwards. Shapes: x [B, S, M].
  virtual Var OnInput(const std::string& /*name*/, const Var& x) { return x; }
};

/// Observer that stores attention events.
class AttentionWatch : public Observer {
 public:
  using Selector = std::function<AttentionRequest(const AttentionInfo& info)>;
  /// Stores the weights of all attentions, or the data that `select` requests.
  explicit AttentionWatch(Selector select = {}) : select_(std::move(select)) {}
  /// Stores the weights, with a gradient, of the attention at `path`.
  static AttentionWatch WithGradient(const std::string& path) {
    return AttentionWatch([path](const AttentionInfo& info) {
      return AttentionRequest{.gradient = info.path == path};
    });
  }

  AttentionRequest Wants(const AttentionInfo& info) override {
    return select_ ? select_(info) : AttentionRequest{.weights = true};
  }
  void OnAttention(const AttentionEvent& event) override {
    seen.push_back(
        {event.info, event.step, event.weights, {}, {}, {}, event.factors});
    if (event.graph != nullptr) seen.back().graph = *event.graph;
    if (event.parts != nullptr) seen.back().parts = *event.parts;
  }
  Var OnContext(const AttentionInfo& info, const Var& context) override {
    if (!seen.empty() && seen.back().info.path == info.path) {
      seen.back().context = context.value();
    }
    return context;
  }

  /// Copy of an event that outlives its call.
  struct Seen {
    AttentionInfo info;
    int64_t step = 0;
    Var weights;
    std::optional<kernels::Neighbourhood> graph;
    std::optional<AttentionParts> parts;
    /// Contexts of the heads [B, T, H D]; undefined if several calls made the
    /// weights.
    Tensor context;
    /// Factors of the weights, which are then undefined; null if there are
    /// none.
    std::shared_ptr<const kernels::AttentionFactors> factors = {};
  };
  std::vector<Seen> seen;  ///< in the order of computation

 private:
  Selector select_;
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_OBSERVER_H_
