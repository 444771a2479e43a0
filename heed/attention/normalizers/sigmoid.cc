// a = σ(e): each key is let in or not, whatever the others say; weights do not
// sum to one.
// Paper: Ramapuram et al. 2024, arXiv:2409.04431, eq. 3.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo SigmoidInfo() {
  return {.name = "sigmoid",
          .formula = "σ(e)",
          .source = "Ramapuram et al. 2024, arXiv:2409.04431",
          .arguments = {},
          .make = MakeNormalizer<SigmoidGate>()};
}

}  // namespace heed
