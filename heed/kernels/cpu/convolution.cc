#include "heed/kernels/convolution.h"

#include <algorithm>
#include <cassert>

#include "heed/kernels/cpu/rows.h"

namespace heed::kernels {
namespace {

/// Range of w in a window around s such that s - w + radius is in [0, size).
struct Inside {
  Inside(int64_t s, int64_t radius, int64_t size)
      : begin(std::max<int64_t>(0, s + radius - size + 1)),
        end(std::min(2 * radius, s + radius) + 1) {}
  int64_t begin;
  int64_t end;
};

}  // namespace

Tensor Windows(const Tensor& a, int64_t width) {
  assert(a.rank() == 2 && width % 2 == 1);
  const int64_t size = a.cols();
  const int64_t radius = (width - 1) / 2;
  Tensor y({a.dim(0), size, width}, a.dtype());
  WithElement(a, [&](auto zero) {
    using T = decltype(zero);
    ForRows(y.rows(), width, [&](int64_t r) {
      const int64_t s = r % size;
      const T* from = a.row<T>(r / size);
      T* to = y.row<T>(r);
      const Inside inside(s, radius, size);
      std::fill_n(to, inside.begin, zero);
      for (int64_t w = inside.begin; w < inside.end; ++w)
        to[w] = from[s + radius - w];
      std::fill(to + inside.end, to + width, zero);
    });
  });
  return y;
}

Tensor WindowsGrad(const Tensor& dy) {
  assert(dy.rank() == 3 && dy.cols() % 2 == 1);
  const int64_t size = dy.dim(1);
  const int64_t radius = (dy.cols() - 1) / 2;
  Tensor da = Tensor::Zeros({dy.dim(0), size}, dy.dtype());
  WithElement(dy, [&](auto zero) {
    using T = decltype(zero);
    ForRows(da.rows(), size * dy.cols(), [&](int64_t n) {
      T* to = da.row<T>(n);
      for (int64_t s = 0; s < size; ++s) {
        const T* from = dy.row<T>(n * size + s);
        const Inside inside(s, radius, size);
        for (int64_t w = inside.begin; w < inside.end; ++w)
          to[s + radius - w] += from[w];
      }
    });
  });
  return da;
}

}  // namespace heed::kernels
