// Cost of the statistics and top keys of all heads, beside the run of a model.
//
//   bench_attention_maps [LAYERS HEADS TOKENS WIDTH [ROUNDS]]
//
// The model is a random one of GPT-2's make (default 12 12 1024 768). Runs
// without and with the maps alternate; the medians are printed as time and as
// time of all cores, and the time of a tile of 256 x 256.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/explain/attention_summary.h"
#include "heed/models/transformer/transformer.h"
#include "heed/models/transformer/transformer_config.h"

namespace heed {
namespace {

constexpr int kVocabulary = 50257;

/// Elapsed time, and time of all threads on a core, which other programs of the
/// machine change less. Units: seconds.
struct Times {
  std::vector<double> wall, cores;

  void Add(const auto& work) {
    const std::clock_t cores_start = std::clock();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    wall.push_back(time.count());
    cores.push_back(static_cast<double>(std::clock() - cores_start) /
                    CLOCKS_PER_SEC);
  }
};

double Median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void Print(const char* what, const Times& times, const Times& run) {
  const double wall = Median(times.wall), cores = Median(times.cores);
  fmt::print("{:<24} {:>7.3f} s {:>6.1f} % {:>7.3f} s {:>6.1f} %\n", what, wall,
             100 * wall / Median(run.wall), cores,
             100 * cores / Median(run.cores));
}

TransformerLanguageModel MakeModel(int layers, int heads, int tokens,
                                   int width) {
  TransformerConfig config;
  config.layers = config.decoder_layers = layers;
  config.heads = heads;
  config.width = width;
  config.ff = 4 * width;
  config.norm = NormPlace::kPre;
  config.position = Position::kLearned;
  config.max_positions = tokens;
  config.activation = FeedForward::kGeluTanh;
  config.tie = Tie::kAll;
  config.Fill("transformer");
  return {config.Resolve("transformer"), kVocabulary, 1};
}

/// Attention of all layers, and the summaries of its heads.
struct Maps {
  std::vector<AttentionWatch::Seen> seen;
  std::vector<AttentionSummary> summaries;

  int64_t bytes() const {
    int64_t sum = 0;
    for (const AttentionWatch::Seen& layer : seen) {
      sum += layer.factors->bytes();
    }
    for (const AttentionSummary& summary : summaries) {
      sum += static_cast<int64_t>(summary.rows.size() *
                                  sizeof(kernels::WeightRow));
    }
    return sum;
  }
};

Maps RunWithFactors(const TransformerLanguageModel& model, const Tensor& ids) {
  AttentionWatch watch(
      [](const AttentionInfo&) { return AttentionRequest{.factors = true}; });
  Context ctx;
  ctx.observer = &watch;
  model.Logits(ctx, {}, ids);
  Maps maps;
  maps.seen = std::move(watch.seen);
  for (AttentionWatch::Seen& layer : maps.seen) layer.context = Tensor();
  return maps;
}

Maps RunWithMaps(const TransformerLanguageModel& model, const Tensor& ids,
                 const std::vector<int32_t>& tokens) {
  Maps maps = RunWithFactors(model, ids);
  for (const AttentionWatch::Seen& layer : maps.seen) {
    maps.summaries.push_back(Summarize(*layer.factors, 0, true, tokens));
  }
  return maps;
}

void Measure(int layers, int heads, int tokens, int width, int rounds) {
  const TransformerLanguageModel model =
      MakeModel(layers, heads, tokens, width);
  Rng rng(7);
  std::vector<int32_t> ids;
  for (int i = 0; i < tokens; ++i) {
    ids.push_back(static_cast<int32_t>(rng.Uniform(0, 2000)));
  }
  const Tensor input = Tensor::Of(ids, {tokens, 1});
  model.Logits({}, {}, input);
  Times plain, kept, mapped, summaries, tiles;
  Maps maps;
  for (int i = 0; i < rounds; ++i) {
    plain.Add([&] { model.Logits({}, {}, input); });
    kept.Add([&] { maps = RunWithFactors(model, input); });
    mapped.Add([&] { maps = RunWithMaps(model, input, ids); });
    summaries.Add([&] {
      for (const AttentionWatch::Seen& layer : maps.seen) {
        Summarize(*layer.factors, 0, true, ids);
      }
    });
  }
  const int64_t side = std::min(256, tokens);
  for (int i = 0; i < rounds * 10; ++i) {
    tiles.Add([&] {
      maps.seen.back().factors->Tile(0, i % heads, {tokens - side, tokens},
                                     {0, side});
    });
  }
  fmt::print("{} layers x {} heads x {} tokens, width {}\n", layers, heads,
             tokens, width);
  fmt::print("{:<24} {:>9} {:>8} {:>9} {:>8}\n", "", "time", "of run", "cores",
             "of run");
  Print("run", plain, plain);
  Print("run that keeps factors", kept, plain);
  Print("run with maps", mapped, plain);
  Print("statistics and top keys", summaries, plain);
  fmt::print("kept {:.1f} MB; tile {} x {}: {:.2f} ms\n",
             static_cast<double>(maps.bytes()) / 1e6, side, side,
             1000 * Median(tiles.wall));
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  std::array<int, 5> sizes = {12, 12, 1024, 768, 5};
  for (int i = 1; i < argc && i <= 5; ++i) {
    sizes[static_cast<size_t>(i - 1)] = std::max(1, std::atoi(argv[i]));
  }
  try {
    heed::Measure(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
