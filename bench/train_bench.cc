#include "bench/train_bench.h"

#include <string_view>
#include <vector>

#include "heed/base/memory.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/models/registry.h"
#include "heed/ops/loss.h"
#include "heed/tasks/target_loss.h"
#include "heed/tensor/pool.h"
#include "heed/text/vocabulary.h"
#include "heed/train/shards.h"

namespace heed {
namespace {

std::unique_ptr<Decoder> MakeModel(const TrainBenchOptions& o) {
  constexpr uint64_t kSeed = 1;
  ModelChoice<TranslatorSettings> model;
  model.Choose(o.model);
  const std::vector<Field> fields = FieldsOf(*model);
  SetPreset(fields, FindModel(o.model).bench);
  SetPreset(fields, "precision=" + o.precision);
  model->Fill();
  return model->Make(o.vocab, o.vocab, kSeed);
}

Tensor RandomIds(int rows, int columns, int vocabulary, Rng& rng) {
  Tensor ids({rows, columns}, DType::kI32);
  const auto range = static_cast<uint64_t>(vocabulary - kSpecialTokens);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    ids.data<int32_t>()[i] =
        static_cast<int32_t>(rng.Below(range)) + kSpecialTokens;
  }
  return ids;
}

/// Number of rows that a weight is applied to in a forward pass.
double RowsOf(const std::string& weight, const TrainBenchOptions& o) {
  const auto within = [&](std::string_view part) {
    return weight.find(part) != std::string::npos;
  };
  if (within("decoder.bridge") || within("decoder.summary") ||
      within("decoder.context")) {
    return o.batch;
  }
  const bool of_source = within("encoder.") || within("attention.key.") ||
                         within("cross_attention.kv.");
  return static_cast<double>(o.batch) * (of_source ? o.src_len : o.tgt_len);
}

/// Floating-point operations of products with weights in a forward and backward
/// pass. Each weight takes three products (y, dx, dw) for each of its rows.
/// Embeddings are look-ups, unless they are also the output matrix.
double ProductOperations(const ParameterSet& parameters,
                         const TrainBenchOptions& o) {
  double elements = 0;  // of weights, each counted for all of its rows
  double embedding = 0;
  for (const auto& parameter : parameters.all()) {
    const Tensor& w = parameter->value();
    if (w.rank() != 2) continue;
    const auto size = static_cast<double>(w.numel());
    if (parameter->name().ends_with("embedding.weight")) {
      embedding = size;
    } else {
      elements += RowsOf(parameter->name(), o) * size;
    }
  }
  const bool tied = parameters.Find("decoder.output.weight") == nullptr;
  if (tied) elements += RowsOf("output", o) * embedding;
  return 6 * elements;
}

OptimizerConfig Adam() {
  OptimizerConfig adam;
  adam.epsilon = 1e-8;
  return adam;
}

}  // namespace

void TrainBenchOptions::Visit(FieldList& v) {
  VisitModel(v);
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

void TrainBenchOptions::VisitModel(FieldList& v) {
  v.Section("Benchmark");
  v("model", model, OneOf(ModelNames<TranslatorSettings>()),
    "model; recurrent ones with all widths 512");
  v("batch", batch, Range(1, 65536), "sentence pairs");
  v("src_len", src_len, Range(1, 65536), "source tokens of each");
  v("tgt_len", tgt_len, Range(1, 65536), "target tokens of each");
  v("vocab", vocab, Range(kSpecialTokens + 1, 10000000),
    "tokens of either vocabulary");
  v("steps", steps, Range(1, 100000), "steps that are timed");
  v("precision", precision, OneOf{"f32", "bf16"},
    "number format of matrix products");
}

TrainSteps::TrainSteps(const TrainBenchOptions& options)
    : options_(options),
      model_(MakeModel(options)),
      optimizer_(model_->parameters(), Adam()),
      source_(RandomIds(options.src_len, options.batch, options.vocab, rng_)),
      target_in_(
          RandomIds(options.tgt_len, options.batch, options.vocab, rng_)),
      target_out_(
          RandomIds(options.tgt_len, options.batch, options.vocab, rng_)),
      lengths_(Tensor::Full({options.batch}, options.src_len, DType::kI32)) {}

void TrainSteps::Run() {
  const int64_t tokens = int64_t{options_.batch} * options_.tgt_len;
  const int64_t parts = PartsOf(*model_, options_.batch, tokens);
  const CrossEntropyOptions options{.scale = 1 / static_cast<double>(tokens)};
  batch_.Differentiate(parts, rng_, [&](const Context& ctx, int64_t part) {
    const Interval own = EvenPart(options_.batch, parts, part);
    const auto columns = [own](const Tensor& x) {
      return x.Columns(own.begin, own.end).Contiguous();
    };
    const CrossEntropyLoss loss = model_->Loss(
        ctx, {columns(source_), lengths_.Slice(own.begin, own.end)},
        columns(target_in_), columns(target_out_), options);
    return BatchLoss{loss.loss, loss.nll};
  });
  optimizer_.Step(++step_, 1e-4);
}

double TrainSteps::operations() const {
  return ProductOperations(model_->parameters(), options_);
}

TrainBenchResult BenchTraining(const TrainBenchOptions& o) {
  const ThreadLimit limit(o.threads);
  const bool bf16 = o.precision == "bf16" && kernels::HasBF16();
  const auto precision =
      bf16 ? kernels::Precision::kBF16 : kernels::Precision::kNative;
  TrainSteps steps(o);

  constexpr int kWarmUp = 3;
  constexpr double kRateSeconds = 0.15;
  std::vector<double> times;
  std::vector<double> rates;
  TrainBenchResult result;
  pool::Trim();  // frees buffers of the initialisation
  pool::ResetPeak();
  ResetPeakMemory();
  for (int step = 1; step <= kWarmUp + o.steps; ++step) {
    const auto start = Clock::now();
    steps.Run();
    const double seconds = SecondsSince(start);
    if (step == kWarmUp) {
      result.peak_bytes = pool::Stats().peak;
      result.peak_rss_bytes = PeakMemory();
    }
    if (step <= kWarmUp) continue;
    times.push_back(seconds);
    // Measured between the steps, so that both see the same machine state.
    if (step % 3 == 0) {
      rates.push_back(kernels::MeasureProductRate(precision, kRateSeconds));
    }
  }
  if (rates.empty()) {
    rates.push_back(kernels::MeasureProductRate(precision, kRateSeconds));
  }

  result.model = o.model;
  result.dtype = bf16 ? "bf16" : "f32";
  result.threads = ThreadCount();
  const double seconds = Median(times);
  const double operations = steps.operations();
  const double rate = Median(rates);
  result.ms_per_step = seconds * 1e3;
  result.tokens_per_second = static_cast<double>(o.batch) * o.tgt_len / seconds;
  result.gflop_per_step = operations / 1e9;
  result.limit_gflops = rate / 1e9;
  result.floor_ms = operations / rate * 1e3;
  return result;
}

}  // namespace heed
