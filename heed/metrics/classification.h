// Accuracy, precision, recall, F1 and ROC AUC of predicted classes.
#ifndef HEED_METRICS_CLASSIFICATION_H_
#define HEED_METRICS_CLASSIFICATION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

/// One class against all others. A quotient whose divisor is 0 is
/// kNoFigure.
struct ClassScore {
  int64_t gold = 0;       ///< examples that have the class
  int64_t predicted = 0;  ///< examples that were given it
  int64_t correct = 0;    ///< both

  double precision() const;  ///< correct / predicted
  double recall() const;     ///< correct / gold
  double f1() const;         ///< 2 correct / (gold + predicted)
};

/// Mean F1 of the classes that occur, as gold or predicted; kNoFigure if none
/// does.
double MacroF1(std::span<const ClassScore> classes);
/// F1 of all decisions together. For one label per example it equals accuracy.
double MicroF1(std::span<const ClassScore> classes);

/// Examples with one class each.
struct ClassReport {
  double accuracy = 0;              ///< share of right ones; kNoFigure for none
  std::vector<ClassScore> classes;  ///< [C]
  /// How many of gold class i were given class j, at i·C + j.
  std::vector<int64_t> confusion;
};

/// Throws: ShapeError if the numbers of examples differ or a class is not below
/// C.
ClassReport ScoreClasses(std::span<const int32_t> predicted,
                         std::span<const int32_t> gold, int64_t C);

/// Examples with any number of classes each.
struct LabelSetReport {
  double subset_accuracy = 0;       ///< share of wholly right sets
  std::vector<ClassScore> classes;  ///< [C]
};

/// Each set is sorted, without repetitions. Throws: as ScoreClasses.
LabelSetReport ScoreLabelSets(std::span<const std::vector<int32_t>> predicted,
                              std::span<const std::vector<int32_t>> gold,
                              int64_t C);

/// The chance that a positive example scores above a negative one; a tie counts
/// half. kNoFigure if one of the two kinds is missing. positive[i] is 0 or 1.
/// Throws: ShapeError if the numbers of examples differ or a score is NaN.
/// Paper: Hanley and McNeil 1982.
double RocAuc(std::span<const double> scores,
              std::span<const int32_t> positive);

}  // namespace heed

#endif  // HEED_METRICS_CLASSIFICATION_H_
