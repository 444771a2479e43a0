// a = [e / 2 − τ]₊², halfway between softmax and sparsemax.
// Paper: Peters et al. 2019, arXiv:1905.05702, eq. 6 with α = 1.5.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo Entmax15Info() {
  return {.name = "entmax15",
          .formula = "[e/2 − τ]₊²",
          .source = "Peters et al. 2019, arXiv:1905.05702",
          .arguments = {},
          .make = MakeNormalizer<Entmax15>()};
}

}  // namespace heed
