#include "heed/kernels/heads.h"

#include <algorithm>
#include <cassert>

#include "heed/kernels/cpu/rows.h"

namespace heed::kernels {

Tensor SplitHeads(const Tensor& x, int64_t heads, int64_t repeat) {
  assert(x.rank() == 3 && x.cols() % heads == 0);
  const int64_t steps = x.dim(1);
  const int64_t cols = x.cols() / heads;
  Tensor y({x.dim(0) * heads * repeat, steps, cols}, x.dtype());
  WithElement(x, [&](auto zero) {
    using T = decltype(zero);
    ForRows(y.rows(), cols, [&](int64_t r) {
      const int64_t head = r / steps / repeat;
      const T* from =
          x.row<T>(head / heads * steps + r % steps) + head % heads * cols;
      std::copy_n(from, cols, y.row<T>(r));
    });
  });
  return y;
}

Tensor MergeHeads(const Tensor& x, int64_t heads, int64_t repeat) {
  assert(x.rank() == 3 && x.dim(0) % (heads * repeat) == 0);
  const int64_t steps = x.dim(1);
  const int64_t cols = x.cols();
  Tensor y({x.dim(0) / (heads * repeat), steps, heads * cols}, x.dtype());
  WithElement(x, [&](auto zero) {
    using T = decltype(zero);
    ForRows(y.rows(), y.cols() * repeat, [&](int64_t r) {
      T* to = y.row<T>(r);
      for (int64_t h = 0; h < heads; ++h, to += cols) {
        const int64_t first = (r / steps * heads + h) * repeat;
        std::copy_n(x.row<T>(first * steps + r % steps), cols, to);
        for (int64_t i = 1; i < repeat; ++i) {
          const T* from = x.row<T>((first + i) * steps + r % steps);
          for (int64_t c = 0; c < cols; ++c) to[c] += from[c];
        }
      }
    });
  });
  return y;
}

}  // namespace heed::kernels
