#include "heed/ops/norm.h"

#include "heed/kernels/rowwise.h"
#include "heed/ops/check.h"
#include "heed/ops/sinks.h"

namespace heed {

Var NormalizeRows(const Var& x, double epsilon) {
  Tensor inv_norm;
  Tensor y = kernels::NormalizeRows(x.value().Contiguous(), epsilon, &inv_norm);
  return Record("normalize rows", y, {x},
                [y, inv_norm](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::NormalizeRowsGrad(dy, y, inv_norm));
                });
}

Var LayerNorm(const Var& x, const Var& gain, const Var& bias, double epsilon) {
  CheckColumns("layer norm", x, gain);
  CheckColumns("layer norm", x, bias);
  Tensor mean;
  Tensor inv_std;
  const Tensor dense = x.value().Contiguous();
  Tensor y = kernels::LayerNorm(dense, gain.value(), bias.value(), epsilon,
                                &mean, &inv_std);
  return Record("layer norm", std::move(y), {x, gain, bias},
                [x = dense, gain = gain.value(), mean, inv_std](
                    const Tensor& dy, Grads& g) {
                  Sinks sinks(g);
                  Tensor dgain = sinks.OrScratch(1, gain);
                  Tensor dbias = sinks.OrScratch(2, gain);
                  g.Add(0, kernels::LayerNormGrad(dy, x, gain, mean, inv_std,
                                                  dgain, dbias));
                  sinks.Finish();
                });
}

}  // namespace heed
