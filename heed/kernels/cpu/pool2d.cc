#include "heed/kernels/convolution2d.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/pool2d.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Calls body(T(), output row r, row of x at the top left of its window).
template <class Body>
void ForPools(const Tensor& like, const Shape& images, int64_t size,
              const Body& body) {
  const int64_t rows = images[1] / size;
  const int64_t cols = images[2] / size;
  ForEachRow(like, images[0] * rows * cols, size * size * images[3],
             [&]<typename T>(T, int64_t r) HWY_ATTR {
               const int64_t b = r / (rows * cols);
               const int64_t i = r / cols % rows * size;
               const int64_t j = r % cols * size;
               body(T(), r, (b * images[1] + i) * images[2] + j);
             });
}

/// Row of x for place p in a window of `size` that begins at row `first`.
int64_t PlaceRow(int64_t first, int64_t p, int64_t size, int64_t width) {
  return first + p / size * width + p % size;
}

Shape PooledShape(const Shape& images, int64_t size) {
  return {images[0], images[1] / size, images[2] / size, images[3]};
}

}  // namespace

Tensor MaxPool(const Tensor& x, int64_t size, Tensor& places) {
  const Shape images = x.shape();
  Tensor y(PooledShape(images, size), x.dtype());
  places = Tensor(y.shape(), x.dtype());
  ForPools(
      x, images, size, [&]<typename T>(T, int64_t r, int64_t first) HWY_ATTR {
        ForLanes<T>(images[3], [&](auto lanes, int64_t c) HEED_LANES {
          auto max = lanes.Load(x.row<T>(first) + c);
          auto place = hn::Zero(lanes.d);
          for (int64_t p = 1; p < size * size; ++p) {
            const auto v =
                lanes.Load(x.row<T>(PlaceRow(first, p, size, images[2])) + c);
            const auto greater = hn::Gt(v, max);
            max = hn::IfThenElse(greater, v, max);
            place = hn::IfThenElse(greater, hn::Set(lanes.d, static_cast<T>(p)),
                                   place);
          }
          lanes.Store(max, y.row<T>(r) + c);
          lanes.Store(place, places.row<T>(r) + c);
        });
      });
  return y;
}

Tensor MaxPoolGrad(const Tensor& dy, const Tensor& places, const Shape& images,
                   int64_t size) {
  Tensor dx = Tensor::Zeros(images, dy.dtype());
  ForPools(
      dy, images, size, [&]<typename T>(T, int64_t r, int64_t first) HWY_ATTR {
        ForLanes<T>(images[3], [&](auto lanes, int64_t c) HEED_LANES {
          const auto d = lanes.Load(dy.row<T>(r) + c);
          const auto place = lanes.Load(places.row<T>(r) + c);
          for (int64_t p = 0; p < size * size; ++p) {
            const auto here =
                hn::Eq(place, hn::Set(lanes.d, static_cast<T>(p)));
            lanes.Store(hn::IfThenElseZero(here, d),
                        dx.row<T>(PlaceRow(first, p, size, images[2])) + c);
          }
        });
      });
  return dx;
}

Tensor MeanPool(const Tensor& x, int64_t size) {
  const Shape images = x.shape();
  Tensor y(PooledShape(images, size), x.dtype());
  ForPools(
      x, images, size, [&]<typename T>(T, int64_t r, int64_t first) HWY_ATTR {
        const T scale = T(1) / static_cast<T>(size * size);
        ForLanes<T>(images[3], [&](auto lanes, int64_t c) HEED_LANES {
          auto sum = hn::Zero(lanes.d);
          for (int64_t p = 0; p < size * size; ++p) {
            sum = hn::Add(
                sum,
                lanes.Load(x.row<T>(PlaceRow(first, p, size, images[2])) + c));
          }
          lanes.Store(hn::Mul(sum, hn::Set(lanes.d, scale)), y.row<T>(r) + c);
        });
      });
  return y;
}

Tensor MeanPoolGrad(const Tensor& dy, const Shape& images, int64_t size) {
  Tensor dx = Tensor::Zeros(images, dy.dtype());
  ForPools(
      dy, images, size, [&]<typename T>(T, int64_t r, int64_t first) HWY_ATTR {
        const T scale = T(1) / static_cast<T>(size * size);
        ForLanes<T>(images[3], [&](auto lanes, int64_t c) HEED_LANES {
          const auto d =
              hn::Mul(lanes.Load(dy.row<T>(r) + c), hn::Set(lanes.d, scale));
          for (int64_t p = 0; p < size * size; ++p) {
            lanes.Store(d, dx.row<T>(PlaceRow(first, p, size, images[2])) + c);
          }
        });
      });
  return dx;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(MaxPool);
HWY_EXPORT(MaxPoolGrad);
HWY_EXPORT(MeanPool);
HWY_EXPORT(MeanPoolGrad);

Tensor MaxPool2d(const Tensor& x, int64_t size, Tensor& places) {
  return HWY_DYNAMIC_DISPATCH(MaxPool)(x, size, places);
}
Tensor MaxPool2dGrad(const Tensor& dy, const Tensor& places,
                     const Shape& images, int64_t size) {
  return HWY_DYNAMIC_DISPATCH(MaxPoolGrad)(dy, places, images, size);
}
Tensor MeanPool2d(const Tensor& x, int64_t size) {
  return HWY_DYNAMIC_DISPATCH(MeanPool)(x, size);
}
Tensor MeanPool2dGrad(const Tensor& dy, const Shape& images, int64_t size) {
  return HWY_DYNAMIC_DISPATCH(MeanPoolGrad)(dy, images, size);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
