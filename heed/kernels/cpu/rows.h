// Plain loops over rows of f32 or f64, for kernels that are not
// performance-critical.
#ifndef HEED_KERNELS_CPU_ROWS_H_
#define HEED_KERNELS_CPU_ROWS_H_

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "heed/base/threads.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Calls f with a zero of the element type of a floating-point tensor.
template <class F>
auto WithElement(const Tensor& x, const F& f) {
  if (x.dtype() == DType::kF64) return f(double{});
  assert(x.dtype() == DType::kF32);
  return f(float{});
}

/// Calls body(r) for r in [0, rows), in parallel if there is enough work.
template <class Body>
void ForRows(int64_t rows, int64_t cols, const Body& body) {
  constexpr int64_t kChunk = 32768;
  const int64_t grain =
      std::max<int64_t>(1, kChunk / std::max<int64_t>(1, cols));
  ParallelForEach(rows, grain, body);
}

/// Calls body(zero, r) for `rows` rows of x, with a zero of its element type.
/// x.rows() is 0 for empty rows, although each row may have a sum.
template <typename Body>
void EachRow(const Tensor& x, int64_t rows, const Body& body) {
  WithElement(x, [&](auto zero) {
    ForRows(rows, x.cols(), [&](int64_t r) { body(zero, r); });
  });
}
template <typename Body>
void EachRow(const Tensor& x, const Body& body) {
  EachRow(x, x.rows(), body);
}

/// Shape without its last dimension.
inline Shape Leading(const Shape& shape) {
  Shape leading;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    leading.Append(shape[axis]);
  }
  return leading;
}

}  // namespace heed::kernels

#endif  // HEED_KERNELS_CPU_ROWS_H_
