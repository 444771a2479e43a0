// e' = e + b_h(t, s): a learned number for each head and pair of positions, for
// sequences of at most `positions`.
// Paper: Tay et al. 2020, arXiv:2005.00743 (a random synthesizer mixed with
// scores of content). The table of Swin (Liu et al. 2021, arXiv:2103.14030) is
// indexed by the distance of two cells instead.
#include <algorithm>

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
                         kZeroInit)) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    const int64_t queries = site.offset + site.queries;
    const int64_t keys = RealKeys(site);
    if (queries > positions_ || keys > positions_) {
      throw ShapeError(
          "{}: learned_bias has {} positions, too few for {} queries and {} "
          "keys; give it more, as in 'learned_bias({})'",
          path_, positions_, queries, keys, std::max(queries, keys));
    }
    Tensor rows({site.heads * site.queries}, DType::kI32);
    for (int64_t i = 0; i < rows.numel(); ++i) {
      rows.data<int32_t>()[i] = static_cast<int32_t>(
          i / site.queries * positions_ + site.offset + i % site.queries);
    }
    Var bias = Embed(site.ctx.Use(table_), rows);
    if (site.keys <= positions_) {
      bias = Columns(bias, 0, site.keys);
    } else {
      bias = ConcatColumns(
          {bias,
           Tensor::Zeros({rows.numel(), site.keys - positions_}, site.dtype)});
    }
    return {{kernels::ScoreModifier::Kind::kBias, 1,
             Reshape(bias, {1, site.heads, site.queries, site.keys})}};
  }
  bool fused() const override { return true; }

 private:
  /// Largest number of real keys in a row.
  static int64_t RealKeys(const AttentionSite& site) {
    if (!site.lengths.defined()) return site.keys;
    int32_t max = 0;
    for (const int32_t n : site.lengths.ToVector<int32_t>()) {
      max = std::max(max, n);
    }
    return max;
  }

  std::string path_;
  int64_t positions_;
  Parameter& table_;
};

}  // namespace

ModifierInfo LearnedBiasInfo() {
  return {.name = "learned_bias",
          .formula = "e + b_h(t, s)",
          .source = "Tay et al. 2020, arXiv:2005.00743",
          .arguments = {{"positions", 128, 1, 1e5}},
          .make = MakeModifier<LearnedBiasModifier>};
}

}  // namespace heed
