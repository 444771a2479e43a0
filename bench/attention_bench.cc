#include "bench/attention_bench.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/kernels/memory_rate.h"

namespace heed {
namespace {

/// Random numbers with mean 0 and variance 1.
Tensor RandomTensor(const Shape& shape, Rng& rng) {
  Tensor x(shape);
  const double half_width = std::sqrt(3.0);
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<float>()[i] =
        static_cast<float>(rng.Uniform(-half_width, half_width));
  }
  return x;
}

/// Number of query-key pairs that the mask allows, over the batch.
double AllowedPairs(const Mask& mask, int64_t batch, int64_t queries,
                    int64_t keys) {
  const double all = static_cast<double>(batch) * static_cast<double>(queries) *
                     static_cast<double>(keys);
  if (mask.all()) return all;
  constexpr int64_t kBlock = 128;
  std::vector<uint8_t> may(kBlock);
  double pairs = 0;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t t = 0; t < queries; t += kBlock) {
      const kernels::Range rows{t, std::min(t + kBlock, queries)};
      for (int64_t s = 0; s < keys; s += kBlock) {
        const kernels::Range cols{s, std::min(s + kBlock, keys)};
        using Extent = kernels::MaskRule::Extent;
        const Extent extent = mask.rule()->Block(b, rows, cols);
        if (extent == Extent::kAll) {
          pairs += static_cast<double>(rows.size() * cols.size());
        }
        if (extent != Extent::kSome) continue;
        for (int64_t r = rows.begin; r < rows.end; ++r) {
          mask.rule()->Row(b, r, cols, may.data());
          pairs += static_cast<double>(
              std::count(may.begin(), may.begin() + cols.size(), 1));
        }
      }
    }
  }
  return pairs;
}

/// The attention and its inputs.
class Subject {
 public:
  explicit Subject(const AttentionBenchOptions& o)
      : set_(1, DType::kF32, kernels::Precision::kNative), rng_(1) {
    const int64_t keys = o.keys == 0 ? o.length : o.keys;
    const int64_t key_heads = o.key_heads == 0 ? o.heads : o.key_heads;
    const int64_t query_features = int64_t{o.heads} * o.dim;
    const int64_t key_features = key_heads * o.dim;
    AttentionSpec spec;
    spec.score = ChooseScore(o.score);
    spec.modifiers = ChooseModifiers(o.modifiers);
    spec.normalizer = ChooseNormalizer(o.normalizer);
    spec.heads = o.heads;
    spec.key_heads = key_heads;
    spec.query = query_features;
    spec.key = key_features;
    spec.units = o.dim;
    spec.positions = keys;
    if (o.dtype == "bf16") spec.precision = kernels::Precision::kBF16;
    attention_ = std::make_unique<Attention>(Scope(set_, "attention"), spec);
    memory_.mask = ParseMask(o.mask, {o.batch, o.length, keys});
    memory_.keys = RandomTensor({o.batch, keys, key_features}, rng_);
    memory_.values = RandomTensor({o.batch, keys, key_features}, rng_);
    // Projected queries and keys have the sizes that the kernels receive.
    const auto score =
        spec.score.Make(Scope(scratch_, "score"),
                        {o.heads, key_heads, o.dim, o.dim, o.dim, 2, keys, {}});
    memory_.keys = score->PrepareKeys({}, memory_.keys);
    query_ = score->PrepareQuery(
        {},
        score->takes_query()
            ? Var(RandomTensor({o.batch, o.length, query_features}, rng_))
            : Var(),
        o.batch);
    const auto fused = spec.score
                           .Make(Scope(scratch_, "kind"),
                                 {1, 1, o.dim, o.dim, o.dim, 2, keys, {}})
                           ->Fused({}, DType::kF32);
    // Uses the format in which a decoder caches keys and values.
    if (o.dtype == "bf16" && !o.backward && fused.has_value() &&
        kernels::ReadsBF16(fused->kind, o.length)) {
      memory_ = memory_.InBF16();
    }
    dcontext_ = RandomTensor({o.batch, query_.dim(1), query_features}, rng_);
    dcontext_.Fill(1);
  }

  void Forward() const {
    attention_->Attend({}, query_, memory_, {.prepared = true});
  }

  void ForwardAndBackward() {
    Context ctx;
    ctx.tape = &tape_;
    Memory memory = memory_;
    const Var query = tape_.Leaf(query_.value());
    memory.keys = tape_.Leaf(memory_.keys.value());
    memory.values = tape_.Leaf(memory_.values.value());
    const Var context =
        attention_->Attend(ctx, query, memory, {.prepared = true}).context;
    tape_.Backward(context, dcontext_);
    tape_.Clear();
  }

  const Attention& attention() const { return *attention_; }
  const Memory& memory() const { return memory_; }
  int64_t queries() const { return query_.dim(1); }
  int64_t context_bytes() const { return dcontext_.bytes(); }
  int64_t gradient_bytes() const {
    return query_.value().bytes() + memory_.keys.value().bytes() +
           memory_.values.value().bytes();
  }
  int64_t score_features() const { return query_.dim(2); }

 private:
  ParameterSet set_;
  ParameterSet scratch_{1, DType::kF32, kernels::Precision::kNative};
  Rng rng_;
  std::unique_ptr<Attention> attention_;
  Memory memory_;
  Var query_;
  Tensor dcontext_;
  Tape tape_;
};

double Operations(const AttentionBenchOptions& o, const Subject& subject) {
  const double pairs =
      AllowedPairs(subject.memory().mask, o.batch, subject.queries(),
                   subject.memory().values.dim(1)) *
      o.heads;
  const double features =
      static_cast<double>(subject.score_features()) / o.heads;
  const bool product = o.score != "additive" && o.score != "graph" &&
                       o.score != "mlp" && o.score != "location_aware";
  const double score = (product ? 2 : 4) * features;
  const double sum = 2.0 * o.dim;
  const double forward = score + sum;
  // Backward: scores again, two gradients of the scores, two of the weighted
  // sum.
  return pairs * (forward + (o.backward ? 3 * score + 2 * sum : 0));
}

}  // namespace

void AttentionBenchOptions::Visit(FieldList& v) {
  v.Section("Attention");
  v("score", score, Any{"SCORE"}, "score function, such as 'additive'");
  v("modifiers", modifiers, Any{"MODIFIERS"},
    "modifiers, as 'alibi; soft_cap(30)'");
  v("mask", mask, Any{"MASK"},
    "mask, as 'causal', 'window(256)' or 'causal && "
    "documents(4)'");
  v("normalizer", normalizer, Any{"NORMALIZER"}, "normaliser, as 'sparsemax'");
  v("heads", heads, Range(1, 65536), "query heads");
  v("key_heads", key_heads, Range(0, 65536), "key heads; 0: as heads");
  v("batch", batch, Range(1, 65536), "rows");
  v("length", length, Range(1, 1 << 24), "queries of each row");
  v("keys", keys, Range(0, 1 << 24), "keys of each row; 0: as length");
  v("dim", dim, Range(1, 65536), "features of a head");
  v("dtype", dtype, OneOf{"f32", "bf16"},
    "number format of matrix products, and with few queries also of stored "
    "keys and values");
  v("backward", backward, "time the gradient too");
  v.Section("Run");
  v("seconds", seconds, Range(0.01, 3600),
    "approximate measuring time in seconds");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

AttentionBenchResult BenchAttention(const AttentionBenchOptions& o) {
  const ThreadLimit limit(o.threads);
  const bool bf16 = o.dtype == "bf16" && kernels::HasBF16();
  const auto precision =
      bf16 ? kernels::Precision::kBF16 : kernels::Precision::kNative;
  Subject subject(o);
  const auto pass = [&] {
    if (o.backward) {
      subject.ForwardAndBackward();
    } else {
      subject.Forward();
    }
  };
  AttentionBenchResult result;
  const int64_t before = pool::Stats().in_use;
  pool::ResetPeak();
  pass();
  result.peak_extra_bytes = std::max<int64_t>(
      0, pool::Stats().peak - before - subject.context_bytes() -
             (o.backward ? subject.gradient_bytes() : 0));

  constexpr int64_t kReadBytes = int64_t{1} << 28;
  const Tensor large = Tensor::Zeros({kReadBytes / 4});
  std::vector<double> times;
  std::vector<double> rates;
  std::vector<double> reads;
  const auto begin = Clock::now();
  double spent = 0;
  // Limits are measured between the passes, so that all see the same machine
  // state.
  constexpr int64_t kFew = 3;
  constexpr double kPatience = 5;  // for the first passes
  for (int64_t i = 0;
       i == 0 || SecondsSince(begin) < o.seconds * (i < kFew ? kPatience : 1);
       ++i) {
    const auto start = Clock::now();
    pass();
    times.push_back(SecondsSince(start));
    spent += times.back();
    if (rates.size() < 3 || spent > o.seconds / 10) {
      rates.push_back(kernels::MeasureProductRate(precision, 0.03));
      reads.push_back(kernels::MeasureReadRate(large));
      spent = 0;
    }
  }
  result.dtype = bf16 ? "bf16" : "f32";
  result.fused = subject.attention().fused();
  result.threads = ThreadCount();
  const double seconds = Median(times);
  result.ms = seconds * 1e3;
  result.gflop = Operations(o, subject) / 1e9;
  result.gflops = result.gflop / seconds;
  result.limit_gflops = Median(rates) / 1e9;
  result.fraction = result.gflops / result.limit_gflops;
  result.gbytes_per_second =
      static_cast<double>(subject.memory().keys.value().bytes() +
                          subject.memory().values.value().bytes()) /
      seconds / 1e9;
  result.limit_gbytes_per_second = Median(reads) / 1e9;
  return result;
}

}  // namespace heed
