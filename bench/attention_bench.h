// Throughput of an attention, relative to the machine's limits.
#ifndef HEED_BENCH_ATTENTION_BENCH_H_
#define HEED_BENCH_ATTENTION_BENCH_H_

#include <cstdint>
#include <string>

#include "heed/base/config.h"

namespace heed {

/// Options. Queries, keys and values are random and already projected, so
/// projections are not timed.
struct AttentionBenchOptions {
  std::string score = "scaled_dot";
  std::string modifiers = "none";
  std::string mask = "none";
  std::string normalizer = "softmax";
  int heads = 8;
  int key_heads = 0;
  int batch = 1;
  int length = 512;
  int keys = 0;
  int dim = 64;
  std::string dtype = "f32";
  bool backward = false;
  double seconds = 1;
  int threads = 0;

  void Visit(FieldList& v);
};

struct AttentionBenchResult {
  std::string dtype;  // number format used: f32 if bf16 is not supported
  bool fused = false;
  int threads = 0;
  double ms = 0;  // median of one pass
  /// Floating-point operations of unmasked pairs of query and key: 4 D forward
  /// (two products), and 10 D more backward (five products, including the
  /// scores again). Scores that are not products take 4 A instead of 2 D (add,
  /// function, multiply, add) each time.
  double gflop = 0;
  double gflops = 0;
  double limit_gflops = 0;  // rate of large matrix products in this run
  double fraction = 0;      // gflops / limit_gflops
  /// Bytes of keys and values divided by the time, and the machine's measured
  /// read rate, which is the limit for few queries.
  double gbytes_per_second = 0;
  double limit_gbytes_per_second = 0;
  int64_t peak_extra_bytes = 0;  // without inputs, results and gradients
};

/// Throws: ConfigError.
AttentionBenchResult BenchAttention(const AttentionBenchOptions& options);

}  // namespace heed

#endif  // HEED_BENCH_ATTENTION_BENCH_H_
