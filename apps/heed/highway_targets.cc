// What Highway's library would say of this processor. Its kernels are in its
// headers; of the library they need three functions, and loading it measures
// the processor's clock, a fifth of what the command takes to start. So the
// command, which knows for which instruction sets its kernels are compiled, has
// these functions itself, and the library is not linked; programs that use
// heed::heed have Highway's.
#include <cpuid.h>
#include <hwy/targets.h>

#include <atomic>
#include <cstdint>

namespace hwy {
namespace {

std::atomic<int64_t> chosen_for_test{0};

/// F16C and LZCNT, of which Clang 14's __builtin_cpu_supports knows nothing.
bool ConvertsHalvesAndCountsZeros() {
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_ABM) != 0;
}

/// What HWY_AVX2 is compiled for.
bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") &&
         ConvertsHalvesAndCountsZeros();
}

/// What HWY_AVX3 is compiled for besides.
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
