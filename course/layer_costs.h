// Costs of a recurrence, a convolution and self-attention in time, operations
// and memory, for inference, training and decoding.
#ifndef HEED_COURSE_LAYER_COSTS_H_
#define HEED_COURSE_LAYER_COSTS_H_

#include <cstdint>
#include <optional>
#include <span>

namespace heed {

struct CostOptions {
  int width = 256;  // d
  int heads = 4;
  int batch = 8;
  double seconds = 0.3;   // of measurement, for each length
  bool backward = false;  // include gradients of inputs and weights
};

/// Median times of one pass of a GRU layer, self-attention with its four
/// projections, and a convolution over three words. Operations per sequence,
/// forward: 12 n d², 8 n d² + 4 n² d and 6 n d². The first two are equal at n =
/// d. Gradients triple them.
struct Cost {
  int64_t length = 0;  // n
  double recurrence_ms = 0;
  double attention_ms = 0;
  double convolution_ms = 0;
  double recurrence_gflop = 0;
  double attention_gflop = 0;
  double convolution_gflop = 0;
};

/// Times the three layers in alternation.
/// Paper: Vaswani et al. 2017, arXiv:1706.03762, section 4.
Cost MeasureCost(int64_t length, const CostOptions& options);

/// Returns the length at which the time of attention reaches that of the
/// recurrence, interpolated on logarithmic scales; none if it stays below.
std::optional<double> Crossing(std::span<const Cost> costs);

/// Cost of decoding one more word of each sequence after `context` words.
struct DecodeCost {
  int64_t context = 0;
  double recurrence_ms = 0;  // medians
  double attention_ms = 0;
  /// State per sequence between words: the GRU state, and the key-value cache
  /// of the context. Units: bytes
  int64_t recurrence_bytes = 0;
  int64_t attention_bytes = 0;
};

/// Times decoding steps of a GRU and of attention with a key-value cache, in
/// alternation.
DecodeCost MeasureDecode(int64_t context, const CostOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_LAYER_COSTS_H_
