#include "course/attention_demonstrations.h"

#include <algorithm>
#include <cmath>

#include "course/self_attention.h"
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

/// ‖diag(a) − a aᵀ‖: Frobenius norm of the Jacobian of a softmax.
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

/// Returns a random permutation of `count` indices.
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

/// Returns weights [T, T] of permuted words in the original order.
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
    return attention({}, input.Reshape({1, words, spec.query}),
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

}  // namespace

Saturation MeasureSaturation(int64_t features, bool scaled, uint64_t seed) {
  constexpr int64_t kQueries = 200;
  constexpr int64_t kKeys = 64;
  Rng rng(seed);
  const Tensor q = Normal({kQueries, 1, features}, rng, DType::kF64);
  const double scale =
      scaled ? 1 / std::sqrt(static_cast<double>(features)) : 1;
  Saturation mean = {.features = features};
  for (int64_t i = 0; i < kQueries; ++i) {
    // Each query has its own keys; keys of all queries would need much memory.
    const Tensor k = Normal({1, kKeys, features}, rng, DType::kF64);
    const Tensor weights =
        Softmax(DotScores(q.Slice(i, i + 1), k, scale)).value();
    const std::span<const double> a(weights.row<double>(0), kKeys);
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

}  // namespace heed
