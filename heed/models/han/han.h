// Hierarchical attention networks for documents.
#ifndef HEED_MODELS_HAN_HAN_H_
#define HEED_MODELS_HAN_HAN_H_

#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/models/han/han_config.h"
#include "heed/models/text_reader.h"
#include "heed/nn/linear.h"
#include "heed/nn/pooling.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// A bidirectional recurrent network turns the words w_it of sentence i into
/// states h_it, and attention pools these to a sentence vector. A second
/// network turns sentence vectors into states h_i, and attention pools these to
/// the document vector:
///   u_it = tanh(W_w h_it + b_w)   α_it = softmax_t(u_itᵀ u_w)
///   s_i  = Σ_t α_it h_it
///   u_i  = tanh(W_s h_i + b_s)    α_i  = softmax_i(u_iᵀ u_s)   v = Σ_i α_i h_i
/// Mean or maximum can replace attention at both levels (HN-AVE, HN-MAX). Empty
/// sentences are ignored. Sentences of similar length are read together to
/// reduce padding.
///
/// Observers receive tokens as "source" [B, S, M]. Sentences are queries
/// "sentences" (r of document b is b R + r) of attention over tokens (s of
/// document b is b S + s) along edges, and keys of the attention of documents.
/// Parameters: embedding, words, word_attention, sentences, sentence_attention.
/// Paper: Yang et al. 2016, Hierarchical Attention Networks for Document
/// Classification, N16-1174, equations 1 to 10.
class HierarchicalReader : public TextReader {
 public:
  /// Throws: ConfigError.
  HierarchicalReader(const Scope& scope, const ResolvedHan& config,
                     const TextSizes& sizes, const PoolingOptions& pooling);

  Var operator()(const Context& ctx, const TextInput& text) const override;
  int64_t output_size() const override { return sentences_.output_size(); }
  std::vector<OutlineSequence> Outline() const override;

 private:
  struct Sentences;

  Var Tokens(const Context& ctx, const TextInput& text) const;
  Var SentenceVectors(const Context& ctx, const Var& tokens,
                      const Sentences& all) const;
  Var Drop(const Context& ctx, const Var& steps) const {
    return SequenceDropout(ctx, steps, config_.dropout, config_.variational);
  }

  ResolvedHan config_;
  int64_t vectors_;
  Embedding embedding_;
  RecurrentEncoder words_;
  Pooling word_pooling_;
  RecurrentEncoder sentences_;
  Pooling sentence_pooling_;
};

}  // namespace heed

#endif  // HEED_MODELS_HAN_HAN_H_
