// Right factors in panels of bf16 pairs (see pack.h) for products that do not
// round the left factor. For any processor.
#ifndef HEED_KERNELS_CPU_PAIRS_H_
#define HEED_KERNELS_CPU_PAIRS_H_

#include <cstdint>

#include "heed/kernels/cpu/pack.h"

namespace heed::kernels::cpu {

/// Packs a panel of a bf16 matrix without rounding.
void PackPanelPairs(const MatrixViewBF16& b, int64_t panel, uint16_t* out);
/// Inverse of PackPanelPairs: writes the elements of a panel to `b`, a matrix
/// of the sizes and strides of `shape`, whose data is not used.
void UnpackPanelPairs(const uint16_t* from, int64_t panel,
                      const MatrixViewBF16& shape, uint16_t* b);
/// UnpackPanelPairs for a panel of f32.
void UnpackPanel(const float* from, int64_t panel, const MatrixView& shape,
                 float* b);
/// Widens k elements of a column of a panel; `words` is its first word.
void WidenColumn(const uint32_t* words, int64_t k, float* out);

/// c [m, n] (+)= a b: a [m, k] in f32 with adjacent elements of a row, b [k, n]
/// in panels of pairs. Results equal MultiplyPanels of the widened panels.
void MultiplyPanelsWidened(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                           const float* b, bool accumulate, const Floats2D& c);

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_PAIRS_H_
