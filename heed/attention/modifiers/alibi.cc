// e' = e − m_h |s − t|: every head penalises distance with a slope m_h of its
// own, which encodes order without position embeddings. Paper: Press et al.
// 2021, arXiv:2108.12409, section 3.
#include <bit>
#include <cmath>
#include <cstdlib>

#include "heed/attention/modifiers/modifiers.h"

namespace heed {
namespace {

/// Slope 2^(-8 i / n), i = 1..n, for n a power of two. Other numbers of heads
/// take the slopes of the next lower power n, then every second slope of 2n.
double Slope(int64_t head, int64_t heads) {
  const auto power =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  const auto slope = [](int64_t i, int64_t n) {
    return std::exp2(-8 * static_cast<double>(i) / static_cast<double>(n));
  };
  if (head < power) return slope(head + 1, power);
  return slope(2 * (head - power) + 1, 2 * power);
}

template <typename T>
void Fill(int64_t heads, int64_t queries, int64_t offset, Tensor& bias) {
  for (int64_t h = 0; h < heads; ++h) {
    T* row = bias.row<T>(h);
    const double slope = Slope(h, heads);
    for (int64_t i = 0; i < bias.dim(1); ++i) {
      const int64_t distance = i - (queries - 1) - offset;
      row[i] = static_cast<T>(-slope * static_cast<double>(std::abs(distance)));
    }
  }
}

class AlibiModifier : public Modifier {
 public:
  AlibiModifier(const Scope& /*scope*/, const AttentionSizes& /*sizes*/,
                std::span<const double> /*arguments*/) {}

  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    Tensor bias({site.heads, site.Distances()}, site.dtype);
    if (site.dtype == DType::kF64) {
      Fill<double>(site.heads, site.queries, site.offset, bias);
    } else {
      Fill<float>(site.heads, site.queries, site.offset, bias);
    }
    return {{kernels::ScoreModifier::Kind::kDistanceBias, 1, bias}};
  }
  bool fused() const override { return true; }
};

}  // namespace

ModifierInfo AlibiInfo() {
  return {.name = "alibi",
          .formula = "e − m_h |s − t|",
          .source = "Press et al. 2021, arXiv:2108.12409",
          .arguments = {},
          .make = MakeModifier<AlibiModifier>};
}

}  // namespace heed
