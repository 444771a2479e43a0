// Additive score and its base class.
#ifndef HEED_ATTENTION_SCORES_ADDITIVE_H_
#define HEED_ATTENTION_SCORES_ADDITIVE_H_

#include "heed/attention/score.h"

namespace heed {

/// Base of scores of W q and U k + b; each head has its own W, U and b.
class AffineScore : public Score {
 public:
  AffineScore(const Scope& scope, const AttentionSizes& n);

  Var PrepareKeys(const Context& ctx, const Var& keys) const override;
  Var PrepareQuery(const Context& ctx, const Var& query,
                   int64_t batch) const override;
  int64_t PreparedHeads(const AttentionSizes& sizes) const override {
    return sizes.heads;
  }

 private:
  Parameter& query_;
  Parameter& key_;
  Parameter& key_bias_;
};

/// e = wᵀ tanh(W q + U k + b); each head has its own w.
class AdditiveScore : public AffineScore {
 public:
  AdditiveScore(const Scope& scope, const AttentionSizes& n,
                std::span<const double> arguments);

  Var Scores(const Context& ctx, const Var& query,
             const Var& keys) const override;
  std::optional<FusedScore> Fused(const Context& ctx,
                                  DType dtype) const override;
  bool fused() const override { return true; }

 private:
  Var Weight(const Context& ctx) const;

  int64_t heads_;
  Parameter& w_;
};

}  // namespace heed

#endif  // HEED_ATTENTION_SCORES_ADDITIVE_H_
