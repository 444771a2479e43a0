#include "heed/metrics/classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/metrics/metrics.h"

namespace heed {
namespace {

double Share(int64_t part, int64_t whole) {
  return RatioOf(static_cast<double>(part), whole);
}

void CheckCounts(size_t predicted, size_t gold) {
  if (predicted == gold) return;
  throw ShapeError("classification: {} predictions for {} examples", predicted,
                   gold);
}

void CheckClass(int32_t id, int64_t C) {
  if (id >= 0 && id < C) return;
  throw ShapeError("classification: class {} of {}", id, C);
}

}  // namespace

double ClassScore::precision() const { return Share(correct, predicted); }
double ClassScore::recall() const { return Share(correct, gold); }
double ClassScore::f1() const { return Share(2 * correct, gold + predicted); }

double MacroF1(std::span<const ClassScore> classes) {
  double sum = 0;
  int64_t occur = 0;
  for (const ClassScore& score : classes) {
    if (score.gold + score.predicted == 0) continue;
    sum += score.f1();
    ++occur;
  }
  return RatioOf(sum, occur);
}

double MicroF1(std::span<const ClassScore> classes) {
  ClassScore all;
  for (const ClassScore& score : classes) {
    all.gold += score.gold;
    all.predicted += score.predicted;
    all.correct += score.correct;
  }
  return all.f1();
}

ClassReport ScoreClasses(std::span<const int32_t> predicted,
                         std::span<const int32_t> gold, int64_t C) {
  CheckCounts(predicted.size(), gold.size());
  ClassReport report;
  report.classes.resize(static_cast<size_t>(C));
  report.confusion.resize(static_cast<size_t>(C * C));
  int64_t right = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    CheckClass(gold[i], C);
    CheckClass(predicted[i], C);
    ++At(report.classes, gold[i]).gold;
    ++At(report.classes, predicted[i]).predicted;
    ++At(report.confusion, gold[i] * C + predicted[i]);
    if (gold[i] != predicted[i]) continue;
    ++At(report.classes, gold[i]).correct;
    ++right;
  }
  report.accuracy = Share(right, std::ssize(gold));
  return report;
}

LabelSetReport ScoreLabelSets(std::span<const std::vector<int32_t>> predicted,
                              std::span<const std::vector<int32_t>> gold,
                              int64_t C) {
  CheckCounts(predicted.size(), gold.size());
  LabelSetReport report;
  report.classes.resize(static_cast<size_t>(C));
  const auto class_of = [&](int32_t id) -> ClassScore& {
    CheckClass(id, C);
    return At(report.classes, id);
  };
  int64_t right = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    for (const int32_t id : gold[i]) ++class_of(id).gold;
    for (const int32_t id : predicted[i]) {
      ++class_of(id).predicted;
      if (std::binary_search(gold[i].begin(), gold[i].end(), id)) {
        ++class_of(id).correct;
      }
    }
    if (gold[i] == predicted[i]) ++right;
  }
  report.subset_accuracy = Share(right, std::ssize(gold));
  return report;
}

double RocAuc(std::span<const double> scores,
              std::span<const int32_t> positive) {
  CheckCounts(scores.size(), positive.size());
  if (std::any_of(scores.begin(), scores.end(),
                  [](double score) { return std::isnan(score); })) {
    throw ShapeError("classification: a score that is not a number");
  }
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  double negatives = 0;  // negatives with a lower score
  double positives = 0;
  double won = 0;
  for (size_t i = 0; i < order.size();) {
    double tied[2] = {0, 0};  // negatives, positives with this score
    const double score = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == score; ++i) {
      ++tied[positive[order[i]] != 0 ? 1 : 0];
    }
    won += tied[1] * (negatives + tied[0] / 2);
    negatives += tied[0];
    positives += tied[1];
  }
  const double pairs = negatives * positives;
  return pairs == 0 ? kNoFigure : won / pairs;
}

}  // namespace heed
