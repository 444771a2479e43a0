// Softmax over the k largest scores; other keys get weight 0. Paper: Chorowski
// et al. 2015, arXiv:1506.07503, section 2.3.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo TopKInfo() {
  constexpr auto kOp = [](const Context& /*ctx*/, const Var& scores,
                          const std::vector<double>& arguments) {
    return Normalized{
        TopKSoftmax(scores, static_cast<int64_t>(arguments[0])), {}, {}};
  };
  return {.name = "top_k",
          .formula = "softmax over the top-k scores e",
          .source = "Chorowski et al. 2015, arXiv:1506.07503",
          .arguments = {{"k", 4, 1, 1e9}},
          .make = MakeNormalizer(kOp)};
}

}  // namespace heed
