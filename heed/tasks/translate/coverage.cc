#include "heed/tasks/translate/coverage.h"

#include "heed/base/at.h"
#include "heed/models/copying.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed::translate {

Var CoverageLoss(std::span<const Var> weights, std::span<const int32_t> lengths,
                 int64_t head, double scale) {
  const Var a = StepWeights(weights, head);
  const int64_t B = a.dim(1), S = a.dim(2);
  CheckShapes(std::ssize(lengths) == B, "coverage loss",
              "weights of another number of targets", {a.shape()});
  const DType dtype = a.value().dtype();
  Var covered;
  Var sum(Tensor::Zeros({}, dtype));
  for (int64_t t = 1; t < a.dim(0); ++t) {
    const Var before = Select(a, t - 1);
    covered = t == 1 ? before : Add(covered, before);
    Tensor counts({B, S}, DType::kF64);
    for (int64_t b = 0; b < B; ++b) {
      counts.Slice(b, b + 1).Fill(t < At(lengths, b) ? scale : 0);
    }
    // min(x, c) = x − relu(x − c).
    const Var x = Select(a, t);
    const Var least = Sub(x, Relu(Sub(x, covered)));
    sum = Add(sum, Sum(Mul(least, Var(counts.To(dtype)))));
  }
  return sum;
}

}  // namespace heed::translate
