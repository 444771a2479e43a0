// Speed of training by the number of threads.
#ifndef HEED_BENCH_SCALING_BENCH_H_
#define HEED_BENCH_SCALING_BENCH_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/train_bench.h"
#include "heed/base/threads.h"

namespace heed {

/// Seconds that a loop takes on some threads beyond its chunks.
using LoopCost = std::function<double(int64_t threads)>;

/// Predicts the seconds of a computation on `threads` threads from a profile of
/// it on one thread. Chunks of a loop count as equal and as fast as on one
/// thread; loops within the chunks of another loop share its idle threads.
double PredictSeconds(std::span<const LoopProfile::Loop> loops, double seconds,
                      int64_t threads, const LoopCost& cost);

struct ScalingRow {
  int threads = 0;
  bool measured = false;         // else predicted
  double tokens_per_second = 0;  // target tokens
  double speedup = 0;            // over one thread
  double limit_share = 0;        // share of the product rate of these threads
};

struct ScalingResult {
  std::vector<ScalingRow> rows;
  int64_t loops = 0;             // parallel loops of a step
  double serial_share = 0;       // of a step on one thread: outside loops
  double loop_microseconds = 0;  // cost of a loop on two threads
  double predicted_of_two = 0;   // predicted speed-up of two threads
};

/// Measures steps on 1, 2, 4, ... threads up to the cores, and predicts them
/// for more, up to `max_threads`. The threads of `options` are not used.
ScalingResult BenchScaling(const TrainBenchOptions& options, int max_threads);

}  // namespace heed

#endif  // HEED_BENCH_SCALING_BENCH_H_
