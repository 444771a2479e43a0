#include "heed/explain/head_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/at.h"
#include "heed/explain/attention_patterns.h"
#include "heed/explain/attention_summary.h"

namespace heed {
namespace {

/// Relative position from 0 to 1.
double Place(int64_t position, int64_t size) {
  return size > 1
             ? static_cast<double>(position) / static_cast<double>(size - 1)
             : 0;
}

/// HeadStatistics::step of weights [T, S].
double MeanStep(const std::vector<float>& weights, int64_t queries,
                int64_t keys) {
  double sum = 0;
  int64_t steps = 0;
  for (int64_t t = 1; t < queries; ++t) {
    double before = 0, now = 0, squares = 0;
    for (int64_t s = 0; s < keys; ++s) {
      const auto i = static_cast<size_t>(t * keys + s);
      const double p = std::max(0.f, weights[i - static_cast<size_t>(keys)]);
      const double q = std::max(0.f, weights[i]);
      before += p;
      now += q;
      squares += std::pow(std::sqrt(p) - std::sqrt(q), 2);
    }
    if (!(before > 0) || !(now > 0)) continue;
    sum += std::sqrt(squares / 2);
    ++steps;
  }
  return steps > 0 ? sum / static_cast<double>(steps)
                   : std::numeric_limits<double>::quiet_NaN();
}

/// Mean cosine of pairs of vectors over queries and pairs of heads; pairs with
/// a zero vector do not count.
class PairCosines {
 public:
  explicit PairCosines(int64_t queries) : sums_(static_cast<size_t>(queries)) {}

  /// Adds one feature of both vectors of a query.
  void Add(int64_t query, double a, double b) {
    auto& own = At(sums_, query);
    own[0] += a * b;
    own[1] += a * a;
    own[2] += b * b;
  }
  /// Ends a pair of heads.
  void ClosePair() {
    for (auto& own : sums_) {
      if (own[1] > 0 && own[2] > 0) {
        sum_ += own[0] / std::sqrt(own[1] * own[2]);
        ++rows_;
      }
      own = {};
    }
  }
  double mean() const {
    return rows_ > 0 ? sum_ / static_cast<double>(rows_)
                     : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  std::vector<std::array<double, 3>> sums_;  // Σ a b, Σ a² and Σ b²
  double sum_ = 0;
  int64_t rows_ = 0;
};

/// Sets the largest weight and the means of PatternSums of weights [T, S] over
/// the rows that weigh.
void AddPatterns(const AttentionMap& map, const std::vector<float>& weights,
                 const std::vector<bool>& weighs,
                 std::span<const int32_t> tokens, HeadStatistics& statistics) {
  const std::vector<int32_t> earlier = EarlierEqual(tokens);
  PatternSums patterns(map.within_axis(), earlier);
  double largest = 0;
  int64_t rows = 0;
  for (int64_t t = 0; t < map.query_size; ++t) {
    if (!At(weighs, t)) continue;
    const auto row = weights.begin() + t * map.key_size;
    largest += double{*std::max_element(row, row + map.key_size)};
    ++rows;
    patterns.Add(
        t, [&](int64_t s) { return s < map.key_size ? double{row[s]} : 0.0; });
  }
  if (rows > 0) statistics.largest = largest / static_cast<double>(rows);
  patterns.SetMeans(statistics);
}

}  // namespace

HeadStatistics StatisticsOf(const AttentionMap& map, int64_t head,
                            std::span<const int32_t> tokens) {
  if (map.summary != nullptr && head >= 0) return At(map.summary->heads, head);
  HeadStatistics sum;
  std::vector<bool> weighs(static_cast<size_t>(map.query_size));
  std::vector<double> entropies(static_cast<size_t>(map.query_size));
  const auto add = [&](int64_t t, int64_t s, double a) {
    if (!(a > 0) || map.Outside(t, -1) > 0) return;
    At(weighs, t) = true;
    At(entropies, t) -= a * std::log2(a);
    sum.distance +=
        a * (map.within_axis()
                 ? std::abs(static_cast<double>(t - s))
                 : std::abs(Place(t, map.query_size) - Place(s, map.key_size)));
  };
  // Visits the edges only, since they may be few compared to T x S.
  for (size_t e = 0; e < map.edges.size(); ++e) {
    add(map.edges[e].first, map.edges[e].second, map.OfEdge(e, head));
  }
  if (map.edges.empty()) {
    const std::vector<float> weights = map.OfHead(head);
    for (int64_t t = 0; t < map.query_size; ++t) {
      for (int64_t s = 0; s < map.key_size; ++s) {
        add(t, s, At(weights, t * map.key_size + s));
      }
    }
    sum.step = MeanStep(weights, map.query_size, map.key_size);
    AddPatterns(map, weights, weighs, tokens, sum);
  }
  const auto rows = std::ranges::count(weighs, true);
  if (rows == 0 && !map.outside.empty()) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    return {.entropy = kUnknown, .distance = kUnknown, .words = kUnknown};
  }
  const double n = static_cast<double>(std::max<int64_t>(rows, 1));
  for (size_t t = 0; t < entropies.size(); ++t) {
    if (!weighs[t]) continue;
    sum.entropy += entropies[t] / n;
    sum.words += std::exp2(entropies[t]) / n;
  }
  sum.distance /= n;
  return sum;
}

std::string UniformNote(double entropy, int64_t keys) {
  constexpr double kNearlyUniform = 0.97;
  const bool uniform =
      keys > 1 &&
      entropy >= kNearlyUniform * std::log2(static_cast<double>(keys));
  return uniform ? fmt::format("nearly uniform: 1/{}", keys) : "";
}

double HeadSimilarity(const AttentionMap& map) {
  PairCosines cosines(map.query_size);
  for (int64_t h = 0; h < map.heads; ++h) {
    for (int64_t other = h + 1; other < map.heads; ++other) {
      for (size_t e = 0; e < map.edges.size(); ++e) {
        if (map.Outside(map.edges[e].first, -1) > 0) continue;
        cosines.Add(map.edges[e].first, map.OfEdge(e, h), map.OfEdge(e, other));
      }
      if (map.edges.empty()) {
        const std::vector<float> first = map.OfHead(h);
        const std::vector<float> second = map.OfHead(other);
        for (size_t i = 0; i < first.size(); ++i) {
          cosines.Add(static_cast<int64_t>(i) / map.key_size, first[i],
                      second[i]);
        }
      }
      cosines.ClosePair();
    }
  }
  return cosines.mean();
}

double ContextSimilarity(std::span<const float> contexts, int64_t heads,
                         int64_t queries) {
  PairCosines cosines(queries);
  const int64_t D =
      std::ssize(contexts) / std::max<int64_t>(heads * queries, 1);
  const auto at = [&](int64_t t, int64_t h, int64_t d) {
    return At(contexts, (t * heads + h) * D + d);
  };
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t other = h + 1; other < heads; ++other) {
      for (int64_t t = 0; t < queries; ++t) {
        for (int64_t d = 0; d < D; ++d) {
          cosines.Add(t, at(t, h, d), at(t, other, d));
        }
      }
      cosines.ClosePair();
    }
  }
  return cosines.mean();
}

std::vector<HeadStatistics> StatisticsOf(const AttentionMap& map,
                                         std::span<const int32_t> tokens) {
  std::vector<HeadStatistics> heads;
  for (int64_t h = 0; h < map.heads; ++h) {
    heads.push_back(StatisticsOf(map, h, tokens));
  }
  return heads;
}

}  // namespace heed
