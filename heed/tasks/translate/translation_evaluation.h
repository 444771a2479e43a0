// Evaluation against references: BLEU, chrF, ROUGE, error rates, loss,
// alignments.
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
  int max_line = kLongestLine;  // longer lines are divided; 0: no limit
  bool lowercase = false;       // compare lower-cased text
  Auto<BleuTokenizer> tokenize = {};
  bool alternatives = false;   // equal sources share their references
  bool copy_baseline = false;  // also measure the source as the answer
  bool rouge = false;
  std::vector<std::string> metric;  // requested figures; empty: default
  int lead = 0;        // lead baseline: number of source sentences; 0: none
  int lead_words = 0;  // lead baseline: number of source words; 0: none
  std::vector<std::string> translations;    // files to measure instead
  std::vector<std::string> alignment_gold;  // files of links
  BaselineOptions baseline;  // baselines of the alignment error rate

  /// True if ROUGE is measured.
  bool Rouge() const;
};

/// Scores of texts against references. With several references, BLEU, chrF and
/// TER use the first, exact match any, and the word error rate the nearest (see
/// WordErrorRate).
struct TextScores {
  double bleu = 0;
  double chrf = 0;
  double ter = 0;
  double exact_match = 0;           // share of sentences
  double word_error_rate = 0;       // edits per word of the references
  double character_error_rate = 0;  // of the first reference
  std::string signature;            // of BLEU
  std::string chrf_signature;
};

struct EvaluationResult : TextScores {
  std::optional<TextScores> copy;  // the sources as answers
  std::optional<RougeScores> rouge;
  std::optional<RougeScores> lead;  // the lead baseline
  /// Per gold token, natural logarithm; none for translations from a file.
  std::optional<double> loss;
  std::optional<double> aer;
  AlignmentBaselines baselines;  // baselines of aer
  int64_t sentences = 0;         // number of source sentences
  int64_t references = 0;        // number of references
  double seconds = 0;            // time of translation
  Named<BleuTokenizer> tokenizer = BleuTokenizer::k13a;
  std::vector<std::string> translations;
};

/// The best translation of each line. Lower-cases the lines, once they are
/// split into sentences, if the model was trained on lower-cased text.
std::vector<std::string> TranslateLines(const Model& model,
                                        const std::vector<std::string>& lines,
                                        const Prediction& options,
                                        int64_t max_line = kLongestLine);

TextScores MeasureText(std::vector<std::string> hypotheses,
                       ReferencedText right, const BleuOptions& options);

/// Lead baseline of summarisation: the first `sentences` sentences, of these
/// the first `words` words; 0: no limit.
std::string TruncateToLead(std::string_view text, int sentences, int words);

/// Translates the source and compares it with the target. Lower-cases the text
/// first if the model was trained on lower-cased text. Throws: FormatError if
/// the gold alignment or the file of translations does not match; ConfigError
/// if an alignment needs attention that the model lacks.
EvaluationResult Evaluate(const Model& model, ParallelText text,
                          const EvaluationOptions& options);

/// BLEU by number of source words, in buckets of equal width.
/// Paper: Bahdanau et al. 2014, arXiv:1409.0473, figure 2.
Series BleuByLength(const std::string& name, const ParallelText& text,
                    const std::vector<std::string>& translations,
                    const BleuOptions& options);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TRANSLATION_EVALUATION_H_
