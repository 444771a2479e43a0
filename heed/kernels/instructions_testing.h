// Tests that results do not depend on the processor.
#ifndef HEED_KERNELS_INSTRUCTIONS_TESTING_H_
#define HEED_KERNELS_INSTRUCTIONS_TESTING_H_

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// True if the set has fused multiply-add: all but the x86 baseline.
inline bool IsFused(int64_t set) { return set <= HWY_AVX2 || !HWY_ARCH_X86; }

/// Instruction sets of this build and this processor with fused multiply-add.
inline std::vector<int64_t> FusedInstructionSets() {
  std::vector<int64_t> sets;
  for (const int64_t set : hwy::SupportedAndGeneratedTargets()) {
    if (IsFused(set)) sets.push_back(set);
  }
  return sets;
}

/// Number of elements whose bits differ.
inline int64_t Differing(const Tensor& a, const Tensor& b) {
  int64_t count = 0;
  const size_t size = SizeOf(a.dtype());
  const Tensor dense_a = a.Contiguous();
  const Tensor dense_b = b.Contiguous();
  const auto* of_a = static_cast<const char*>(dense_a.raw());
  const auto* of_b = static_cast<const char*>(dense_b.raw());
  for (int64_t i = 0; i < a.numel(); ++i, of_a += size, of_b += size) {
    count += std::memcmp(of_a, of_b, size) != 0 ? 1 : 0;
  }
  return count;
}

/// Checks that the tensors of run() are bitwise equal for all these sets.
template <class Run>
void ExpectTheSameBits(const Run& run) {
  std::vector<Tensor> first;
  for (const int64_t set : FusedInstructionSets()) {
    hwy::SetSupportedTargetsForTest(set);
    const std::vector<Tensor> these = run();
    hwy::SetSupportedTargetsForTest(0);
    if (first.empty()) first = these;
    ASSERT_EQ(these.size(), first.size());
    for (size_t i = 0; i < these.size(); ++i) {
      ASSERT_EQ(these[i].shape(), first[i].shape());
      EXPECT_EQ(Differing(these[i], first[i]), 0)
          << "of " << these[i].numel() << " elements of result " << i
          << " with " << hwy::TargetName(set);
    }
  }
}

}  // namespace heed::kernels

#endif  // HEED_KERNELS_INSTRUCTIONS_TESTING_H_
