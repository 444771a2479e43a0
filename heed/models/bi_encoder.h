// Bi-encoders: texts as vectors whose cosine scores an answer. Vectors depend
// on each text alone, or on attention between both texts.
#ifndef HEED_MODELS_BI_ENCODER_H_
#define HEED_MODELS_BI_ENCODER_H_

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "heed/attention/attention.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/base/model_outline.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/dense.h"
#include "heed/nn/pooling.h"

namespace heed {

/// Losses of MatchLoss.
enum class MatchLossKind : uint8_t { kMargin, kSoftmax };
constexpr auto WordsOf(MatchLossKind) {
  return std::array{"margin", "softmax"};
}

/// Vectors compared by a cosine; see BiEncoder.
enum class TextMatch : uint8_t { kSeparate, kAttention, kAttentivePooling };
constexpr auto WordsOf(TextMatch) {
  return std::array{"separate", "attention", "attentive_pooling"};
}

/// Similarity of two vectors.
enum class Similarity : uint8_t { kCosine, kDot };
constexpr auto WordsOf(Similarity) { return std::array{"cosine", "dot"}; }

/// Configuration of the head and the loss of a bi-encoder.
struct BiEncoderConfig {
  Named<TextMatch> match = TextMatch::kSeparate;
  Named<PoolingKind> pooling = PoolingKind::kMean;
  int dense = 0;
  Named<DenseActivation> dense_activation = DenseActivation::kTanh;
  Named<Similarity> similarity = Similarity::kCosine;
  Named<MatchLossKind> match_loss = MatchLossKind::kSoftmax;
  double margin = 0.2;
  double temperature = 0.05;

  void Visit(FieldList& v);
};

/// Encoded texts. Shapes: vectors [B, D], of length 1 for cosines (undefined
/// for attentive pooling); states [B, S, D] (undefined if each text is one
/// vector); lengths i32 [B].
struct EncodedTexts {
  Var vectors;
  Var states;
  Tensor lengths;

  int64_t size() const { return lengths.numel(); }
};

/// Compares queries with documents by the cosine or the product of two vectors,
/// which are computed from the states q_s and d_t of their words:
///   separate           both pooled, each text alone, and optionally mapped by
///                      a dense layer
///   attention          the query pooled to q, and Σ_t a_t d_t with
///                      a = softmax_t(vᵀ tanh(W q + U d_t + b))
///   attentive_pooling  G_st = tanh(q_sᵀ U d_t), and Σ_s a_s q_s, Σ_t b_t d_t
///                      with a = softmax_s(max_t G_st), b = softmax_t(max_s
///                      G_st)
/// Queries and documents share all weights of the encoder. Immutable except for
/// its parameters: pooling, dense, match, and those of the encoder. Papers: Lei
/// et al. 2016, arXiv:1512.05726 (separate); Tan et al. 2015, arXiv:1511.04108,
/// eq. 9 to 11 (attention); dos Santos et al. 2016, arXiv:1602.03609, section 4
/// (attentive pooling).
class BiEncoder {
 public:
  /// Throws: ConfigError for a dense layer or a product if both texts are not
  /// separate vectors.
  BiEncoder(const Scope& scope, const BiEncoderConfig& config,
            std::unique_ptr<TextEncoder> encoder);

  /// Encodes texts. An empty text is zero. Throws: ShapeError.
  EncodedTexts Encode(const Context& ctx, const TextInput& text) const;
  /// Similarity s_bn of query b and document n. Observers receive words of
  /// queries as "source", words of documents as "document". Shapes: result [B,
  /// N]. Throws: ShapeError.
  Var Cosines(const Context& ctx, const EncodedTexts& queries,
              const EncodedTexts& documents) const;

  /// Features of the states of words.
  int64_t output_size() const { return encoder_->output_size(); }
  ModelOutline Outline() const;
  /// True if words of both texts are compared, so that states are kept.
  bool compares_words() const { return match_ != TextMatch::kSeparate; }

 private:
  struct Pooled {
    Var queries;
    Var documents;
  };
  Var AttendedDocuments(const Context& ctx, const EncodedTexts& queries,
                        const EncodedTexts& documents) const;
  Pooled PoolEachOther(const Context& ctx, const EncodedTexts& queries,
                       const EncodedTexts& documents) const;
  void Observe(const Context& ctx, const Var& scores, const Tensor& lengths,
               const Pooled& weights) const;

  TextMatch match_;
  Similarity similarity_;
  std::unique_ptr<TextEncoder> encoder_;
  std::unique_ptr<Pooling> pooling_;      // null for attentive pooling
  std::optional<Dense> dense_;            // of separate vectors
  std::unique_ptr<Attention> attention_;  // null unless match is attention
  Parameter* affinity_ = nullptr;         // U [D, D] of attentive pooling
  std::string path_;
};

/// scale · Σ_b over the queries, where document p = answers[b] must score above
/// the other documents n. Documents marked in `relevant` (p and any other
/// answers of the query) are not negatives:
///   margin   max(0, max_n margin + s_bn − s_bp)
///   softmax  −log (exp(s_bp / t) / (exp(s_bp / t) + Σ_n exp(s_bn / t)))
/// Shapes: cosines [B, N], answers i32 [B], relevant i32 [B, N] (1 or 0).
/// Throws: ShapeError. Papers: Lei et al. 2016, arXiv:1512.05726, eq. 10
/// (margin); Henderson et al. 2017, arXiv:1705.00652 (softmax over the answers
/// of a batch).
Var MatchLoss(const BiEncoderConfig& config, const Var& cosines,
              const Tensor& answers, const Tensor& relevant, double scale);

}  // namespace heed

#endif  // HEED_MODELS_BI_ENCODER_H_
