#include "heed/kernels/window_max.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <vector>

#include "heed/base/at.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::window_max_test {
namespace {

constexpr int64_t V = 5;
constexpr int64_t L = 4;
const std::vector<int32_t> kIds = {3, 1, 4, 2, 2, 0, 0, 0,
                                   0, 0, 0, 0, 1, 1, 3, 0};
constexpr int64_t U = 4;

/// Σ_j table[id(u, p + j), j F + f].
double Window(const Tensor& table, int64_t u, int64_t p, int64_t width,
              int64_t f) {
  const int64_t filters = table.cols() / width;
  double sum = 0;
  for (int64_t j = 0; j < width; ++j) {
    const int64_t at = p + j;
    const int32_t id = at >= 0 && at < L ? At(kIds, u * L + at) : 0;
    sum += At(table, id, j * filters + f);
  }
  return sum;
}

/// Length of row u without padding.
int64_t LengthOf(int64_t u) {
  int64_t n = 0;
  while (n < L && At(kIds, u * L + n) != 0) ++n;
  return n;
}

class WindowMaxKernel : public hwy::TestWithParamTarget {
 protected:
  const Tensor ids_ = Tensor::Of(kIds, {U, L});
};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(WindowMaxKernel);

TEST_P(WindowMaxKernel, FindsTheGreatestWindowAndItsStart) {
  Rng rng(1);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t width : {1, 2, 3, 5}) {
      for (const int64_t filters : {1, 3, 15, 17, 33}) {
        const Tensor table =
            RandomSlice({V, width * filters}, dtype, rng).Contiguous();
        const WindowMaxResult result = WindowMax(table, ids_, width);
        ExpectEach(result.values, 1e-6, [&](int64_t u, int64_t f) {
          double best = Window(table, u, 1 - width, width, f);
          for (int64_t p = 1 - width; p < LengthOf(u); ++p) {
            best = std::max(best, Window(table, u, p, width, f));
          }
          return best;
        });
        ExpectEach(result.values, 1e-6, [&](int64_t u, int64_t f) {
          const auto p = static_cast<int64_t>(At(result.starts, u, f));
          return Window(table, u, p, width, f);
        });
      }
    }
  }
}

TEST_P(WindowMaxKernel, GradientIsThatOfDifferences) {
  Rng rng(2);
  for (const int64_t width : {1, 3}) {
    Tensor table = RandomSlice({V, width * 18}, DType::kF64, rng).Contiguous();
    const Tensor dy = RandomSlice({U, 18}, DType::kF64, rng).Contiguous();
    Tensor dtable = Tensor::Zeros(table.shape(), DType::kF64);
    WindowMaxGradTo(dtable, dy, WindowMax(table, ids_, width).starts, ids_);
    ExpectGradient(dtable, table, [&] {
      return Dot(WindowMax(table, ids_, width).values, dy);
    });
  }
}

}  // namespace
}  // namespace heed::kernels::window_max_test
