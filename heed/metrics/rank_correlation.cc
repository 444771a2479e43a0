#include "heed/metrics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

void CheckScores(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw ShapeError("rank correlation: {} and {} scores", a.size(), b.size());
  }
  const auto is_nan = [](double x) { return std::isnan(x); };
  if (std::ranges::any_of(a, is_nan) || std::ranges::any_of(b, is_nan)) {
    throw NumericError("rank correlation: a score is NaN");
  }
}

/// Ranks from 1; tied scores share their mean rank.
std::vector<double> RanksOf(std::span<const double> scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order,
                    [&](size_t i, size_t j) { return scores[i] < scores[j]; });
  std::vector<double> ranks(scores.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && scores[order[end]] == scores[order[begin]]) {
      ++end;
    }
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

int SignOf(double x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

}  // namespace

std::optional<double> SpearmanCorrelation(std::span<const double> a,
                                          std::span<const double> b) {
  CheckScores(a, b);
  const std::vector<double> x = RanksOf(a);
  const std::vector<double> y = RanksOf(b);
  const double mean = static_cast<double>(x.size() + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::optional<double> KendallCorrelation(std::span<const double> a,
                                         std::span<const double> b) {
  CheckScores(a, b);
  int64_t difference = 0, differ_a = 0, differ_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int x = SignOf(a[i] - a[j]);
      const int y = SignOf(b[i] - b[j]);
      difference += x * y;
      differ_a += x != 0;
      differ_b += y != 0;
    }
  }
  if (differ_a == 0 || differ_b == 0) return std::nullopt;
  return static_cast<double>(difference) /
         std::sqrt(static_cast<double>(differ_a) *
                   static_cast<double>(differ_b));
}

}  // namespace heed
