// Score functions: compatibility of a query and a key.
//
// A score is independent of the model that uses it. Each is one small file in
// scores/ with its formula and source, and one line in registry.cc. Heads are
// groups of columns: query head h of H attends to key head h / (H / K) of K.
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

/// Weights of earlier steps that a score reads: none, those of the last step,
/// or the sum over all steps.
enum class EarlierWeights : uint8_t { kNone, kLast, kSum };

/// Score e(q, k) of all pairs. Immutable; thread-safe.
class Score {
 public:
  virtual ~Score() = default;

  /// Projects the keys, once per source. Shapes: keys [B, S, K*key], result [B,
  /// S, PreparedHeads()*A].
  virtual Var PrepareKeys(const Context& ctx, const Var& keys) const;
  /// Projects the queries. Shapes: query [B, T, H*query], or undefined if
  /// !takes_query(); result [B, T, H*A].
  virtual Var PrepareQuery(const Context& ctx, const Var& query,
                           int64_t batch) const;
  /// Prepared keys for a step, given the weights [B*H, S] that history() names.
  /// Not for kNone. Result [B, S, H*A].
  virtual Var KeysAfter(const Context& ctx, const Var& keys,
                        const Var& history) const;
  /// Scores composed of ops; the definition of the score. Prepared queries [N,
  /// T, A] and keys [N, S, A], N = B*H; result [N, T, S].
  virtual Var Scores(const Context& ctx, const Var& query,
                     const Var& keys) const = 0;
  /// Parameters of the fused kernel for this score, if there is one.
  virtual std::optional<FusedScore> Fused(const Context& ctx,
                                          DType dtype) const;

  /// Number of heads of prepared keys: a divisor of H.
  virtual int64_t PreparedHeads(const AttentionSizes& sizes) const;
  /// True if Fused returns a value.
  virtual bool fused() const { return false; }
  /// True if the score is a product of prepared queries and keys, which rotary
  /// positions can rotate.
  virtual bool turns() const { return false; }
  /// True if the score is FusedScore::value times the product of the query and
  /// the key without projections, which the kernels of single steps compute.
  virtual bool steps() const { return false; }
  virtual bool takes_query() const { return true; }
  virtual EarlierWeights history() const { return EarlierWeights::kNone; }
  bool uses_history() const { return history() != EarlierWeights::kNone; }
};

using ScoreInfo = PartInfo<Score>;

/// All scores, in the order of publication.
const std::vector<ScoreInfo>& Scores();
/// Registers a score; call before any other use of the registry and before
/// threads start. Throws: ConfigError if the name is taken.
void AddScore(ScoreInfo row);
/// The score that a text such as "additive" names. Throws: ConfigError that
/// lists the names.
Choice<Score> ChooseScore(const std::string& text);

}  // namespace heed

#endif  // HEED_ATTENTION_SCORE_H_
