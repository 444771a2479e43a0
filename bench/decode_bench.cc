#include "bench/decode_bench.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "heed/base/memory.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/decode/beam.h"
#include "heed/kernels/memory_rate.h"
#include "heed/models/registry.h"
#include "heed/tensor/pool.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

std::string NameOf(kernels::Precision precision) {
  switch (precision) {
    case kernels::Precision::kNative:
      return "f32";
    case kernels::Precision::kBF16:
      return "bf16";
    case kernels::Precision::kInt8:
      break;
  }
  return "int8";
}

int64_t BytesOf(kernels::Precision precision) {
  switch (precision) {
    case kernels::Precision::kNative:
      return 4;
    case kernels::Precision::kBF16:
      return 2;
    case kernels::Precision::kInt8:
      break;
  }
  return 1;
}

std::unique_ptr<Decoder> RandomModelOf(const DecodeBenchOptions& o) {
  ModelChoice<TranslatorSettings> model;
  model.Choose(o.model);
  model->Fill();
  return model->Make(o.vocab, o.vocab, 1);
}

Tensor RandomSource(const DecodeBenchOptions& o) {
  Rng rng(1);
  Tensor ids = Tensor::Full({o.src_len, o.batch}, kEos, DType::kI32);
  const auto range = static_cast<uint64_t>(o.vocab - kSpecialTokens);
  for (int64_t i = 0; i < int64_t{o.src_len - 1} * o.batch; ++i) {
    ids.data<int32_t>()[i] =
        static_cast<int32_t>(rng.Below(range)) + kSpecialTokens;
  }
  return ids;
}

/// Minimum work of a batch.
struct Work {
  double operations = 0;  // of products with weights
  double bytes = 0;       // of weights, each time they are needed
};

/// Computes the minimum work. Each weight is applied to all rows of the source
/// at once, once per sentence, or to the hypotheses at each step. Embeddings
/// are look-ups, unless they are also the output matrix.
Work WorkOf(const DecodeBenchOptions& o, const ParameterSet& parameters,
            int target_vocab, int64_t bytes_of_element) {
  const auto batch = static_cast<double>(o.batch);
  const double first = batch;  // one row per sentence in the first step
  const double others = batch * o.beam * (o.length - 1);
  Work work;
  const auto add = [&](double elements, double rows, double times) {
    work.operations += 2 * elements * rows;
    work.bytes += elements * static_cast<double>(bytes_of_element) * times;
  };
  bool tied = true;
  double width = 0;  // of the embeddings
  for (const auto& parameter : parameters.all()) {
    const std::string& name = parameter->name();
    const Shape shape = parameter->value().shape();
    if (shape.rank() != 2) continue;
    const auto elements = static_cast<double>(shape.numel());
    if (name.ends_with("embedding.weight")) {
      width = static_cast<double>(shape[1]);
    } else if (name.starts_with("encoder.") ||
               name.ends_with("attention.key.weight") ||
               name.ends_with("cross_attention.kv.weight")) {
      add(elements, batch * o.src_len, 1);
    } else if (name.starts_with("decoder.bridge") ||
               name.starts_with("decoder.summary") ||
               name.starts_with("decoder.context")) {
      add(elements, batch, 1);
    } else if (!name.ends_with("positions.weight")) {
      tied = tied && name != "decoder.output.weight";
      add(elements, first + others, o.length);
    }
  }
  if (tied) add(width * target_vocab, first + others, o.length);
  return work;
}

}  // namespace

void DecodeBenchOptions::Visit(FieldList& v) {
  v.Section("Benchmark");
  v("model", model, Any{"NAME|DIR"},
    "named model with random weights, or a model folder");
  v("batch", batch, Range(1, 65536), "sentences translated at once");
  v("beam", beam, Range(1, 1000), "hypotheses of each sentence");
  v("dtype", dtype, "number format of matrix products");
  v("length", length, Range(1, 100000),
    "forced number of target tokens of each sentence, including </s>");
  v("src_len", src_len, Range(1, 100000), "source tokens of each sentence");
  v("vocab", vocab, Range(kSpecialTokens + 1, 10000000),
    "tokens of either vocabulary of a named model");
  v.Section("Run");
  v("seconds", seconds, Range(0.01, 3600),
    "approximate measuring time in seconds");
  v("threads", threads, Range(0, 1024),
    "threads, each with a batch of its own; 0: one per core");
}

DecodeBenchResult BenchDecoding(const DecodeBenchOptions& o) {
  const std::unique_ptr<Decoder> model = RandomModelOf(o);
  model->parameters().SetPrecision(PrecisionOf(o.dtype));
  return BenchDecoding(o, *model, o.vocab);
}

DecodeBenchResult BenchDecoding(const DecodeBenchOptions& o,
                                const Decoder& model, int target_vocab) {
  const ThreadLimit limit(o.threads);
  const int threads = ThreadCount();
  const kernels::Precision precision = PrecisionOf(o.dtype);
  const Tensor source = RandomSource(o);
  const Tensor lengths = Tensor::Full({o.batch}, o.src_len, DType::kI32);
  const auto translate = [&](int length) {
    DecodeOptions options;
    options.beam = o.beam;
    options.exact_length = length;
    options.keep_scores = false;
    const auto start = Clock::now();
    BeamSearch(model, {source, lengths}, options);
    return SecondsSince(start);
  };
  const auto translate_all = [&] {
    const auto start = Clock::now();
    ParallelTasks(threads, [&](int64_t) { translate(o.length); });
    return SecondsSince(start);
  };

  DecodeBenchResult result;
  result.model = o.model;
  result.dtype = NameOf(precision);
  result.threads = threads;
  pool::ResetPeak();
  ResetPeakMemory();
  translate_all();  // also packs the weights
  result.peak_bytes = pool::Stats().peak;
  result.peak_rss_bytes = PeakMemory();

  constexpr int64_t kReadBytes = int64_t{1} << 28;
  const Tensor large = Tensor::Zeros({kReadBytes / 4});
  std::vector<double> times;
  std::vector<double> firsts;
  std::vector<double> rates;
  std::vector<double> reads;
  const auto begin = Clock::now();
  // Limits are measured between batches: all see the same machine state.
  constexpr double kRateSeconds = 0.1;
  while (times.size() < 3 || SecondsSince(begin) < o.seconds) {
    times.push_back(translate_all());
    firsts.push_back(translate(1));
    rates.push_back(kernels::MeasureProductRate(precision, kRateSeconds));
    reads.push_back(kernels::MeasureReadRate(large));
  }

  const Work work =
      WorkOf(o, model.parameters(), target_vocab, BytesOf(precision));
  const double seconds = Median(times);
  const double rate = Median(rates) / threads;
  const double read = Median(reads) / threads;
  const double floor = std::max(work.operations / rate, work.bytes / read);
  result.tokens_per_second =
      static_cast<double>(o.batch) * o.length * threads / seconds;
  result.batch_ms = seconds * 1e3;
  result.first_token_ms = Median(firsts) * 1e3;
  result.floor_ms = floor * 1e3;
  result.fraction = floor / seconds;
  result.limit_gflops = Median(rates) / 1e9;
  result.limit_gbytes_per_second = Median(reads) / 1e9;
  return result;
}

}  // namespace heed
