#include "heed/explain/tsne.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/rng.h"
#include "heed/base/threads.h"
#include "heed/kernels/tsne.h"

namespace heed {
namespace {

constexpr double kExaggeration = 12;
constexpr int kSearches = 60;  // bisection steps for β

/// Writes exp(−β (d − least)) of the other points to p; returns the entropy in
/// nats.
template <typename T>
double SetRow(const T* d, int64_t n, int64_t i, double min, double beta, T* p) {
  double sum = 0;
  double weighted = 0;
  for (int64_t j = 0; j < n; ++j) {
    const double away = static_cast<double>(d[j]) - min;
    const double value = j == i ? 0 : std::exp(-beta * away);
    p[j] = static_cast<T>(value);
    sum += value;
    weighted += value * away;
  }
  for (int64_t j = 0; j < n; ++j) {
    p[j] = static_cast<T>(static_cast<double>(p[j]) / sum);
  }
  return std::log(sum) + beta * weighted / sum;
}

template <typename T>
void ConditionalRow(const T* d, int64_t n, int64_t i, double entropy, T* p) {
  double min = std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < n; ++j) {
    if (j != i) min = std::min(min, static_cast<double>(d[j]));
  }
  double beta = 1;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kSearches; ++step) {
    const double found = SetRow(d, n, i, min, beta, p);
    if (std::abs(found - entropy) < 1e-7) return;
    (found > entropy ? low : high) = beta;
    beta = std::isinf(high) ? 2 * beta : (low + high) / 2;
  }
}

template <typename T>
Tensor ChancesOf(const Tensor& distances, double perplexity) {
  const int64_t n = distances.dim(0);
  Tensor p = Tensor::Zeros({n, n}, distances.dtype());
  if (n < 2) return p;
  // The perplexity over n − 1 other points is limited to a third of them.
  const double max = std::max(1.0, static_cast<double>(n - 1) / 3);
  const double entropy = std::log(std::min(perplexity, max));
  ParallelForEach(n, 16, [&](int64_t i) {
    ConditionalRow(distances.row<T>(i), n, i, entropy, p.row<T>(i));
  });
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const T mean = (p.row<T>(i)[j] + p.row<T>(j)[i]) / static_cast<T>(2 * n);
      p.row<T>(i)[j] = p.row<T>(j)[i] = mean;
    }
  }
  return p;
}

/// Subtracts the mean from each of the two coordinates.
template <typename T>
void Centre(Tensor& y) {
  const int64_t n = y.dim(1);
  for (int64_t axis = 0; axis < 2; ++axis) {
    T* row = y.row<T>(axis);
    double mean = 0;
    for (int64_t i = 0; i < n; ++i) mean += static_cast<double>(row[i]);
    mean /= static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) row[i] -= static_cast<T>(mean);
  }
}

template <typename T>
Tensor MovedFrom(const Tensor& p, const Tensor& start,
                 const TsneOptions& options) {
  const int64_t n = p.dim(0);
  Tensor y = start.Clone();
  Tensor pull({2, n}, p.dtype());
  Tensor push({2, n}, p.dtype());
  std::vector<double> speed(static_cast<size_t>(2 * n), 0);
  std::vector<double> gain(static_cast<size_t>(2 * n), 1);
  const double rate = std::max(static_cast<double>(n) / kExaggeration, 1.0);
  for (int step = 0; step < options.steps; ++step) {
    if (options.cancellation != nullptr) options.cancellation->Check();
    const double sum = kernels::TsneForces(p, y, pull, push);
    const double more = step < options.exaggerated ? kExaggeration : 1;
    const double momentum = step < options.exaggerated ? 0.5 : 0.8;
    for (size_t i = 0; i < speed.size(); ++i) {
      const double slope =
          4 * (more * static_cast<double>(pull.data<T>()[i]) -
               static_cast<double>(push.data<T>()[i]) / std::max(sum, 1e-12));
      gain[i] = (slope > 0) != (speed[i] > 0) ? gain[i] + 0.2 : gain[i] * 0.8;
      gain[i] = std::max(gain[i], 0.01);
      speed[i] = momentum * speed[i] - rate * gain[i] * slope;
      y.data<T>()[i] += static_cast<T>(speed[i]);
    }
    Centre<T>(y);
  }
  return y;
}

}  // namespace

Tensor TsneChances(const Tensor& distances, double perplexity) {
  return distances.dtype() == DType::kF64
             ? ChancesOf<double>(distances, perplexity)
             : ChancesOf<float>(distances, perplexity);
}

Tensor TsneFrom(const Tensor& p, const Tensor& start,
                const TsneOptions& options) {
  return p.dtype() == DType::kF64 ? MovedFrom<double>(p, start, options)
                                  : MovedFrom<float>(p, start, options);
}

std::vector<std::array<double, 2>> Tsne(const Tensor& x,
                                        const TsneOptions& options) {
  const int64_t n = x.dim(0);
  Tensor start({2, n}, DType::kF64);
  Rng rng(options.seed);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t axis = 0; axis < 2; ++axis) {
      start.row<double>(axis)[i] = 1e-4 * rng.Normal();
    }
  }
  const Tensor p = TsneChances(kernels::SquaredDistances(x.Contiguous()),
                               options.perplexity);
  const std::vector<double> flat =
      TsneFrom(p, start.To(x.dtype()), options).ToVector<double>();
  std::vector<std::array<double, 2>> places(static_cast<size_t>(n));
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = {flat[i], flat[places.size() + i]};
  }
  return places;
}

}  // namespace heed
