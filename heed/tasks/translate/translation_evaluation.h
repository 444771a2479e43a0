// A model against references: BLEU, chrF, ROUGE, error rates, loss, alignments.
#ifndef HEED_TASKS_TRANSLATE_TRANSLATION_EVALUATION_H_
#define HEED_TASKS_TRANSLATE_TRANSLATION_EVALUATION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/divided_lines.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/rouge.h"
#include "heed/render/line_plot.h"
#include "heed/tasks/translate/ibm_alignment.h"
#include "heed/tasks/translate/translate_options.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed::translate {

struct EvaluationOptions {
  Prediction decode;
  int max_line = kLongestLine;  // longer ones are divided; 0: no limit
  bool lowercase = false;       // compare lower-cased text
  Auto<BleuTokenizer> tokenize = {};
  bool alternatives = false;   // equal sources are one with several answers
  bool copy_baseline = false;  // measure the source as an answer too
  bool rouge = false;
  std::vector<std::string> metric;  // figures that are asked for; none: usual
  int lead = 0;        // ROUGE of so many sentences of the source; 0: none
  int lead_words = 0;  // ROUGE of so many words of it; 0: none
  std::vector<std::string> translations;    // files to measure instead
  std::vector<std::string> alignment_gold;  // files of links
  BaselineOptions baseline;                 // beside their error rate

  /// Whether ROUGE is measured.
  bool Rouge() const;
};

/// Texts against their references. With several references of an item BLEU and
/// chrF compare with the first, exact match with any, and the word error rate
/// with the nearest (see WordErrorRate).
struct TextScores {
  double bleu = 0;
  double chrf = 0;
  double exact_match = 0;           // of the sentences
  double word_error_rate = 0;       // edits per word of the references
  double character_error_rate = 0;  // of the first reference
  std::string signature;            // of BLEU
  std::string chrf_signature;
};

struct EvaluationResult : TextScores {
  std::optional<TextScores> copy;  // of the sources as answers
  std::optional<RougeScores> rouge;
  std::optional<RougeScores> lead;  // the lead baseline
  /// Per gold token, natural logarithm; none for translations from a file.
  std::optional<double> loss;
  std::optional<double> aer;
  AlignmentBaselines baselines;  // beside aer
  int64_t sentences = 0;         // that were translated
  int64_t references = 0;        // that they were compared with
  double seconds = 0;            // of translating
  Named<BleuTokenizer> tokenizer = BleuTokenizer::k13a;
  std::vector<std::string> translations;
};

/// The best translation of each line. With a model that was trained on
/// lower-cased text, the lines must be so.
std::vector<std::string> TranslateLines(const Model& model,
                                        const std::vector<std::string>& lines,
                                        const Prediction& options,
                                        int64_t max_line = kLongestLine);

TextScores MeasureText(std::vector<std::string> hypotheses,
                       ReferencedText right, const BleuOptions& options);

/// The lead of a text, a usual baseline of summaries: its first sentences, so
/// many of it, and so many words of these; 0: all.
std::string LeadOf(std::string_view text, int sentences, int words);

/// Translates the source and compares with the target. The text is lower-cased
/// first if the model was trained so. Throws: FormatError if the gold alignment
/// or the file of translations does not fit; ConfigError if the model has no
/// attention to align with.
EvaluationResult Evaluate(const Model& model, ParallelText text,
                          const EvaluationOptions& options);

/// BLEU of sentences by the number of source words, in buckets of equal width.
/// Paper: Bahdanau et al. 2014, arXiv:1409.0473, figure 2.
Series BleuByLength(const std::string& name, const ParallelText& text,
                    const std::vector<std::string>& translations,
                    const BleuOptions& options);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TRANSLATION_EVALUATION_H_
