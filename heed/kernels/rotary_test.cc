#include "heed/kernels/rotary.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>

#include "heed/kernels/testing.h"

namespace heed::kernels::rotary_test {
namespace {

constexpr int64_t B = 2;
constexpr int64_t T = 3;
constexpr int64_t H = 2;
constexpr double kBase = 100;
constexpr int64_t kOffset = 5;

/// Each pair as a complex number, multiplied by e^(i angle).
Tensor Expected(const Tensor& x, int64_t D, double sign) {
  Tensor y = x.Clone();
  for (int64_t r = 0; r < B * T; ++r) {
    for (int64_t first = 0; first < H * D; first += D) {
      for (int64_t i = 0; i < D / 2; ++i) {
        const double angle = sign * static_cast<double>(r % T + kOffset) *
                             std::pow(kBase, static_cast<double>(-2 * i) /
                                                 static_cast<double>(D));
        const double a = x.row<double>(r)[first + i];
        const double b = x.row<double>(r)[first + i + D / 2];
        y.row<double>(r)[first + i] = a * std::cos(angle) - b * std::sin(angle);
        y.row<double>(r)[first + i + D / 2] =
            a * std::sin(angle) + b * std::cos(angle);
      }
    }
  }
  return y;
}

/// Checks that x equals y.
void ExpectSame(const Tensor& x, const Tensor& y, double f32_tolerance) {
  ASSERT_EQ(x.shape(), y.shape());
  ExpectEach(x, f32_tolerance,
             [&](int64_t r, int64_t c) { return At(y, r, c); });
}

class RotaryKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(RotaryKernel);

TEST_P(RotaryKernel, TurnsPairsOfEveryHeadByTheirPosition) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t D : {2, 6, 14, 16, 30, 32, 34, 64, 66}) {
      SCOPED_TRACE(D);
      const Tensor x = Random({B, T, H * D}, dtype, 3);
      const Tensor turns = RotaryTurns(T, D, kOffset, kBase, dtype);
      const Tensor wide = x.To(DType::kF64);
      ExpectSame(Rotate(x, turns, false), Expected(wide, D, 1), 1e-6);
      ExpectSame(Rotate(x, turns, true), Expected(wide, D, -1), 1e-6);
    }
  }
}

TEST_P(RotaryKernel, RowsThatAreApartTurnInPlace) {
  for (const int64_t D : {2, 30, 32, 66}) {
    SCOPED_TRACE(D);
    const int64_t end = 1 + H * D;
    Tensor all = Random({B * T, end + 2}, DType::kF32, 4);
    const Tensor before = all.Clone();
    Tensor x = all.Columns(1, end);
    const Tensor turned = Expected(x.Contiguous().To(DType::kF64), D, 1);
    RotateRows(RotaryTurns(T, D, kOffset, kBase, DType::kF32), x);
    ExpectSame(x, turned, 1e-6);
    ExpectSame(all.Columns(0, 1), before.Columns(0, 1), 0);
    ExpectSame(all.Columns(end, end + 2), before.Columns(end, end + 2), 0);
  }
}

}  // namespace
}  // namespace heed::kernels::rotary_test
