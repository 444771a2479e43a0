// Score functions: how well a query fits a key.
//
// A score is independent of the model that uses it. Each is one small file in
// scores/ with its formula and source, and one line in registry.cc. Heads are
// groups of columns: query head h of H looks at key head h / (H / K) of K.
#ifndef HEED_ATTENTION_SCORE_H_
#define HEED_ATTENTION_SCORE_H_

#include <optional>
#include <string>
#include <vector>

#include "heed/attention/part.h"
#include "heed/autograd/context.h"
#include "heed/kernels/fused_attention.h"

namespace heed {

/// How the fused kernel computes a score from prepared queries and keys.
struct FusedScore {
  kernels::AttentionArgs::Score kind = kernels::AttentionArgs::Score::kDot;
  double value = 1;
  Var w;  // [H, A]; not for dot
};

/// e(q, k) for all pairs. Immutable; used from many threads.
class Score {
 public:
  virtual ~Score() = default;

  /// What can be computed of the keys alone, once per source.
  /// Shapes: keys [B, S, K*key], result [B, S, PreparedHeads()*A].
  virtual Var PrepareKeys(const Context& ctx, const Var& keys) const;
  /// What can be computed of the queries alone. Shapes: query [B, T, H*query],
  /// or undefined if !takes_query(); result [B, T, H*A].
  virtual Var PrepareQuery(const Context& ctx, const Var& query,
                           int64_t batch) const;
  /// Prepared keys for a step that knows the weights [B*H, S] of the step
  /// before it. Only if uses_history(). Result [B, S, H*A].
  virtual Var KeysAfter(const Context& ctx, const Var& keys,
                        const Var& previous) const;
  /// The scores, put together from ops: what defines the score. Prepared
  /// queries [N, T, A] and keys [N, S, A], N = B*H; result [N, T, S].
  virtual Var Scores(const Context& ctx, const Var& query,
                     const Var& keys) const = 0;
  /// How the fused kernel computes the same, if it can.
  virtual std::optional<FusedScore> Fused(const Context& ctx,
                                          DType dtype) const;

  /// Heads that prepared keys have: a divisor of H.
  virtual int64_t PreparedHeads(const AttentionSizes& sizes) const;
  /// True if Fused gives something.
  virtual bool fused() const { return false; }
  /// True if it is a product of prepared queries and keys, which rotary
  /// positions can turn.
  virtual bool turns() const { return false; }
  /// True if it is FusedScore::value times the product of query and key as
  /// they are, which the kernels of single steps can do.
  virtual bool steps() const { return false; }
  virtual bool takes_query() const { return true; }
  virtual bool uses_history() const { return false; }
};

using ScoreInfo = PartInfo<Score>;

/// All scores, in the order of their invention.
const std::vector<ScoreInfo>& Scores();
/// Adds one, before any other use of them and before there are threads. Throws:
/// ConfigError if there is one of its name.
void AddScore(ScoreInfo row);
/// The score that a text such as "additive" names. Throws: ConfigError that
/// lists the names.
Choice<Score> ChooseScore(const std::string& text);

}  // namespace heed

#endif  // HEED_ATTENTION_SCORE_H_
