// Test inputs for the kernels of a memory.
#ifndef HEED_KERNELS_MEMORY_TESTING_H_
#define HEED_KERNELS_MEMORY_TESTING_H_

#include <cmath>
#include <functional>
#include <vector>

#include "heed/kernels/memory_addressing.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {

/// Sizes of a case; some are not a multiple of a vector.
struct MemorySizes {
  int64_t b, h, n, f, reach;
};
inline const std::vector<MemorySizes> kMemorySizes = {
    {1, 1, 1, 1, 1},  {2, 1, 3, 2, 0},    {1, 2, 5, 4, 1}, {3, 2, 17, 3, 2},
    {2, 3, 33, 7, 4}, {1, 1, 128, 20, 1}, {2, 1, 2, 3, 3}};

/// Random inputs of addressing, writing and reading.
struct MemoryCase {
  MemoryCase(const MemorySizes& s, DType dtype)
      : numbers(Random({s.b, s.h * AddressSize(s.f, s.reach)}, dtype, 1)),
        previous(Random({s.b, s.h, s.n}, DType::kF64, 2)),
        memory(Random({s.b, s.f, s.n}, dtype, 3)),
        erase(Random({s.b, s.h * s.f}, dtype, 4)),
        add(Random({s.b, s.h * s.f}, dtype, 5)) {
    for (int64_t r = 0; r < previous.rows(); ++r) {
      double sum = 0;
      for (int64_t i = 0; i < s.n; ++i) {
        SetAt(previous, r, i, std::exp(At(previous, r, i)));
        sum += At(previous, r, i);
      }
      for (int64_t i = 0; i < s.n; ++i) {
        SetAt(previous, r, i, At(previous, r, i) / sum);
      }
    }
    previous = previous.To(dtype);
  }
  Tensor numbers, previous, memory, erase, add;
};

/// Checks that gradients in f32 match those in f64.
inline void ExpectSameGradients(
    const std::function<std::vector<Tensor>(DType)>& gradients) {
  const std::vector<Tensor> exact = gradients(DType::kF64);
  const std::vector<Tensor> f32 = gradients(DType::kF32);
  for (size_t i = 0; i < exact.size(); ++i) {
    ExpectEach(f32[i], 1e-4,
               [&](int64_t r, int64_t col) { return At(exact[i], r, col); });
  }
}

}  // namespace heed::kernels

#endif  // HEED_KERNELS_MEMORY_TESTING_H_
