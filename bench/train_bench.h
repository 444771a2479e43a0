// How fast a training step is, against the floor that the machine sets.
#ifndef HEED_BENCH_TRAIN_BENCH_H_
#define HEED_BENCH_TRAIN_BENCH_H_

#include <cstdint>
#include <string>

#include "heed/base/config.h"
#include "heed/models/registry.h"

namespace heed {

/// The models of the field's usual sizes, on random ids of fixed length:
/// compute only, no padding.
struct TrainBenchOptions {
  std::string model = ModelChoice<TranslatorSettings>().name();
  int batch = 64;
  int src_len = 16;
  int tgt_len = 16;
  int vocab = 8000;
  int steps = 12;
  std::string precision = "f32";
  int threads = 0;

  void Visit(FieldList& v);
};

struct TrainBenchResult {
  std::string model;
  std::string dtype;  // what was used: f32 where there is no bf16
  int threads = 0;
  double tokens_per_second = 0;  // target tokens
  double ms_per_step = 0;        // median
  double floor_ms = 0;           // products of a step at the measured rate
  double limit_gflops = 0;       // product rate, measured in the same run
  double gflop_per_step = 0;     // of matrix products
  int64_t peak_bytes = 0;        // of a step: weights and all else
  int64_t peak_rss_bytes = 0;    // of the process, its libraries among it
};

/// Times steps of forward, backward, clipping and Adam, and in between the rate
/// of large matrix products.
TrainBenchResult BenchTraining(const TrainBenchOptions& options);

}  // namespace heed

#endif  // HEED_BENCH_TRAIN_BENCH_H_
