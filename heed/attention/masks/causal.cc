// Causal masks s <= t and s < t: a query sees earlier keys, with or without its
// own position. With s < t the first query sees no key and gets zeros. Paper:
// Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3.
#include "heed/attention/masks/rules.h"

namespace heed {
namespace {

class CausalRule : public RangeRule {
 public:
  explicit CausalRule(int64_t ahead) : ahead_(ahead) {}
  kernels::Range Keys(int64_t /*b*/, int64_t t) const override {
    return {0, t + ahead_};
  }

 private:
  int64_t ahead_;
};

}  // namespace

Mask Causal() {
  Mask mask(std::make_shared<CausalRule>(1));
  mask.band_ = {.after = 0};
  return mask;
}
Mask StrictCausal() { return Mask(std::make_shared<CausalRule>(0)); }

MaskInfo CausalInfo() {
  return {
      "causal",
      "s ≤ t",
      "Vaswani et al. 2017, arXiv:1706.03762",
      {},
      [](const std::vector<double>&, const MaskSizes&) { return Causal(); }};
}

MaskInfo StrictCausalInfo() {
  return {"strict_causal",
          "s < t",
          "Cheng et al. 2016, arXiv:1601.06733",
          {},
          [](const std::vector<double>&, const MaskSizes&) {
            return StrictCausal();
          }};
}

}  // namespace heed
