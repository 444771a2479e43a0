#include "heed/kernels/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/activation.cc"
#include <hwy/foreach_target.h>

#include <numbers>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/reduce.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Broadcasts a number to a vector.
template <class D>
HWY_INLINE hn::Vec<D> Constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

struct Identity {
  template <class D, class V>
  static HWY_INLINE V Value(D, V z) {
    return z;
  }
  template <class D, class V>
  static HWY_INLINE V Slope(D d, V) {
    return Constant(d, 1);
  }
};

struct Rectifier {
  template <class D, class V>
  static HWY_INLINE V Value(D d, V z) {
    return hn::IfThenZeroElse(hn::Lt(z, hn::Zero(d)), z);
  }
  template <class D, class V>
  static HWY_INLINE V Slope(D d, V z) {
    return hn::IfThenZeroElse(hn::Le(z, hn::Zero(d)), Constant(d, 1));
  }
};

struct Gelu {
  template <class D, class V>
  static HWY_INLINE V Value(D d, V z) {
    V density;
    const V size = hn::Abs(z);
    const V tail = NormalTail(d, size, density);
    return hn::NegMulAdd(size, tail, Rectifier::Value(d, z));
  }
  template <class D, class V>
  static HWY_INLINE V Slope(D d, V z) {
    V density;
    const V tail = NormalTail(d, hn::Abs(z), density);
    const V phi = hn::IfThenElse(hn::Lt(z, hn::Zero(d)), tail,
                                 hn::Sub(Constant(d, 1), tail));
    constexpr double kScale =
        std::numbers::inv_sqrtpi / std::numbers::sqrt2;  // 1 / sqrt(2 pi)
    return hn::MulAdd(hn::Mul(z, Constant(d, kScale)), density, phi);
  }
};

struct GeluTanh {
  // (1 + tanh(u)) / 2 = sigmoid(2 u).
  static constexpr double kScale =
      2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  static constexpr double kCubic = 0.044715;

  template <class D, class V>
  static HWY_INLINE V Inner(D d, V z) {
    return hn::Mul(z, hn::MulAdd(hn::Mul(z, z), Constant(d, kScale * kCubic),
                                 Constant(d, kScale)));
  }
  template <class D, class V>
  static HWY_INLINE V Value(D d, V z) {
    return hn::Mul(z, Sigmoid(d, Inner(d, z)));
  }
  template <class D, class V>
  static HWY_INLINE V Slope(D d, V z) {
    // Beyond this limit the gate is 0 or 1, and z^2 could overflow.
    const V limit = Constant(d, 20);
    z = ClampBelow(ClampAbove(z, limit), hn::Neg(limit));
    V rise;
    const V gate = SigmoidWithSlope(d, Inner(d, z), rise);
    const V inner = hn::MulAdd(hn::Mul(z, z), Constant(d, 3 * kScale * kCubic),
                               Constant(d, kScale));
    return hn::MulAdd(hn::Mul(z, rise), inner, gate);
  }
};

struct Swish {
  template <class D, class V>
  static HWY_INLINE V Value(D d, V z) {
    return hn::Mul(z, Sigmoid(d, z));
  }
  template <class D, class V>
  static HWY_INLINE V Slope(D d, V z) {
    V rise;
    const V gate = SigmoidWithSlope(d, z, rise);
    return hn::MulAdd(z, rise, gate);
  }
};

/// Calls body with the functions of an activation and a zero of the type of x.
template <class Body>
HWY_INLINE void WithActivation(Activation f, const Tensor& x,
                               const Body& body) {
  WithFloat(x, [&](auto zero) HWY_ATTR {
    switch (f) {
      case Activation::kNone:
        return body(Identity{}, zero);
      case Activation::kRelu:
        return body(Rectifier{}, zero);
      case Activation::kGelu:
        return body(Gelu{}, zero);
      case Activation::kGeluTanh:
        return body(GeluTanh{}, zero);
      case Activation::kSwish:
        return body(Swish{}, zero);
    }
  });
}

void ActivateRows(Tensor& z, const Tensor& bias, Activation f, Tensor& y) {
  const int64_t n = z.cols();
  WithActivation(f, z, [&](auto function, auto zero) HWY_ATTR {
    using F = decltype(function);
    using T = decltype(zero);
    const T* add = bias.defined() ? bias.data<T>() : nullptr;
    ParallelFor(z.rows(), RowGrain(n),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t r = begin; r < end; ++r) {
                    T* from = z.row<T>(r);
                    T* to = y.row<T>(r);
                    ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
                      auto v = lanes.Load(from + i);
                      if (add != nullptr) {
                        v = hn::Add(v, lanes.Load(add + i));
                        lanes.Store(v, from + i);
                      }
                      lanes.Store(F::Value(lanes.d, v), to + i);
                    });
                  }
                });
  });
}

/// Computes dz of one row and adds it to `sums` unless that is null.
template <class F, typename T, typename Z>
void ActivateRowGrad(int64_t n, const T* dy, const Z* z, T scale, T* dz,
                     T* sums) {
  ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
    const auto slope = F::Slope(lanes.d, lanes.Load(z + i));
    const auto scaled = hn::Mul(lanes.Load(dy + i), hn::Set(lanes.d, scale));
    const auto g = hn::Mul(scaled, slope);
    lanes.Store(g, dz + i);
    if (sums != nullptr) {
      lanes.Store(hn::Add(g, lanes.Load(sums + i)), sums + i);
    }
  });
}

/// Returns the sums of the rows of dz by chunk, [chunks, C], if `summed`.
Tensor ActivateRowsGrad(const Tensor& dy, const Tensor& z, Activation f,
                        double scale, Tensor& dz, bool summed) {
  const int64_t n = z.cols();
  const int64_t grain = RowGrain(n);
  Tensor parts;
  if (summed)
    parts = Tensor::Zeros({(z.rows() + grain - 1) / grain, n}, z.dtype());
  WithActivation(f, z, [&](auto function, auto zero) HWY_ATTR {
    using F = decltype(function);
    using T = decltype(zero);
    ParallelFor(z.rows(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      T* sums = summed ? parts.row<T>(begin / grain) : nullptr;
      for (int64_t r = begin; r < end; ++r) {
        ActivateRowGrad<F>(n, dy.row<T>(r), z.row<T>(r), static_cast<T>(scale),
                           dz.row<T>(r), sums);
      }
    });
  });
  return parts;
}

void ActivatePartGrad(Tensor& dz, const Tensor& z, Activation f, double scale,
                      Tensor* dbias) {
  WithActivation(f, dz, [&](auto function, auto zero) HWY_ATTR {
    using F = decltype(function);
    using T = decltype(zero);
    T* sums = dbias != nullptr ? dbias->data<T>() : nullptr;
    const auto rows = [&]<typename Z>(Z) HWY_ATTR {
      for (int64_t r = 0; r < dz.rows(); ++r) {
        T* row = dz.row<T>(r);
        ActivateRowGrad<F>(dz.cols(), row, z.row<Z>(r), static_cast<T>(scale),
                           row, sums);
      }
    };
    if (z.dtype() == dz.dtype()) {
      rows(zero);
    } else if constexpr (sizeof(T) == sizeof(float)) {
      rows(bfloat16());
    }
  });
}

void GatedRows(const Tensor& x, Activation f, Tensor& y) {
  const int64_t n = y.cols();
  WithActivation(f, x, [&](auto function, auto zero) HWY_ATTR {
    using F = decltype(function);
    using T = decltype(zero);
    const auto gate = [](auto d, auto a, auto b)
                          HEED_LANES { return hn::Mul(F::Value(d, a), b); };
    ParallelFor(x.rows(), RowGrain(2 * n),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t r = begin; r < end; ++r) {
                    const T* row = x.row<T>(r);
                    MapSpan<T>(n, gate, y.row<T>(r), row, row + n);
                  }
                });
  });
}

void GatedRowsGrad(const Tensor& dy, const Tensor& x, Activation f,
                   Tensor& dx) {
  const int64_t n = dy.cols();
  WithActivation(f, x, [&](auto function, auto zero) HWY_ATTR {
    using F = decltype(function);
    using T = decltype(zero);
    ParallelFor(x.rows(), RowGrain(2 * n),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t r = begin; r < end; ++r) {
                    const T* row = x.row<T>(r);
                    const T* grad = dy.row<T>(r);
                    T* to = dx.row<T>(r);
                    ForLanes<T>(n, [&](auto lanes, int64_t i) HEED_LANES {
                      const auto a = lanes.Load(row + i);
                      const auto g = lanes.Load(grad + i);
                      const auto gb = hn::Mul(g, lanes.Load(row + n + i));
                      lanes.Store(hn::Mul(gb, F::Slope(lanes.d, a)), to + i);
                      lanes.Store(hn::Mul(g, F::Value(lanes.d, a)), to + n + i);
                    });
                  }
                });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(ActivateRows);
HWY_EXPORT(ActivateRowsGrad);
HWY_EXPORT(ActivatePartGrad);
HWY_EXPORT(GatedRows);
HWY_EXPORT(GatedRowsGrad);

}  // namespace

void Activate(Tensor& z, const Tensor& bias, Activation f, Tensor& y) {
  assert(z.shape() == y.shape() && (z.contiguous() || z.rank() == 2));
  assert(y.contiguous() || y.rank() == 2);
  assert(!bias.defined() || bias.numel() == z.cols());
  HWY_DYNAMIC_DISPATCH(ActivateRows)(z, bias, f, y);
}

void ActivateGrad(const Tensor& dy, const Tensor& z, Activation f, double scale,
                  Tensor& dz, Tensor* dbias) {
  assert(dy.contiguous() && z.contiguous() && dz.contiguous());
  assert(dy.shape() == z.shape() && dz.shape() == z.shape());
  const Tensor parts = HWY_DYNAMIC_DISPATCH(ActivateRowsGrad)(
      dy, z, f, scale, dz, dbias != nullptr);
  if (dbias != nullptr) ColumnSumTo(*dbias, parts);
}

void ActivateGradPart(Tensor& dz, const Tensor& z, Activation f, double scale,
                      Tensor* dbias) {
  assert(dz.shape() == z.shape());
  assert(z.dtype() == dz.dtype() ||
         (z.dtype() == DType::kBF16 && dz.dtype() == DType::kF32));
  HWY_DYNAMIC_DISPATCH(ActivatePartGrad)(dz, z, f, scale, dbias);
}

Tensor GatedActivate(const Tensor& x, Activation f) {
  assert(x.contiguous() && x.cols() % 2 == 0);
  Shape shape = x.shape();
  shape.Set(-1, x.cols() / 2);
  Tensor y(shape, x.dtype());
  HWY_DYNAMIC_DISPATCH(GatedRows)(x, f, y);
  return y;
}

Tensor GatedActivateGrad(const Tensor& dy, const Tensor& x, Activation f) {
  assert(x.contiguous() && dy.contiguous() && x.numel() == 2 * dy.numel());
  Tensor dx(x.shape(), x.dtype());
  HWY_DYNAMIC_DISPATCH(GatedRowsGrad)(dy, x, f, dx);
  return dx;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
