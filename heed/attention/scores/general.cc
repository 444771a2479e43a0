// e = qᵀ W k, also called bilinear or multiplicative; each head has its W.
// Paper: Luong et al. 2015, arXiv:1508.04025, section 3.1.
#include "heed/attention/scores/scores.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class GeneralScore : public ProductScore {
 public:
  GeneralScore(const Scope& scope, const AttentionSizes& n,
               std::span<const double> /*arguments*/)
      : n_(n),
        key_(scope.Add(
            "key.weight", {n.heads * n.key, n.query}, n.init,
            n.heads == 1 ? ParameterUse::kMatrix : ParameterUse::kOther)) {}

  Var PrepareKeys(const Context& ctx, const Var& keys) const override {
    const Var weight = ctx.Use(key_);
    if (n_.heads == 1) return MatMul(keys, weight);
    std::vector<Var> parts;
    for (int64_t h = 0; h < n_.heads; ++h) {
      const int64_t first = h / (n_.heads / n_.key_heads) * n_.key;
      parts.push_back(MatMul(Columns(keys, first, first + n_.key),
                             Slice(weight, h * n_.key, (h + 1) * n_.key)));
    }
    return ConcatColumns(parts);
  }
  int64_t PreparedHeads(const AttentionSizes& sizes) const override {
    return sizes.heads;
  }

 private:
  AttentionSizes n_;
  Parameter& key_;
};

}  // namespace

ScoreInfo GeneralInfo() {
  return {.name = "general",
          .formula = "qᵀ W k",
          .source = "Luong et al. 2015, arXiv:1508.04025",
          .arguments = {},
          .make = MakeScore<GeneralScore>};
}

}  // namespace heed
