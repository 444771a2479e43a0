// While training, a hard choice of one key, s ~ softmax(e), which learns by
// REINFORCE (see ReinforceLoss), unless Context::expects_choices; otherwise the
// softmax: the expectation. Papers: Xu et al. 2015, arXiv:1502.03044,
// section 4.1; Mnih et al. 2014, arXiv:1406.6247, eq. 4.
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/normalizers.h"

namespace heed {

NormalizerInfo HardInfo() {
  constexpr auto kOp = [](const Context& ctx, const Var& scores,
                          const std::vector<double>& /*arguments*/) {
    if (!ctx.training || ctx.expects_choices)
      return Normalized{Softmax(scores), {}, {}};
    const HardSample sample = SampleHard(ctx, scores);
    return Normalized{sample.weights, sample.log_probability, sample.entropy};
  };
  return {.name = "hard",
          .formula = "onehot(s), s ~ softmax(e)",
          .source = "Xu et al. 2015, arXiv:1502.03044",
          .arguments = {},
          .chooses = true,
          .make = MakeNormalizer(kOp)};
}

}  // namespace heed
