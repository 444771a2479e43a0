// How fast an attention is, against the limits that the machine sets.
#ifndef HEED_BENCH_ATTENTION_BENCH_H_
#define HEED_BENCH_ATTENTION_BENCH_H_

#include <cstdint>
#include <string>

#include "heed/base/config.h"

namespace heed {

/// Random queries, keys and values, prepared already: what a score projects is
/// not timed.
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
  std::string dtype;  // what was used: f32 where there is no bf16
  bool fused = false;
  int threads = 0;
  double ms = 0;  // median of one pass
  /// Operations that the mask leaves: for each pair of query and key 4 D
  /// forward (two products), 10 D more backward (five, the scores again among
  /// them); of scores that are no product, 4 A instead of 2 D (add, function,
  /// multiply, add) each time they are computed.
  double gflop = 0;
  double gflops = 0;
  double limit_gflops = 0;  // rate of large matrix products in this run
  double fraction = 0;      // gflops / limit_gflops
  /// Bytes of keys and values over the time, and the rate at which this
  /// machine reads memory: what limits few queries.
  double gbytes_per_second = 0;
  double limit_gbytes_per_second = 0;
  int64_t peak_extra_bytes = 0;  // beyond inputs, results and gradients
};

/// Throws: ConfigError.
AttentionBenchResult BenchAttention(const AttentionBenchOptions& options);

}  // namespace heed

#endif  // HEED_BENCH_ATTENTION_BENCH_H_
