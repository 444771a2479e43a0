// What the files of bf16 intrinsics share. Highway has no target with these
// instructions. Include only where __x86_64__ is defined.
#ifndef HEED_KERNELS_CPU_BF16_INL_H_
#define HEED_KERNELS_CPU_BF16_INL_H_

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

/// Of functions that may be called only where HasBF16().
#define HEED_BF16 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

namespace heed::kernels::cpu {

/// Of a vector.
inline constexpr int64_t kVectorFloats = sizeof(__m512) / sizeof(float);

/// The first n of a vector's floats; the others are 0.
HEED_BF16 inline __m512 LoadUpTo(const float* x, int64_t n) {
  if (n >= kVectorFloats) return _mm512_loadu_ps(x);
  const auto mask = static_cast<__mmask16>((1U << std::max<int64_t>(0, n)) - 1);
  return _mm512_maskz_loadu_ps(mask, x);
}

/// (low_0 .. low_15, high_0 .. high_15), rounded.
HEED_BF16 inline __m512i RoundedJoin(__m512 low, __m512 high) {
  return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

/// (a_0, b_0, a_1, b_1, ...), rounded.
HEED_BF16 inline __m512i RoundedPairs(__m512 a, __m512 b) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11,
                                         26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21,
                                         5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(order, RoundedJoin(a, b));
}

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_BF16_INL_H_
