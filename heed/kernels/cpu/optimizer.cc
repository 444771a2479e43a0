#include "heed/kernels/optimizer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/optimizer.cc"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Elements per chunk of a loop that streams several arrays.
inline constexpr int64_t kStepChunk = kChunk / 4;

/// Calls span(begin, end) for all elements of a weight, and repacks its forms.
template <class Span>
void ForWeights(const Weight& weight, const Span& span) {
  const Tensor& w = weight.values;
  if (!weight.forms.any()) {
    ParallelFor(w.numel(), kStepChunk, span);
    return;
  }
  // With gradient and two moments, half of an L2 cache.
  constexpr int64_t kRows = kPanelColumns;
  constexpr int64_t kColumns = 512;
  const int64_t across = (w.cols() + kColumns - 1) / kColumns;
  const int64_t down = (w.rows() + kRows - 1) / kRows;
  ParallelForEach(down * across, 1, [&](int64_t i) HWY_ATTR {
    const int64_t row = i / across * kRows;
    const int64_t column = i % across * kColumns;
    const MatrixBlock block{row, std::min(kRows, w.rows() - row), column,
                            std::min(kColumns, w.cols() - column)};
    for (int64_t r = row; r < row + block.rows; ++r) {
      const int64_t begin = r * w.cols() + column;
      span(begin, begin + block.columns);
    }
    PackBlock(w, block, weight.forms);
  });
}

/// Bias correction 1 - beta^step of a moving average that starts at zero.
double Correction(const AdamOptions& o, double beta) {
  return o.bias_correction ? 1 - std::pow(beta, static_cast<double>(o.step))
                           : 1;
}

/// Factors of a step, equal for all elements.
template <typename T>
struct AdamFactors {
  explicit AdamFactors(const AdamOptions& o)
      : scale(static_cast<T>(o.grad_scale)),
        beta1(static_cast<T>(o.beta1)),
        beta2(static_cast<T>(o.beta2)),
        rest1(static_cast<T>(1 - o.beta1)),
        rest2(static_cast<T>(1 - o.beta2)),
        epsilon(static_cast<T>(o.epsilon)),
        rate(static_cast<T>(o.learning_rate / Correction(o, o.beta1))),
        correct2(static_cast<T>(1 / std::sqrt(Correction(o, o.beta2)))),
        decay(static_cast<T>(o.learning_rate * o.weight_decay)) {}
  T scale, beta1, beta2, rest1, rest2, epsilon, rate, correct2, decay;
};

template <typename T>
void AdamSpan(int64_t n, T* w, const T* g, T* m, T* v,
              const AdamFactors<T>& o) {
  ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
    const auto set = [&](T value)
                         HEED_LANES { return hn::Set(lanes.d, value); };
    const auto gi = hn::Mul(set(o.scale), lanes.Load(g + i));
    const auto mi =
        hn::MulAdd(set(o.beta1), lanes.Load(m + i), hn::Mul(set(o.rest1), gi));
    const auto vi = hn::MulAdd(set(o.beta2), lanes.Load(v + i),
                               hn::Mul(set(o.rest2), hn::Mul(gi, gi)));
    const auto root = hn::MulAdd(hn::Sqrt(vi), set(o.correct2), set(o.epsilon));
    const auto wi = lanes.Load(w + i);
    const auto kept = hn::NegMulAdd(set(o.decay), wi, wi);
    lanes.Store(mi, m + i);
    lanes.Store(vi, v + i);
    lanes.Store(hn::NegMulAdd(set(o.rate), hn::Div(mi, root), kept), w + i);
  });
}

void AdamTensor(const Weight& weight, const Tensor& g, Tensor& m, Tensor& v,
                const AdamOptions& options) {
  Tensor& w = weight.values;
  WithFloat(w, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    const AdamFactors<T> factors(options);
    ForWeights(weight, [&](int64_t i, int64_t end) HWY_ATTR {
      AdamSpan<T>(end - i, w.data<T>() + i, g.data<T>() + i, m.data<T>() + i,
                  v.data<T>() + i, factors);
    });
  });
}

struct AdadeltaOptions {
  double rho;
  double eps;
  double lr;
  double grad_scale;
};

template <typename T>
void AdadeltaSpan(int64_t n, T* w, const T* g, T* eg2, T* ed2,
                  const AdadeltaOptions& o) {
  const auto scale = static_cast<T>(o.grad_scale);
  const auto rho = static_cast<T>(o.rho);
  const auto rest = static_cast<T>(1 - o.rho);
  const auto eps = static_cast<T>(o.eps);
  const auto lr = static_cast<T>(o.lr);
  ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
    const auto set = [&](T value)
                         HEED_LANES { return hn::Set(lanes.d, value); };
    const auto decay = [&](auto mean, auto x) HEED_LANES {
      return hn::MulAdd(set(rho), mean, hn::Mul(set(rest), hn::Mul(x, x)));
    };
    const auto gi = hn::Mul(set(scale), lanes.Load(g + i));
    const auto g2 = decay(lanes.Load(eg2 + i), gi);
    const auto d2 = lanes.Load(ed2 + i);
    const auto ratio = hn::Div(hn::Add(d2, set(eps)), hn::Add(g2, set(eps)));
    const auto delta = hn::Mul(hn::Sqrt(ratio), gi);
    lanes.Store(g2, eg2 + i);
    lanes.Store(decay(d2, delta), ed2 + i);
    lanes.Store(hn::NegMulAdd(set(lr), delta, lanes.Load(w + i)), w + i);
  });
}

void AdadeltaTensor(const Weight& weight, const Tensor& g, Tensor& eg2,
                    Tensor& ed2, double rho, double eps, double lr,
                    double grad_scale) {
  const AdadeltaOptions options{rho, eps, lr, grad_scale};
  Tensor& w = weight.values;
  WithFloat(w, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ForWeights(weight, [&](int64_t i, int64_t end) HWY_ATTR {
      AdadeltaSpan<T>(end - i, w.data<T>() + i, g.data<T>() + i,
                      eg2.data<T>() + i, ed2.data<T>() + i, options);
    });
  });
}

template <typename T>
void RmspropSpan(int64_t count, T* w, const T* g, T* n, T* m, T* delta,
                 const RmspropOptions& o) {
  const auto scale = static_cast<T>(o.grad_scale);
  const auto rho = static_cast<T>(o.rho);
  const auto rest = static_cast<T>(1 - o.rho);
  const auto momentum = static_cast<T>(o.momentum);
  const auto epsilon = static_cast<T>(o.epsilon);
  const auto rate = static_cast<T>(o.learning_rate);
  ForLanes<T>(count, [&](auto lanes, int64_t i) HEED_LANES {
    const auto set = [&](T value)
                         HEED_LANES { return hn::Set(lanes.d, value); };
    const auto gi = hn::Mul(set(scale), lanes.Load(g + i));
    const auto ni = hn::MulAdd(set(rho), lanes.Load(n + i),
                               hn::Mul(set(rest), hn::Mul(gi, gi)));
    const auto mi =
        hn::MulAdd(set(rho), lanes.Load(m + i), hn::Mul(set(rest), gi));
    const auto variance = hn::Max(hn::NegMulAdd(mi, mi, ni), hn::Zero(lanes.d));
    const auto root = hn::Sqrt(hn::Add(variance, set(epsilon)));
    const auto moved = hn::Div(hn::Mul(set(rate), gi), root);
    const auto di =
        hn::Sub(hn::Mul(set(momentum), lanes.Load(delta + i)), moved);
    lanes.Store(ni, n + i);
    lanes.Store(mi, m + i);
    lanes.Store(di, delta + i);
    lanes.Store(hn::Add(lanes.Load(w + i), di), w + i);
  });
}

void RmspropTensor(const Weight& weight, const Tensor& g, Tensor& n, Tensor& m,
                   Tensor& d, const RmspropOptions& options) {
  Tensor& w = weight.values;
  WithFloat(w, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ForWeights(weight, [&](int64_t i, int64_t end) HWY_ATTR {
      RmspropSpan<T>(end - i, w.data<T>() + i, g.data<T>() + i, n.data<T>() + i,
                     m.data<T>() + i, d.data<T>() + i, options);
    });
  });
}

void ClampTensor(Tensor& x, double limit) {
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(
        x.numel(), kStepChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
          T* p = x.data<T>() + begin;
          ForLanes<T>(end - begin, [&](auto lanes, int64_t i) HEED_LANES {
            const auto high = hn::Set(lanes.d, static_cast<T>(limit));
            const auto v = hn::Min(lanes.Load(p + i), high);
            lanes.Store(hn::Max(v, hn::Neg(high)), p + i);
          });
        });
  });
}

void SgdTensor(const Weight& weight, const Tensor& g, Tensor& v, double lr,
               double momentum, double grad_scale) {
  Tensor& w = weight.values;
  WithFloat(w, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ForWeights(weight, [&](int64_t begin, int64_t end) HWY_ATTR {
      T* wp = w.data<T>() + begin;
      const T* gp = g.data<T>() + begin;
      T* vp = v.data<T>() + begin;
      ForLanes<T>(end - begin, [&](auto lanes, int64_t i) HEED_LANES {
        const auto set = [&](double value) HEED_LANES {
          return hn::Set(lanes.d, static_cast<T>(value));
        };
        const auto vi =
            hn::MulAdd(set(momentum), lanes.Load(vp + i),
                       hn::Mul(set(grad_scale), lanes.Load(gp + i)));
        lanes.Store(vi, vp + i);
        lanes.Store(hn::NegMulAdd(set(lr), vi, lanes.Load(wp + i)), wp + i);
      });
    });
  });
}

void AverageTensor(Tensor& mean, const Tensor& w, double share) {
  WithFloat(w, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(
        w.numel(), kStepChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
          T* mp = mean.data<T>() + begin;
          const T* wp = w.data<T>() + begin;
          ForLanes<T>(end - begin, [&](auto lanes, int64_t i) HEED_LANES {
            const auto s = hn::Set(lanes.d, static_cast<T>(share));
            const auto m = lanes.Load(mp + i);
            const auto away = hn::Sub(lanes.Load(wp + i), m);
            lanes.Store(hn::MulAdd(s, away, m), mp + i);
          });
        });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(AdamTensor);
HWY_EXPORT(AdadeltaTensor);
HWY_EXPORT(SgdTensor);
HWY_EXPORT(AverageTensor);
HWY_EXPORT(RmspropTensor);
HWY_EXPORT(ClampTensor);

[[maybe_unused]] bool Fit(const Tensor& w, const Tensor& x) {
  return x.contiguous() && x.numel() == w.numel() && x.dtype() == w.dtype();
}

}  // namespace

void AdamStep(const Weight& w, const Tensor& g, Tensor& m, Tensor& v,
              const AdamOptions& options) {
  assert(Fit(w.values, w.values) && Fit(w.values, g) && Fit(w.values, m) &&
         Fit(w.values, v));
  HWY_DYNAMIC_DISPATCH(AdamTensor)(w, g, m, v, options);
}

void AdadeltaStep(const Weight& w, const Tensor& g, Tensor& eg2, Tensor& ed2,
                  double rho, double eps, double lr, double grad_scale) {
  assert(Fit(w.values, w.values) && Fit(w.values, g) && Fit(w.values, eg2) &&
         Fit(w.values, ed2));
  HWY_DYNAMIC_DISPATCH(AdadeltaTensor)
  (w, g, eg2, ed2, rho, eps, lr, grad_scale);
}

void RmspropStep(const Weight& w, const Tensor& g, Tensor& n, Tensor& m,
                 Tensor& d, const RmspropOptions& options) {
  assert(Fit(w.values, w.values) && Fit(w.values, g) && Fit(w.values, n) &&
         Fit(w.values, m) && Fit(w.values, d));
  HWY_DYNAMIC_DISPATCH(RmspropTensor)(w, g, n, m, d, options);
}

void ClampStep(Tensor& x, double limit) {
  assert(Fit(x, x));
  HWY_DYNAMIC_DISPATCH(ClampTensor)(x, limit);
}

void SgdStep(const Weight& w, const Tensor& g, Tensor& v, double lr,
             double momentum, double grad_scale) {
  assert(Fit(w.values, w.values) && Fit(w.values, g) && Fit(w.values, v));
  HWY_DYNAMIC_DISPATCH(SgdTensor)(w, g, v, lr, momentum, grad_scale);
}

void AverageStep(Tensor& mean, const Tensor& w, double share) {
  assert(Fit(w, w) && Fit(w, mean));
  HWY_DYNAMIC_DISPATCH(AverageTensor)(mean, w, share);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
