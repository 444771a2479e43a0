// Instruction sets of kernels, and results that do not depend on them.
#ifndef HEED_KERNELS_INSTRUCTIONS_H_
#define HEED_KERNELS_INSTRUCTIONS_H_

#include <string>

namespace heed::kernels {

/// Best instruction set that both this build and this processor support, by
/// Highway's name: "AVX3" (AVX-512), "AVX2", "NEON", "SCALAR".
std::string InstructionSet();

/// Limits kernels to instruction set `name` or lower, to emulate another
/// processor. Call before any computation. Throws: ConfigError if this build or
/// this processor does not support it.
void LimitInstructions(const std::string& name);

/// During its lifetime, f32 results are bitwise equal on all processors with
/// fused multiply-add (since AVX2, 2013): oneDNN is replaced by the library's
/// own products.
class SameOnEveryCpu {
 public:
  /// Throws: ConfigError on a processor without fused multiply-add.
  SameOnEveryCpu();
  ~SameOnEveryCpu();
  SameOnEveryCpu(const SameOnEveryCpu&) = delete;
  SameOnEveryCpu& operator=(const SameOnEveryCpu&) = delete;

  /// True while an instance exists.
  static bool Wanted();
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_INSTRUCTIONS_H_
