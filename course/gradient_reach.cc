#include "course/gradient_reach.h"

#include <algorithm>
#include <cmath>

#include "heed/ops/check.h"

namespace heed {
namespace {

// Copies of a text per backward pass, each differentiated for another unit.
constexpr int64_t kUnitsAtOnce = 64;

}  // namespace

std::vector<double> GradientReach(const Autocomplete& model,
                                  const Tensor& ids) {
  CheckShapes(ids.rank() == 2 && ids.dtype() == DType::kI32, "gradient reach",
              "texts that are not i32 [B, T]", {ids.shape()});
  const int64_t T = ids.dim(1);
  const int64_t H = model.state_size();
  std::vector<double> norms(static_cast<size_t>(T));
  for (int64_t b = 0; b < ids.dim(0); ++b) {
    std::vector<double> squares(norms.size());
    for (int64_t begin = 0; begin < H; begin += kUnitsAtOnce) {
      const int64_t units = std::min(kUnitsAtOnce, H - begin);
      const std::vector<int64_t> last(static_cast<size_t>(units), T - 1);
      const Tensor rows = model.InputGradients(
          ids[b], last, [&](const Context&, const Var& states) {
            Tensor one = Tensor::Zeros(states.shape(), DType::kF64);
            for (int64_t u = 0; u < units; ++u) {
              one.row<double>(u)[begin + u] = 1;
            }
            return Autocomplete::Output{states, one.To(states.value().dtype())};
          });
      for (int64_t u = 0; u < units; ++u) {
        const double* row = rows.row<double>(u);
        for (size_t k = 0; k < squares.size(); ++k) {
          const double norm = row[T - 1 - static_cast<int64_t>(k)];
          squares[k] += norm * norm;
        }
      }
    }
    for (size_t k = 0; k < norms.size(); ++k) {
      norms[k] += std::sqrt(squares[k]) / static_cast<double>(ids.dim(0));
    }
  }
  return norms;
}

}  // namespace heed
