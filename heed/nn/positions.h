// Where a vector stands in its sequence, as a vector that is added to it.
#ifndef HEED_NN_POSITIONS_H_
#define HEED_NN_POSITIONS_H_

#include <optional>

#include "heed/nn/linear.h"

namespace heed {

enum class PositionKind : uint8_t {
  kNone,
  kSinusoidal,        // sin and cos of one frequency beside each other
  kSinusoidalConcat,  // all sines, then all cosines
  kSinusoidalT2t,     // so, with frequencies that reach 1/10000
  kLearned,
};

/// P[p, 2i] = sin(p / 10000^(2i/M)), P[p, 2i + 1] = cos(the same) for
/// kSinusoidal. kSinusoidalConcat has P[p, i] and P[p, M/2 + i] instead, as
/// Hugging Face's Marian; kSinusoidalT2t has those with p / 10000^(i/(M/2 −
/// 1)), as Tensor2Tensor and Marian. Shapes: result [end − begin, M]. Paper:
/// Vaswani et al. 2017, arXiv:1706.03762, section 3.5.
Tensor Sinusoids(PositionKind kind, int64_t begin, int64_t end,
                 int64_t features, DType dtype);

/// A table of positions. Learned ones end with the table (parameter: weight
/// [most, M]), others go on as far as asked.
class Positions {
 public:
  /// Throws: ConfigError for an odd number of features of sinusoids.
  Positions(const Scope& scope, PositionKind kind, int64_t most,
            int64_t features, Init init, DType dtype);

  /// x[b, t] + P[offset + t]. Shapes: x [B, T, M].
  /// Throws: ShapeError behind the end of learned positions.
  Var AddTo(const Context& ctx, const Var& x, int64_t offset) const;

  bool learned() const { return learned_.has_value(); }
  /// Number of learned positions; 0: positions go on as far as asked.
  int64_t limit() const {
    return learned_ ? learned_->weight().value().dim(0) : 0;
  }
  /// P[begin..end) of positions that are not learned; undefined for kNone.
  Tensor Rows(int64_t begin, int64_t end) const;

 private:
  PositionKind kind_;
  std::string path_;
  int64_t features_;
  std::optional<Embedding> learned_;
  Tensor table_;  // the first sinusoids
};

}  // namespace heed

#endif  // HEED_NN_POSITIONS_H_
