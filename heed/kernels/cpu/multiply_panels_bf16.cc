#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/panels.h"

namespace heed::kernels::cpu {

void MultiplyPanelsBF16(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                        const float* b, bool accumulate, const Floats2D& c) {
  MultiplyByPanels(m, n, PairWords(k), a,
                   {b, kPanel, PaddedRows(k, true) / 2 * kPanel}, accumulate, c,
                   [](int64_t rows, int64_t words, int64_t columns,
                      const LeftWords& left, const float* panel, bool add,
                      const Floats2D& to, const LinesAhead& ahead) {
                     ProductBF16(rows, words, columns, left,
                                 {panel, kPanel, kPanel}, add, to, &ahead);
                   });
}

}  // namespace heed::kernels::cpu
