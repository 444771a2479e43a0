// heed bench: throughput of training and attention, relative to the machine's
// limits.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/heed/command.h"
#include "bench/attention_bench.h"
#include "bench/benches.h"
#include "bench/convolution_bench.h"
#include "bench/train_bench.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

int RunBenchTrain(const Arguments& arguments) {
  bool json = false;
  TrainBenchOptions bench;
  Options options(
      "bench train",
      "Times training steps on random ids of fixed length, beside the rate "
      "of large matrix products in the same run. The floor is what the "
      "products of a step need at that rate.");
  bench.Visit(options.fields());
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed bench train --precision bf16 --threads 1");
  if (!options.Parse(arguments)) return 0;
  const TrainBenchResult r = BenchTraining(bench);
  if (json) {
    fmt::print("{}\n", Json{{"model", r.model},
                            {"dtype", r.dtype},
                            {"threads", r.threads},
                            {"tokens_per_second", r.tokens_per_second},
                            {"ms_per_step", r.ms_per_step},
                            {"peak_bytes", r.peak_bytes},
                            {"peak_rss_bytes", r.peak_rss_bytes},
                            {"floor_ms", r.floor_ms},
                            {"limit_gflops", r.limit_gflops}}
                           .dump());
    return 0;
  }
  fmt::print(
      "{} {} on {}: {:.0f} target tokens/s, {:.1f} ms a step\n"
      "floor {:.1f} ms ({:.1f} GFLOP at {:.0f} GFLOP/s): {:.0f} % of it "
      "reached\n{:.0f} MB at most, with libraries {:.0f} MB\n",
      r.model, r.dtype, Counted(r.threads, "thread"), r.tokens_per_second,
      r.ms_per_step, r.floor_ms, r.gflop_per_step, r.limit_gflops,
      100 * r.floor_ms / r.ms_per_step, static_cast<double>(r.peak_bytes) / 1e6,
      static_cast<double>(r.peak_rss_bytes) / 1e6);
  return 0;
}

int RunBenchAttention(const Arguments& arguments) {
  bool json = false;
  AttentionBenchOptions bench;
  Options options(
      "bench attention",
      "Times one attention on random numbers, beside the rates at which this "
      "machine multiplies large matrices and reads memory in the same run. "
      "Operations count what the mask leaves; projections are not timed.");
  bench.Visit(options.fields());
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed bench attention --heads 8 --length 2048 --mask causal");
  options.Example(
      "heed bench attention --score additive --heads 1 --batch 64 --length 16 "
      "--keys 30 --dim 512 --backward");
  options.Example("heed bench attention --length 1 --keys 16384");
  if (!options.Parse(arguments)) return 0;
  const AttentionBenchResult r = BenchAttention(bench);
  if (json) {
    fmt::print("{}\n",
               Json{{"score", bench.score},
                    {"dtype", r.dtype},
                    {"fused", r.fused},
                    {"threads", r.threads},
                    {"ms", r.ms},
                    {"gflops", r.gflops},
                    {"limit_gflops", r.limit_gflops},
                    {"fraction", r.fraction},
                    {"gbytes_per_second", r.gbytes_per_second},
                    {"limit_gbytes_per_second", r.limit_gbytes_per_second},
                    {"peak_extra_bytes", r.peak_extra_bytes}}
                   .dump());
    return 0;
  }
  fmt::print(
      "{} {} on {}, {}: {:.3f} ms\n"
      "{:.1f} of {:.0f} GFLOP/s ({:.0f} %); keys and values at {:.1f} of "
      "{:.1f} GB/s ({:.0f} %)\n"
      "{:.1f} MB beyond inputs, results and gradients\n",
      bench.score, r.dtype, Counted(r.threads, "thread"),
      r.fused ? "fused" : "composed", r.ms, r.gflops, r.limit_gflops,
      100 * r.fraction, r.gbytes_per_second, r.limit_gbytes_per_second,
      100 * r.gbytes_per_second / r.limit_gbytes_per_second,
      static_cast<double>(r.peak_extra_bytes) / 1e6);
  return 0;
}

int RunBenchConvolution(const Arguments& arguments) {
  bool json = false;
  ConvolutionBenchOptions bench;
  Options options(
      "bench convolution",
      "Times one convolution of images of random numbers, beside the rate at "
      "which this machine multiplies large matrices in the same run.");
  bench.Visit(options.fields());
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed bench convolution --backward");
  if (!options.Parse(arguments)) return 0;
  const ConvolutionBenchResult r = BenchConvolution(bench);
  if (json) {
    fmt::print("{}\n", Json{{"dtype", r.dtype},
                            {"threads", r.threads},
                            {"ms", r.ms},
                            {"gflops", r.gflops},
                            {"limit_gflops", r.limit_gflops},
                            {"fraction", r.fraction}}
                           .dump());
    return 0;
  }
  fmt::print("{} on {}: {:.2f} ms, {:.1f} of {:.0f} GFLOP/s ({:.0f} %)\n",
             r.dtype, Counted(r.threads, "thread"), r.ms, r.gflops,
             r.limit_gflops, 100 * r.fraction);
  return 0;
}

}  // namespace

const std::vector<Command>& Benches() {
  static const std::vector<Command> benches = {
      {"train", "steps of training", RunBenchTrain},
      {"attention", "one attention, forward and backward", RunBenchAttention},
      {"convolution", "one convolution of images, forward and backward",
       RunBenchConvolution},
      {"decode", "translation, token by token", RunBenchDecode},
      {"nodes", "classifiers of the nodes of a graph", RunBenchNodes},
      {"scaling", "steps of training by the number of threads",
       RunBenchScaling},
  };
  return benches;
}

int RunBench(const Arguments& arguments) {
  const Command* bench =
      arguments.empty() ? nullptr : FindCommand(Benches(), arguments[0]);
  if (bench) return bench->run({arguments.begin() + 1, arguments.end()});
  std::string what;
  Options options(
      "bench",
      "Measures the speed of this machine, compared with its own limits. Each "
      "benchmark has its own options: heed bench train --help.");
  options.Positional("WHAT", what, OneOf(NamesOf(Benches())),
                     "what to measure");
  options.Parts("What there is", PartsOf("bench", Benches()));
  options.Example("heed bench train --precision bf16");
  options.Example("heed bench attention --heads 8 --length 2048");
  options.Example("heed bench decode --threads 1");
  options.Parse(arguments);
  return 0;
}

}  // namespace heed
