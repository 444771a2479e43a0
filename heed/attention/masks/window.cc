// t - before <= s <= t + after: a sliding window, and Luong's local-m, a window
// with p_t = t and D keys on each side. Papers: Beltagy et al. 2020,
// arXiv:2004.05150, section 3.1; Luong et al. 2015, arXiv:1508.04025, section
// 3.2.

#include <algorithm>

#include "heed/attention/masks/rules.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

class WindowRule : public RangeRule {
 public:
  WindowRule(int64_t before, int64_t after)
      : before_(std::min(before, kFar)), after_(std::min(after, kFar)) {}
  kernels::Range Keys(int64_t /*b*/, int64_t t) const override {
    return {t - before_, t + after_ + 1};
  }

 private:
  static constexpr int64_t kFar = int64_t{1} << 60;

  int64_t before_;
  int64_t after_;
};

}  // namespace

Mask SlidingWindow(int64_t before, int64_t after) {
  if (before < 0 || after < 0) {
    throw ConfigError(
        "window: before and after must be 0 or more, not {} and {}", before,
        after);
  }
  Mask mask(std::make_shared<WindowRule>(before, after));
  mask.band_ = {std::min(before, Band::kAll), std::min(after, Band::kAll)};
  return mask;
}

MaskInfo WindowInfo() {
  return {"window",
          "|s − t| ≤ width / 2",
          "Beltagy et al. 2020, arXiv:2004.05150",
          {{"width", 16, 0, 1e9}},
          [](const std::vector<double>& n, const MaskSizes&) {
            const auto half = static_cast<int64_t>(n[0] / 2);
            return SlidingWindow(half, half);
          }};
}

MaskInfo LocalMInfo() {
  return {"local_m",
          "|s − t| ≤ D",
          "Luong et al. 2015, arXiv:1508.04025",
          {{"D", 10, 0, 1e9}},
          [](const std::vector<double>& n, const MaskSizes&) {
            const auto width = static_cast<int64_t>(n[0]);
            return SlidingWindow(width, width);
          }};
}

}  // namespace heed
