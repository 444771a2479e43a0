#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/normalize.cc"
#include <hwy/foreach_target.h>

#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/layer_norm-inl.h"
#include "heed/kernels/reduce.h"
#include "heed/kernels/rowwise.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void LayerNormRows(const Tensor& x, const Tensor& gain, const Tensor& bias,
                   double eps, Tensor& y, Tensor& mean, Tensor& inv_std) {
  const int64_t n = x.cols();
  ForEachRow(x, x.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    LayerNormRow<T>(n, x.row<T>(r), gain.data<T>(), bias.data<T>(), eps,
                    y.row<T>(r), mean.data<T>()[r], inv_std.data<T>()[r]);
  });
}

/// Returns the gradients of gain and bias by chunk, [chunks, 2 C].
Tensor LayerNormRowsGrad(const Tensor& dy, const Tensor& x, const Tensor& gain,
                         const Tensor& mean, const Tensor& inv_std,
                         Tensor& dx) {
  const int64_t n = x.cols();
  const int64_t grain = RowGrain(n);
  Tensor parts =
      Tensor::Zeros({(x.rows() + grain - 1) / grain, 2 * n}, x.dtype());
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(x.rows(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      T* part = parts.row<T>(begin / grain);
      for (int64_t r = begin; r < end; ++r) {
        LayerNormRowGrad<T>(n, dy.row<T>(r), x.row<T>(r), gain.data<T>(),
                            mean.data<T>()[r], inv_std.data<T>()[r],
                            dx.row<T>(r), part);
      }
    });
  });
  return parts;
}

void UnitRows(const Tensor& x, double eps, Tensor& y, Tensor& inv_norm) {
  const int64_t n = x.cols();
  ForEachRow(x, x.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    const auto square = [](auto, auto v) HEED_LANES { return hn::Mul(v, v); };
    const T sum = SumSpan<T>(n, square, x.row<T>(r));
    const T inv = 1 / std::sqrt(sum + static_cast<T>(eps));
    const auto scale = [&](auto d, auto v)
                           HEED_LANES { return hn::Mul(v, hn::Set(d, inv)); };
    MapSpan<T>(n, scale, y.row<T>(r), x.row<T>(r));
    inv_norm.data<T>()[r] = inv;
  });
}

void UnitRowsGrad(const Tensor& dy, const Tensor& y, const Tensor& inv_norm,
                  Tensor& dx) {
  const int64_t n = y.cols();
  ForEachRow(y, y.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    const auto product = [](auto, auto g, auto v)
                             HEED_LANES { return hn::Mul(g, v); };
    const T dot = SumSpan<T>(n, product, dy.row<T>(r), y.row<T>(r));
    const T inv = inv_norm.data<T>()[r];
    const auto map = [&](auto d, auto g, auto v) HEED_LANES {
      return hn::Mul(hn::NegMulAdd(v, hn::Set(d, dot), g), hn::Set(d, inv));
    };
    MapSpan<T>(n, map, dx.row<T>(r), dy.row<T>(r), y.row<T>(r));
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(LayerNormRows);
HWY_EXPORT(LayerNormRowsGrad);
HWY_EXPORT(UnitRows);
HWY_EXPORT(UnitRowsGrad);

}  // namespace

Tensor LayerNorm(const Tensor& x, const Tensor& gain, const Tensor& bias,
                 double eps, Tensor* mean, Tensor* inv_std) {
  assert(x.contiguous() && gain.numel() == x.cols() &&
         bias.numel() == x.cols());
  Tensor y(x.shape(), x.dtype());
  *mean = Tensor({x.rows()}, x.dtype());
  *inv_std = Tensor({x.rows()}, x.dtype());
  HWY_DYNAMIC_DISPATCH(LayerNormRows)(x, gain, bias, eps, y, *mean, *inv_std);
  return y;
}

Tensor LayerNormGrad(const Tensor& dy, const Tensor& x, const Tensor& gain,
                     const Tensor& mean, const Tensor& inv_std, Tensor& dgain,
                     Tensor& dbias) {
  assert(dy.contiguous() && x.contiguous() && dy.shape() == x.shape());
  const int64_t n = x.cols();
  Tensor dx(x.shape(), x.dtype());
  const Tensor parts =
      HWY_DYNAMIC_DISPATCH(LayerNormRowsGrad)(dy, x, gain, mean, inv_std, dx);
  ColumnSumTo(dgain, parts.Columns(0, n));
  ColumnSumTo(dbias, parts.Columns(n, 2 * n));
  return dx;
}

Tensor NormalizeRows(const Tensor& x, double eps, Tensor* inv_norm) {
  assert(x.contiguous());
  Tensor y(x.shape(), x.dtype());
  *inv_norm = Tensor({x.rows()}, x.dtype());
  HWY_DYNAMIC_DISPATCH(UnitRows)(x, eps, y, *inv_norm);
  return y;
}

Tensor NormalizeRowsGrad(const Tensor& dy, const Tensor& y,
                         const Tensor& inv_norm) {
  assert(dy.contiguous() && y.contiguous() && dy.shape() == y.shape());
  Tensor dx(y.shape(), y.dtype());
  HWY_DYNAMIC_DISPATCH(UnitRowsGrad)(dy, y, inv_norm, dx);
  return dx;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
