#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/gemm.h"

namespace heed::kernels {
namespace {

using cpu::kWordBytes;

Tensor SelectF64(const Tensor& b, const Tensor& ids) {
  Tensor selected({b.rows(), ids.numel()}, DType::kF64);
  for (int64_t i = 0; i < b.rows(); ++i) {
    for (int64_t c = 0; c < ids.numel(); ++c) {
      selected.row<double>(i)[c] = b.row<double>(i)[ids.data<int32_t>()[c]];
    }
  }
  return selected;
}

/// Copies the words of up to a panel of columns `ids` from panels of `rows`
/// rows.
void SelectPanel(const char* from, int64_t rows, const int32_t* ids,
                 int64_t count, char* to) {
  constexpr int64_t kRowBytes = cpu::kPanel * kWordBytes;
  std::array<const char*, cpu::kPanel> columns;
  for (int64_t c = 0; c < cpu::kPanel; ++c) {
    // Padding columns repeat the first one and are never read.
    const int64_t id = ids[c < count ? c : 0];
    At(columns, c) = from + id / cpu::kPanel * rows * kRowBytes +
                     id % cpu::kPanel * kWordBytes;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (const char* column : columns) {
      std::memcpy(to, column + r * kRowBytes, kWordBytes);
      to += kWordBytes;
    }
  }
}

}  // namespace

static_assert(kPanelColumns == cpu::kPanel);

PackedMatrix SelectPanels(const PackedMatrix& b, int64_t first, int64_t last) {
  assert(b.data.dtype() != DType::kF64 && first < last &&
         last <= cpu::Panels(b.n));
  const int64_t size = b.data.numel() / cpu::Panels(b.n);
  PackedMatrix selected = b;
  selected.data = b.data.Slice(first * size, last * size);
  selected.n = std::min(b.n, last * cpu::kPanel) - first * cpu::kPanel;
  if (b.scales.defined()) {
    selected.scales = b.scales.Slice(first * cpu::kPanel, last * cpu::kPanel);
  }
  return selected;
}

PackedMatrix SelectColumns(const PackedMatrix& b, const Tensor& ids) {
  const int64_t n = ids.numel();
  if (b.data.dtype() == DType::kF64) {
    return {SelectF64(b.data, ids), Tensor(), b.k, n, b.precision};
  }
  if (n == 0)
    return {Tensor({0}, b.data.dtype()), Tensor(), b.k, 0, b.precision};
  const int64_t panel_bytes = b.data.bytes() / cpu::Panels(b.n);
  const int64_t rows = panel_bytes / (cpu::kPanel * kWordBytes);
  const int64_t size = static_cast<int64_t>(SizeOf(b.data.dtype()));
  PackedMatrix selected = {
      Tensor({cpu::Panels(n) * panel_bytes / size}, b.data.dtype()),
      Tensor(),
      b.k,
      n,
      b.precision,
      b.left_multipliers};
  const auto* from = static_cast<const char*>(b.data.raw());
  auto* to = static_cast<char*>(selected.data.raw());
  const auto* id = ids.data<int32_t>();
  ParallelForEach(cpu::Panels(n), 1, [&](int64_t p) {
    SelectPanel(from, rows, id + p * cpu::kPanel,
                std::min(cpu::kPanel, n - p * cpu::kPanel),
                to + p * panel_bytes);
  });
  if (b.scales.defined()) {
    selected.scales = Tensor::Zeros({cpu::Panels(n) * cpu::kPanel});
    for (int64_t c = 0; c < n; ++c) {
      assert(id[c] >= 0 && id[c] < b.n);
      selected.scales.data<float>()[c] = b.scales.data<float>()[id[c]];
    }
  }
  return selected;
}

}  // namespace heed::kernels
