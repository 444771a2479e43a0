#include "heed/kernels/crf.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/crf.cc"
#include <hwy/foreach_target.h>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Number of batch rows that share partial sums of gradients.
constexpr int64_t kRowsPerChunk = 4;

/// to[j] = log Σ_i exp(from[i] + transitions[i, j]).
template <typename T>
void LogSumInto(int64_t c_size, const T* from, const T* transitions, T* to) {
  ForLanes<T>(c_size, [&](auto lanes, int64_t j) HEED_LANES {
    const auto score = [&](int64_t i) HEED_LANES {
      return hn::Add(hn::Set(lanes.d, from[i]),
                     lanes.Load(transitions + i * c_size + j));
    };
    auto max = score(0);
    for (int64_t i = 1; i < c_size; ++i) max = hn::Max(max, score(i));
    auto sum = hn::Zero(lanes.d);
    for (int64_t i = 0; i < c_size; ++i) {
      sum = hn::Add(sum, Exp(lanes.d, hn::Sub(score(i), max)));
    }
    lanes.Store(hn::Add(max, Log(lanes.d, sum)), to + j);
  });
}

/// Subtracts the maximum from x; returns it.
template <typename T>
T Rebase(int64_t n, T* x) {
  const T max = MaxSpan(n, x);
  MapSpan<T>(
      n, [=](auto d, auto v) HEED_LANES { return hn::Sub(v, hn::Set(d, max)); },
      x, x);
  return max;
}

template <typename T>
void AddSpan(int64_t n, const T* a, const T* b, T* y) {
  MapSpan<T>(
      n, [](auto, auto u, auto v) HEED_LANES { return hn::Add(u, v); }, y, a,
      b);
}

/// p = softmax of x; returns log Σ exp x.
template <typename T>
double SoftmaxInto(int64_t n, const T* x, T* p) {
  const T max = MaxSpan(n, x);
  MapSpan<T>(
      n,
      [=](auto d, auto v)
          HEED_LANES { return Exp(d, hn::Sub(v, hn::Set(d, max))); },
      p, x);
  const T sum = SumSpan<T>(
      n, [](auto, auto v) HEED_LANES { return v; }, p);
  MapSpan<T>(
      n, [=](auto d, auto v) HEED_LANES { return hn::Div(v, hn::Set(d, sum)); },
      p, p);
  return static_cast<double>(max) + std::log(static_cast<double>(sum));
}

/// Raw pointers to the tensors of a chain.
template <typename T>
struct Chain {
  explicit Chain(const CrfScores& x)
      : emissions(x.emissions.data<T>()),
        transitions(x.transitions.data<T>()),
        start(x.start.data<T>()),
        end(x.end.data<T>()) {}
  const T* emissions;
  const T* transitions;
  const T* start;
  const T* end;
};

/// Intermediate sums of a row: `alpha` [T, C] is log Σ over paths to tag j of
/// exp(score), relative to the maxima subtracted by Rebase; `log_sum` [T, C]
/// excludes the emission.
template <typename T>
struct Lattice {
  Lattice(int64_t t_size, int64_t c_size)
      : alpha(static_cast<size_t>(t_size * c_size)),
        log_sum(alpha.size()),
        last(static_cast<size_t>(c_size)),
        p(last.size()) {}
  std::vector<T> alpha;
  std::vector<T> log_sum;
  std::vector<T> last;
  std::vector<T> p;
};

/// Returns log Σ over all paths of exp(score); sets `lattice.p` to p(y_n = j).
template <typename T>
double ForwardRow(const Chain<T>& x, const T* emissions, int64_t n,
                  int64_t c_size, Lattice<T>& lattice) {
  T* alpha = lattice.alpha.data();
  T* log_sum = lattice.log_sum.data();
  AddSpan(c_size, x.start, emissions, alpha);
  double shift = static_cast<double>(Rebase(c_size, alpha));
  for (int64_t t = 1; t < n; ++t) {
    T* sums = log_sum + t * c_size;
    LogSumInto(c_size, alpha + (t - 1) * c_size, x.transitions, sums);
    AddSpan(c_size, sums, emissions + t * c_size, alpha + t * c_size);
    shift += static_cast<double>(Rebase(c_size, alpha + t * c_size));
  }
  T* last = lattice.last.data();
  AddSpan(c_size, alpha + (n - 1) * c_size, x.end, last);
  return shift + SoftmaxInto(c_size, last, lattice.p.data());
}

/// Destinations of the gradients of a row: emissions [T, C] are set, others
/// added to.
template <typename T>
struct RowGradient {
  T* emissions;
  T* transitions;
  T* start;
  T* end;
};

/// Gradient of LogSumInto: before[i] = Σ_j p(i, j) with p(i, j) = after[j] p(i
/// | j), the probability of the pair, which is also added to `pairs`.
template <typename T>
void BackwardStep(int64_t c_size, const T* from, const T* transitions,
                  const T* log_sum, const T* after, T* before, T* pairs) {
  for (int64_t i = 0; i < c_size; ++i) {
    const T* row = transitions + i * c_size;
    T* pair_row = pairs + i * c_size;
    WideVector<T> total;
    const auto f = hn::Set(hn::ScalableTag<T>(), from[i]);
    ForParts<T>(c_size, [&](auto lanes, int64_t j) HEED_LANES {
      const auto log_p =
          hn::Sub(hn::Add(f, lanes.Load(row + j)), lanes.Load(log_sum + j));
      // Lanes beyond the end have after = 0.
      const auto p = hn::Mul(lanes.Load(after + j), Exp(lanes.d, log_p));
      lanes.Store(hn::Add(lanes.Load(pair_row + j), p), pair_row + j);
      total[lanes.kPart] = hn::Add(total[lanes.kPart], p);
    });
    before[i] = total.Sum();
  }
}

/// Backward pass of a row, after ForwardRow.
template <typename T>
void BackwardRow(const Chain<T>& x, int64_t n, int64_t c_size,
                 Lattice<T>& lattice, const RowGradient<T>& g) {
  std::copy_n(lattice.p.data(), c_size, g.emissions + (n - 1) * c_size);
  AddSpan(c_size, g.end, lattice.p.data(), g.end);
  for (int64_t t = n - 1; t > 0; --t) {
    BackwardStep(c_size, lattice.alpha.data() + (t - 1) * c_size, x.transitions,
                 lattice.log_sum.data() + t * c_size, g.emissions + t * c_size,
                 g.emissions + (t - 1) * c_size, g.transitions);
  }
  AddSpan(c_size, g.start, g.emissions, g.start);
}

/// Score of the given tags; subtracts their counts from the gradient, if there
/// is one.
template <typename T>
double TagsRow(const Chain<T>& x, const T* emissions, const int32_t* tags,
               int64_t n, int64_t c_size, const RowGradient<T>* g) {
  double score = static_cast<double>(x.start[tags[0]]) +
                 static_cast<double>(x.end[tags[n - 1]]);
  for (int64_t t = 0; t < n; ++t) {
    score += static_cast<double>(emissions[t * c_size + tags[t]]);
    if (g != nullptr) g->emissions[t * c_size + tags[t]] -= 1;
    if (t == 0) continue;
    const int64_t pair = tags[t - 1] * c_size + tags[t];
    score += static_cast<double>(x.transitions[pair]);
    if (g != nullptr) g->transitions[pair] -= 1;
  }
  if (g != nullptr) {
    g->start[tags[0]] -= 1;
    g->end[tags[n - 1]] -= 1;
  }
  return score;
}

/// Arguments shared by the rows of a call.
struct LossJob {
  const CrfScores& x;
  const Tensor& tags;  // undefined: none
  const Tensor& lengths;
  const Tensor& weights;  // of rows in the gradient; undefined: 1
  CrfScores* gradient;    // null: none
  Tensor sums;  // [chunks, C + 2, C]: gradients of transitions, start, end
};

template <typename T>
double LossRow(LossJob& job, int64_t b, Lattice<T>& lattice) {
  const Chain<T> x(job.x);
  const int64_t t_size = job.x.emissions.dim(1);
  const int64_t c_size = job.x.emissions.dim(2);
  const int64_t n = job.lengths.data<int32_t>()[b];
  if (n == 0) return 0;
  const T* emissions = x.emissions + b * t_size * c_size;
  double loss = ForwardRow(x, emissions, n, c_size, lattice);
  RowGradient<T> g{};
  if (job.gradient != nullptr) {
    T* sums = job.sums.data<T>() + b / kRowsPerChunk * (c_size + 2) * c_size;
    g = {job.gradient->emissions.data<T>() + b * t_size * c_size, sums,
         sums + c_size * c_size, sums + (c_size + 1) * c_size};
    if (job.weights.defined()) {
      // The remaining gradient is linear in these probabilities.
      const T weight = job.weights.data<T>()[b];
      for (T& p : lattice.p) p *= weight;
    }
    BackwardRow(x, n, c_size, lattice, g);
  }
  if (job.tags.defined()) {
    loss -= TagsRow(x, emissions, job.tags.data<int32_t>() + b * t_size, n,
                    c_size, job.gradient != nullptr ? &g : nullptr);
  }
  return loss;
}

/// Sums the gradients of chunks in order.
template <typename T>
void FinishGradient(const Tensor& sums, CrfScores& gradient) {
  const int64_t c_size = gradient.start.numel();
  Tensor total = Tensor::Zeros({c_size + 2, c_size}, sums.dtype());
  for (int64_t chunk = 0; chunk < sums.dim(0); ++chunk) {
    AddSpan(total.numel(), total.data<T>(), sums[chunk].data<T>(),
            total.data<T>());
  }
  gradient.transitions = total.Slice(0, c_size);
  gradient.start = total[c_size];
  gradient.end = total[c_size + 1];
}

/// Loss of each row: log Σ_y exp(score of y) minus the score of the tags.
std::vector<double> Losses(const CrfScores& x, const Tensor& tags,
                           const Tensor& lengths, const Tensor& weights,
                           CrfScores* gradient) {
  LossJob job{x, tags, lengths, weights, gradient, {}};
  const Tensor& emissions = x.emissions;
  const int64_t b_size = emissions.dim(0);
  const int64_t t_size = emissions.dim(1);
  const int64_t c_size = emissions.dim(2);
  const DType dtype = emissions.dtype();
  const int64_t chunks = (b_size + kRowsPerChunk - 1) / kRowsPerChunk;
  if (gradient != nullptr) {
    gradient->emissions = Tensor::Zeros(emissions.shape(), dtype);
    gradient->start = Tensor(x.start.shape(), dtype);
    job.sums = Tensor::Zeros({chunks, c_size + 2, c_size}, dtype);
  }
  std::vector<double> losses(static_cast<size_t>(b_size));
  WithFloat(emissions, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(b_size, kRowsPerChunk,
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  Lattice<T> lattice(t_size, c_size);
                  for (int64_t b = begin; b < end; ++b) {
                    At(losses, b) = LossRow(job, b, lattice);
                  }
                });
    if (gradient != nullptr) FinishGradient<T>(job.sums, *gradient);
  });
  return losses;
}

/// to[j] = max_i from[i] + transitions[i, j]; best[j] = the maximising i.
template <typename T>
void MaxInto(int64_t c_size, const T* from, const T* transitions, T* to,
             T* best) {
  ForLanes<T>(c_size, [&](auto lanes, int64_t j) HEED_LANES {
    auto max = hn::Add(hn::Set(lanes.d, from[0]), lanes.Load(transitions + j));
    auto index = hn::Zero(lanes.d);
    for (int64_t i = 1; i < c_size; ++i) {
      const auto score = hn::Add(hn::Set(lanes.d, from[i]),
                                 lanes.Load(transitions + i * c_size + j));
      const auto greater = hn::Gt(score, max);
      max = hn::IfThenElse(greater, score, max);
      index =
          hn::IfThenElse(greater, hn::Set(lanes.d, static_cast<T>(i)), index);
    }
    lanes.Store(max, to + j);
    lanes.Store(index, best + j);
  });
}

template <typename T>
void BestPathRow(const Chain<T>& x, const T* emissions, int64_t n,
                 int64_t c_size, int32_t* tags) {
  std::vector<T> best(static_cast<size_t>(n * c_size));
  std::vector<T> score(static_cast<size_t>(c_size));
  std::vector<T> next(score.size());
  AddSpan(c_size, x.start, emissions, score.data());
  for (int64_t t = 1; t < n; ++t) {
    MaxInto(c_size, score.data(), x.transitions, next.data(),
            best.data() + t * c_size);
    AddSpan(c_size, next.data(), emissions + t * c_size, score.data());
    Rebase(c_size, score.data());
  }
  AddSpan(c_size, score.data(), x.end, score.data());
  int64_t tag = std::max_element(score.begin(), score.end()) - score.begin();
  for (int64_t t = n - 1; t >= 0; --t) {
    tags[t] = static_cast<int32_t>(tag);
    tag = static_cast<int64_t>(At(best, t * c_size + tag));
  }
}

void BestPaths(const CrfScores& x, const Tensor& lengths, Tensor& tags) {
  const int64_t t_size = x.emissions.dim(1);
  const int64_t c_size = x.emissions.dim(2);
  WithFloat(x.emissions, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    const Chain<T> chain(x);
    ParallelFor(x.emissions.dim(0), kRowsPerChunk,
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t b = begin; b < end; ++b) {
                    const int64_t n = lengths.data<int32_t>()[b];
                    if (n == 0) continue;
                    BestPathRow(chain, chain.emissions + b * t_size * c_size, n,
                                c_size, tags.row<int32_t>(b));
                  }
                });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(Losses);
HWY_EXPORT(BestPaths);

double CrfLoss(const CrfScores& x, const Tensor& tags, const Tensor& lengths,
               CrfScores* gradient) {
  const std::vector<double> losses =
      HWY_DYNAMIC_DISPATCH(Losses)(x, tags, lengths, {}, gradient);
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

Tensor CrfLogPartition(const CrfScores& x, const Tensor& lengths) {
  const std::vector<double> rows =
      HWY_DYNAMIC_DISPATCH(Losses)(x, {}, lengths, {}, nullptr);
  return Tensor::Of(rows, {std::ssize(rows)}).To(x.emissions.dtype());
}

CrfScores CrfLogPartitionGradient(const CrfScores& x, const Tensor& lengths,
                                  const Tensor& dy) {
  CrfScores gradient;
  HWY_DYNAMIC_DISPATCH(Losses)(x, {}, lengths, dy, &gradient);
  return gradient;
}

Tensor CrfBestPaths(const CrfScores& x, const Tensor& lengths) {
  Tensor tags =
      Tensor::Zeros({x.emissions.dim(0), x.emissions.dim(1)}, DType::kI32);
  HWY_DYNAMIC_DISPATCH(BestPaths)(x, lengths, tags);
  return tags;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
