// heed bench scaling: speed of training by the number of threads.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/benches.h"
#include "bench/scaling_bench.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json AsJson(const ScalingResult& result) {
  Json json = {{"loops", result.loops},
               {"serial_share", result.serial_share},
               {"loop_microseconds", result.loop_microseconds},
               {"predicted_of_two", result.predicted_of_two}};
  for (const ScalingRow& row : result.rows) {
    json["rows"].push_back({{"threads", row.threads},
                            {"measured", row.measured},
                            {"tokens_per_second", row.tokens_per_second},
                            {"speedup", row.speedup},
                            {"limit_share", row.limit_share}});
  }
  return json;
}

void Print(const ScalingResult& result) {
  fmt::print("threads  target tokens/s  speed-up  of the limit\n");
  for (const ScalingRow& row : result.rows) {
    fmt::print("{:7}  {:15.0f}  {:8.2f}  {:10.0f} %{}\n", row.threads,
               row.tokens_per_second, row.speedup, 100 * row.limit_share,
               row.measured ? "" : "  predicted");
  }
  fmt::print(
      "{} parallel loops a step; {:.1f} % of its time is outside of them\n",
      result.loops, 100 * result.serial_share);
  if (result.loop_microseconds > 0) {
    fmt::print(
        "Starting and ending a loop on two threads takes {:.1f} "
        "microseconds.\n",
        result.loop_microseconds);
  }
  if (result.rows.back().measured) return;
  fmt::print(
      "Predictions assume that memory is as fast for each of many threads as "
      "for one. For two threads they give a speed-up of {:.2f}.\n",
      result.predicted_of_two);
}

}  // namespace

int RunBenchScaling(const Arguments& arguments) {
  bool json = false;
  int max_threads = 16;
  TrainBenchOptions bench;
  Options options(
      "bench scaling",
      "Times training steps on 1, 2, 4 ... threads. For more threads than "
      "cores it predicts the speed from the parallel loops of a step on one "
      "thread, their cost and the time outside of them.");
  bench.VisitModel(options.fields());
  options.fields()("max_threads", max_threads, Range(1, 1024),
                   "largest number of threads");
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed bench scaling --precision bf16 --max-threads 32");
  if (!options.Parse(arguments)) return 0;
  const ScalingResult result = BenchScaling(bench, max_threads);
  if (json) {
    fmt::print("{}\n", AsJson(result).dump());
  } else {
    Print(result);
  }
  return 0;
}

}  // namespace heed
