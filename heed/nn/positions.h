// Position embeddings, which are added to the vectors of a sequence.
#ifndef HEED_NN_POSITIONS_H_
#define HEED_NN_POSITIONS_H_

#include <optional>

#include "heed/nn/linear.h"

namespace heed {

enum class PositionKind : uint8_t {
  kNone,
  kSinusoidal,        // sin and cos of each frequency interleaved
  kSinusoidalConcat,  // all sines, then all cosines
  kSinusoidalT2t,     // concatenated, with frequencies down to 1/10000
  kLearned,
};

/// P[p, 2i] = sin(p / 10000^(2i/M)), P[p, 2i + 1] = cos(p / 10000^(2i/M)) for
/// kSinusoidal. kSinusoidalConcat places them at P[p, i] and P[p, M/2 + i], as
/// Hugging Face's Marian. kSinusoidalT2t does so with p / 10000^(i/(M/2 − 1)),
/// as Tensor2Tensor and Marian. Shapes: result [end − begin, M]. Paper: Vaswani
/// et al. 2017, arXiv:1706.03762, section 3.5.
Tensor Sinusoids(PositionKind kind, int64_t begin, int64_t end,
                 int64_t features, DType dtype);

/// Table of positions. Learned positions are limited by the table (parameter:
/// weight [most, M]); others are unlimited.
class Positions {
 public:
  /// Throws: ConfigError for sinusoids with an odd number of features.
  Positions(const Scope& scope, PositionKind kind, int64_t max,
            int64_t features, Init init, DType dtype);

  /// x[b, t] + P[offset + t]. Shapes: x [B, T, M]. Throws: ShapeError beyond
  /// the last learned position.
  Var AddTo(const Context& ctx, const Var& x, int64_t offset) const;

  bool learned() const { return learned_.has_value(); }
  /// Number of learned positions; 0: unlimited.
  int64_t limit() const {
    return learned_ ? learned_->weight().value().dim(0) : 0;
  }
  /// P[begin..end) of positions without parameters; undefined for kNone.
  Tensor Rows(int64_t begin, int64_t end) const;

 private:
  PositionKind kind_;
  std::string path_;
  int64_t features_;
  std::optional<Embedding> learned_;
  Tensor table_;  // cached first sinusoids
};

}  // namespace heed

#endif  // HEED_NN_POSITIONS_H_
