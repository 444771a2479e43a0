// Attention-sum reader: the answer is the word with the most attention.
#ifndef HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_H_
#define HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_H_

#include <optional>
#include <vector>

#include "heed/models/attention_sum/attention_sum_config.h"
#include "heed/models/passage_reader.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Passage and question share word embeddings, which are concatenated with
/// pretrained vectors if there are any. A bidirectional recurrent network reads
/// the passage, h_i, and another the question, whose last states are u:
///   a = softmax_i(h_iᵀ u)    p(w) = Σ_{i: word i is w} a_i
/// With K hops, each but the last computes the query of the next hop from its
/// context. It also recomputes the states, unless `rereads` is false:
///   u' = u + W Σ_i a_i h_i + b    h' = biGRU(h_i ⊙ u)
/// The attention of the last hop is the answer. A blind reader, which serves as
/// a control, replaces the question by a learned u. Parameters: words, passage,
/// question or blind, hops.K.{query, reader}. Papers: Kadlec et al. 2016,
/// arXiv:1603.01547, equations 1 to 3; Hermann et al. 2015, arXiv:1506.03340
/// (the encoders); Sukhbaatar et al. 2015, arXiv:1503.08895, equation 4 (the
/// query of the next hop, there with W = 1 or a linear map of u); Dhingra et
/// al. 2016, arXiv:1606.01549, section 3.1 (reading the passage again, gated by
/// the question, there by attention to its words).
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
  /// Word vectors after the observer, time first.
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
