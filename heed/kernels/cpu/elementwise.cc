#include "heed/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/elementwise.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// y[i] = f(d, x[i]...) over tensors of equal shape.
template <class F, class... In>
Tensor Map(const F& f, const Tensor& x, const In&... more) {
  assert((x.contiguous() && ... && more.contiguous()));
  assert((true && ... && (more.numel() == x.numel())));
  Tensor y(x.shape(), x.dtype());
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(y.numel(), kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
      MapSpan<T>(end - begin, f, y.data<T>() + begin,
                 x.template data<T>() + begin,
                 more.template data<T>() + begin...);
    });
  });
  return y;
}

Tensor MapTanh(const Tensor& x) {
  return Map([](auto d, auto v) HEED_LANES { return Tanh(d, v); }, x);
}
Tensor MapTanhGrad(const Tensor& dy, const Tensor& y) {
  return Map([](auto, auto g, auto v)
                 HEED_LANES { return hn::NegMulAdd(g, hn::Mul(v, v), g); },
             dy, y);
}
Tensor MapSigmoid(const Tensor& x) {
  return Map([](auto d, auto v) HEED_LANES { return Sigmoid(d, v); }, x);
}
Tensor MapSigmoidGrad(const Tensor& dy, const Tensor& y) {
  return Map([](auto, auto g, auto v)
                 HEED_LANES { return hn::Mul(g, hn::NegMulAdd(v, v, v)); },
             dy, y);
}
Tensor MapRelu(const Tensor& x) {
  return Map(
      [](auto d, auto v)
          HEED_LANES { return hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v); },
      x);
}
Tensor MapReluGrad(const Tensor& dy, const Tensor& y) {
  return Map(
      [](auto d, auto g, auto v)
          HEED_LANES { return hn::IfThenZeroElse(hn::Le(v, hn::Zero(d)), g); },
      dy, y);
}
Tensor MapElu(const Tensor& x, double alpha) {
  return Map(
      [alpha](auto d, auto v) HEED_LANES {
        const auto one = hn::Set(d, 1);
        const auto a = hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(alpha));
        return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v,
                              hn::Mul(a, hn::Sub(Exp(d, v), one)));
      },
      x);
}
Tensor MapEluGrad(const Tensor& dy, const Tensor& y, double alpha) {
  return Map(
      [alpha](auto d, auto g, auto v) HEED_LANES {
        const auto a = hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(alpha));
        return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), g,
                              hn::Mul(g, hn::Add(v, a)));
      },
      dy, y);
}
Tensor MapExp(const Tensor& x) {
  return Map([](auto d, auto v) HEED_LANES { return Exp(d, v); }, x);
}
Tensor MapLog(const Tensor& x) {
  return Map([](auto d, auto v) HEED_LANES { return Log(d, v); }, x);
}
Tensor MapDiv(const Tensor& a, const Tensor& b) {
  return Map([](auto, auto u, auto v) HEED_LANES { return hn::Div(u, v); }, a,
             b);
}
Tensor MapAdd(const Tensor& a, const Tensor& b) {
  return Map([](auto, auto u, auto v) HEED_LANES { return hn::Add(u, v); }, a,
             b);
}
Tensor MapSub(const Tensor& a, const Tensor& b) {
  return Map([](auto, auto u, auto v) HEED_LANES { return hn::Sub(u, v); }, a,
             b);
}
Tensor MapMul(const Tensor& a, const Tensor& b) {
  return Map([](auto, auto u, auto v) HEED_LANES { return hn::Mul(u, v); }, a,
             b);
}
Tensor MapScale(const Tensor& x, double s) {
  return Map(
      [s](auto d, auto v) HEED_LANES {
        return hn::Mul(v, hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(s)));
      },
      x);
}
Tensor MapAddScalar(const Tensor& x, double s) {
  return Map(
      [s](auto d, auto v) HEED_LANES {
        return hn::Add(v, hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(s)));
      },
      x);
}

void AddScaled(Tensor& y, const Tensor& x, double scale) {
  assert(y.shape() == x.shape() && y.dtype() == x.dtype());
  const bool dense = y.contiguous() && x.contiguous();
  const int64_t rows = dense ? 1 : y.rows();
  const int64_t cols = dense ? y.numel() : y.cols();
  WithFloat(y, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    const auto add = [&](auto d, auto u, auto v) HEED_LANES {
      return hn::MulAdd(v, hn::Set(d, static_cast<T>(scale)), u);
    };
    if (dense) {
      ParallelFor(cols, kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
        T* out = y.data<T>() + begin;
        MapSpan<T>(end - begin, add, out, out, x.data<T>() + begin);
      });
      return;
    }
    ParallelFor(rows, RowGrain(cols), [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t r = begin; r < end; ++r) {
        MapSpan<T>(cols, add, y.row<T>(r), y.row<T>(r), x.row<T>(r));
      }
    });
  });
}

/// y[r, :] = x[r, :] + row; x may be y.
void AddRowInto(Tensor& y, const Tensor& x, const Tensor& row) {
  assert(row.numel() == x.cols() && row.dtype() == x.dtype());
  const int64_t cols = x.cols();
  ForEachRow(x, x.rows(), cols, [&]<typename T>(T, int64_t r) HEED_LANES {
    const auto add = [](auto, auto u, auto v)
                         HEED_LANES { return hn::Add(u, v); };
    MapSpan<T>(cols, add, y.row<T>(r), x.row<T>(r), row.data<T>());
  });
}

/// Maximum of a and b, NaN if one is NaN.
template <class V>
HWY_INLINE V Greater(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Ge(a, b), hn::IsNaN(a)), a, b);
}

template <typename T>
void MaxoutSpan(int64_t n, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::Vec<decltype(d)> a;
    hn::Vec<decltype(d)> b;
    hn::LoadInterleaved2(d, x + 2 * i, a, b);
    hn::StoreU(Greater(a, b), d, y + i);
  }
  for (; i < n; ++i) {
    const T a = x[2 * i];
    const T b = x[2 * i + 1];
    y[i] = a >= b || a != a ? a : b;
  }
}

template <typename T>
void MaxoutGradSpan(int64_t n, const T* dy, const T* x, T* dx) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::Vec<decltype(d)> a;
    hn::Vec<decltype(d)> b;
    hn::LoadInterleaved2(d, x + 2 * i, a, b);
    const auto g = hn::LoadU(d, dy + i);
    const auto first = hn::Ge(a, b);
    hn::StoreInterleaved2(hn::IfThenElseZero(first, g),
                          hn::IfThenZeroElse(first, g), d, dx + 2 * i);
  }
  for (; i < n; ++i) {
    const bool first = x[2 * i] >= x[2 * i + 1];
    dx[2 * i] = first ? dy[i] : T(0);
    dx[2 * i + 1] = first ? T(0) : dy[i];
  }
}

Tensor MaxoutPairs(const Tensor& x) {
  assert(x.contiguous() && x.cols() % 2 == 0);
  Shape shape = x.shape();
  shape.Set(-1, x.cols() / 2);
  Tensor y(shape, x.dtype());
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(y.numel(), kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
      MaxoutSpan<T>(end - begin, x.data<T>() + 2 * begin, y.data<T>() + begin);
    });
  });
  return y;
}

Tensor MaxoutPairsGrad(const Tensor& dy, const Tensor& x) {
  assert(x.contiguous() && dy.contiguous() && x.numel() == 2 * dy.numel());
  Tensor dx(x.shape(), x.dtype());
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(dy.numel(), kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
      MaxoutGradSpan<T>(end - begin, dy.data<T>() + begin,
                        x.data<T>() + 2 * begin, dx.data<T>() + 2 * begin);
    });
  });
  return dx;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
HWY_EXPORT(MapTanh);
HWY_EXPORT(MapTanhGrad);
HWY_EXPORT(MapSigmoid);
HWY_EXPORT(MapSigmoidGrad);
HWY_EXPORT(MapRelu);
HWY_EXPORT(MapReluGrad);
HWY_EXPORT(MapElu);
HWY_EXPORT(MapEluGrad);
HWY_EXPORT(MapExp);
HWY_EXPORT(MapLog);
HWY_EXPORT(MapDiv);
HWY_EXPORT(MapAdd);
HWY_EXPORT(MapSub);
HWY_EXPORT(MapMul);
HWY_EXPORT(MapScale);
HWY_EXPORT(MapAddScalar);
HWY_EXPORT(AddScaled);
HWY_EXPORT(AddRowInto);
HWY_EXPORT(MaxoutPairs);
HWY_EXPORT(MaxoutPairsGrad);

Tensor Tanh(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(MapTanh)(x); }
Tensor TanhGrad(const Tensor& dy, const Tensor& y) {
  return HWY_DYNAMIC_DISPATCH(MapTanhGrad)(dy, y);
}
Tensor Sigmoid(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(MapSigmoid)(x); }
Tensor SigmoidGrad(const Tensor& dy, const Tensor& y) {
  return HWY_DYNAMIC_DISPATCH(MapSigmoidGrad)(dy, y);
}
Tensor Relu(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(MapRelu)(x); }
Tensor ReluGrad(const Tensor& dy, const Tensor& y) {
  return HWY_DYNAMIC_DISPATCH(MapReluGrad)(dy, y);
}
Tensor Elu(const Tensor& x, double alpha) {
  return HWY_DYNAMIC_DISPATCH(MapElu)(x, alpha);
}
Tensor EluGrad(const Tensor& dy, const Tensor& y, double alpha) {
  return HWY_DYNAMIC_DISPATCH(MapEluGrad)(dy, y, alpha);
}
Tensor Exp(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(MapExp)(x); }
Tensor ExpGrad(const Tensor& dy, const Tensor& y) { return Mul(dy, y); }
Tensor Log(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(MapLog)(x); }
Tensor LogGrad(const Tensor& dy, const Tensor& x) {
  return HWY_DYNAMIC_DISPATCH(MapDiv)(dy, x);
}

Tensor Add(const Tensor& a, const Tensor& b) {
  return HWY_DYNAMIC_DISPATCH(MapAdd)(a, b);
}
Tensor Sub(const Tensor& a, const Tensor& b) {
  return HWY_DYNAMIC_DISPATCH(MapSub)(a, b);
}
Tensor Mul(const Tensor& a, const Tensor& b) {
  return HWY_DYNAMIC_DISPATCH(MapMul)(a, b);
}
Tensor Scale(const Tensor& x, double s) {
  return HWY_DYNAMIC_DISPATCH(MapScale)(x, s);
}
Tensor AddScalar(const Tensor& x, double s) {
  return HWY_DYNAMIC_DISPATCH(MapAddScalar)(x, s);
}
void AddTo(Tensor& y, const Tensor& x, double scale) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(y, x, scale);
}
Tensor AddRow(const Tensor& x, const Tensor& row) {
  assert(x.contiguous());
  Tensor y(x.shape(), x.dtype());
  HWY_DYNAMIC_DISPATCH(AddRowInto)(y, x, row);
  return y;
}
void AddRowTo(Tensor& y, const Tensor& row) {
  HWY_DYNAMIC_DISPATCH(AddRowInto)(y, y, row);
}
Tensor Maxout(const Tensor& x) { return HWY_DYNAMIC_DISPATCH(MaxoutPairs)(x); }
Tensor MaxoutGrad(const Tensor& dy, const Tensor& x) {
  return HWY_DYNAMIC_DISPATCH(MaxoutPairsGrad)(dy, x);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
