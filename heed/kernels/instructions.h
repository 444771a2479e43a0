// Which of the processor's instructions kernels use, and what bits depend on
// it.
#ifndef HEED_KERNELS_INSTRUCTIONS_H_
#define HEED_KERNELS_INSTRUCTIONS_H_

#include <string>

namespace heed::kernels {

/// The best set that this build has kernels for and this processor runs, as
/// Highway names it: "AVX3" (AVX-512), "AVX2", "NEON", "SCALAR".
std::string InstructionSet();

/// Uses no better set than `name`, from now on: another processor is tried out.
/// Before anything computes.
/// Throws: ConfigError if this build or this processor has none of that name.
void LimitInstructions(const std::string& name);

/// While one lives, nothing computes f32 whose bits depend on the processor, as
/// long as it multiplies and adds with one rounding (since AVX2, 2013): what
/// oneDNN would do is done by products of our own.
class SameOnEveryCpu {
 public:
  /// Throws: ConfigError on a processor that rounds twice.
  SameOnEveryCpu();
  ~SameOnEveryCpu();
  SameOnEveryCpu(const SameOnEveryCpu&) = delete;
  SameOnEveryCpu& operator=(const SameOnEveryCpu&) = delete;

  /// True while one lives.
  static bool Wanted();
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_INSTRUCTIONS_H_
