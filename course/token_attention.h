// One layer of self-attention over short sequences that trains in seconds, used
// by several demonstrations.
#ifndef HEED_COURSE_TOKEN_ATTENTION_H_
#define HEED_COURSE_TOKEN_ATTENTION_H_

#include <cstdint>
#include <optional>

#include "heed/attention/attention.h"
#include "heed/nn/linear.h"

namespace heed {

/// Parts and sizes of the layer.
struct TokenAttentionOptions {
  /// Its `query`, `key` and `value` are the projected sizes.
  AttentionSpec spec;
  int64_t tokens = 0;   // V
  int64_t length = 0;   // S, of every sequence
  int64_t width = 64;   // M, of an embedding
  int64_t outputs = 0;  // logits of each query
  /// True if position embeddings are added to token embeddings.
  bool positions = true;
  /// True if queries and keys are projected. Otherwise they are the embeddings
  /// themselves: scores are X Xᵀ, and queries and keys have M features.
  bool projections = true;
  Init embedding = {Init::Kind::kNormal, 1};  // of tokens and positions
  Init projection = {};                       // of queries, keys and values
};

/// x = token + place; softmax(score(x W_q + b_q, x W_k + b_k)) (x W_v + b_v) or
/// the variant of the spec, and a linear layer to the outputs. There is no
/// residual connection: the output depends on the attended values alone.
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

  /// Applies the layer. `temperature` divides the queries, and so the scores of
  /// product scores. Shapes: tokens i32 [B, S].
  Output operator()(const Context& ctx, const Tensor& tokens,
                    const Mask& mask = {}, WantWeights want = WantWeights::kNo,
                    double temperature = 1) const;
  /// Computes embeddings, queries and keys.
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
