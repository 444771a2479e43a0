// Masks keys further than W from the median of the previous weights, so that a
// long recording is read from left to right. The first step starts at key 0; no
// gradient flows through the median. Paper: Chorowski et al. 2015,
// arXiv:1506.07503, section 2.3 (windowing).
#include "heed/attention/modifiers/modifiers.h"

namespace heed {
namespace {

template <typename T>
double Median(const T* weights, int64_t keys) {
  double total = 0;
  for (int64_t s = 0; s < keys; ++s) total += static_cast<double>(weights[s]);
  double sum = 0;
  for (int64_t s = 0; s < keys; ++s) {
    sum += static_cast<double>(weights[s]);
    if (sum >= total / 2) return static_cast<double>(s);
  }
  return 0;
}

class MedianWindowModifier : public Modifier {
 public:
  MedianWindowModifier(const Scope& /*scope*/, const AttentionSizes& /*sizes*/,
                       std::span<const double> arguments)
      : width_(arguments[0]) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    const Tensor& before = site.previous.value();
    Tensor centre({site.batch, site.heads, 1}, DType::kF64);
    for (int64_t n = 0; n < before.rows(); ++n) {
      centre.data<double>()[n] = before.dtype() == DType::kF64
                                     ? Median(before.row<double>(n), site.keys)
                                     : Median(before.row<float>(n), site.keys);
    }
    return {
        {kernels::ScoreModifier::Kind::kWindow, width_, centre.To(site.dtype)}};
  }
  bool uses_history() const override { return true; }
  bool fused() const override { return true; }

 private:
  double width_;
};

}  // namespace

ModifierInfo MedianWindowInfo() {
  return {.name = "median_window",
          .formula = "e where |s − median(a')| ≤ W",
          .source = "Chorowski et al. 2015, arXiv:1506.07503",
          .arguments = {{"W", 75, 1, 1e6}},
          .make = MakeModifier<MedianWindowModifier>};
}

}  // namespace heed
