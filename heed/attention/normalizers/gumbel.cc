// While training, a hard choice of one key by the Gumbel-max trick, whose
// gradient is that of a softmax at temperature τ (straight through); otherwise
// the softmax itself.
// Paper: Jang et al. 2016, arXiv:1611.01144, section 2.2.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo GumbelInfo() {
  constexpr auto kOp = [](const Context& ctx, const Var& scores,
                          const std::vector<double>& arguments) {
    return Normalized{GumbelSoftmax(ctx, scores, arguments[0]), {}, {}};
  };
  return {.name = "gumbel",
          .formula = "onehot(argmax(e + g)), ∂softmax((e + g)/τ)",
          .source = "Jang et al. 2016, arXiv:1611.01144",
          .arguments = {{"τ", 1, 1e-3, 1e3}},
          .make = MakeNormalizer(kOp)};
}

}  // namespace heed
