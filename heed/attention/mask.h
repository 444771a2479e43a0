// Masks: who may look where. True means may.
//
// A mask is a value: combine masks with &&, || and !. Whole blocks that a mask
// empties are never computed, so that a window or a causal mask saves time.
#ifndef HEED_ATTENTION_MASK_H_
#define HEED_ATTENTION_MASK_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/part.h"
#include "heed/autograd/tape.h"
#include "heed/kernels/mask_rule.h"
#include "heed/kernels/sparse_attention.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Sizes that a mask is made for; -1: any.
struct MaskSizes {
  int64_t batch = -1;
  int64_t queries = -1;
  int64_t keys = -1;
};

/// Cheap to copy; immutable.
class Mask {
 public:
  /// Everybody may look everywhere.
  Mask() = default;
  explicit Mask(std::shared_ptr<const kernels::MaskRule> rule,
                const MaskSizes& sizes = {})
      : rule_(std::move(rule)), sizes_(sizes) {}

  bool all() const { return rule_ == nullptr; }
  /// Null if all().
  const std::shared_ptr<const kernels::MaskRule>& rule() const { return rule_; }
  bool May(int64_t b, int64_t t, int64_t s) const;

  /// Numbers of real keys (i32 [B]) if a padding mask takes part in it with
  /// &&, else undefined.
  const Tensor& lengths() const { return lengths_; }
  /// The graph if this is Adjacency() and nothing else.
  const std::shared_ptr<const kernels::Neighbourhood>& graph() const {
    return graph_;
  }
  /// True if this is Causal() and nothing else.
  bool causal() const { return causal_; }
  /// Throws ShapeError, naming `where`, if the mask is made for other sizes,
  /// or has more real keys in a row than there are.
  /// Fewer queries and keys are fine unless `exact`.
  void Check(const std::string& where, int64_t batch, int64_t queries,
             int64_t keys, bool exact = true) const;

 private:
  friend Mask operator&&(const Mask& a, const Mask& b);
  friend Mask operator||(const Mask& a, const Mask& b);
  friend Mask operator!(const Mask& mask);
  friend Mask Padding(const Tensor& lengths);
  friend Mask Causal();
  friend Mask Adjacency(const kernels::Neighbourhood& graph);

  /// The sizes of both. Throws: ShapeError if they differ.
  static MaskSizes Join(const Mask& a, const Mask& b);

  std::shared_ptr<const kernels::MaskRule> rule_;
  MaskSizes sizes_;
  Tensor lengths_;
  std::shared_ptr<const kernels::Neighbourhood> graph_;
  bool causal_ = false;
};

Mask operator&&(const Mask& a, const Mask& b);
Mask operator||(const Mask& a, const Mask& b);
Mask operator!(const Mask& mask);

/// Key s of batch row b is real: s < lengths[b]. i32 [B].
Mask Padding(const Tensor& lengths);
/// Scores of keys that are not real become −∞, so that a normaliser leaves them
/// out. Shapes: scores [B, T, S], lengths i32 [B].
Var MaskPadding(const Var& scores, const Tensor& lengths);
/// s <= t, or s < t.
Mask Causal();
Mask StrictCausal();
/// t - before <= s <= t + after. Throws: ConfigError if one is below zero.
Mask SlidingWindow(int64_t before, int64_t after);
/// Causal, but every query sees the first lengths[b] keys.
Mask Prefix(const Tensor& lengths);
/// Several sequences packed into one row: a query looks at keys of its own
/// document only. i32 [B, T] and [B, S] of document numbers, negative where
/// nothing stands; document numbers never decrease along a row.
Mask Documents(const Tensor& of_queries, const Tensor& of_keys);
/// Query t looks at the keys that a graph lists for it.
Mask Adjacency(const kernels::Neighbourhood& graph);
/// A rule of one's own: may(b, t, s) is true or false.
template <class May>
Mask MaskOf(May may);

/// A line of `heed list attentions`. A mask that needs data is made with an
/// example of it that fits `sizes`, all of which must then be known.
struct MaskInfo {
  std::string name;
  std::string formula;
  std::string source;
  std::vector<PartArgument> arguments;
  Mask (*make)(const std::vector<double>& arguments, const MaskSizes& sizes);
  bool needs_data = false;
};

const std::vector<MaskInfo>& Masks();
/// Adds one, before any other use of them and before there are threads. Throws:
/// ConfigError if there is one of its name.
void AddMask(MaskInfo row);
/// The mask that a text such as "causal && !window(4)" describes, with &&,
/// ||, ! and parentheses; "none" and "" mean all. With unknown sizes (-1) masks
/// that need data are refused. Throws: ConfigError.
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
