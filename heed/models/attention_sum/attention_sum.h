// The attention-sum reader: the attention to a word is the answer.
#ifndef HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_H_
#define HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_H_

#include <optional>
#include <vector>

#include "heed/models/attention_sum/attention_sum_config.h"
#include "heed/models/passage_reader.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Words of passage and question share their vectors, beside which stand the
/// pretrained ones if there are some. A recurrent network in
/// both directions reads the passage, h_i, and another the question, whose last
/// states are u:
///   a = softmax_i(h_iᵀ u)    p(w) = Σ_{i: word i is w} a_i
/// Of K hops, each but the last makes the query of the next from what it read,
/// and the states of the next too, unless it attends to the same ones again:
///   u' = u + W Σ_i a_i h_i + b    h' = biGRU(h_i ⊙ u)
/// and the last one's attention is the answer. A blind reader, which is a
/// control, has one learnt u in the place of the question.
/// Parameters: words, passage, question or blind, hops.K.{query, reader}.
/// Papers: Kadlec et al. 2016, arXiv:1603.01547, equations 1 to 3; Hermann et
/// al. 2015, arXiv:1506.03340 (the encoders); Sukhbaatar et al. 2015,
/// arXiv:1503.08895, equation 4 (the query of the next hop, there with W = 1 or
/// a linear map of u); Dhingra et al. 2016, arXiv:1606.01549, section 3.1 (a
/// passage that is read again, gated by the question, there by attention to its
/// words).
class AttentionSum : public PassageReader {
 public:
  AttentionSum(const Scope& scope, const ResolvedAttentionSum& config,
               const TextSizes& sizes);

  Var Scores(const Context& ctx, const PassageBatch& batch) const override;
  ModelOutline Outline() const override;

 private:
  Var Drop(const Context& ctx, const Var& steps) const {
    return SequenceDropout(ctx, steps, config_.dropout, config_.variational);
  }
  /// The vectors of words, as an observer has them, time first.
  Var Steps(const Context& ctx, const char* name, const Tensor& ids,
            const Tensor& vectors) const;
  Var FirstQuery(const Context& ctx, const PassageBatch& batch) const;
  void Observe(const Context& ctx, size_t hop, const Var& weights) const;

  ResolvedAttentionSum config_;
  TextSizes sizes_;
  Embedding words_;
  RecurrentEncoder passage_;
  std::optional<RecurrentEncoder> question_;
  Parameter* blind_ = nullptr;        // [1, D]
  std::vector<AttentionInfo> infos_;  // of each hop
  std::vector<Linear> queries_;       // of each hop but the first
  std::vector<RecurrentEncoder> readers_;
};

}  // namespace heed

#endif  // HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_H_
