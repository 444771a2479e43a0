#include "heed/kernels/memory_access.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <vector>

#include "heed/kernels/instructions_testing.h"
#include "heed/kernels/memory_testing.h"

namespace heed::kernels::memory_access_test {
namespace {

class MemoryAccess : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(MemoryAccess);

TEST_P(MemoryAccess, WriteErasesAllBeforeItAdds) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const MemorySizes& s : kMemorySizes) {
      const MemoryCase c(s, dtype);
      const Tensor y = WriteMemory(c.memory, c.previous, c.erase, c.add);
      ExpectEach(y, 1e-5, [&](int64_t r, int64_t i) {
        const int64_t b = r / s.f;
        const int64_t f = r % s.f;
        double kept = At(c.memory, r, i);
        double added = 0;
        for (int64_t h = 0; h < s.h; ++h) {
          const double w = At(c.previous, b * s.h + h, i);
          kept *= 1 - w * At(c.erase, b, h * s.f + f);
          added += w * At(c.add, b, h * s.f + f);
        }
        return kept + added;
      });
    }
  }
}

TEST_P(MemoryAccess, ReadIsTheWeightedSumOfSlots) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const MemorySizes& s : kMemorySizes) {
      const MemoryCase c(s, dtype);
      const Tensor y = ReadMemory(c.memory, c.previous);
      ExpectEach(y, 1e-5, [&](int64_t b, int64_t at) {
        double sum = 0;
        for (int64_t i = 0; i < s.n; ++i) {
          sum += At(c.previous, b * s.h + at / s.f, i) *
                 At(c.memory, b * s.f + at % s.f, i);
        }
        return sum;
      });
    }
  }
}

TEST_P(MemoryAccess, GradientsAreThoseOfDifferences) {
  for (const MemorySizes& s : kMemorySizes) {
    if (s.n > 40) continue;
    MemoryCase c(s, DType::kF64);
    const Tensor dy = Random(c.memory.shape(), DType::kF64, 7);
    const Tensor dr = Random({s.b, s.h * s.f}, DType::kF64, 8);

    Tensor dmemory = Tensor::Zeros(c.memory.shape(), DType::kF64);
    const MemoryWriteGrads writes =
        WriteMemoryGrad(dy, c.memory, c.previous, c.erase, c.add, dmemory);
    const auto written = [&] {
      return Dot(WriteMemory(c.memory, c.previous, c.erase, c.add), dy);
    };
    ExpectGradient(writes.weights, c.previous, written);
    ExpectGradient(writes.erase, c.erase, written);
    ExpectGradient(writes.add, c.add, written);
    ExpectGradient(dmemory, c.memory, written);

    dmemory.Fill(0);
    const Tensor reads = ReadMemoryGrad(dr, c.memory, c.previous, dmemory);
    const auto read = [&] { return Dot(ReadMemory(c.memory, c.previous), dr); };
    ExpectGradient(reads, c.previous, read);
    ExpectGradient(dmemory, c.memory, read);
  }
}

TEST(MemoryAccessBits, AreThoseOfAnyVectors) {
  for (const MemorySizes& s : kMemorySizes) {
    SCOPED_TRACE(s.n);
    ExpectTheSameBits([&] {
      const MemoryCase c(s, DType::kF32);
      const Tensor dy = Random(c.memory.shape(), DType::kF32, 7);
      const Tensor dr = Random({s.b, s.h * s.f}, DType::kF32, 8);
      Tensor dmemory = Tensor::Zeros(c.memory.shape(), DType::kF32);
      const MemoryWriteGrads writes =
          WriteMemoryGrad(dy, c.memory, c.previous, c.erase, c.add, dmemory);
      const Tensor reads = ReadMemoryGrad(dr, c.memory, c.previous, dmemory);
      return std::vector<Tensor>{
          WriteMemory(c.memory, c.previous, c.erase, c.add),
          ReadMemory(c.memory, c.previous),
          writes.weights,
          writes.erase,
          writes.add,
          reads,
          dmemory};
    });
  }
}

TEST_P(MemoryAccess, GradientsOfF32AreThoseOfF64) {
  const MemoryCase c({2, 2, 128, 20, 1}, DType::kF32);
  const Tensor dy = Random(c.memory.shape(), DType::kF32, 7);
  const Tensor dr = Random(c.add.shape(), DType::kF32, 8);
  ExpectSameGradients([&](DType dtype) {
    const auto to = [&](const Tensor& x) { return x.To(dtype); };
    Tensor written = Tensor::Zeros(c.memory.shape(), dtype);
    Tensor read = Tensor::Zeros(c.memory.shape(), dtype);
    const MemoryWriteGrads w = WriteMemoryGrad(
        to(dy), to(c.memory), to(c.previous), to(c.erase), to(c.add), written);
    return std::vector<Tensor>{
        w.weights,
        w.erase,
        w.add,
        written,
        ReadMemoryGrad(to(dr), to(c.memory), to(c.previous), read),
        read};
  });
}

}  // namespace
}  // namespace heed::kernels::memory_access_test
