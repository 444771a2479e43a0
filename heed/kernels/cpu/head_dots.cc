#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/head_dots.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/heads.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

Tensor Dots(const Tensor& x, const Tensor& w, int64_t heads) {
  const int64_t features = x.cols() / heads;
  assert(w.numel() == x.cols() && w.contiguous());
  Shape shape = x.shape();
  shape.Set(-1, heads);
  Tensor y(shape, x.dtype());
  ForEachRow(x, y.rows(), x.cols(), [&]<typename T>(T, int64_t r) HWY_ATTR {
    for (int64_t h = 0; h < heads; ++h) {
      y.row<T>(r)[h] = SumSpan<T>(
          features,
          [](auto, auto a, auto b) HEED_LANES { return hn::Mul(a, b); },
          x.row<T>(r) + h * features, w.data<T>() + h * features);
    }
  });
  return y;
}

void DotsGrad(const Tensor& x, const Tensor& w, const Tensor& dy, Tensor* dx,
              Tensor* dw) {
  const int64_t heads = dy.cols();
  const int64_t cols = x.cols();
  const int64_t features = cols / heads;
  const int64_t rows = dy.rows();
  const int64_t grain = RowGrain(cols);
  // One partial sum per chunk, so that results do not depend on scheduling.
  const int64_t chunks = dw == nullptr ? 0 : (rows + grain - 1) / grain;
  Tensor sums = Tensor::Zeros({chunks, cols}, x.dtype());
  WithFloat(x, [&]<typename T>(T) {
    ParallelFor(rows, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      // Rows in the inner loop: the sum of a head stays in registers.
      for (int64_t h = 0; h < heads; ++h) {
        ForLanes<T>(features, [&](auto lanes, int64_t a) HEED_LANES {
          const int64_t at = h * features + a;
          const auto w_a = lanes.Load(w.data<T>() + at);
          auto sum = hn::Zero(lanes.d);
          for (int64_t r = begin; r < end; ++r) {
            const auto slope = hn::Set(lanes.d, dy.row<T>(r)[h]);
            if (dx != nullptr) {
              lanes.Store(hn::Mul(slope, w_a), dx->row<T>(r) + at);
            }
            if (dw != nullptr) {
              sum = hn::MulAdd(slope, lanes.Load(x.row<T>(r) + at), sum);
            }
          }
          if (dw != nullptr) {
            lanes.Store(sum, sums.row<T>(begin / grain) + at);
          }
        });
      }
    });
    for (int64_t i = 0; i < chunks; ++i) {
      T* to = dw->data<T>();
      MapSpan<T>(
          cols, [](auto, auto a, auto b) HEED_LANES { return hn::Add(a, b); },
          to, to, sums.row<T>(i));
    }
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(Dots);
HWY_EXPORT(DotsGrad);

Tensor HeadDots(const Tensor& x, const Tensor& w, int64_t heads) {
  return HWY_DYNAMIC_DISPATCH(Dots)(x, w, heads);
}

void HeadDotsGrad(const Tensor& x, const Tensor& w, const Tensor& dy,
                  Tensor* dx, Tensor* dw) {
  HWY_DYNAMIC_DISPATCH(DotsGrad)(x, w, dy, dx, dw);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
