// Sums of outer products of rows, kept in the cache.
#include <algorithm>

#include "heed/kernels/cpu/pack.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/outer_products.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using cpu::kOuterBlock;
using cpu::kPanel;
using cpu::LinesAhead;
using cpu::MatrixView;

/// Number of rows of a tile of the product.
constexpr int64_t kTileRows = 6;

/// Part `i` of `n` of the cache lines of `rows` rows from `first` on.
LinesAhead PartAhead(const MatrixView& x, int64_t first, int64_t rows,
                     int64_t i, int64_t n) {
  const int64_t lines = rows * x.stride / LinesAhead::kLine;
  const int64_t begin = lines * i / n;
  return {x.data + first * x.stride + begin * LinesAhead::kLine,
          lines * (i + 1) / n - begin};
}

void SumOuterProductsImpl(const MatrixView& x, const MatrixView& y,
                          bool accumulate, float* scratch, const Floats2D& c) {
  const int64_t x_row = cpu::OuterRowWords(x.n);
  float* const panels = scratch + kOuterBlock * x_row;
  const int64_t n_panels = y.n / kPanel;
  const int64_t half = x.n / 2 / kTileRows * kTileRows;
  const WordFormat format(Precision::kNative);
  for (int64_t k = 0; k < x.k; k += kOuterBlock) {
    const int64_t rows = std::min(kOuterBlock, x.k - k);
    const int64_t after = std::min(kOuterBlock, x.k - k - rows);
    const MatrixView y_rows{y.data + k * y.stride, rows, y.n, y.stride, false};
    ScaleRows(rows, x.n, x.data + k * x.stride, x.stride, 1, scratch, x_row);
    for (int64_t p = 0; p < n_panels; ++p) {
      float* const panel = panels + p * kOuterBlock * kPanel;
      cpu::PackPanel(y_rows, p, rows, panel);
      const RightWords right{panel, kPanel, kTileCols};
      const auto product = [&](int64_t begin, int64_t end,
                               const LinesAhead& ahead) {
        Product(format, end - begin, rows, kPanel,
                LeftWords{scratch + begin, 1, x_row}, right,
                accumulate || k > 0,
                Floats2D{c.first + begin * c.row + p * kPanel, c.row}, ahead);
      };
      product(0, half, PartAhead(x, k + rows, after, p, n_panels));
      product(half, x.n, PartAhead(y, k + rows, after, p, n_panels));
    }
  }
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(SumOuterProductsImpl);

}  // namespace
namespace cpu {

void SumOuterProducts(const MatrixView& x, const MatrixView& y, bool accumulate,
                      float* scratch, const Floats2D& c) {
  HWY_DYNAMIC_DISPATCH(SumOuterProductsImpl)(x, y, accumulate, scratch, c);
}

}  // namespace cpu
}  // namespace heed::kernels
#endif  // HWY_ONCE
