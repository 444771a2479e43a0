// e' = e + b_h(s − t): a learned number for each head and distance. Half of the
// buckets are for keys after the query, half for the others. In each half near
// distances have a bucket each; far ones share logarithmic buckets. Paper:
// Raffel et al. 2020, arXiv:1910.10683, section 2.1.
#include <algorithm>
#include <cmath>

#include "heed/attention/modifiers/modifiers.h"
#include "heed/ops/score_modifiers.h"

namespace heed {
namespace {

class RelativeBiasModifier : public Modifier {
 public:
  RelativeBiasModifier(const Scope& scope, const AttentionSizes& sizes,
                       std::span<const double> arguments)
      : buckets_(static_cast<int64_t>(arguments[0])),
        farthest_(static_cast<int64_t>(arguments[1])),
        table_(scope.Add("relative_bias", {2 * buckets_, sizes.heads},
                         {Init::Kind::kNormal, 0.02})) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    Tensor ids({site.Distances()}, DType::kI32);
    for (int64_t i = 0; i < ids.numel(); ++i) {
      ids.data<int32_t>()[i] =
          static_cast<int32_t>(Bucket(i - (site.queries - 1) - site.offset));
    }
    return {{kernels::ScoreModifier::Kind::kDistanceBias, 1,
             DistanceTable(site.ctx.Use(table_), ids)}};
  }
  bool fused() const override { return true; }

 private:
  int64_t Bucket(int64_t distance) const {
    const int64_t half = distance > 0 ? buckets_ : 0;
    const int64_t far = std::abs(distance);
    const int64_t exact = (buckets_ + 1) / 2;
    if (far < exact) return half + far;
    const double part = std::log(static_cast<double>(far) / exact) /
                        std::log(static_cast<double>(farthest_) / exact);
    const auto bucket =
        exact +
        static_cast<int64_t>(part * static_cast<double>(buckets_ - exact));
    return half + std::min(bucket, buckets_ - 1);
  }

  int64_t buckets_;  // on each side
  int64_t farthest_;
  Parameter& table_;
};

}  // namespace

ModifierInfo RelativeBiasInfo() {
  return {.name = "relative_bias",
          .formula = "e + b_h(s − t)",
          .source = "Raffel et al. 2020, arXiv:1910.10683",
          .arguments = {{"buckets", 16, 1, 1e6}, {"farthest", 128, 2, 1e9}},
          .make = MakeModifier<RelativeBiasModifier>};
}

}  // namespace heed
