// Watches a computation: what attentions compute, what enters and what their
// heads give.
#ifndef HEED_AUTOGRAD_OBSERVER_H_
#define HEED_AUTOGRAD_OBSERVER_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/kernels/sparse_attention.h"

namespace heed {

/// What an attention is: what its weights mean.
struct AttentionInfo {
  std::string path;        ///< in the model: "decoder.layers.0.cross_attention"
  std::string score = {};  ///< "scaled_dot"
  std::string normalizer = {};              ///< "softmax"
  std::vector<std::string> modifiers = {};  ///< of scores: "alibi"
  /// What its queries and its keys stand for: an input of the model ("source",
  /// "target_inputs"), "target" where a query gives what is written next, or
  /// "answer" where one query pools them all.
  std::string query_axis = "source";
  std::string key_axis = "source";
  int64_t heads = 1;  ///< H
  /// The parameter [H D, M] that mixes what the heads read; none: empty.
  std::string output = {};
  bool parts = true;  ///< whether an observer can have AttentionParts
};

/// What one call of an attention computes from and to. Shapes: query [B, H, T,
/// A], keys [B, H, S, A], values [B, H, S, D] (those that heads share are
/// repeated); scores, after modifiers and mask (−∞: may not look), and weights
/// [B, H, T, S]; context [B, H, T, D]. Query and keys are undefined for a score
/// that has none.
struct AttentionParts {
  Tensor query, keys, values, scores, weights, context;
};

/// What is wanted of an attention. Parts and a gradient let it run composed.
struct AttentionWish {
  bool weights = false;
  bool gradient = false;  ///< weights with one, before dropout
  bool parts = false;

  bool any() const { return weights || gradient || parts; }
};

/// One call of an attention.
struct AttentionEvent {
  const AttentionInfo& info;
  int64_t step = 0;  ///< position of the first query
  /// [B, H, T, S], as the contexts are made of them; of edges [H, E].
  Var weights;
  /// Of an attention along a graph: who looks where. Null: everywhere.
  const kernels::Neighbourhood* graph = nullptr;
  /// Null unless they were wanted.
  const AttentionParts* parts = nullptr;
  /// Of hard choices [B, H, T], with a gradient; undefined: none were made.
  Var log_probability = {};
  Var entropy = {};
};

/// Given to a Context by who wants to look (alignments, explanations), to make
/// a loss of weights or to replace what passes. It asks for nothing unless a
/// member is overridden.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual AttentionWish Wants(const AttentionInfo& /*info*/) { return {}; }
  /// Of each call of an attention of which something is wanted.
  virtual void OnAttention(const AttentionEvent& /*event*/) {}
  /// What the heads of an attention read, side by side, before it is mixed.
  /// What it returns goes on in its place. Shapes: context [B, T, H D].
  virtual Var OnContext(const AttentionInfo& /*info*/, const Var& context) {
    return context;
  }

  virtual bool WantsInput(const std::string& /*name*/) { return false; }
  /// The vectors that stand for an input of the model, before positions are
  /// added: what it returns goes on in their place. In the order in which they
  /// are read, also by a model that reads backwards. Shapes: x [B, S, M].
  virtual Var OnInput(const std::string& /*name*/, const Var& x) { return x; }
};

/// Keeps what attentions compute.
class AttentionWatch : public Observer {
 public:
  using Wish = std::function<AttentionWish(const AttentionInfo& info)>;
  /// Weights of all attentions, or what `wish` says.
  explicit AttentionWatch(Wish wish = {}) : wish_(std::move(wish)) {}
  /// The weights of one, by its path, with a gradient.
  static AttentionWatch WithGradient(const std::string& path) {
    return AttentionWatch([path](const AttentionInfo& info) {
      return AttentionWish{.gradient = info.path == path};
    });
  }

  AttentionWish Wants(const AttentionInfo& info) override {
    return wish_ ? wish_(info) : AttentionWish{.weights = true};
  }
  void OnAttention(const AttentionEvent& event) override {
    seen.push_back({event.info, event.step, event.weights, {}, {}, {}});
    if (event.graph != nullptr) seen.back().graph = *event.graph;
    if (event.parts != nullptr) seen.back().parts = *event.parts;
  }
  Var OnContext(const AttentionInfo& info, const Var& context) override {
    if (!seen.empty() && seen.back().info.path == info.path) {
      seen.back().context = context.value();
    }
    return context;
  }

  /// An event that outlives its call.
  struct Seen {
    AttentionInfo info;
    int64_t step = 0;
    Var weights;
    std::optional<kernels::Neighbourhood> graph;
    std::optional<AttentionParts> parts;
    /// What its heads read [B, T, H D]; undefined of weights that several calls
    /// made.
    Tensor context;
  };
  std::vector<Seen> seen;  ///< in the order of computation

 private:
  Wish wish_;
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_OBSERVER_H_
