// RETAIN: a classifier of visits whose logit is a sum over codes.
#ifndef HEED_MODELS_RETAIN_RETAIN_H_
#define HEED_MODELS_RETAIN_RETAIN_H_

#include <optional>

#include "heed/autograd/parameter_set.h"
#include "heed/models/retain/retain_config.h"
#include "heed/models/visit_classifier.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Two GRUs (cuDNN's) read the visits v_j = Σ_k W[k] from last to first; g and
/// h are their states, multiplied by state_factor:
///   α = softmax over visits of w_αᵀ g_j + b_α
///   β_j = tanh(W_β h_j + b_β)
///   logit = wᵀ Σ_j α_j β_j ⊙ v_j + b
/// Code k of visit j contributes ω_jk = α_j wᵀ(β_j ⊙ W[k]), and the logit is Σ
/// ω + b. A visit's age, if used, is a feature of both GRUs only. Parameters:
/// embedding [codes, M], alpha_rnn, beta_rnn, alpha, beta, output. Paper: Choi
/// et al. 2016, arXiv:1608.05745, equations 1 to 5 and section 3.2.
class Retain : public VisitClassifier {
 public:
  Retain(const Scope& scope, const ResolvedRetain& config, int64_t codes);

  Var Logits(const Context& ctx, const VisitBatch& batch) const override;
  std::optional<VisitParts> Parts(const VisitBatch& batch) const override;
  bool reads_ages() const override { return config_.times; }
  ModelOutline Outline() const override;

 private:
  struct Pass {
    Var alpha;   // [B, 1, S]
    Var beta;    // [B, S, M]
    Var logits;  // [B]
  };
  Pass Read(const Context& ctx, const VisitBatch& batch) const;
  Var Attend(const Context& ctx, const Var& alpha, const Var& scores,
             const Var& values) const;

  ResolvedRetain config_;
  int64_t codes_;
  AttentionInfo info_;
  Parameter& embedding_;
  Recurrent alpha_rnn_;
  Recurrent beta_rnn_;
  Linear alpha_;
  Linear beta_;
  Linear output_;
};

/// Baseline for RETAIN: the last state of one GRU that reads forwards.
/// Parameters: embedding [codes, M], recurrent, output.
class VisitGru : public VisitClassifier {
 public:
  VisitGru(const Scope& scope, const ResolvedRetain& config, int64_t codes);

  Var Logits(const Context& ctx, const VisitBatch& batch) const override;
  bool reads_ages() const override { return config_.times; }
  ModelOutline Outline() const override;

 private:
  ResolvedRetain config_;
  int64_t codes_;
  Parameter& embedding_;
  Recurrent rnn_;
  Linear output_;
};

/// Logit Σ_jk w_k + b: logistic regression on the number of visits with each
/// code. Parameters: weight [codes, 1], bias [1].
class VisitLogistic : public VisitClassifier {
 public:
  VisitLogistic(const Scope& scope, int64_t codes);

  Var Logits(const Context& ctx, const VisitBatch& batch) const override;
  std::optional<VisitParts> Parts(const VisitBatch& batch) const override;
  ModelOutline Outline() const override;

 private:
  int64_t codes_;
  Parameter& weight_;
  Parameter& bias_;
};

}  // namespace heed

#endif  // HEED_MODELS_RETAIN_RETAIN_H_
