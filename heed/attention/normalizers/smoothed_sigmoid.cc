// a = σ(e) / Σ σ(e): bounded numerators keep one key from taking everything.
// Scores need a bias of their own, because σ is not shift-invariant.
// Paper: Chorowski et al. 2015, arXiv:1506.07503, section 2.3 (smoothing).
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo SmoothedSigmoidInfo() {
  return {.name = "smoothed_sigmoid",
          .formula = "σ(e) / Σ σ(e)",
          .source = "Chorowski et al. 2015, arXiv:1506.07503",
          .arguments = {},
          .make = MakeNormalizer<SmoothedSigmoid>()};
}

}  // namespace heed
