// Replacement of Highway's library in the command. Highway's kernels are in its
// headers and need only three functions of the library. Loading the library
// measures the processor's clock, a fifth of the command's start time. The
// command knows the targets of its kernels, so it defines these functions and
// does not link the library. Programs that use heed::heed link Highway's
// library.
#include <cpuid.h>
#include <hwy/targets.h>

#include <atomic>
#include <cstdint>

namespace hwy {
namespace {

std::atomic<int64_t> chosen_for_test{0};

/// True if the processor has F16C and LZCNT, which Clang 14's
/// __builtin_cpu_supports does not know.
bool ConvertsHalvesAndCountsZeros() {
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_ABM) != 0;
}

/// True if the processor has all features that HWY_AVX2 needs.
bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") &&
         ConvertsHalvesAndCountsZeros();
}

/// True if the processor has the additional features that HWY_AVX3 needs.
bool HasAvx3() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd");
}

}  // namespace

int64_t SupportedTargets() {
  if (const int64_t chosen = chosen_for_test; chosen != 0) return chosen;
  int64_t targets = HWY_STATIC_TARGET | HWY_SCALAR | HWY_EMU128;
  if (HasAvx2()) {
    targets |= HWY_AVX2;
    if (HasAvx3()) targets |= HWY_AVX3;
  }
  return targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

void SetSupportedTargetsForTest(int64_t targets) {
  chosen_for_test = targets;
  GetChosenTarget().DeInit();
}

}  // namespace hwy
