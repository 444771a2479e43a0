#include "heed/ops/group_log_sum_exp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/at.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

template <typename T>
void SumGroups(const Tensor& x, const Tensor& groups, Tensor& y) {
  const int64_t S = x.dim(1);
  for (int64_t b = 0; b < x.dim(0); ++b) {
    const T* row = x.row<T>(b);
    const int32_t* group = groups.row<int32_t>(b);
    T* sums = y.row<T>(b);
    for (int64_t s = 0; s < S; ++s) {
      if (group[s] >= 0) sums[group[s]] = std::max(sums[group[s]], row[s]);
    }
    // Shift each group by its own maximum, so that no group underflows.
    std::vector<double> shares(static_cast<size_t>(y.dim(1)));
    for (int64_t s = 0; s < S; ++s) {
      if (group[s] < 0 || row[s] == -std::numeric_limits<T>::infinity()) {
        continue;
      }
      At(shares, group[s]) +=
          std::exp(static_cast<double>(row[s]) - sums[group[s]]);
    }
    for (int64_t c = 0; c < y.dim(1); ++c) {
      const double share = At(shares, c);
      if (share != 0) sums[c] += static_cast<T>(std::log(share));
    }
  }
}

/// Distributes the gradient of a group to its positions by their softmax.
template <typename T>
void SpreadToGroups(const Tensor& x, const Tensor& groups, const Tensor& y,
                    const Tensor& dy, Tensor& dx) {
  for (int64_t b = 0; b < x.dim(0); ++b) {
    const int32_t* group = groups.row<int32_t>(b);
    for (int64_t s = 0; s < x.dim(1); ++s) {
      const int32_t c = group[s];
      if (c < 0 || x.row<T>(b)[s] == -std::numeric_limits<T>::infinity()) {
        continue;
      }
      dx.row<T>(b)[s] +=
          dy.row<T>(b)[c] * std::exp(x.row<T>(b)[s] - y.row<T>(b)[c]);
    }
  }
}

}  // namespace

Var GroupLogSumExp(const Var& x, const Tensor& groups, int64_t C) {
  CheckShapes(x.shape().rank() == 2 && groups.shape() == x.shape() &&
                  groups.dtype() == DType::kI32 && C >= 1,
              "group log sum exp", "not scores [B, S] with their groups",
              {x.shape(), groups.shape(), {C}});
  constexpr int32_t kNoGroup = -1;
  CheckTargets("group log sum exp", groups, kNoGroup, C);
  const bool wide = x.value().dtype() == DType::kF64;
  Tensor y =
      Tensor::Full({x.dim(0), C}, -std::numeric_limits<double>::infinity(),
                   x.value().dtype());
  wide ? SumGroups<double>(x.value(), groups, y)
       : SumGroups<float>(x.value(), groups, y);
  return Record("group log sum exp", y, {x},
                [x = x.value(), groups, y, wide](const Tensor& dy, Grads& g) {
                  Tensor& dx = g.Accumulate(0);
                  wide ? SpreadToGroups<double>(x, groups, y, dy, dx)
                       : SpreadToGroups<float>(x, groups, y, dy, dx);
                });
}

}  // namespace heed
