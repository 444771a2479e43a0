#include "heed/kernels/normalizers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "heed/base/rng.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/cpu/rows.h"

namespace heed::kernels {
namespace {

template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

Range Block(int64_t i, int64_t size, int64_t end) {
  return {i * size, std::min(end, (i + 1) * size)};
}

int64_t BlockCount(int64_t n, int64_t size) { return (n + size - 1) / size; }

constexpr int64_t kMaskQueries = 16;
constexpr int64_t kMaskKeys = 256;

/// Arguments shared by the blocks of MaskScores.
struct MaskJob {
  const Tensor& e;
  const MaskRule& mask;
  int64_t heads;
  int64_t query_offset;
};

/// Masks a block of queries and keys, for all heads of batch row b.
template <typename T>
void MaskBlock(const MaskJob& job, int64_t b, Range queries, Range keys,
               Tensor& y) {
  const MaskRule::Extent extent = job.mask.Block(
      b, {queries.begin + job.query_offset, queries.end + job.query_offset},
      keys);
  const int64_t t_size = job.e.dim(1);
  uint8_t may[kMaskKeys];
  for (int64_t t = queries.begin; t < queries.end; ++t) {
    if (extent == MaskRule::Extent::kSome) {
      job.mask.Row(b, t + job.query_offset, keys, may);
    }
    for (int64_t n = b * job.heads; n < (b + 1) * job.heads; ++n) {
      const T* from = job.e.row<T>(n * t_size + t) + keys.begin;
      T* to = y.row<T>(n * t_size + t) + keys.begin;
      switch (extent) {
        case MaskRule::Extent::kNone:
          std::fill_n(to, keys.size(), -kInfinity<T>);
          break;
        case MaskRule::Extent::kAll:
          std::copy_n(from, keys.size(), to);
          break;
        case MaskRule::Extent::kSome:
          for (int64_t s = 0; s < keys.size(); ++s) {
            to[s] = may[s] != 0 ? from[s] : -kInfinity<T>;
          }
      }
    }
  }
}

template <typename T>
bool IsBounded(int64_t n, const T* x) {
  bool bounded = true;
  for (int64_t s = 0; s < n; ++s) bounded &= x[s] < kInfinity<T>;
  return bounded;
}

/// True if a row starts with NaN.
bool HasNanRow(const Tensor& x) {
  return WithElement(x, [&]<typename T>(T) {
    for (int64_t r = 0; r < x.rows(); ++r) {
      if (std::isnan(*x.row<T>(r))) return true;
    }
    return false;
  });
}

/// x with +infinity replaced by the largest finite number.
Tensor Bounded(const Tensor& x) {
  Tensor y(x.shape(), x.dtype());
  EachRow(x, [&]<typename T>(T, int64_t r) {
    constexpr T kMax = std::numeric_limits<T>::max();
    std::transform(x.row<T>(r), x.row<T>(r) + x.cols(), y.row<T>(r),
                   [](T v) { return v > kMax ? kMax : v; });
  });
  return y;
}

/// Pops the largest of [begin, *end) from a heap: a partial sort.
template <typename T>
double TakeLargest(T* begin, T** end) {
  std::pop_heap(begin, *end);
  return double{*--*end};
}

/// Threshold tau such that max(u - tau, 0) sums to 1, for u in a heap.
template <typename T>
double SparsemaxThreshold(T* begin, T* end) {
  double sum = 0;
  double tau = -kInfinity<double>;
  double k = 0;
  while (begin != end) {
    const double u = TakeLargest(begin, &end);
    if (u <= tau) break;
    sum += u;
    tau = (sum - 1) / ++k;
  }
  return tau;
}

/// Threshold tau such that max(u - tau, 0)^2 sums to 1, for u in a heap.
template <typename T>
double Entmax15Threshold(T* begin, T* end) {
  double mean = 0;
  double squares = 0;  // sum (u - mean)^2
  double tau = 0;
  double k = 0;
  while (begin != end) {
    const double u = TakeLargest(begin, &end);
    const double difference = u - mean;
    mean += difference / ++k;
    squares += difference * (u - mean);
    const double next = mean - std::sqrt(std::max(0.0, (1 - squares) / k));
    if (next > u) break;
    tau = next;
  }
  return tau;
}

/// a[s] = weight(u[s] - tau) above tau, else 0, with u = scale (x - max) and
/// tau = threshold(heap of the u above -1), which is -1 or more. Zeros for a
/// row of -infinity.
template <typename T, typename Threshold, typename Weight>
void ThresholdRow(int64_t n, const T* x, T scale, const Threshold& threshold,
                  const Weight& weight, T* a) {
  const T max = *std::max_element(x, x + n);
  if (max == -kInfinity<T>) {
    std::fill_n(a, n, T(0));
    return;
  }
  T* end = a;
  for (int64_t s = 0; s < n; ++s) {
    const T u = scale * (x[s] - max);
    if (u > T(-1)) *end++ = u;
  }
  std::make_heap(a, end);
  const double tau = threshold(a, end);
  for (int64_t s = 0; s < n; ++s) {
    const double u = double{scale * (x[s] - max)};
    a[s] = static_cast<T>(weight(std::max(u - tau, 0.0)));
  }
}

/// de[s] = g[s] (da[s] - sum g da / sum g) with g = derivative(a).
template <typename Derivative>
Tensor SimplexGrad(const Tensor& da, const Tensor& a,
                   const Derivative& derivative) {
  Tensor de(a.shape(), a.dtype());
  EachRow(a, [&]<typename T>(T, int64_t r) {
    const T* a_r = a.row<T>(r);
    const T* da_r = da.row<T>(r);
    double sum = 0;
    double product = 0;
    for (int64_t s = 0; s < a.cols(); ++s) {
      const T g = derivative(a_r[s]);
      sum += double{g};
      product += double{g} * double{da_r[s]};
    }
    const T mean = sum > 0 ? static_cast<T>(product / sum) : T(0);
    for (int64_t s = 0; s < a.cols(); ++s) {
      de.row<T>(r)[s] = derivative(a_r[s]) * (da_r[s] - mean);
    }
  });
  return de;
}

template <typename T>
void KeepTopKRow(int64_t n, const T* x, int64_t k, T* y) {
  std::copy_n(x, n, y);
  if (std::any_of(x, x + n, [](T v) { return std::isnan(v); })) return;
  std::nth_element(y, y + k - 1, y + n, std::greater<>());
  const T min = y[k - 1];
  // Keeps only as many elements equal to the k-th as fit.
  int64_t room = k - std::count_if(x, x + n, [=](T v) { return v > min; });
  for (int64_t s = 0; s < n; ++s) {
    const bool kept = x[s] > min || (x[s] == min && room-- > 0);
    y[s] = kept ? x[s] : -kInfinity<T>;
  }
}

/// Index of the maximum, or -1 if all are -infinity.
template <typename T>
int64_t Largest(int64_t n, const T* x) {
  const T* best = std::max_element(x, x + n);
  return *best > -kInfinity<T> ? best - x : -1;
}

/// Samples a column with probabilities p, which sum to `total`; -1 if all are
/// 0.
template <typename T>
int64_t Draw(int64_t n, const T* p, double total, double uniform) {
  int64_t drawn = -1;
  double sum = 0;
  // Rounding may keep the sum below the threshold; the last column is then
  // drawn.
  for (int64_t s = 0; s < n && sum <= uniform * total; ++s) {
    if (!(p[s] > 0)) continue;
    drawn = s;
    sum += double{p[s]};
  }
  return drawn;
}

template <typename T>
double Sum(int64_t n, const T* x) {
  double sum = 0;
  for (int64_t s = 0; s < n; ++s) sum += double{x[s]};
  return sum;
}

/// Sets one row of a one-hot matrix; NaN if `nan`.
template <typename T>
void SetOneHot(int64_t n, int64_t column, bool nan, T* y) {
  std::fill_n(y, n, nan ? std::numeric_limits<T>::quiet_NaN() : T(0));
  if (!nan && column >= 0) y[column] = 1;
}

template <typename T>
double EntropyOf(int64_t n, const T* p) {
  double entropy = 0;
  for (int64_t s = 0; s < n; ++s) {
    if (p[s] != 0) entropy -= double{p[s]} * std::log(double{p[s]});
  }
  return entropy;
}

}  // namespace

Tensor MaskScores(const Tensor& e, const MaskRule& mask, int64_t heads,
                  int64_t query_offset) {
  assert(e.rank() == 3 && e.dim(0) % heads == 0);
  Tensor y(e.shape(), e.dtype());
  const MaskJob job{e, mask, heads, query_offset};
  const int64_t t_blocks = BlockCount(e.dim(1), kMaskQueries);
  const int64_t s_blocks = BlockCount(e.dim(2), kMaskKeys);
  WithElement(e, [&]<typename T>(T) {
    ForRows(e.dim(0) / heads * t_blocks, heads * kMaskQueries * e.dim(2),
            [&](int64_t i) {
              const Range queries = Block(i % t_blocks, kMaskQueries, e.dim(1));
              for (int64_t s = 0; s < s_blocks; ++s) {
                MaskBlock<T>(job, i / t_blocks, queries,
                             Block(s, kMaskKeys, e.dim(2)), y);
              }
            });
  });
  return y;
}

Tensor MaskScoresGrad(const Tensor& dy, const Tensor& y) {
  Tensor de(y.shape(), y.dtype());
  EachRow(y, [&]<typename T>(T, int64_t r) {
    std::transform(y.row<T>(r), y.row<T>(r) + y.cols(), dy.row<T>(r),
                   de.row<T>(r),
                   [](T v, T dv) { return v == -kInfinity<T> ? T(0) : dv; });
  });
  return de;
}

int64_t FirstUnboundedRow(const Tensor& e) {
  std::atomic<int64_t> first{e.rows()};
  EachRow(e, [&]<typename T>(T, int64_t r) {
    if (IsBounded(e.cols(), e.row<T>(r))) return;
    int64_t min = first.load();
    while (r < min && !first.compare_exchange_weak(min, r)) {
    }
  });
  return first < e.rows() ? first.load() : -1;
}

Tensor Softmax(const Tensor& e) {
  Tensor a = RowSoftmax(e);
  // A row with +infinity or NaN gets only NaN weights.
  return HasNanRow(a) ? RowSoftmax(Bounded(e)) : a;
}

Tensor SmoothedSigmoid(const Tensor& e) {
  Tensor a(e.shape(), e.dtype());
  const int64_t n = e.cols();
  EachRow(e, [&]<typename T>(T, int64_t r) {
    const T* x = e.row<T>(r);
    T* y = a.row<T>(r);
    // sigma(e) / exp(shift), with a shift that makes the largest at least 1/2.
    // The shift is finite, so that -infinity - shift is not NaN.
    const T shift = std::clamp(*std::max_element(x, x + n),
                               std::numeric_limits<T>::lowest(), T(0));
    std::transform(x, x + n, y, [=](T v) {
      return std::exp(std::min(v, T(0)) - shift) / (1 + std::exp(-std::abs(v)));
    });
    const double sum = Sum(n, y);
    const T scale = sum == 0 ? T(0) : static_cast<T>(1 / sum);
    std::transform(y, y + n, y, [=](T v) { return v * scale; });
  });
  return a;
}

Tensor SmoothedSigmoidGrad(const Tensor& da, const Tensor& e, const Tensor& a) {
  Tensor de = RowSoftmaxGrad(da, a);
  EachRow(e, [&]<typename T>(T, int64_t r) {
    std::transform(e.row<T>(r), e.row<T>(r) + e.cols(), de.row<T>(r),
                   de.row<T>(r),
                   [](T v, T d) { return d / (1 + std::exp(v)); });
  });
  return de;
}

Tensor Sparsemax(const Tensor& e) {
  Tensor a(e.shape(), e.dtype());
  EachRow(e, [&]<typename T>(T, int64_t r) {
    ThresholdRow(
        e.cols(), e.row<T>(r), T(1), SparsemaxThreshold<T>,
        [](double above) { return above; }, a.row<T>(r));
  });
  return a;
}

Tensor SparsemaxGrad(const Tensor& da, const Tensor& a) {
  return SimplexGrad(da, a, []<typename T>(T p) { return T(p > 0 ? 1 : 0); });
}

Tensor Entmax15(const Tensor& e) {
  Tensor a(e.shape(), e.dtype());
  EachRow(e, [&]<typename T>(T, int64_t r) {
    ThresholdRow(
        e.cols(), e.row<T>(r), T(0.5), Entmax15Threshold<T>,
        [](double above) { return above * above; }, a.row<T>(r));
  });
  return a;
}

Tensor Entmax15Grad(const Tensor& da, const Tensor& a) {
  return SimplexGrad(da, a, [](auto p) { return std::sqrt(p); });
}

Tensor KeepTopK(const Tensor& e, int64_t k) {
  assert(k >= 1);
  if (k >= e.cols()) return e;
  Tensor y(e.shape(), e.dtype());
  EachRow(e, [&]<typename T>(T, int64_t r) {
    KeepTopKRow(e.cols(), e.row<T>(r), k, y.row<T>(r));
  });
  return y;
}

Tensor OneHotOfMaximum(const Tensor& e) {
  Tensor y(e.shape(), e.dtype());
  const int64_t n = e.cols();
  EachRow(e, [&]<typename T>(T, int64_t r) {
    const T* x = e.row<T>(r);
    const bool nan = std::any_of(x, x + n, [](T v) { return std::isnan(v); });
    SetOneHot(n, Largest(n, x), nan, y.row<T>(r));
  });
  return y;
}

Tensor GumbelNoise(const Shape& shape, uint64_t key, DType dtype) {
  constexpr int64_t kGrain = 2048;
  Tensor y(shape, dtype);
  WithElement(y, [&]<typename T>(T) {
    ParallelFor(y.numel(), kGrain, [&](int64_t begin, int64_t end) {
      Rng rng(key, static_cast<uint64_t>(begin));
      for (int64_t i = begin; i < end; ++i) {
        // Midpoints of 2^52 intervals: neither 0 nor 1, and exact in f64.
        const double u =
            (static_cast<double>(rng.Next() >> 12) + 0.5) * 0x1p-52;
        y.data<T>()[i] = static_cast<T>(-std::log(-std::log(u)));
      }
    });
  });
  return y;
}

Tensor SampleOneHot(const Tensor& p, uint64_t key) {
  Tensor y(p.shape(), p.dtype());
  const int64_t n = p.cols();
  EachRow(p, [&]<typename T>(T, int64_t r) {
    const double total = Sum(n, p.row<T>(r));
    const double uniform = Rng(key, static_cast<uint64_t>(r)).Uniform();
    SetOneHot(n, Draw(n, p.row<T>(r), total, uniform), std::isnan(total),
              y.row<T>(r));
  });
  return y;
}

Tensor LogProbability(const Tensor& p, const Tensor& one_hot) {
  Tensor l = Tensor::Zeros(Leading(p.shape()), p.dtype());
  EachRow(p, [&]<typename T>(T, int64_t r) {
    const T* w = one_hot.row<T>(r);
    const T* chosen = std::find_if(w, w + p.cols(), [](T v) { return v != 0; });
    if (chosen == w + p.cols()) return;
    l.data<T>()[r] = static_cast<T>(std::log(double{p.row<T>(r)[chosen - w]}));
  });
  return l;
}

Tensor LogProbabilityGrad(const Tensor& dl, const Tensor& p,
                          const Tensor& one_hot) {
  Tensor de(p.shape(), p.dtype());
  EachRow(p, [&]<typename T>(T, int64_t r) {
    const T d = dl.data<T>()[r];
    std::transform(one_hot.row<T>(r), one_hot.row<T>(r) + p.cols(), p.row<T>(r),
                   de.row<T>(r), [=](T w, T q) { return d * (w - q); });
  });
  return de;
}

Tensor Entropy(const Tensor& p) {
  Tensor h = Tensor::Zeros(Leading(p.shape()), p.dtype());
  EachRow(p, [&]<typename T>(T, int64_t r) {
    h.data<T>()[r] = static_cast<T>(EntropyOf(p.cols(), p.row<T>(r)));
  });
  return h;
}

Tensor EntropyGrad(const Tensor& dh, const Tensor& p) {
  Tensor de(p.shape(), p.dtype());
  EachRow(p, [&]<typename T>(T, int64_t r) {
    const T* p_r = p.row<T>(r);
    const double h = EntropyOf(p.cols(), p_r);
    const double d = double{dh.data<T>()[r]};
    std::transform(p_r, p_r + p.cols(), de.row<T>(r), [=](T q) {
      return q == 0
                 ? T(0)
                 : static_cast<T>(-d * double{q} * (std::log(double{q}) + h));
    });
  });
  return de;
}

}  // namespace heed::kernels
