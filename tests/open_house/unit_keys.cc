#include "tests/open_house/unit_keys.h"

#include "heed/attention/scores/scores.h"
#include "heed/ops/norm.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class UnitKeysScore : public ProductScore {
 public:
  UnitKeysScore(const Scope& /*scope*/, const AttentionSizes& sizes,
                std::span<const double> /*arguments*/)
      : features_(sizes.key) {}

  /// Returns the keys, each normalised to length 1 per head.
  Var PrepareKeys(const Context& /*ctx*/, const Var& keys) const override {
    const Var heads =
        Reshape(keys, {keys.value().numel() / features_, features_});
    return Reshape(NormalizeRows(heads, 1e-8), keys.shape());
  }

 private:
  int64_t features_;
};

}  // namespace

ScoreInfo UnitKeysInfo() {
  return {.name = "unit_keys",
          .formula = "q · k / |k|",
          .source = "this example",
          .equal_sizes = true,
          .arguments = {},
          .make = MakeScore<UnitKeysScore>};
}

}  // namespace heed
