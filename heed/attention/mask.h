// Masks: which keys a query may attend to. True means allowed.
//
// A mask is a value: combine masks with &&, || and !. Fully masked blocks are
// never computed, so a window or a causal mask saves time.
#ifndef HEED_ATTENTION_MASK_H_
#define HEED_ATTENTION_MASK_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/part.h"
#include "heed/autograd/tape.h"
#include "heed/kernels/mask_rule.h"
#include "heed/kernels/sparse_attention.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Sizes that a mask requires; -1: any.
struct MaskSizes {
  int64_t batch = -1;
  int64_t queries = -1;
  int64_t keys = -1;
};

/// Keys around a query: from `before` keys before it to `after` keys after it.
struct Band {
  static constexpr int64_t kAll = std::numeric_limits<int32_t>::max();
  int64_t before = kAll;
  int64_t after = kAll;
};

/// Cheap to copy; immutable.
class Mask {
 public:
  /// Allows every query all keys.
  Mask() = default;
  explicit Mask(std::shared_ptr<const kernels::MaskRule> rule,
                const MaskSizes& sizes = {})
      : rule_(std::move(rule)), sizes_(sizes) {}

  bool all() const { return rule_ == nullptr; }
  /// Null if all().
  const std::shared_ptr<const kernels::MaskRule>& rule() const { return rule_; }
  bool May(int64_t b, int64_t t, int64_t s) const;

  /// Lengths (i32 [B]) of the padding masks that are combined by &&; undefined
  /// if there are none.
  const Tensor& lengths() const { return lengths_; }
  /// The graph if this is Adjacency() and nothing else.
  const std::shared_ptr<const kernels::Neighbourhood>& graph() const {
    return graph_;
  }
  /// The band of a mask that is made by && of Causal() and SlidingWindow()
  /// alone.
  const std::optional<Band>& band() const { return band_; }
  /// True if a query sees its own key and some keys before it: all, or those of
  /// a window.
  bool causal() const { return band_ && band_->after == 0; }
  /// Throws ShapeError, naming `where`, if the mask requires other sizes, or if
  /// a length exceeds the number of keys. Without `exact`, fewer queries and
  /// keys are accepted.
  void Check(const std::string& where, int64_t batch, int64_t queries,
             int64_t keys, bool exact = true) const;

 private:
  friend Mask operator&&(const Mask& a, const Mask& b);
  friend Mask operator||(const Mask& a, const Mask& b);
  friend Mask operator!(const Mask& mask);
  friend Mask Padding(const Tensor& lengths);
  friend Mask Causal();
  friend Mask SlidingWindow(int64_t before, int64_t after);
  friend Mask Adjacency(const kernels::Neighbourhood& graph);

  /// The sizes of both. Throws: ShapeError if they differ.
  static MaskSizes Join(const Mask& a, const Mask& b);

  std::shared_ptr<const kernels::MaskRule> rule_;
  MaskSizes sizes_;
  Tensor lengths_;
  std::shared_ptr<const kernels::Neighbourhood> graph_;
  std::optional<Band> band_;
};

Mask operator&&(const Mask& a, const Mask& b);
Mask operator||(const Mask& a, const Mask& b);
Mask operator!(const Mask& mask);

/// Key s of batch row b is real: s < lengths[b]. i32 [B].
Mask Padding(const Tensor& lengths);
/// Sets the scores of padded keys to −∞, so that a normaliser ignores them.
/// Shapes: scores [B, T, S], lengths i32 [B].
Var MaskPadding(const Var& scores, const Tensor& lengths);
/// Keys s <= t (Causal) or s < t (StrictCausal).
Mask Causal();
Mask StrictCausal();
/// Keys t - before <= s <= t + after. Throws: ConfigError if an argument is
/// negative.
Mask SlidingWindow(int64_t before, int64_t after);
/// Causal mask in which every query also sees the first lengths[b] keys.
Mask Prefix(const Tensor& lengths);
/// Block-diagonal mask for several sequences packed into one row: a query sees
/// the keys of its own document only. i32 [B, T] and [B, S] of document
/// numbers, negative for padding; numbers never decrease along a row.
Mask Documents(const Tensor& of_queries, const Tensor& of_keys);
/// Mask of a graph: query t sees the keys that the graph lists for it.
Mask Adjacency(const kernels::Neighbourhood& graph);
/// User-defined mask: may(b, t, s) is true if the key is allowed.
template <class May>
Mask MaskOf(May may);

/// Row of `heed list attentions`. A mask that needs data is made with example
/// data of `sizes`, which must all be known then.
struct MaskInfo {
  std::string name;
  std::string formula;
  std::string source;
  std::vector<PartArgument> arguments;
  Mask (*make)(const std::vector<double>& arguments, const MaskSizes& sizes);
  bool needs_data = false;
};

const std::vector<MaskInfo>& Masks();
/// Registers a mask; call before any other use of the registry and before
/// threads start. Throws: ConfigError if the name is taken.
void AddMask(MaskInfo row);
/// The mask that a text such as "causal && !window(4)" describes, with &&, ||,
/// ! and parentheses; "none" and "" allow all keys. Masks that need data are
/// refused if sizes are unknown (-1). Throws: ConfigError.
Mask ParseMask(const std::string& text, const MaskSizes& sizes);

namespace internal {

template <class May>
class UserRule : public kernels::MaskRule {
 public:
  explicit UserRule(May may) : may_(std::move(may)) {}
  void Row(int64_t b, int64_t t, kernels::Range keys,
           uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) {
      may[s - keys.begin] = may_(b, t, s) ? 1 : 0;
    }
  }

 private:
  May may_;
};

}  // namespace internal

template <class May>
Mask MaskOf(May may) {
  return Mask(std::make_shared<internal::UserRule<May>>(std::move(may)));
}

}  // namespace heed

#endif  // HEED_ATTENTION_MASK_H_
