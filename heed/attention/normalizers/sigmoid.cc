// a = σ(e): each key is let in or not, whatever the others say; weights do not
// sum to one.
// Paper: Ramapuram et al. 2024, arXiv:2409.04431, eq. 3.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo SigmoidInfo() {
  constexpr auto kOp = [](const Context& /*ctx*/, const Var& scores,
                          const std::vector<double>& /*arguments*/) {
    return Normalized{SigmoidGate(scores), {}, {}};
  };
  return {.name = "sigmoid",
          .formula = "σ(e)",
          .source = "Ramapuram et al. 2024, arXiv:2409.04431",
          .arguments = {},
          .make = MakeNormalizer(kOp)};
}

}  // namespace heed
