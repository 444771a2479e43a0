// A teacher's translations as training text of a student: choice of the best
// ones, and removal of bad pairs.
#ifndef HEED_TASKS_TRANSLATE_DISTILLATION_H_
#define HEED_TASKS_TRANSLATE_DISTILLATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/corpus.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed::translate {

/// Index of the translation with the highest SentenceBleu against the
/// reference; the first of equal ones. Range: at least one translation. Paper:
/// Kim and Rush 2016, arXiv:1606.07947, section 3.3.
size_t BestTranslation(std::span<const std::string> translations,
                       std::string_view reference);

struct FilterOptions {
  int max_words = 200;
  double max_ratio = 3;

  void Visit(FieldList& v);
};

/// Pairs that a filter keeps, and the number of pairs dropped for each reason.
struct FilteredText {
  ParallelText text;
  int64_t empty = 0;
  int64_t longer = 0;    // above max_words on a side
  int64_t copies = 0;    // both sides have equal words
  int64_t repeated = 0;  // equal to an earlier pair
  int64_t ratio = 0;     // above max_ratio

  /// "28950 pairs; dropped: 3 empty, ...".
  std::string Summary() const;
};

/// Drops bad pairs and keeps the order of the others. The ratio of a pair is
/// (target characters + 10) / (source characters + 10), divided by its median
/// over all pairs, or the inverse if that is larger.
FilteredText FilterPairs(const ParallelText& text,
                         const FilterOptions& options);

/// log p(target | source) / (target words + 1) of each pair by forced decoding
/// of the target, natural logarithm; −infinity for pairs that are empty or too
/// long for the model. `on_pairs` receives the number of pairs done.
std::vector<double> ScoresPerWord(const Model& model, const ParallelText& text,
                                  const std::function<void(int64_t)>& on_pairs);

/// The pairs without the given share of lowest scores, in their order. Range: 0
/// <= share <= 1; as many scores as pairs.
ParallelText WithoutWorst(const ParallelText& text,
                          std::span<const double> scores, double share);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_DISTILLATION_H_
