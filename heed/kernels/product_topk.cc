#include "heed/kernels/product_topk.h"

#include <algorithm>
#include <cassert>

namespace heed::kernels {
namespace {

/// Bytes of scores that stay in the cache of a core beside the weights.
constexpr int64_t kBlockBytes = int64_t{1} << 19;

TopKScores ResultOf(const RunningTopK& top, Tensor first) {
  return {top.values(), top.ids(), top.LogSums(), std::move(first)};
}

}  // namespace

TopKScores FindTopK(const Tensor& scores, int k, int64_t first, bool sums) {
  assert(k <= scores.cols() && first <= scores.cols());
  RunningTopK top(scores.rows(), k, scores.dtype(), sums);
  top.Add(scores);
  return ResultOf(top, scores.Columns(0, first).Contiguous());
}

bool CanFindTopK(const Tensor& a, const PackedMatrix& b, int k, int64_t first) {
  return a.dtype() == DType::kF32 && k >= 1 && k <= b.n &&
         first <= std::min(b.n, kPanelColumns);
}

TopKScores FindTopK(const Tensor& a, const PackedMatrix& b, const Tensor& bias,
                    int k, int64_t first, bool sums) {
  assert(CanFindTopK(a, b, k, first));
  const int64_t rows = a.rows();
  const int64_t panels = (b.n + kPanelColumns - 1) / kPanelColumns;
  const int64_t row_bytes = std::max<int64_t>(rows, 1) * kPanelColumns *
                            static_cast<int64_t>(sizeof(float));
  const int64_t step = std::clamp<int64_t>(kBlockBytes / row_bytes, 1, panels);
  const bool bytes = b.precision == Precision::kInt8;
  const QuantizedRows quantized =
      bytes ? QuantizeRows(a, LeftMultiplier(b)) : QuantizedRows();
  RunningTopK top(rows, k, DType::kF32, sums);
  Tensor firsts;
  for (int64_t panel = 0; panel < panels; panel += step) {
    const int64_t begin = panel * kPanelColumns;
    const int64_t end = std::min(b.n, (panel + step) * kPanelColumns);
    const PackedMatrix part =
        SelectPanels(b, panel, std::min(panels, panel + step));
    const Tensor own_bias = bias.Slice(begin, end);
    Tensor scores({rows, end - begin});
    if (bytes) {
      Multiply(quantized, part, {.bias = &own_bias}, scores);
    } else {
      Multiply(a, part, {.bias = &own_bias}, scores);
    }
    top.Add(scores);
    if (panel == 0) firsts = scores.Columns(0, first).Contiguous();
  }
  return ResultOf(top, std::move(firsts));
}

}  // namespace heed::kernels
