#include "heed/explain/faithfulness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

constexpr int kShares = 10;

Attribution RandomScores(const Explainable& answer, uint64_t seed) {
  Attribution random;
  random.method = "random";
  Rng rng(seed);
  for (int64_t i = 0; i < answer.targets * answer.tokens; ++i) {
    random.scores.push_back(static_cast<float>(rng.Uniform()));
  }
  return random;
}

/// Removes the first `count` tokens of an order, or with `others` all except
/// these.
ChangedInput Without(const Explainable& answer, int64_t target,
                     std::span<const size_t> order, size_t count, bool others) {
  return {target, [&answer, order, count, others](std::span<double> x) {
            const size_t features = x.size() / order.size();
            for (size_t i = 0; i < order.size(); ++i) {
              if ((i < count) == others) continue;
              TakeAway(answer, x.subspan(order[i] * features, features));
            }
          }};
}

/// Interpolates equally spaced values at 0, 0.1, ..., 1.
std::vector<double> AtShares(std::span<const double> values) {
  std::vector<double> at;
  const double last = static_cast<double>(values.size() - 1);
  for (int i = 0; i <= kShares; ++i) {
    const double place = last * i / kShares;
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, values.size() - 1);
    const double part = place - static_cast<double>(below);
    at.push_back((1 - part) * values[below] + part * values[above]);
  }
  return at;
}

double AreaUnder(const std::vector<double>& values) {
  double area = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    area += (values[i - 1] + values[i]) / 2 / kShares;
  }
  return area;
}

/// Mean curve over the targets.
FaithfulnessCurve CurveOf(const Explainable& answer,
                          const Attribution& attribution) {
  const auto tokens = static_cast<size_t>(answer.tokens);
  FaithfulnessCurve curve;
  curve.method = attribution.method;
  curve.answers = 1;
  for (int i = 0; i <= kShares; ++i) {
    curve.share.push_back(static_cast<double>(i) / kShares);
  }
  curve.deletion.resize(curve.share.size());
  curve.insertion.resize(curve.share.size());
  for (int64_t n = 0; n < answer.targets; ++n) {
    const std::vector<size_t> order =
        OrderByMagnitude(std::span(attribution.scores)
                             .subspan(static_cast<size_t>(n) * tokens, tokens));
    std::vector<ChangedInput> inputs;
    for (const bool others : {false, true}) {
      for (size_t k = 0; k <= tokens; ++k) {
        inputs.push_back(Without(answer, n, order, k, others));
      }
    }
    std::vector<double> y = ScoresOf(answer, inputs);
    if (answer.log_probability) {
      for (double& value : y) value = std::exp(value);
    }
    const std::vector<double> deletion =
        AtShares(std::span(y).first(tokens + 1));
    const std::vector<double> insertion =
        AtShares(std::span(y).subspan(tokens + 1));
    for (size_t i = 0; i < curve.share.size(); ++i) {
      const double targets = static_cast<double>(answer.targets);
      curve.deletion[i] += deletion[i] / targets;
      curve.insertion[i] += insertion[i] / targets;
    }
  }
  return curve;
}

}  // namespace

std::vector<size_t> OrderByMagnitude(std::span<const float> scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return std::abs(scores[a]) > std::abs(scores[b]);
  });
  return order;
}

double FaithfulnessCurve::deletion_area() const { return AreaUnder(deletion); }
double FaithfulnessCurve::insertion_area() const {
  return AreaUnder(insertion);
}

std::vector<FaithfulnessCurve> MeasureFaithfulness(
    const Explainable& answer, const std::vector<Attribution>& attributions,
    uint64_t seed) {
  std::vector<FaithfulnessCurve> curves;
  if (answer.targets == 0 || answer.tokens == 0) return curves;
  for (const Attribution& attribution : attributions) {
    curves.push_back(CurveOf(answer, attribution));
  }
  curves.push_back(CurveOf(answer, RandomScores(answer, seed)));
  return curves;
}

void AddToMean(const std::vector<FaithfulnessCurve>& curves,
               std::vector<FaithfulnessCurve>& mean) {
  if (curves.empty()) return;
  if (mean.empty()) {
    mean = curves;
    return;
  }
  if (mean.size() != curves.size()) {
    throw ShapeError("faithfulness: curves of other methods");
  }
  for (size_t c = 0; c < mean.size(); ++c) {
    const double total =
        static_cast<double>(mean[c].answers + curves[c].answers);
    const double old_part = static_cast<double>(mean[c].answers) / total;
    for (size_t i = 0; i < mean[c].share.size(); ++i) {
      const auto blend = [&](double& a, double b) {
        a = old_part * a + (1 - old_part) * b;
      };
      blend(mean[c].deletion[i], curves[c].deletion[i]);
      blend(mean[c].insertion[i], curves[c].insertion[i]);
    }
    mean[c].answers += curves[c].answers;
  }
}

}  // namespace heed
