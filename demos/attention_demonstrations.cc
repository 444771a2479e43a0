#include "demos/attention_demonstrations.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/attention.h"
#include "heed/base/timing.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

Tensor Normal(const Shape& shape, Rng& rng, DType dtype) {
  Tensor x(shape, DType::kF64);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<double>()[i] = rng.Normal();
  return x.To(dtype);
}

/// ‖diag(a) − a aᵀ‖: what a softmax with these weights lets through.
double JacobianNorm(std::span<const double> a) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < a.size(); ++j) {
      const double entry = (i == j ? a[i] : 0) - a[i] * a[j];
      sum += entry * entry;
    }
  }
  return std::sqrt(sum);
}

/// Self-attention with projections of its own.
class SelfAttention {
 public:
  SelfAttention(ParameterSet& set, const AttentionSpec& spec, Init init)
      : query_(Scope(set, "query"), spec.query, spec.query, init),
        key_(Scope(set, "key"), spec.query, spec.query, init),
        value_(Scope(set, "value"), spec.query, spec.query, init),
        output_(Scope(set, "output"), spec.query, spec.query, init),
        attention_(Scope(set, "attention"), spec) {}

  Attended operator()(const Tensor& x, WantWeights want) const {
    const Memory memory = attention_.Prepare({}, key_({}, x), value_({}, x));
    Attended attended =
        attention_.Attend({}, query_({}, x), memory, nullptr, want);
    attended.context = output_({}, attended.context);
    return attended;
  }

 private:
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
  Attention attention_;
};

/// A random order of `count` things.
std::vector<int64_t> RandomOrder(int64_t count, Rng& rng) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    const auto place =
        static_cast<int64_t>(rng.Below(static_cast<uint64_t>(i) + 1));
    order.insert(order.begin() + place, i);
  }
  return order;
}

Tensor Reordered(const Tensor& rows, const std::vector<int64_t>& order) {
  Tensor result(rows.shape(), rows.dtype());
  for (size_t i = 0; i < order.size(); ++i) {
    result.Slice(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1)
        .CopyFrom(rows.Slice(order[i], order[i] + 1));
  }
  return result;
}

double Largest(const Tensor& x) {
  double largest = 0;
  for (const double value : x.ToVector<double>()) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Weights [T, T] of words in `order`, as they stand in the sentence.
Tensor PutBack(const Tensor& weights, const std::vector<int64_t>& order) {
  Tensor result(weights.shape(), weights.dtype());
  for (size_t t = 0; t < order.size(); ++t) {
    for (size_t s = 0; s < order.size(); ++s) {
      result.row<double>(order[t])[order[s]] =
          weights.row<double>(static_cast<int64_t>(t))[s];
    }
  }
  return result;
}

Equivariance Compare(const std::string& positions, const AttentionSpec& spec,
                     int64_t words, uint64_t seed) {
  Rng rng(seed);
  const Tensor x = Normal({words, spec.query}, rng, DType::kF64);
  const Tensor places = positions == "position embeddings"
                            ? Normal(x.shape(), rng, DType::kF64)
                            : Tensor::Zeros(x.shape(), DType::kF64);
  const std::vector<int64_t> order = RandomOrder(words, rng);
  ParameterSet set(seed, DType::kF64, kernels::Precision::kNative);
  const SelfAttention attention(set, spec, {Init::Kind::kNormal, 0.25});

  const auto look = [&](const Tensor& sentence) {
    const Tensor input = Add(sentence, places).value();
    return attention(input.Reshape({1, words, spec.query}),
                     WantWeights::kValues);
  };
  const Attended plain = look(x);
  const Attended other = look(Reordered(x, order));
  const Tensor expected = Reordered(plain.context.value()[0], order);
  const Tensor difference = Sub(other.context.value()[0], expected).value();
  return {positions, Largest(difference) / Largest(expected),
          plain.weights.value()[0][0].Clone(),
          PutBack(other.weights.value()[0][0], order)};
}

template <typename Action>
double Milliseconds(Action&& action) {
  const auto start = Clock::now();
  action();
  return 1e3 * SecondsSince(start);
}

}  // namespace

Saturation MeasureSaturation(int64_t features, bool scaled, uint64_t seed) {
  constexpr int64_t kQueries = 200;
  constexpr int64_t kKeys = 64;
  Rng rng(seed);
  const Tensor q = Normal({kQueries, 1, features}, rng, DType::kF64);
  const Tensor k = Normal({kQueries, kKeys, features}, rng, DType::kF64);
  const double scale =
      scaled ? 1 / std::sqrt(static_cast<double>(features)) : 1;
  const Tensor weights = Softmax(DotScores(q, k, scale)).value();

  Saturation mean = {.features = features};
  for (int64_t i = 0; i < kQueries; ++i) {
    const std::span<const double> a(weights.row<double>(i), kKeys);
    mean.largest += *std::ranges::max_element(a) / kQueries;
    mean.gradient += JacobianNorm(a) / kQueries;
    for (const double weight : a) {
      if (weight > 0) mean.entropy -= weight * std::log(weight) / kQueries;
    }
  }
  return mean;
}

std::vector<Equivariance> MeasureEquivariance(int64_t words, uint64_t seed) {
  AttentionSpec plain;
  plain.heads = 4;
  plain.query = plain.key = 32;
  AttentionSpec causal = plain;
  causal.mask = Causal();
  const auto modified = [&](const char* modifiers) {
    AttentionSpec spec = plain;
    spec.modifiers = ChooseModifiers(modifiers);
    return spec;
  };
  return {Compare("none", plain, words, seed),
          Compare("position embeddings", plain, words, seed),
          Compare("rotary", modified("rotary"), words, seed),
          Compare("alibi", modified("alibi"), words, seed),
          Compare("relative_bias", modified("relative_bias"), words, seed),
          Compare("causal mask", causal, words, seed)};
}

Cost MeasureCost(int64_t length, const CostOptions& o) {
  Rng rng(1);
  const Tensor x = Normal({o.batch, length, o.width}, rng, DType::kF32);
  const Tensor by_time = x.Reshape({length, o.batch, o.width});
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  RecurrentOptions layer;
  layer.inputs = {o.width};
  layer.units = o.width;
  const Recurrent gru(Scope(set, "gru"), layer);
  AttentionSpec spec;
  spec.heads = o.heads;
  spec.query = spec.key = o.width;
  const SelfAttention attention(set, spec, {});
  const auto recur = [&] {
    gru.Forward({}, gru.Project({}, by_time),
                gru.InitialState(o.batch, DType::kF32), {});
  };
  const auto attend = [&] { attention(x, WantWeights::kNo); };

  recur();
  attend();
  std::vector<double> recurrences;
  std::vector<double> attentions;
  constexpr size_t kLeast = 3;
  const auto start = Clock::now();
  while (recurrences.size() < kLeast || SecondsSince(start) < o.seconds) {
    recurrences.push_back(Milliseconds(recur));
    attentions.push_back(Milliseconds(attend));
  }
  const auto n = static_cast<double>(length);
  const double d = o.width;
  return {.length = length,
          .recurrence_ms = Median(recurrences),
          .attention_ms = Median(attentions),
          .recurrence_gflop = 12 * n * d * d * o.batch / 1e9,
          .attention_gflop = (8 * n * d * d + 4 * n * n * d) * o.batch / 1e9};
}

std::optional<double> Crossing(std::span<const Cost> costs) {
  const auto ratio = [](const Cost& cost) {
    return std::log(cost.attention_ms / cost.recurrence_ms);
  };
  for (size_t i = 1; i < costs.size(); ++i) {
    const double before = ratio(costs[i - 1]);
    const double after = ratio(costs[i]);
    if (before > 0 || after < 0) continue;
    const double part = after > before ? before / (before - after) : 0;
    const double first = std::log(static_cast<double>(costs[i - 1].length));
    const double second = std::log(static_cast<double>(costs[i].length));
    return std::exp(first + part * (second - first));
  }
  return std::nullopt;
}

}  // namespace heed
