// Accuracy, precision, recall, F1 and ROC AUC of predicted classes.
#ifndef HEED_METRICS_CLASSIFICATION_H_
#define HEED_METRICS_CLASSIFICATION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

/// Counts of one class against all others. A ratio with denominator 0 is
/// kNoFigure.
struct ClassScore {
  int64_t gold = 0;       ///< examples of the class
  int64_t predicted = 0;  ///< examples predicted as the class
  int64_t correct = 0;    ///< examples of the class predicted correctly

  double precision() const;  ///< correct / predicted
  double recall() const;     ///< correct / gold
  double f1() const;         ///< 2 correct / (gold + predicted)
};

/// Mean F1 of the classes that occur in the gold labels or the predictions;
/// kNoFigure if none does.
double MacroF1(std::span<const ClassScore> classes);
/// F1 of all decisions pooled. For one label per example it equals accuracy.
double MicroF1(std::span<const ClassScore> classes);

/// Scores of single-label predictions.
struct ClassReport {
  double accuracy = 0;  ///< share of correct examples; kNoFigure for none
  std::vector<ClassScore> classes;  ///< [C]
  /// Confusion matrix [C, C], row-major: examples of gold class i predicted as
  /// j.
  std::vector<int64_t> confusion;
};

/// Scores single-label predictions. Throws: ShapeError if the numbers of
/// examples differ or a class is not below C.
ClassReport ScoreClasses(std::span<const int32_t> predicted,
                         std::span<const int32_t> gold, int64_t C);

/// Scores of multi-label predictions.
struct LabelSetReport {
  double subset_accuracy = 0;       ///< share of exactly correct sets
  std::vector<ClassScore> classes;  ///< [C]
};

/// Scores multi-label predictions. Each set is sorted, without repetitions.
/// Throws: ShapeError if the numbers of examples differ or a class is not below
/// C.
LabelSetReport ScoreLabelSets(std::span<const std::vector<int32_t>> predicted,
                              std::span<const std::vector<int32_t>> gold,
                              int64_t C);

/// Probability that a positive example scores above a negative one; a tie
/// counts half. kNoFigure if there are no positives or no negatives.
/// positive[i] is 0 or 1. Throws: ShapeError if the numbers of examples differ
/// or a score is NaN.
/// Paper: Hanley and McNeil 1982.
double RocAuc(std::span<const double> scores,
              std::span<const int32_t> positive);

}  // namespace heed

#endif  // HEED_METRICS_CLASSIFICATION_H_
