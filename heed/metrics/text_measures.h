// Metrics of texts against references, by name.
#ifndef HEED_METRICS_TEXT_MEASURES_H_
#define HEED_METRICS_TEXT_MEASURES_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/metrics/bleu.h"

namespace heed {

struct TextMeasure {
  std::string_view name;
  bool greater_is_better = false;
};

/// bleu, chrf, ter, exact_match, word_error_rate, character_error_rate, rouge1,
/// rouge2 and rouge_l (F1).
std::span<const TextMeasure> TextMeasures();

/// True if `name` is one of TextMeasures.
bool IsTextMeasure(std::string_view name);

/// The metric `name`, which must be one of TextMeasures, in percent like BLEU.
/// Throws: ShapeError if the numbers of texts differ.
double MeasureTexts(std::string_view name,
                    std::span<const std::string> hypotheses,
                    std::span<const std::string> references,
                    const BleuOptions& bleu = {});

/// The metric `name` with several references per text: one of TextMeasures in
/// percent, or "cider" (CorpusCider, 0 to 10). bleu, exact_match and
/// word_error_rate have their usual definitions for several references; others
/// are the metric over all pairs of a text and one of its references. Throws:
/// ShapeError if the numbers of texts differ or a text has no reference.
double MeasureTexts(std::string_view name,
                    std::span<const std::string> hypotheses,
                    std::span<const References> references,
                    const BleuOptions& bleu = {});

}  // namespace heed

#endif  // HEED_METRICS_TEXT_MEASURES_H_
