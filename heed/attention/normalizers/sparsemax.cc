// a = argmin_p |p − e|² over the simplex: weights that can be exactly zero.
// Paper: Martins and Astudillo 2016, arXiv:1602.02068, eq. 2.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo SparsemaxInfo() {
  return {.name = "sparsemax",
          .formula = "argmin_p |p − e|²",
          .source = "Martins, Astudillo 2016, arXiv:1602.02068",
          .arguments = {},
          .make = MakeNormalizer<Sparsemax>()};
}

}  // namespace heed
