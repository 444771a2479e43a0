#include "heed/kernels/tsne.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include "heed/kernels/testing.h"

namespace heed::kernels::tsne_test {
namespace {

class TsneKernels : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(TsneKernels);

TEST_P(TsneKernels, ForcesAreTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t n : {1, 2, 7, 16, 33, 130}) {
      const Tensor p = Random({n, n}, dtype, 1);
      const Tensor y = Random({2, n}, dtype, 2);
      Tensor attraction({2, n}, dtype);
      Tensor repulsion({2, n}, dtype);
      const double sum = TsneForces(p, y, attraction, repulsion);
      const auto w = [&](int64_t i, int64_t j) {
        const double d0 = At(y, 0, i) - At(y, 0, j);
        const double d1 = At(y, 1, i) - At(y, 1, j);
        return 1 / (1 + d0 * d0 + d1 * d1);
      };
      double expected = 0;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) expected += i == j ? 0 : w(i, j);
      }
      EXPECT_NEAR(
          sum, expected,
          (dtype == DType::kF32 ? 1e-5 : 1e-12) * std::max(1.0, expected));
      const auto force = [&](int64_t axis, int64_t i, auto factor) {
        double total = 0;
        for (int64_t j = 0; j < n; ++j) {
          total += factor(i, j) * (At(y, axis, i) - At(y, axis, j));
        }
        return total;
      };
      ExpectEach(attraction, 2e-4, [&](int64_t axis, int64_t i) {
        return force(axis, i, [&](int64_t a, int64_t b) {
          return At(p, a, b) * w(a, b);
        });
      });
      ExpectEach(repulsion, 2e-4, [&](int64_t axis, int64_t i) {
        return force(axis, i,
                     [&](int64_t a, int64_t b) { return w(a, b) * w(a, b); });
      });
    }
  }
}

TEST_P(TsneKernels, DistancesAreTheFormula) {
  const Tensor x = Random({9, 37}, DType::kF64, 1);
  ExpectEach(SquaredDistances(x), 1e-5, [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t c = 0; c < 37; ++c) {
      sum += (At(x, i, c) - At(x, j, c)) * (At(x, i, c) - At(x, j, c));
    }
    return sum;
  });
}

}  // namespace
}  // namespace heed::kernels::tsne_test
