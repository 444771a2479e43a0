// a = σ(e + b) / Σ σ(e + b): bounded numerators keep one key from dominating.
// The bias b of the energies is learned for each head, from 0: a softmax would
// cancel it, a sigmoid does not. Paper: Chorowski et al. 2015,
// arXiv:1506.07503, section 2.3 (smoothing).
#include "heed/attention/normalizers/biased.h"
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo SmoothedSigmoidInfo() {
  return {.name = "smoothed_sigmoid",
          .formula = "σ(e + b) / Σ σ(e + b)",
          .source = "Chorowski et al. 2015, arXiv:1506.07503",
          .arguments = {BiasArgument()},
          .make = MakeBiasedNormalizer(SmoothedSigmoid)};
}

}  // namespace heed
