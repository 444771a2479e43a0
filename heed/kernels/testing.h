// Helpers of kernel tests: random slices, comparison, finite differences.
#ifndef HEED_KERNELS_TESTING_H_
#define HEED_KERNELS_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

using heed::At;

/// Element in row r and column c of a matrix, as f64.
inline double At(const Tensor& x, int64_t r, int64_t c) {
  return x.dtype() == DType::kF32 ? x.row<float>(r)[c] : x.row<double>(r)[c];
}

inline void SetAt(Tensor& x, int64_t r, int64_t c, double value) {
  if (x.dtype() == DType::kF32) {
    x.row<float>(r)[c] = static_cast<float>(value);
  } else {
    x.row<double>(r)[c] = value;
  }
}

/// Random numbers within [-2, 2] in strided, unaligned rows.
inline Tensor RandomSlice(const Shape& shape, DType dtype, Rng& rng) {
  Shape wide = shape;
  wide.Set(-1, shape[-1] + 4);
  Tensor x = Tensor::Zeros(wide, dtype).Columns(1, 1 + shape[-1]);
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) SetAt(x, r, c, rng.Uniform(-2, 2));
  }
  return x;
}

/// Random numbers within [-2, 2].
inline Tensor Random(const Shape& shape, DType dtype, uint64_t seed = 1) {
  Rng rng(seed);
  return RandomSlice(shape, dtype, rng).Contiguous();
}

/// Checks that x[r, c] is expected(r, c), relative to the larger of 1 and it.
template <typename Expected>
void ExpectEach(const Tensor& x, double f32_tolerance,
                const Expected& expected) {
  const double tolerance = x.dtype() == DType::kF32 ? f32_tolerance : 1e-13;
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) {
      const double e = expected(r, c);
      ASSERT_NEAR(At(x, r, c), e, tolerance * std::max(1.0, std::abs(e)))
          << "at " << r << ", " << c << " of " << x.shape().ToString();
    }
  }
}

/// Checks by differences that `dx` is the gradient of loss() with respect to
/// the f64 tensor x.
template <typename Loss>
void ExpectGradient(const Tensor& dx, Tensor& x, const Loss& loss) {
  constexpr double kStep = 1e-5;
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) {
      const double value = At(x, r, c);
      SetAt(x, r, c, value + kStep);
      const double above = loss();
      SetAt(x, r, c, value - kStep);
      const double below = loss();
      SetAt(x, r, c, value);
      ASSERT_NEAR(At(dx, r, c), (above - below) / (2 * kStep), 2e-8)
          << "at " << r << ", " << c << " of " << x.shape().ToString();
    }
  }
}

/// sum of x * y over all elements.
inline double Dot(const Tensor& x, const Tensor& y) {
  double sum = 0;
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) sum += At(x, r, c) * At(y, r, c);
  }
  return sum;
}

}  // namespace heed::kernels

#endif  // HEED_KERNELS_TESTING_H_
