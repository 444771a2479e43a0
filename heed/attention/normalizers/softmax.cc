// a = exp(e) / Σ exp(e).
// Paper: Bahdanau et al. 2014, arXiv:1409.0473, eq. 6.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo SoftmaxInfo() {
  return {.name = "softmax",
          .formula = "exp(e) / Σ exp(e)",
          .source = "Bahdanau et al. 2014, arXiv:1409.0473",
          .arguments = {},
          .make = MakeNormalizer<Softmax>(true)};
}

}  // namespace heed
