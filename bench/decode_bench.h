// How fast a model writes, against the floor that the machine sets.
#ifndef HEED_BENCH_DECODE_BENCH_H_
#define HEED_BENCH_DECODE_BENCH_H_

#include <cstdint>
#include <string>

#include "heed/base/config.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"

namespace heed {

/// Random sources of one length; each hypothesis has exactly `length` tokens.
struct DecodeBenchOptions {
  std::string model = ModelForDecodingBench();
  int batch = 64;
  int beam = 1;
  std::string dtype = "int8";
  int length = 30;
  int src_len = 30;
  int vocab = 32000;
  double seconds = 5;
  int threads = 0;

  void Visit(FieldList& v);
};

struct DecodeBenchResult {
  std::string model;
  std::string dtype;  // what was used: f32 where there is no bf16
  int threads = 0;
  /// Tokens of the best hypotheses, of all threads. As in translating a long
  /// text, each thread works on a batch of its own.
  double tokens_per_second = 0;
  double batch_ms = 0;         // median time of a batch on each thread
  double first_token_ms = 0;   // of one batch alone, all threads on it
  int64_t peak_bytes = 0;      // weights and all else
  int64_t peak_rss_bytes = 0;  // of the process, its libraries among it
  /// What batch_ms cannot be below: the greater of the time of all products
  /// with weights at the rate of large ones, and the time to read all weights
  /// as often as they are needed; both rates measured in the same run.
  double floor_ms = 0;
  double fraction = 0;  // floor_ms / batch_ms
  double limit_gflops = 0;
  double limit_gbytes_per_second = 0;
};

/// Times a model with random weights. Throws: ConfigError.
DecodeBenchResult BenchDecoding(const DecodeBenchOptions& options);

/// Times `model`, whose products are in options.dtype; options.vocab is that of
/// its source and `target_vocab` that of its target.
DecodeBenchResult BenchDecoding(const DecodeBenchOptions& options,
                                const Decoder& model, int target_vocab);

}  // namespace heed

#endif  // HEED_BENCH_DECODE_BENCH_H_
