// Texts as vectors whose cosine says how well one answers the other.
#ifndef HEED_MODELS_BI_ENCODER_H_
#define HEED_MODELS_BI_ENCODER_H_

#include <array>
#include <memory>
#include <string>

#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/pooling.h"

namespace heed {

/// See MatchLoss.
enum class MatchLossKind : uint8_t { kMargin, kSoftmax };
constexpr auto WordsOf(MatchLossKind) {
  return std::array{"margin", "softmax"};
}

/// What stands around the encoder of a bi-encoder, and how it learns.
struct BiEncoderConfig {
  std::string pooling = "mean";
  Named<MatchLossKind> match_loss = MatchLossKind::kSoftmax;
  double margin = 0.2;
  double temperature = 0.05;

  void Visit(FieldList& v);
};

/// A text, encoded, pooled to one vector of length 1. Queries and documents
/// share all weights. Immutable but for its parameters: pooling, and those of
/// the encoder.
/// Paper: Lei et al. 2016, arXiv:1512.05726.
class BiEncoder {
 public:
  /// Throws: ConfigError for a pooling that is unknown.
  BiEncoder(const Scope& scope, const BiEncoderConfig& config,
            std::unique_ptr<TextEncoder> encoder);

  /// A text of no tokens is a zero vector. Shapes: ids i32 [B, S], lengths i32
  /// [B], result [B, D]. Throws: ShapeError.
  Var Encode(const Context& ctx, const Tensor& ids,
             const Tensor& lengths) const;

  int64_t output_size() const { return encoder_->output_size(); }

 private:
  std::unique_ptr<TextEncoder> encoder_;
  Pooling pooling_;
};

/// s_bn, the cosine of query b and document n, both as BiEncoder::Encode gives
/// them. Shapes: queries [B, D], documents [N, D], result [B, N].
Var Cosines(const Var& queries, const Var& documents);

/// scale · Σ_b over the queries, of which document p = answers[b] is to be
/// nearer than the other documents n; those of `relevant` (its own, and any
/// other answers of the query) are not held against it:
///   margin   max(0, max_n margin + s_bn − s_bp)
///   softmax  −log (exp(s_bp / t) / (exp(s_bp / t) + Σ_n exp(s_bn / t)))
/// Shapes: cosines [B, N], answers i32 [B], relevant i32 [B, N] (1 or 0).
/// Throws: ShapeError.
/// Papers: Lei et al. 2016, arXiv:1512.05726, eq. 10 (margin); Henderson et al.
/// 2017, arXiv:1705.00652 (softmax over the answers of a batch).
Var MatchLoss(const BiEncoderConfig& config, const Var& cosines,
              const Tensor& answers, const Tensor& relevant, double scale);

}  // namespace heed

#endif  // HEED_MODELS_BI_ENCODER_H_
