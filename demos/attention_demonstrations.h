// Three things that the literature says of attention, measured: softmax
// saturates without 1/√d, attention without positions does not see order, and
// it costs less than a recurrence only as long as sequences are short.
#ifndef HEED_DEMOS_ATTENTION_DEMONSTRATIONS_H_
#define HEED_DEMOS_ATTENTION_DEMONSTRATIONS_H_

#include <cstdint>
#include <optional>
#include <span>
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

struct CostOptions {
  int width = 256;  // d
  int heads = 4;
  int batch = 8;
  double seconds = 0.3;  // for each length
};

/// Medians of one forward pass: a GRU layer, and self-attention with its four
/// projections. Operations: 12 n d² and 8 n d² + 4 n² d for each sequence,
/// equal at n = d.
struct Cost {
  int64_t length = 0;  // n
  double recurrence_ms = 0;
  double attention_ms = 0;
  double recurrence_gflop = 0;
  double attention_gflop = 0;
};

/// Both are timed in alternation.
/// Paper: Vaswani et al. 2017, arXiv:1706.03762, section 4.
Cost MeasureCost(int64_t length, const CostOptions& options);

/// The length at which attention's time reaches the recurrence's, between two
/// measured ones on logarithmic scales; none if it stays below.
std::optional<double> Crossing(std::span<const Cost> costs);

}  // namespace heed

#endif  // HEED_DEMOS_ATTENTION_DEMONSTRATIONS_H_
