// heed bench: how fast this machine trains, against its own limit.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/heed/commands.h"
#include "heed/base/errors.h"
#include "heed/train/train_bench.h"

namespace heed {

int RunBench(const Arguments& arguments) {
  std::string what;
  bool json = false;
  TrainBenchOptions bench;
  Options options(
      "bench",
      "Times training steps on random ids of fixed length, beside the rate "
      "of large matrix products in the same run. The floor is what the "
      "products of a step need at that rate.");
  options.Positional("WHAT", what, "train");
  bench.Visit(options.fields());
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed bench train --model luong --precision bf16");
  if (!options.Parse(arguments)) return 0;
  if (what != "train") {
    throw ConfigError(
        fmt::format("bench: '{}' is no benchmark (valid: train)", what));
  }
  const TrainBenchResult r = BenchTraining(bench);
  if (json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"model", r.model},
                                              {"dtype", r.dtype},
                                              {"threads", r.threads},
                                              {"tokens_per_second",
                                               r.tokens_per_second},
                                              {"ms_per_step", r.ms_per_step},
                                              {"floor_ms", r.floor_ms},
                                              {"limit_gflops", r.limit_gflops}}
                           .dump());
    return 0;
  }
  fmt::print(
      "{} {} on {} threads: {:.0f} target tokens/s, {:.1f} ms a step\n"
      "floor {:.1f} ms ({:.1f} GFLOP at {:.0f} GFLOP/s): {:.0f} % of it "
      "reached\n",
      r.model, r.dtype, r.threads, r.tokens_per_second, r.ms_per_step,
      r.floor_ms, r.gflop_per_step, r.limit_gflops,
      100 * r.floor_ms / r.ms_per_step);
  return 0;
}

}  // namespace heed
