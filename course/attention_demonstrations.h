// Measurements of two published claims about attention: softmax saturates
// without 1/√d, and attention without positions ignores order.
#ifndef HEED_COURSE_ATTENTION_DEMONSTRATIONS_H_
#define HEED_COURSE_ATTENTION_DEMONSTRATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// Means over many queries, each with 64 keys. The components of queries and
/// keys come from N(0, 1).
struct Saturation {
  int64_t features = 0;  // d
  double largest = 0;    // largest weight
  double entropy = 0;    // −Σ a ln a, natural logarithm
  double gradient = 0;   // ‖∂a/∂e‖, Frobenius norm
};

/// Measures the weights softmax(qᵀk / √d), or softmax(qᵀk) if `scaled` is
/// false.
/// Paper: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1.
Saturation MeasureSaturation(int64_t features, bool scaled, uint64_t seed);

/// Output of self-attention for words in the given order and in another order.
struct Equivariance {
  std::string positions;  // position encoding
  /// Relative error: max |f(permuted words) − permuted f(words)| / max
  /// |f(words)|.
  double difference = 0;
  Tensor weights;   // [T, T] of the first head
  Tensor shuffled;  // weights of the permuted words, restored to order
};

/// Measures each position encoding, "none" first, in f64 with random weights.
std::vector<Equivariance> MeasureEquivariance(int64_t words, uint64_t seed);

}  // namespace heed

#endif  // HEED_COURSE_ATTENTION_DEMONSTRATIONS_H_
