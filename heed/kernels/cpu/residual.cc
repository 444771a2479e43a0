#include "heed/kernels/residual.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/residual.cc"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/layer_norm-inl.h"
#include "heed/kernels/cpu/random-inl.h"
#include "heed/kernels/reduce.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// to[i] += x[i].
template <typename T>
HWY_INLINE void AddSpan(int64_t n, const T* x, T* to) {
  const auto add = [](auto, auto u, auto v)
                       HEED_LANES { return hn::Add(u, v); };
  MapSpan<T>(n, add, to, to, x);
}

/// sum = x + Dropout(y) for elements first .. first + n of a tensor. The sum
/// stays in the cache between both steps.
template <typename T>
void AddDroppedSpan(int64_t first, int64_t n, const DropoutKey& dropout,
                    const T* x, const T* y, T* sum) {
  if (dropout.rate == 0) {
    const auto add = [](auto, auto u, auto v)
                         HEED_LANES { return hn::Add(u, v); };
    MapSpan<T>(n, add, sum, x, y);
    return;
  }
  DropoutSpan<T>(first, n, dropout.rate, dropout.key, y, sum);
  AddSpan<T>(n, x, sum);
}

void AddDroppedRows(const Tensor& x, const Tensor& y, const DropoutKey& dropout,
                    Tensor& sum) {
  constexpr int64_t kSpan = 1024;
  WithFloat(x, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(x.numel(), kChunk, [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t i = begin; i < end; i += kSpan) {
        AddDroppedSpan<T>(i, std::min(kSpan, end - i), dropout, x.data<T>() + i,
                          y.data<T>() + i, sum.data<T>() + i);
      }
    });
  });
}

void AddNormRows(const Tensor& x, const Tensor& y, const DropoutKey& dropout,
                 const NormWeights& weights, AddNormResult& result) {
  const int64_t n = x.cols();
  ForEachRow(x, x.rows(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    T* sum = result.sum.row<T>(r);
    AddDroppedSpan<T>(r * n, n, dropout, x.row<T>(r), y.row<T>(r), sum);
    LayerNormRow<T>(n, sum, weights.gain.data<T>(), weights.bias.data<T>(),
                    weights.epsilon, result.normed.row<T>(r),
                    result.mean.data<T>()[r], result.inv_std.data<T>()[r]);
  });
}

/// Returns the gradients of gain and bias by chunk, [chunks, 2 C]. grads.dy is
/// undefined if nothing is dropped.
Tensor AddNormRowsGrad(const Tensor& dnormed, const Tensor& dsum,
                       const AddNormResult& result, const Tensor& gain,
                       const DropoutKey& dropout, AddNormGrads& grads) {
  const int64_t n = result.sum.cols();
  const int64_t rows = result.sum.rows();
  const int64_t grain = RowGrain(n);
  Tensor parts =
      Tensor::Zeros({(rows + grain - 1) / grain, 2 * n}, gain.dtype());
  WithFloat(result.sum, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    ParallelFor(rows, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      T* part = parts.row<T>(begin / grain);
      for (int64_t r = begin; r < end; ++r) {
        T* dx = grads.dx.row<T>(r);
        LayerNormRowGrad<T>(n, dnormed.row<T>(r), result.sum.row<T>(r),
                            gain.data<T>(), result.mean.data<T>()[r],
                            result.inv_std.data<T>()[r], dx, part);
        if (dsum.defined()) AddSpan<T>(n, dsum.row<T>(r), dx);
        if (grads.dy.defined()) {
          DropoutSpan<T>(r * n, n, dropout.rate, dropout.key, dx,
                         grads.dy.row<T>(r));
        }
      }
    });
  });
  return parts;
}

void EmbedRows(const Tensor& table, const Tensor& ids, double scale,
               const Tensor& positions, int64_t offset,
               const DropoutKey& dropout, Tensor& y) {
  const int64_t n = table.cols();
  const int64_t t_size = ids.cols();
  const int32_t* id = ids.data<int32_t>();
  ForEachRow(table, ids.numel(), n, [&]<typename T>(T, int64_t r) HEED_LANES {
    const T factor = id[r] < 0 ? T{0} : static_cast<T>(scale);
    const auto scaled = [&](auto d, auto v) HEED_LANES {
      return hn::Mul(v, hn::Set(d, factor));
    };
    const auto scaled_sum = [&](auto d, auto v, auto p) HEED_LANES {
      return hn::MulAdd(v, hn::Set(d, factor), p);
    };
    assert(id[r] < table.dim(0));
    const T* from = table.row<T>(std::max(id[r], 0));
    T* to = y.data<T>() + r * n;
    if (positions.defined()) {
      MapSpan<T>(n, scaled_sum, to, from,
                 positions.row<T>(offset + r % t_size));
    } else {
      MapSpan<T>(n, scaled, to, from);
    }
    if (dropout.rate > 0) {
      DropoutSpan<T>(r * n, n, dropout.rate, dropout.key, to, to);
    }
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(AddDroppedRows);
HWY_EXPORT(AddNormRows);
HWY_EXPORT(AddNormRowsGrad);
HWY_EXPORT(EmbedRows);

}  // namespace

Tensor AddDropped(const Tensor& x, const Tensor& y, const DropoutKey& dropout) {
  assert(x.contiguous() && y.contiguous() && x.shape() == y.shape());
  Tensor sum(x.shape(), x.dtype());
  HWY_DYNAMIC_DISPATCH(AddDroppedRows)(x, y, dropout, sum);
  return sum;
}

AddNormResult AddNorm(const Tensor& x, const Tensor& y,
                      const DropoutKey& dropout, const NormWeights& weights) {
  assert(x.contiguous() && y.contiguous() && x.shape() == y.shape());
  assert(weights.gain.numel() == x.cols() && weights.bias.numel() == x.cols());
  AddNormResult result{
      Tensor(x.shape(), x.dtype()), Tensor(x.shape(), x.dtype()),
      Tensor({x.rows()}, x.dtype()), Tensor({x.rows()}, x.dtype())};
  HWY_DYNAMIC_DISPATCH(AddNormRows)(x, y, dropout, weights, result);
  return result;
}

AddNormGrads AddNormGrad(const Tensor& dnormed, const Tensor& dsum,
                         const AddNormResult& result, const Tensor& gain,
                         const DropoutKey& dropout, Tensor& dgain,
                         Tensor& dbias) {
  assert(dnormed.contiguous() && dnormed.shape() == result.sum.shape());
  assert(!dsum.defined() || dsum.shape() == dnormed.shape());
  AddNormGrads grads{Tensor(dnormed.shape(), dnormed.dtype()), {}};
  if (dropout.rate > 0) grads.dy = Tensor(dnormed.shape(), dnormed.dtype());
  const Tensor parts = HWY_DYNAMIC_DISPATCH(AddNormRowsGrad)(
      dnormed, dsum, result, gain, dropout, grads);
  if (dropout.rate == 0) grads.dy = grads.dx;
  const int64_t n = gain.numel();
  ColumnSumTo(dgain, parts.Columns(0, n));
  ColumnSumTo(dbias, parts.Columns(n, 2 * n));
  return grads;
}

Tensor EmbedScaled(const Tensor& table, const Tensor& ids, double scale,
                   const Tensor& positions, int64_t offset,
                   const DropoutKey& dropout) {
  assert(ids.rank() == 2 && ids.contiguous());
  Tensor y({ids.dim(0), ids.dim(1), table.cols()}, table.dtype());
  HWY_DYNAMIC_DISPATCH(EmbedRows)
  (table, ids, scale, positions, offset, dropout, y);
  return y;
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
