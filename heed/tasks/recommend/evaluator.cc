#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/metrics/ranking.h"
#include "heed/ops/loss.h"
#include "heed/tasks/recommend/recommend.h"

namespace heed::recommend {
namespace {

constexpr size_t kHistoriesAtOnce = 256;

using Vector = std::vector<double>;

double Dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double SumAt(const Vector& values, const History& history) {
  double sum = 0;
  for (const int32_t item : history) sum += At(values, item);
  return sum;
}

/// Rank of the last item among those outside the history before it.
size_t RankOf(std::span<const float> scores, const History& history) {
  const float own = At(scores, history.back());
  std::vector<float> others(scores.begin(), scores.end());
  for (const int32_t item : history) {
    At(others, item) = -std::numeric_limits<float>::infinity();
  }
  const auto better = [own](float other) { return !(other <= own); };  // or NaN
  const auto ahead = std::ranges::count_if(others, better);
  return static_cast<size_t>(1 + ahead + std::ranges::count(others, own) / 2);
}

}  // namespace

ScoreFunction Factorisation(std::span<const History> train, int64_t items,
                            int64_t factors) {
  constexpr int kRounds = 20;
  constexpr double kMinNorm = 1e-9;  // only rounding errors are shorter
  const auto V = static_cast<size_t>(items);
  Rng rng(1);
  std::vector<Vector> q(static_cast<size_t>(std::min(factors, items)));
  for (Vector& column : q) {
    for (size_t i = 0; i < V; ++i) column.push_back(rng.Normal());
  }
  // Subspace iteration: Q = orthonormal(Xᵀ X Q), by Gram and Schmidt's method.
  for (int64_t step = 0; step < kRounds * std::ssize(q); ++step) {
    const size_t k = static_cast<size_t>(step) % q.size();
    Vector next(V);
    for (const History& history : train) {
      const double sum = SumAt(q[k], history);
      for (const int32_t item : history) At(next, item) += sum;
    }
    for (size_t before = 0; before < k; ++before) {
      const double share = Dot(next, q[before]);
      for (size_t i = 0; i < V; ++i) next[i] -= share * q[before][i];
    }
    const double norm = std::sqrt(Dot(next, next));
    for (double& value : next) value = norm > kMinNorm ? value / norm : 0;
    q[k] = std::move(next);
  }
  return [q, items](std::span<const History> histories) {
    Tensor scores = Tensor::Zeros({std::ssize(histories), items}, DType::kF32);
    for (int64_t b = 0; b < scores.rows(); ++b) {
      for (const Vector& column : q) {
        const double sum = SumAt(column, At(histories, b));
        for (int64_t i = 0; i < items; ++i) {
          scores.row<float>(b)[i] += static_cast<float>(sum * At(column, i));
        }
      }
    }
    return scores;
  };
}

Metrics ScoreLastItems(std::span<const History> histories,
                       const ScoreFunction& scores) {
  std::vector<Ranking> rankings;
  double loss = 0;
  for (size_t begin = 0; begin < histories.size(); begin += kHistoriesAtOnce) {
    const auto some = histories.subspan(
        begin, std::min(kHistoriesAtOnce, histories.size() - begin));
    const Tensor log_p = LogSoftmax(scores(WithoutLast(some))).value();
    for (int64_t b = 0; b < std::ssize(some); ++b) {
      const std::span<const float> row(
          log_p.row<float>(log_p.rows() == 1 ? 0 : b),
          static_cast<size_t>(log_p.cols()));
      const History& history = At(some, b);
      loss -= double{At(row, history.back())};
      std::vector<bool> relevant(RankOf(row, history));
      relevant.back() = true;
      rankings.push_back({relevant, 1});
    }
  }
  const RankingScores s = ScoreRankings(rankings, std::array{10});
  return {{"ndcg10", 100 * s.ndcg.at(10)},
          {"hr10", 100 * s.recall.at(10)},
          {"mrr", 100 * s.mrr},
          {"loss", RatioOf(loss, std::ssize(histories))}};
}

std::vector<History> WithoutLast(std::span<const History> histories) {
  std::vector<History> shorter(histories.begin(), histories.end());
  for (History& history : shorter) history.pop_back();
  return shorter;
}

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  const int64_t min = std::max(3, made.config.min_interactions);
  const std::vector<History> histories =
      made.items.Encode(ReadInteractions(options.interactions), min);
  if (histories.empty()) {
    throw FormatError("{}: no user has {} items that the model knows",
                      options.interactions.front(), min);
  }
  const std::vector<History> train = WithoutLast(WithoutLast(histories));
  const int64_t items = made.items.size();
  Tensor popularity = Tensor::Zeros({1, items}, DType::kF32);
  for (const History& history : train) {
    for (const int32_t item : history) ++popularity.data<float>()[item];
  }
  Report report;
  report.heading =
      fmt::format("{} next items among {} items", histories.size(), items);
  const auto add = [&](const std::string& prefix, const std::string& of,
                       const ScoreFunction& scores) {
    for (const auto& [key, value] : ScoreLastItems(histories, scores)) {
      if (key == "loss" && !of.empty()) continue;  // scores are no logits
      report.figures.push_back(
          {prefix + key, key + of, value, 2, key == "loss" ? "nats" : "%", ""});
    }
  };
  add("", "", [&](std::span<const History> some) {
    return made.Scores({}, some).value();
  });
  add("popularity_", ", popularity",
      [&](std::span<const History>) { return popularity; });
  add("factorisation_", ", factorisation", Factorisation(train, items));
  return report;
}

}  // namespace heed::recommend
