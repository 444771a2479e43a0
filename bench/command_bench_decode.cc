// heed bench decode: throughput of decoding, relative to the machine's limits.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/benches.h"
#include "bench/decode_bench.h"
#include "heed/tasks/translate/translation.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

DecodeBenchResult Bench(DecodeBenchOptions bench) {
  if (!std::filesystem::is_directory(bench.model)) return BenchDecoding(bench);
  const translate::Model model =
      translate::ReadTranslationModel(bench.model, bench.dtype.value());
  bench.vocab = model.vocabularies.source.size();
  return BenchDecoding(bench, *model.model, model.vocabularies.target.size());
}

}  // namespace

int RunBenchDecode(const Arguments& arguments) {
  bool json = false;
  DecodeBenchOptions bench;
  Options options(
      "bench decode",
      "Times the translation of random sources to texts of a given length, "
      "beside the rates at which this machine multiplies large matrices and "
      "reads memory in the same run. The floor is what the products with the "
      "weights, or reading them, need at these rates.");
  bench.Visit(options.fields());
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed bench decode --threads 1");
  options.Example("heed bench decode --batch 1 --dtype bf16");
  options.Example("heed bench decode --model my-model --beam 5");
  if (!options.Parse(arguments)) return 0;
  const DecodeBenchResult r = Bench(bench);
  if (json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{
                   {"model", r.model},
                   {"dtype", r.dtype},
                   {"threads", r.threads},
                   {"tokens_per_second", r.tokens_per_second},
                   {"batch_ms", r.batch_ms},
                   {"first_token_ms", r.first_token_ms},
                   {"peak_bytes", r.peak_bytes},
                   {"peak_rss_bytes", r.peak_rss_bytes},
                   {"floor_ms", r.floor_ms},
                   {"fraction", r.fraction},
                   {"limit_gflops", r.limit_gflops},
                   {"limit_gbytes_per_second", r.limit_gbytes_per_second}}
                   .dump());
    return 0;
  }
  fmt::print(
      "{} {} on {}, each with {} and a beam of {}:\n"
      "{:.0f} tokens/s, {:.1f} ms a batch; the first token after {:.1f} ms\n"
      "floor {:.1f} ms ({:.0f} GFLOP/s, {:.1f} GB/s): {:.0f} % of it reached\n"
      "{:.0f} MB at most, with libraries {:.0f} MB\n",
      r.model, r.dtype, Counted(r.threads, "thread"),
      Counted(bench.batch, "sentence"), bench.beam, r.tokens_per_second,
      r.batch_ms, r.first_token_ms, r.floor_ms, r.limit_gflops,
      r.limit_gbytes_per_second, 100 * r.fraction,
      static_cast<double>(r.peak_bytes) / 1e6,
      static_cast<double>(r.peak_rss_bytes) / 1e6);
  return 0;
}

}  // namespace heed
