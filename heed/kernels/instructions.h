// Which of the processor's instructions kernels use.
#ifndef HEED_KERNELS_INSTRUCTIONS_H_
#define HEED_KERNELS_INSTRUCTIONS_H_

#include <string>

namespace heed::kernels {

/// The best set that this build has kernels for and this processor runs, as
/// Highway names it: "AVX3_SPR", "AVX2", "NEON". Sums of another set have other
/// bits.
std::string InstructionSet();

}  // namespace heed::kernels

#endif  // HEED_KERNELS_INSTRUCTIONS_H_
