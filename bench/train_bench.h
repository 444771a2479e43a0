// Throughput of training, relative to the machine's limits.
#ifndef HEED_BENCH_TRAIN_BENCH_H_
#define HEED_BENCH_TRAIN_BENCH_H_

#include <cstdint>
#include <memory>
#include <string>

#include "heed/base/config.h"
#include "heed/base/rng.h"
#include "heed/models/registry.h"
#include "heed/train/batch_parts.h"
#include "heed/train/optimizer.h"

namespace heed {

/// Options. Models have usual sizes; inputs are random ids of fixed length,
/// without padding.
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
  /// Visits all options but the number of threads.
  void VisitModel(FieldList& v);
};

struct TrainBenchResult {
  std::string model;
  std::string dtype;  // number format used: f32 if bf16 is not supported
  int threads = 0;
  double tokens_per_second = 0;  // target tokens
  double ms_per_step = 0;        // median
  double floor_ms = 0;           // products of a step at the measured rate
  double limit_gflops = 0;       // product rate, measured in the same run
  double gflop_per_step = 0;     // of matrix products
  int64_t peak_bytes = 0;        // of tensors in a step, including weights
  int64_t peak_rss_bytes = 0;    // of the process, including libraries
};

/// Steps of training on random ids.
class TrainSteps {
 public:
  explicit TrainSteps(const TrainBenchOptions& options);
  /// Makes one step: forward pass, backward pass, clipping and Adam.
  void Run();
  /// Floating-point operations of the products with weights in a step.
  double operations() const;

 private:
  TrainBenchOptions options_;
  std::unique_ptr<Decoder> model_;
  Optimizer optimizer_;
  Rng rng_{1};
  Tensor source_;
  Tensor target_in_;
  Tensor target_out_;
  Tensor lengths_;
  BatchParts batch_;
  int64_t step_ = 0;
};

/// Times steps of forward pass, backward pass, clipping and Adam. Measures the
/// rate of large matrix products between the steps.
TrainBenchResult BenchTraining(const TrainBenchOptions& options);

}  // namespace heed

#endif  // HEED_BENCH_TRAIN_BENCH_H_
