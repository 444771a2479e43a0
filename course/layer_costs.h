// What layers cost: a recurrence, a convolution and self-attention, in time,
// operations and memory, while they read, learn and write.
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
  double seconds = 0.3;   // for each length
  bool backward = false;  // gradients of inputs and weights besides
};

/// Medians of one pass: a GRU layer, self-attention with its four projections,
/// and a convolution of three words. Operations forward: 12 n d², 8 n d² +
/// 4 n² d and 6 n d² for each sequence, the first two equal at n = d; three
/// times as many with gradients.
struct Cost {
  int64_t length = 0;  // n
  double recurrence_ms = 0;
  double attention_ms = 0;
  double convolution_ms = 0;
  double recurrence_gflop = 0;
  double attention_gflop = 0;
  double convolution_gflop = 0;
};

/// The three are timed in alternation.
/// Paper: Vaswani et al. 2017, arXiv:1706.03762, section 4.
Cost MeasureCost(int64_t length, const CostOptions& options);

/// The length at which attention's time reaches the recurrence's, between two
/// measured ones on logarithmic scales; none if it stays below.
std::optional<double> Crossing(std::span<const Cost> costs);

/// What writing one more word of each sequence takes behind `context` words.
struct DecodeCost {
  int64_t context = 0;
  double recurrence_ms = 0;  // medians
  double attention_ms = 0;
  /// What is kept of one sequence from word to word: a GRU's state, and the
  /// keys and values of its context. Units: bytes
  int64_t recurrence_bytes = 0;
  int64_t attention_bytes = 0;
};

/// Steps of the same two layers, attention with a cache of keys and values,
/// timed in alternation.
DecodeCost MeasureDecode(int64_t context, const CostOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_LAYER_COSTS_H_
