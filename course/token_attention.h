// One layer of self-attention over short sequences, which learns in seconds:
// what several demonstrations train and measure.
#ifndef HEED_COURSE_TOKEN_ATTENTION_H_
#define HEED_COURSE_TOKEN_ATTENTION_H_

#include <cstdint>
#include <optional>

#include "heed/attention/attention.h"
#include "heed/nn/linear.h"

namespace heed {

/// What the layer is made of.
struct TokenAttentionOptions {
  /// Its `query`, `key` and `value` say to how many features tokens are mapped.
  AttentionSpec spec;
  int64_t tokens = 0;   // V
  int64_t length = 0;   // S, of every sequence
  int64_t width = 64;   // M, of an embedding
  int64_t outputs = 0;  // logits of each query
  /// Whether embeddings of places are added to those of tokens.
  bool positions = true;
  /// Without: queries and keys are the embeddings themselves, so that scores
  /// are X Xᵀ, and query and key M features.
  bool projections = true;
  Init embedding = {Init::Kind::kNormal, 1};  // of tokens and of places
  Init projection = {};                       // of queries, keys and values
};

/// x = token + place; softmax(score(x W_q + b_q, x W_k + b_k)) (x W_v + b_v),
/// or what else the spec says, and a linear layer to the outputs. Nothing goes
/// around the attention: what a position gives is what it attended to.
/// Parameters: letters, places, query, key, value, output, attention.
class TokenAttention {
 public:
  struct Output {
    Var logits;  // [B, T, outputs]
    Attended attended;
  };
  struct Prepared {
    Var x;  // [B, S, M]
    Var queries;
    Var keys;
  };

  TokenAttention(ParameterSet& set, const TokenAttentionOptions& options);

  /// `temperature`: what queries are divided by, and so the scores of a product
  /// score. Shapes: tokens i32 [B, S].
  Output operator()(const Context& ctx, const Tensor& tokens,
                    const Mask& mask = {}, WantWeights want = WantWeights::kNo,
                    double temperature = 1) const;
  /// What the scores are made of.
  Prepared Prepare(const Context& ctx, const Tensor& tokens) const;

  const Linear& output() const { return output_; }

  const TokenAttentionOptions options;

 private:
  struct Projections {
    Linear query;
    Linear key;
  };

  Embedding letters_;
  std::optional<Embedding> places_;
  std::optional<Projections> projections_;
  Linear value_;
  Linear output_;
  Attention attention_;
};

}  // namespace heed

#endif  // HEED_COURSE_TOKEN_ATTENTION_H_
