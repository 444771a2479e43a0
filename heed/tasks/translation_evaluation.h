// A model against references: BLEU, chrF, loss, alignments.
#ifndef HEED_TASKS_TRANSLATION_EVALUATION_H_
#define HEED_TASKS_TRANSLATION_EVALUATION_H_

#include <optional>
#include <string>
#include <vector>

#include "heed/decode/options.h"
#include "heed/explain/line_plot.h"
#include "heed/metrics/aer.h"
#include "heed/tasks/translation_model.h"

namespace heed {

struct EvaluationOptions {
  DecodeOptions decode;
  bool lowercase = false;      // compare lower-cased text
  std::string alignment_gold;  // file of links, may be empty
};

struct Evaluation {
  double bleu = 0;
  double chrf = 0;
  double loss = 0;  // per gold token, natural logarithm
  double perplexity = 0;
  double exact_match = 0;  // share of sentences, 0 to 1
  std::optional<double> aer;
  int64_t sentences = 0;
  double seconds = 0;     // of translating
  std::string signature;  // of BLEU
  std::string chrf_signature;
  std::vector<std::string> translations;
};

/// Translates the source and compares with the target. The text is lower-cased
/// first if the model was trained so. Throws: FormatError if the gold alignment
/// does not fit; ConfigError if the model has no attention to align with.
Evaluation Evaluate(const TranslationModel& model, ParallelText text,
                    const EvaluationOptions& options);

/// BLEU of sentences by the number of source words, in buckets of equal width.
/// Paper: Bahdanau et al. 2014, arXiv:1409.0473, figure 2.
Series BleuByLength(const std::string& name, const ParallelText& text,
                    const std::vector<std::string>& translations,
                    bool lowercase);

/// Links between the white-space words of each pair, from the attention of the
/// model to the gold target: pieces of a word are added up, each target word is
/// linked to the source word it looks at most.
std::vector<AlignmentLinks> AlignWords(const TranslationModel& model,
                                       const ParallelText& text);

}  // namespace heed

#endif  // HEED_TASKS_TRANSLATION_EVALUATION_H_
