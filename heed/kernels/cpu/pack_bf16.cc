// Packing functions of pack.h that round to bf16. Highway has no target with
// the rounding instruction, which is five times as fast as shifts.
#include <algorithm>
#include <cassert>
#include <type_traits>

#include "heed/kernels/cpu/pack.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/bf16-inl.h"

namespace heed::kernels::cpu {
namespace {

constexpr int64_t kLanes = kVectorFloats;

template <typename T>
HEED_BF16 void PackPanelOf(const MatrixOf<T>& b, int64_t panel, int64_t rows,
                           uint16_t* out, Writing writing) {
  const int64_t padded = PaddedRows(rows, true);
  const int64_t first = panel * kPanel;
  const bool streams = writing == Writing::kStream;
  const auto store = [&](int64_t i, int64_t j, __m512i pairs) HEED_BF16 {
    auto* to = reinterpret_cast<__m512i*>(out + i * kPanel + 2 * j);
    if (streams) {
      _mm512_stream_si512(to, pairs);
    } else {
      _mm512_storeu_si512(to, pairs);
    }
  };
  if (!b.transposed) {
    for (int64_t i = 0; i < padded; i += 2) {
      const T* x = b.data + i * b.stride + first;
      for (int64_t j = 0; j < kPanel; j += kLanes) {
        const int64_t columns = b.n - first - j;
        __builtin_prefetch(x + kRowsAhead * b.stride + j);
        __builtin_prefetch(x + (kRowsAhead + 1) * b.stride + j);
        store(i, j,
              LoadPairs(x + j, i < b.k ? columns : 0, x + b.stride + j,
                        i + 1 < b.k ? columns : 0));
      }
    }
  } else if constexpr (std::is_same_v<T, float>) {
    for (int64_t i = 0; i < padded; i += 2 * kLanes) {
      for (int64_t j = 0; j < kPanel; j += kLanes) {
        __m512i t[kLanes];
        for (int64_t r = 0; r < kLanes; ++r) {
          const float* x = b.data + (first + j + r) * b.stride + i;
          const int64_t there = first + j + r < b.n ? b.k - i : 0;
          t[r] = RoundedJoin(LoadUpTo(x, there),
                             LoadUpTo(x + kLanes, there - kLanes));
        }
        Transpose(t);
        for (int64_t c = 0; c < kLanes; ++c) store(i + 2 * c, j, t[c]);
      }
    }
  } else {
    assert(false);
  }
  if (streams) _mm_sfence();
}

template <typename T>
HEED_BF16 void TransposeRowsOf(const T* x, int64_t x_rows, int64_t stride,
                               int64_t begin, int64_t end, int64_t rows,
                               uint16_t* out, int64_t out_stride) {
  // Whole cache lines of a row are read together, because rows whose stride is
  // a power of two evict each other. The next rows are prefetched.
  constexpr int64_t kBlockRows = 2 * kLanes;
  for (int64_t j = 0; j < rows; j += kBlockRows) {
    for (int64_t i = begin; i < end; i += kLanes) {
      __m512i t[kLanes];
      for (int64_t r = 0; r < kLanes; ++r) {
        const int64_t row = j + 2 * r;
        const T* from = x + row * stride + i;
        __builtin_prefetch(from + kBlockRows * stride);
        __builtin_prefetch(from + (kBlockRows + 1) * stride);
        t[r] = LoadPairs(from, row < x_rows ? end - i : 0, from + stride,
                         row + 1 < x_rows ? end - i : 0);
      }
      Transpose(t);
      const int64_t count = std::min(kLanes, end - i);
      for (int64_t c = 0; c < count; ++c) {
        _mm512_storeu_si512(out + (i - begin + c) * out_stride + j, t[c]);
      }
    }
  }
}

}  // namespace

void PackPanelBF16(const MatrixView& b, int64_t panel, int64_t rows,
                   uint16_t* out, Writing writing) {
  PackPanelOf(b, panel, rows, out, writing);
}

void PackPanelBF16(const MatrixViewBF16& b, int64_t panel, int64_t rows,
                   uint16_t* out, Writing writing) {
  PackPanelOf(b, panel, rows, out, writing);
}

void TransposeRowsBF16(const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows, uint16_t* out,
                       int64_t out_stride) {
  TransposeRowsOf(x, x_rows, stride, begin, end, rows, out, out_stride);
}

void TransposeRowsBF16(const uint16_t* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows, uint16_t* out,
                       int64_t out_stride) {
  TransposeRowsOf(x, x_rows, stride, begin, end, rows, out, out_stride);
}

HEED_BF16 void RoundBF16(const float* x, int64_t n, uint16_t* out) {
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    _mm512_storeu_si512(out + i, RoundedJoin(_mm512_loadu_ps(x + i),
                                             _mm512_loadu_ps(x + i + kLanes)));
  }
  if (i == n) return;
  const auto mask = static_cast<__mmask32>((uint64_t{1} << (n - i)) - 1);
  _mm512_mask_storeu_epi16(
      out + i, mask,
      RoundedJoin(LoadUpTo(x + i, n - i),
                  LoadUpTo(x + i + kLanes, n - i - kLanes)));
}

}  // namespace heed::kernels::cpu

#else

namespace heed::kernels::cpu {

void PackPanelBF16(const MatrixView&, int64_t, int64_t, uint16_t*, Writing) {
  assert(false);
}
void PackPanelBF16(const MatrixViewBF16&, int64_t, int64_t, uint16_t*,
                   Writing) {
  assert(false);
}
void TransposeRowsBF16(const float*, int64_t, int64_t, int64_t, int64_t,
                       int64_t, uint16_t*, int64_t) {
  assert(false);
}
void TransposeRowsBF16(const uint16_t*, int64_t, int64_t, int64_t, int64_t,
                       int64_t, uint16_t*, int64_t) {
  assert(false);
}
void RoundBF16(const float*, int64_t, uint16_t*) { assert(false); }

}  // namespace heed::kernels::cpu

#endif
