// Shared code of tasks that decode a text from an input that is not a text.
#ifndef HEED_TASKS_WRITTEN_TEXT_H_
#define HEED_TASKS_WRITTEN_TEXT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/base/config.h"
#include "heed/decode/hypothesis.h"
#include "heed/decode/options.h"
#include "heed/metrics/bleu_tokenizer.h"
#include "heed/tasks/predictor.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Options of the beam search.
struct TextSearch {
  int beam = 5;
  int nbest = 1;
  double length_penalty = 0;
  double coverage_penalty = 0;
  int max_length = 0;

  /// Adds the search options. `texts` and `input` as in "captions of each
  /// image"; `usual_length`: help text for max_length 0.
  void VisitSearch(FieldList& v, const std::string& texts,
                   const std::string& input, const std::string& usual_length);
  /// `vocabulary`: of the text.
  DecodeOptions Decoding(const Vocabulary& vocabulary) const;
};

/// Chooses the tokeniser of BLEU for these references, as ChooseTokenizer.
/// Warns if BLEU is unsuitable for them.
BleuTokenizer BleuTokenizerFor(Auto<BleuTokenizer> option,
                               std::span<const std::string> references);

/// The tokens followed by the end token.
Encoded WithEnd(const Vocabulary& vocabulary, std::span<const int32_t> tokens);

/// Formats the hypotheses of input `number`, best first: a line each and, if
/// `parts`, text, score, log_probability, tokens, probabilities, alternatives.
/// `logits`: scores of all tokens given the previous tokens of the best text.
/// Shapes: logits [T, 1, V].
Answer WrittenAnswer(const Vocabulary& vocabulary, int64_t number,
                     const std::vector<Hypothesis>& found, bool parts,
                     const std::function<Var(const Encoded& best)>& logits);

}  // namespace heed

#endif  // HEED_TASKS_WRITTEN_TEXT_H_
