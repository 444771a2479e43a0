// Pooling of the vectors of a sequence into one vector.
#ifndef HEED_NN_POOLING_H_
#define HEED_NN_POOLING_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "heed/attention/attention.h"
#include "heed/base/config.h"

namespace heed {

/// Ways to pool the vectors of a sequence; see Pooling.
enum class PoolingKind : uint8_t { kCls, kMean, kMax, kLast, kAttention };
constexpr auto WordsOf(PoolingKind) {
  return std::array{"cls", "mean", "max", "last", "attention"};
}

struct PoolingOptions {
  Named<PoolingKind> kind = PoolingKind::kMean;
  int64_t features = 0;  // M
  int64_t heads = 1;     // attention
  int64_t units = 0;     // attention: hidden units; 0: equal to features
  Init init;
  /// Labels of the query and the vectors for observers.
  std::string query_axis = "answer";
  std::string key_axis = "source";
};

/// Pooling by one of
///   cls        x_0
///   last       x_{n−1}
///   mean       1/n Σ_s x_s
///   max        max_s x_s of each feature
///   attention  Σ_s a_s x_s, a = softmax(uᵀ tanh(W x_s + b)) of each head
/// over the first n = lengths[b] vectors; an empty sequence gives zeros.
/// Immutable. Paper: Yang et al. 2016, Hierarchical Attention Networks, eq. 5
/// to 7 (attention).
class Pooling {
 public:
  /// Throws: ConfigError if heads do not divide M.
  Pooling(const Scope& scope, const PoolingOptions& options);

  /// Shapes: x [B, S, M], lengths i32 [B], result [B, M]. Throws: ShapeError.
  Var operator()(const Context& ctx, const Var& x, const Tensor& lengths) const;

  const PoolingOptions& options() const { return options_; }
  /// Info of the attention for observers; null if there is none.
  const AttentionInfo* info() const {
    return attention_ == nullptr ? nullptr : &attention_->info();
  }

 private:
  PoolingOptions options_;
  std::unique_ptr<Attention> attention_;
};

}  // namespace heed

#endif  // HEED_NN_POOLING_H_
