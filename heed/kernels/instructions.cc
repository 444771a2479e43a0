#include "heed/kernels/instructions.h"

#include <hwy/targets.h>

#include <bit>

namespace heed::kernels {

std::string InstructionSet() {
  // The better one has the lower bit.
  const auto both =
      static_cast<uint64_t>(hwy::SupportedTargets() & (HWY_TARGETS));
  if (both == 0) return "EMU128";
  return hwy::TargetName(int64_t{1} << std::countr_zero(both));
}

}  // namespace heed::kernels
