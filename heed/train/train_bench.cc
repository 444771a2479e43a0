#include "heed/train/train_bench.h"

#include <algorithm>
#include <vector>

#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/data/vocabulary.h"
#include "heed/models/encoder_decoder.h"
#include "heed/ops/loss.h"
#include "heed/train/optimizer.h"

namespace heed {
namespace {

constexpr int64_t kFeatures = 512;

ModelConfig ConfigOf(const TrainBenchOptions& o) {
  ModelConfig config;
  config.model = o.model;
  config.embedding = kFeatures;
  config.units = kFeatures;
  config.dropout = 0;
  config.precision = o.precision;
  if (o.model == "bahdanau") {
    config.cell = "gru";
    config.readout = "tanh";
    config.readout_state = "cur";
  }
  config.Resolve();
  return config;
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

/// Multiplications and additions of a forward and backward pass in products
/// with weights: three products (y, dx, dw) for each weight and each row it is
/// applied to. The products with embeddings are look-ups.
double ProductOperations(const ModelConfig& c, const ParameterSet& parameters,
                         const TrainBenchOptions& o) {
  const double source_rows = static_cast<double>(o.batch) * o.src_len;
  const double target_rows = static_cast<double>(o.batch) * o.tgt_len;
  double sum = 0;
  for (const auto& parameter : parameters.all()) {
    const std::string& name = parameter->name();
    const Tensor& w = parameter->value();
    if (w.rank() != 2 || name.ends_with("embedding.weight")) continue;
    double rows = target_rows;
    if (name.starts_with("encoder.") ||
        name.ends_with("attention.key.weight")) {
      rows = source_rows;
    } else if (name.starts_with("decoder.bridge") ||
               name.starts_with("decoder.summary") ||
               name.starts_with("decoder.context")) {
      rows = o.batch;
    }
    sum += 6 * rows * static_cast<double>(w.numel());
  }
  if (c.tie_output) {
    sum += 6 * target_rows * static_cast<double>(c.embedding) * o.vocab;
  }
  return sum;
}

}  // namespace

void TrainBenchOptions::Visit(FieldList& v) {
  v.Section("Benchmark");
  v("model", model, OneOf{"fixed", "bahdanau", "luong"},
    "model, all widths 512");
  v("batch", batch, Range(1, 65536), "sentence pairs");
  v("src_len", src_len, Range(1, 65536), "source tokens of each");
  v("tgt_len", tgt_len, Range(1, 65536), "target tokens of each");
  v("vocab", vocab, Range(kSpecialTokens + 1, 10000000),
    "tokens of either vocabulary");
  v("steps", steps, Range(1, 100000), "steps that are timed");
  v("precision", precision, OneOf{"f32", "bf16"}, "factors of matrix products");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

TrainBenchResult BenchTraining(const TrainBenchOptions& o) {
  const ThreadLimit limit(o.threads);
  const ModelConfig config = ConfigOf(o);
  EncoderDecoder model(config, o.vocab, o.vocab, 1);
  OptimizerConfig adam;
  adam.epsilon = 1e-8;
  Optimizer optimizer(model.parameters(), adam);
  const bool bf16 = o.precision == "bf16" && kernels::HasBF16();
  const auto precision =
      bf16 ? kernels::Precision::kBF16 : kernels::Precision::kNative;

  Rng rng(1);
  const Tensor source = RandomIds(o.src_len, o.batch, o.vocab, rng);
  const Tensor target_in = RandomIds(o.tgt_len, o.batch, o.vocab, rng);
  const Tensor target_out = RandomIds(o.tgt_len, o.batch, o.vocab, rng);
  const Tensor lengths = Tensor::Full({o.batch}, o.src_len, DType::kI32);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  ctx.rng = &rng;
  ctx.training = true;
  CrossEntropyOptions loss_options;
  loss_options.scale = 1.0 / (static_cast<double>(o.batch) * o.tgt_len);

  constexpr int kWarmUp = 3;
  constexpr double kRateSeconds = 0.15;
  std::vector<double> times;
  std::vector<double> rates;
  for (int step = 1; step <= kWarmUp + o.steps; ++step) {
    const auto start = Clock::now();
    const CrossEntropyLoss loss =
        CrossEntropy(model.Logits(ctx, source, lengths, target_in), target_out,
                     loss_options);
    tape.Backward(loss.loss);
    tape.Clear();
    optimizer.Step(step, 1e-4, optimizer.GradientNorm());
    const double seconds = SecondsSince(start);
    if (step <= kWarmUp) continue;
    times.push_back(seconds);
    // Between the steps, so that both see the same machine.
    if (step % 3 == 0) {
      rates.push_back(kernels::MeasureProductRate(precision, kRateSeconds));
    }
  }
  if (rates.empty()) {
    rates.push_back(kernels::MeasureProductRate(precision, kRateSeconds));
  }

  TrainBenchResult result;
  result.model = o.model;
  result.dtype = bf16 ? "bf16" : "f32";
  result.threads = ThreadCount();
  const double seconds = Median(times);
  const double operations = ProductOperations(config, model.parameters(), o);
  const double rate = Median(rates);
  result.ms_per_step = seconds * 1e3;
  result.tokens_per_second = static_cast<double>(o.batch) * o.tgt_len / seconds;
  result.gflop_per_step = operations / 1e9;
  result.limit_gflops = rate / 1e9;
  result.floor_ms = operations / rate * 1e3;
  return result;
}

}  // namespace heed
