#include "heed/kernels/cpu/last_panel.h"
#include "heed/kernels/cpu/pack.h"

namespace heed::kernels::cpu {

void MultiplyPanelsBF16(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                        const float* b, bool accumulate, float* c) {
  const int64_t words = PairWords(k);
  const int64_t panel = PaddedRows(k, true) / 2 * kPanel;
  RightWords right{b, kPanel, panel};
  const int64_t whole = n / kPanel * kPanel;
  const Floats2D result{c, n};
  ProductByDots(m, words, whole, a, right, accumulate, result);
  if (whole == n) return;
  right.first += n / kPanel * panel;
  MultiplyLastPanel(m, n - whole, accumulate, {c + whole, n},
                    [&](int64_t r, int64_t rows, const Floats2D& part) {
                      ProductByDots(rows, words, n - whole, a.Rows(r), right,
                                    false, part);
                    });
}

}  // namespace heed::kernels::cpu
