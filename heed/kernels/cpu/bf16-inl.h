// Helpers of the files with bf16 intrinsics, for which Highway has no target.
// Include only where __x86_64__ is defined.
#ifndef HEED_KERNELS_CPU_BF16_INL_H_
#define HEED_KERNELS_CPU_BF16_INL_H_

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

/// Attribute of functions that may be called only where HasBF16().
#define HEED_BF16 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

namespace heed::kernels::cpu {

/// Number of floats in a vector.
inline constexpr int64_t kVectorFloats = sizeof(__m512) / sizeof(float);

/// Mask of the first n lanes; all lanes from kVectorFloats on.
inline __mmask16 FirstLanes(int64_t n) {
  const auto lanes = std::clamp<int64_t>(n, 0, kVectorFloats);
  return static_cast<__mmask16>((1U << lanes) - 1);
}

/// Loads the first n floats of a vector; the others are 0.
HEED_BF16 inline __m512 LoadUpTo(const float* x, int64_t n) {
  if (n >= kVectorFloats) return _mm512_loadu_ps(x);
  return _mm512_maskz_loadu_ps(FirstLanes(n), x);
}

/// (low_0 .. low_15, high_0 .. high_15), rounded to bf16.
HEED_BF16 inline __m512i RoundedJoin(__m512 low, __m512 high) {
  return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

/// (a_0, b_0, a_1, b_1, ...), rounded to bf16.
HEED_BF16 inline __m512i RoundedPairs(__m512 a, __m512 b) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11,
                                         26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21,
                                         5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(order, RoundedJoin(a, b));
}

/// (a_0, b_0, a_1, b_1, ...) of the first values of two rows, padded with 0;
/// floats are rounded.
HEED_BF16 inline __m512i LoadPairs(const float* a, int64_t a_count,
                                   const float* b, int64_t b_count) {
  return RoundedPairs(LoadUpTo(a, a_count), LoadUpTo(b, b_count));
}
HEED_BF16 inline __m512i LoadPairs(const uint16_t* a, int64_t a_count,
                                   const uint16_t* b, int64_t b_count) {
  constexpr __mmask16 kAll = 0xffff;
  const __m512i low = _mm512_maskz_cvtepu16_epi32(
      kAll, _mm256_maskz_loadu_epi16(FirstLanes(a_count), a));
  const __m512i high = _mm512_maskz_cvtepu16_epi32(
      kAll, _mm256_maskz_loadu_epi16(FirstLanes(b_count), b));
  return _mm512_or_si512(low, _mm512_maskz_slli_epi32(kAll, high, 16));
}

/// Transposes 16 rows of 16 pairs.
HEED_BF16 inline void Transpose(__m512i* t) {
  // All-lane masks avoid a GCC 12 warning about uninitialised values.
  constexpr __mmask16 kAll = 0xffff;
  constexpr __mmask8 kAllPairs = 0xff;
  __m512i u[kVectorFloats];
  for (int r = 0; r < kVectorFloats; r += 2) {
    u[r] = _mm512_maskz_unpacklo_epi32(kAll, t[r], t[r + 1]);
    u[r + 1] = _mm512_maskz_unpackhi_epi32(kAll, t[r], t[r + 1]);
  }
  // Block b of t[4 r + c] becomes column 4 b + c of rows 4 r .. 4 r + 3.
  for (int r = 0; r < kVectorFloats; r += 4) {
    t[r] = _mm512_maskz_unpacklo_epi64(kAllPairs, u[r], u[r + 2]);
    t[r + 1] = _mm512_maskz_unpackhi_epi64(kAllPairs, u[r], u[r + 2]);
    t[r + 2] = _mm512_maskz_unpacklo_epi64(kAllPairs, u[r + 1], u[r + 3]);
    t[r + 3] = _mm512_maskz_unpackhi_epi64(kAllPairs, u[r + 1], u[r + 3]);
  }
  for (int c = 0; c < 4; ++c) {
    // Blocks 0 and 2, and 1 and 3, of two rows each.
    const __m512i even01 =
        _mm512_maskz_shuffle_i32x4(kAll, t[c], t[4 + c], 0x88);
    const __m512i odd01 =
        _mm512_maskz_shuffle_i32x4(kAll, t[c], t[4 + c], 0xdd);
    const __m512i even23 =
        _mm512_maskz_shuffle_i32x4(kAll, t[8 + c], t[12 + c], 0x88);
    const __m512i odd23 =
        _mm512_maskz_shuffle_i32x4(kAll, t[8 + c], t[12 + c], 0xdd);
    t[c] = _mm512_maskz_shuffle_i32x4(kAll, even01, even23, 0x88);
    t[4 + c] = _mm512_maskz_shuffle_i32x4(kAll, odd01, odd23, 0x88);
    t[8 + c] = _mm512_maskz_shuffle_i32x4(kAll, even01, even23, 0xdd);
    t[12 + c] = _mm512_maskz_shuffle_i32x4(kAll, odd01, odd23, 0xdd);
  }
}

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_BF16_INL_H_
