// e = qᵀ k, and e = qᵀ k / √d, which keeps the variance of a score at 1 if the
// features have variance 1. Papers: Luong et al. 2015, arXiv:1508.04025,
// section 3.1; Vaswani et al. 2017, arXiv:1706.03762, eq. 1.
#include <cmath>

#include "heed/attention/scores/scores.h"

namespace heed {
namespace {

class DotScore : public ProductScore {
 public:
  using ProductScore::ProductScore;

  bool steps() const override { return true; }
};

}  // namespace

ScoreInfo DotInfo() {
  return {.name = "dot",
          .formula = "qᵀ k",
          .source = "Luong et al. 2015, arXiv:1508.04025",
          .equal_sizes = true,
          .arguments = {},
          .make = [](const Scope&, const AttentionSizes&,
                     std::span<const double>) -> std::unique_ptr<Score> {
            return std::make_unique<DotScore>(1.0);
          }};
}

ScoreInfo ScaledDotInfo() {
  return {.name = "scaled_dot",
          .formula = "qᵀ k / √d",
          .source = "Vaswani et al. 2017, arXiv:1706.03762",
          .equal_sizes = true,
          .arguments = {},
          .make = [](const Scope&, const AttentionSizes& sizes,
                     std::span<const double>) -> std::unique_ptr<Score> {
            return std::make_unique<DotScore>(
                1 / std::sqrt(static_cast<double>(sizes.key)));
          }};
}

}  // namespace heed
