#include "heed/kernels/instructions.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <atomic>
#include <bit>

#include "heed/base/errors.h"

namespace heed::kernels {
namespace {

std::atomic<int> wanting{0};

/// Instruction sets of this build and this processor; better sets have lower
/// bits.
uint64_t Sets() {
  return static_cast<uint64_t>(hwy::SupportedTargets() & (HWY_TARGETS));
}

std::string NameOf(uint64_t set) {
  return hwy::TargetName(static_cast<int64_t>(set));
}

}  // namespace

std::string InstructionSet() {
  const uint64_t sets = Sets();
  return sets == 0 ? "EMU128" : NameOf(uint64_t{1} << std::countr_zero(sets));
}

void LimitInstructions(const std::string& name) {
  std::string names;
  for (uint64_t left = Sets(); left != 0; left &= left - 1) {
    const uint64_t set = uint64_t{1} << std::countr_zero(left);
    if (NameOf(set) == name) {
      hwy::SetSupportedTargetsForTest(static_cast<int64_t>(left));
      return;
    }
    names += (names.empty() ? "" : ", ") + NameOf(set);
  }
  throw ConfigError("no kernels for instruction set '{}' here (there are: {})",
                    name, names);
}

SameOnEveryCpu::SameOnEveryCpu() {
  const std::string set = InstructionSet();
  if (set == "SCALAR" || set == "EMU128" || set.starts_with("SS")) {
    throw ConfigError(
        "this processor has no instruction that multiplies and adds with one "
        "rounding (AVX2), so its bits are its own: leave --same-on-every-cpu "
        "out");
  }
  ++wanting;
}

SameOnEveryCpu::~SameOnEveryCpu() { --wanting; }

bool SameOnEveryCpu::Wanted() { return wanting > 0; }

}  // namespace heed::kernels
