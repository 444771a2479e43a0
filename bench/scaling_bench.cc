#include "bench/scaling_bench.h"

#include <algorithm>
#include <cmath>

#include "heed/base/at.h"
#include "heed/base/timing.h"

namespace heed {
namespace {

/// Time on several threads of a computation and the loops that it starts.
class Prediction {
 public:
  Prediction(std::span<const LoopProfile::Loop> loops, const LoopCost& cost)
      : loops_(loops), inner_(loops.size() + 1), cost_(cost) {
    for (int64_t i = 0; i < std::ssize(loops); ++i) {
      At(inner_, At(loops, i).within + 1).push_back(i);
    }
  }

  /// `loop`: index of the loop that the computation belongs to; -1: none.
  double Seconds(int64_t loop, double seconds, int64_t threads) const {
    double sum = seconds;  // the rest is serial
    for (const int64_t inner : At(inner_, loop + 1)) {
      const LoopProfile::Loop& one = At(loops_, inner);
      sum += LoopSeconds(inner, one, threads) - one.seconds;
    }
    return sum;
  }

 private:
  double LoopSeconds(int64_t index, const LoopProfile::Loop& loop,
                     int64_t threads) const {
    const int64_t used = std::min(threads, loop.chunks);
    if (used <= 1) return Seconds(index, loop.seconds, threads);
    const int64_t rounds = (loop.chunks + used - 1) / used;
    const double share =
        static_cast<double>(rounds) / static_cast<double>(loop.chunks);
    return share * Seconds(index, loop.seconds, threads / used) + cost_(used);
  }

  std::span<const LoopProfile::Loop> loops_;
  std::vector<std::vector<int64_t>> inner_;  // loops within loop i - 1
  const LoopCost& cost_;
};

/// Median seconds that a loop with one chunk for each of two threads takes
/// beyond a chunk.
double PairSeconds() {
  constexpr int kLoops = 1000;
  constexpr double kChunkSeconds = 2e-5;  // long enough for the other thread
  const ThreadLimit limit(2);
  std::vector<double> times;
  for (int i = 0; i < kLoops; ++i) {
    const auto start = Clock::now();
    ParallelForEach(2, 1, [](int64_t /*i*/) {
      const auto begin = Clock::now();
      while (SecondsSince(begin) < kChunkSeconds) {
      }
    });
    times.push_back(SecondsSince(start) - kChunkSeconds);
  }
  return Median(times);
}

struct Profile {
  std::vector<LoopProfile::Loop> loops;
  double seconds = 0;
};

/// Loops of the fastest of a few steps on one thread.
Profile ProfileStep(const TrainBenchOptions& options) {
  const ThreadLimit limit(1);
  TrainSteps steps(options);
  Profile best;
  for (int i = 0; i < 3 + options.steps; ++i) {
    LoopProfile profile;
    const auto start = Clock::now();
    steps.Run();
    const double seconds = SecondsSince(start);
    if (i >= 3 && (best.loops.empty() || seconds < best.seconds)) {
      best = {profile.loops(), seconds};
    }
  }
  return best;
}

}  // namespace

double PredictSeconds(std::span<const LoopProfile::Loop> loops, double seconds,
                      int64_t threads, const LoopCost& cost) {
  return Prediction(loops, cost).Seconds(-1, seconds, threads);
}

ScalingResult BenchScaling(const TrainBenchOptions& options, int max_threads) {
  const int cores = ThreadCount();  // that the process may use
  const Profile profile = ProfileStep(options);
  const double pair = cores > 1 ? PairSeconds() : 0;
  const LoopCost cost = [pair](int64_t threads) {
    return pair * std::log2(static_cast<double>(threads));
  };
  const auto predicted = [&](int threads) {
    return profile.seconds /
           PredictSeconds(profile.loops, profile.seconds, threads, cost);
  };
  ScalingResult result;
  result.loops = std::ssize(profile.loops);
  result.loop_microseconds = pair * 1e6;
  result.predicted_of_two = predicted(2);
  double in_loops = 0;
  for (const LoopProfile::Loop& loop : profile.loops) {
    if (loop.within < 0) in_loops += loop.seconds;
  }
  result.serial_share = 1 - in_loops / profile.seconds;
  for (int threads = 1; threads <= max_threads; threads *= 2) {
    result.rows.push_back({.threads = threads, .measured = threads <= cores});
    ScalingRow& row = result.rows.back();
    const ScalingRow& alone = result.rows.front();
    if (row.measured) {
      TrainBenchOptions own = options;
      own.threads = threads;
      const TrainBenchResult measured = BenchTraining(own);
      row.tokens_per_second = measured.tokens_per_second;
      row.limit_share = measured.floor_ms / measured.ms_per_step;
      row.speedup = row.tokens_per_second / alone.tokens_per_second;
    } else {
      row.speedup = predicted(threads);
      row.tokens_per_second = alone.tokens_per_second * row.speedup;
      row.limit_share = alone.limit_share * row.speedup / threads;
    }
  }
  return result;
}

}  // namespace heed
