// Throughput of decoding, relative to the machine's limits.
#ifndef HEED_BENCH_DECODE_BENCH_H_
#define HEED_BENCH_DECODE_BENCH_H_

#include <cstdint>
#include <string>

#include "heed/base/config.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"
#include "heed/models/settings.h"

namespace heed {

/// Options. Sources are random with equal lengths; each hypothesis has exactly
/// `length` tokens.
struct DecodeBenchOptions {
  std::string model = ModelForDecodingBench();
  int batch = 64;
  int beam = 1;
  Named<RunFormat> dtype = RunFormat::kInt8;
  int length = 30;
  int src_len = 30;
  int vocab = 32000;
  double seconds = 5;
  int threads = 0;

  void Visit(FieldList& v);
};

struct DecodeBenchResult {
  std::string model;
  std::string dtype;  // number format used: f32 if bf16 is not supported
  int threads = 0;
  /// Tokens of the best hypotheses, over all threads. Each thread decodes its
  /// own batch, as in translating a long text.
  double tokens_per_second = 0;
  double batch_ms = 0;         // median time of a batch on each thread
  double first_token_ms = 0;   // of a single batch with all threads
  int64_t peak_bytes = 0;      // of tensors, including weights
  int64_t peak_rss_bytes = 0;  // of the process, including libraries
  /// Lower bound of batch_ms: the maximum of two times. The first is all
  /// products with weights at the rate of large products; the second is reading
  /// all weights as often as needed. Both rates are measured in the same run.
  double floor_ms = 0;
  double fraction = 0;  // floor_ms / batch_ms
  double limit_gflops = 0;
  double limit_gbytes_per_second = 0;
};

/// Times a model with random weights. Throws: ConfigError.
DecodeBenchResult BenchDecoding(const DecodeBenchOptions& options);

/// Times `model`, whose products are in options.dtype. options.vocab is the
/// size of its source vocabulary, `target_vocab` that of its target vocabulary.
DecodeBenchResult BenchDecoding(const DecodeBenchOptions& options,
                                const Decoder& model, int target_vocab);

}  // namespace heed

#endif  // HEED_BENCH_DECODE_BENCH_H_
