// Two things that the literature says of attention, measured: softmax saturates
// without 1/√d, and attention without positions does not see order.
#ifndef HEED_COURSE_ATTENTION_DEMONSTRATIONS_H_
#define HEED_COURSE_ATTENTION_DEMONSTRATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// Means over many queries that look at 64 keys; the components of queries and
/// keys come from N(0, 1).
struct Saturation {
  int64_t features = 0;  // d
  double largest = 0;    // weight
  double entropy = 0;    // −Σ a ln a, natural logarithm
  double gradient = 0;   // ‖∂a/∂e‖, Frobenius norm
};

/// Of the weights softmax(qᵀk / √d), or softmax(qᵀk).
/// Paper: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1.
Saturation MeasureSaturation(int64_t features, bool scaled, uint64_t seed);

/// What self-attention does to words in another order.
struct Equivariance {
  std::string positions;  // how the attention knows them
  /// max |f(words in another order) − f(words) in that order| / max |f(words)|
  double difference = 0;
  Tensor weights;   // [T, T] of the first head
  Tensor shuffled;  // those of the words in another order, put back in order
};

/// For each way to know positions, "none" first, in f64 with random weights.
std::vector<Equivariance> MeasureEquivariance(int64_t words, uint64_t seed);

}  // namespace heed

#endif  // HEED_COURSE_ATTENTION_DEMONSTRATIONS_H_
