// a = σ(e + b − ln S), S the number of keys that the query may attend to: keys
// are weighted independently, and weights do not sum to one. In the paper the
// bias starts at −ln n for sequences of n tokens, so that the weights of a
// query first sum to about one. Here sequences differ in length: −ln S is
// computed for each query, and b is learned for each head, from 0. Paper:
// Ramapuram et al. 2024, arXiv:2409.04431, eq. 3 and section 3.
#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/normalizers/biased.h"
#include "heed/attention/normalizers/normalizers.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

/// −ln S of each row, repeated for all its keys.
template <typename T>
Tensor MinusLogCounts(const Tensor& scores) {
  Tensor shifts(scores.shape(), scores.dtype());
  const Tensor dense = scores.Contiguous();
  const int64_t keys = dense.dim(2);
  constexpr T kMasked = -std::numeric_limits<T>::infinity();
  for (int64_t n = 0; n < dense.rows(); ++n) {
    const T* e = dense.row<T>(n);
    const auto open = keys - std::count(e, e + keys, kMasked);
    const double shift = open > 1 ? -std::log(static_cast<double>(open)) : 0;
    std::fill_n(shifts.row<T>(n), keys, static_cast<T>(shift));
  }
  return shifts;
}

Var LessLogCounts(const Var& scores) {
  const Tensor& e = scores.value();
  return Add(scores, e.dtype() == DType::kF64 ? MinusLogCounts<double>(e)
                                              : MinusLogCounts<float>(e));
}

}  // namespace

NormalizerInfo SigmoidInfo() {
  return {.name = "sigmoid",
          .formula = "σ(e + b − ln S)",
          .source = "Ramapuram et al. 2024, arXiv:2409.04431",
          .arguments = {BiasArgument()},
          .make = MakeBiasedNormalizer(SigmoidGate, LessLogCounts)};
}

}  // namespace heed
