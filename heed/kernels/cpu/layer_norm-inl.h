// Layer normalisation of one row of f32 or f64.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_LAYER_NORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_LAYER_NORM_INL_H_
#undef HEED_KERNELS_CPU_LAYER_NORM_INL_H_
#else
#define HEED_KERNELS_CPU_LAYER_NORM_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// y = gain (x - mean) inv_std + bias; sets mean and inv_std.
template <typename T>
void LayerNormRow(int64_t n, const T* x, const T* gain, const T* bias,
                  double eps, T* y, T& mean, T& inv_std) {
  const auto self = [](auto, auto v) HEED_LANES { return v; };
  const T mu = SumSpan<T>(n, self, x) / static_cast<T>(n);
  const auto deviation2 = [&](auto d, auto v) HEED_LANES {
    const auto c = hn::Sub(v, hn::Set(d, mu));
    return hn::Mul(c, c);
  };
  const T var = SumSpan<T>(n, deviation2, x) / static_cast<T>(n);
  const T inv = 1 / std::sqrt(var + static_cast<T>(eps));
  const auto map = [&](auto d, auto v, auto g, auto b) HEED_LANES {
    const auto c = hn::Sub(v, hn::Set(d, mu));
    return hn::MulAdd(hn::Mul(c, hn::Set(d, inv)), g, b);
  };
  MapSpan<T>(n, map, y, x, gain, bias);
  mean = mu;
  inv_std = inv;
}

/// Gradient of one row; adds those of gain and bias.
template <typename T>
void LayerNormRowGrad(int64_t n, const T* dy, const T* x, const T* gain, T mean,
                      T inv_std, T* dx, T* dgain_dbias) {
  const auto normal = [&](auto d, auto v) HEED_LANES {
    return hn::Mul(hn::Sub(v, hn::Set(d, mean)), hn::Set(d, inv_std));
  };
  const auto count = static_cast<T>(n);
  const auto product = [](auto, auto g, auto w)
                           HEED_LANES { return hn::Mul(g, w); };
  const T a = SumSpan<T>(n, product, dy, gain) / count;
  const auto projection = [&](auto d, auto g, auto w, auto v) HEED_LANES {
    return hn::Mul(hn::Mul(g, w), normal(d, v));
  };
  const T b = SumSpan<T>(n, projection, dy, gain, x) / count;
  T* dgain = dgain_dbias;
  T* dbias = dgain_dbias + n;
  ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
    const auto d = lanes.d;
    const auto g = lanes.Load(dy + i);
    const auto v = normal(d, lanes.Load(x + i));
    const auto gw = hn::Mul(g, lanes.Load(gain + i));
    const auto rest = hn::Sub(gw, hn::MulAdd(v, hn::Set(d, b), hn::Set(d, a)));
    lanes.Store(hn::Mul(rest, hn::Set(d, inv_std)), dx + i);
    lanes.Store(hn::MulAdd(g, v, lanes.Load(dgain + i)), dgain + i);
    lanes.Store(hn::Add(g, lanes.Load(dbias + i)), dbias + i);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_LAYER_NORM_INL_H_
