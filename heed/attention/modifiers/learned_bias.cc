// e' = e + b_h(t, s): a learned number for each head and pair of positions, for
// sequences of at most `positions`.
// Paper: Liu et al. 2021, arXiv:2103.14030, eq. 4 has it for windows.
#include <fmt/format.h>

#include "heed/attention/modifiers/modifiers.h"
#include "heed/base/errors.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class LearnedBiasModifier : public Modifier {
 public:
  LearnedBiasModifier(const Scope& scope, const AttentionSizes& sizes,
                      std::span<const double> arguments)
      : path_(scope.path()),
        positions_(static_cast<int64_t>(arguments[0])),
        table_(scope.Add("bias", {sizes.heads * positions_, positions_},
                         {Init::Kind::kConstant, 0})) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    if (site.offset + site.queries > positions_ || site.keys > positions_) {
      throw ShapeError(fmt::format(
          "{}: learned_bias has {} positions, too few for {} queries and {} "
          "keys; give it more, as in 'learned_bias({})'",
          path_, positions_, site.offset + site.queries, site.keys,
          std::max(site.offset + site.queries, site.keys)));
    }
    Tensor rows({site.heads * site.queries}, DType::kI32);
    for (int64_t i = 0; i < rows.numel(); ++i) {
      rows.data<int32_t>()[i] =
          static_cast<int32_t>(i / site.queries * positions_ + site.offset +
                               i % site.queries);
    }
    const Var bias = Columns(Embed(site.ctx.Use(table_), rows), 0, site.keys);
    return {{kernels::ScoreModifier::Kind::kBias, 1,
             Reshape(bias, {1, site.heads, site.queries, site.keys})}};
  }

 private:
  std::string path_;
  int64_t positions_;
  Parameter& table_;
};

}  // namespace

ModifierInfo LearnedBiasInfo() {
  return {.name = "learned_bias",
          .formula = "e + b_h(t, s)",
          .source = "Liu et al. 2021, arXiv:2103.14030",
          .arguments = {{"positions", 128, 1, 1e5}},
          .make = MakeModifier<LearnedBiasModifier>};
}

}  // namespace heed
