// Modifiers: change scores or weights by the positions of query and key and by
// earlier weights.
//
// Each is one small file in modifiers/ and one line in registry.cc.
#ifndef HEED_ATTENTION_MODIFIER_H_
#define HEED_ATTENTION_MODIFIER_H_

#include <algorithm>
#include <string>
#include <vector>

#include "heed/attention/part.h"
#include "heed/autograd/context.h"
#include "heed/kernels/fused_attention.h"

namespace heed {

/// Inputs and sizes of one application of a modifier.
struct AttentionSite {
  const Context& ctx;
  Var query = {};  // as given to Attend [B, T, ·]; undefined if there is none
  int64_t batch = 0;
  int64_t heads = 1;
  int64_t queries = 0;  // T
  int64_t keys = 0;     // S
  int64_t offset = 0;   // position of query 0
  DType dtype = DType::kF32;
  Tensor lengths = {};  // real keys of each row, i32 [B]; undefined: all
  Var previous = {};    // weights of the previous step [B*H, S], if any

  /// T + S - 1: number of distances s - t.
  int64_t Distances() const { return std::max<int64_t>(queries + keys - 1, 0); }
  /// Expands x [B, T, 1] or [B, T, H] to one number for each row of scores
  /// [B*H, T].
  Var PerRow(const Var& x) const;
};

/// Step that both the fused kernel and the composed ops implement.
struct ScoreStep {
  kernels::ScoreModifier::Kind kind = kernels::ScoreModifier::Kind::kScale;
  double value = 1;
  Var x;  // operand in the shape that kernels::ScoreModifier requires
};

/// Immutable; thread-safe.
class Modifier {
 public:
  virtual ~Modifier() = default;

  /// Changes prepared queries and keys [B, T, H*A]; `offset` is the position of
  /// the first row.
  virtual Var Query(const AttentionSite& site, const Var& query) const;
  virtual Var Keys(const Context& ctx, const Var& keys, int64_t heads,
                   int64_t offset) const;
  /// Changes of scores that the fused kernel implements, in order: at most two.
  virtual std::vector<ScoreStep> Steps(const AttentionSite& site) const;
  /// Changes of scores [B*H, T, S] that the fused kernel does not implement.
  virtual Var Scores(const AttentionSite& site, const Var& scores) const;
  /// Changes of weights [B*H, T, S].
  virtual Var Weights(const AttentionSite& site, const Var& weights) const;

  /// Changes queries or keys in place for step kernels: row r of x is at
  /// position `offset` + r mod `steps`. Only if steps(). Shapes: x f32 [R,
  /// N*features], rows may be apart.
  virtual void TurnRows(int64_t steps, int64_t features, int64_t offset,
                        Tensor& x) const;

  /// True if TurnRows is the modifier's only change.
  virtual bool steps() const { return false; }
  /// True if the fused kernel implements the modifier: Scores and Weights
  /// change nothing.
  virtual bool fused() const { return false; }
  virtual bool uses_history() const { return false; }
  virtual bool takes_query() const { return false; }
  /// True if the modifier changes queries and keys instead of scores.
  virtual bool turns() const { return false; }
};

using ModifierInfo = PartInfo<Modifier>;

const std::vector<ModifierInfo>& Modifiers();
/// Registers a modifier; call before any other use of the registry and before
/// threads start. Throws: ConfigError if the name is taken.
void AddModifier(ModifierInfo row);
/// Throws: ConfigError that lists the names.
Choice<Modifier> ChooseModifier(const std::string& text);
/// Parses modifiers such as "alibi; soft_cap(30)", applied from left to right;
/// "" and "none" give none. Throws: ConfigError.
std::vector<Choice<Modifier>> ChooseModifiers(const std::string& text);

}  // namespace heed

#endif  // HEED_ATTENTION_MODIFIER_H_
