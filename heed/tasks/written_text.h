// What tasks share whose answer is a text that a search finds, of inputs that
// are no text themselves.
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

/// How texts are searched for.
struct TextSearch {
  int beam = 5;
  int nbest = 1;
  double length_penalty = 0;
  double coverage_penalty = 0;
  int max_length = 0;

  /// `texts` and `input` as in "captions of each image"; `usual_length`: what
  /// max_length 0 means.
  void VisitSearch(FieldList& v, const std::string& texts,
                   const std::string& input, const std::string& usual_length);
  DecodeOptions Decoding() const;
};

/// The tokeniser of BLEU with these references, as ChooseTokenizer. Warns where
/// BLEU says little of them.
BleuTokenizer BleuTokenizerFor(Auto<BleuTokenizer> option,
                               std::span<const std::string> references);

/// Tokens with </s> behind them.
Encoded WithEnd(const Vocabulary& vocabulary, std::span<const int32_t> tokens);

/// Hypotheses of input `number`, best first: a line each, and if they are
/// wanted parts: text, score, log_probability, tokens, probabilities,
/// alternatives. `logits`: scores of all tokens, given those of the best text
/// before them. Shapes: logits [T, 1, V].
Answer WrittenAnswer(const Vocabulary& vocabulary, int64_t number,
                     const std::vector<Hypothesis>& found, bool parts,
                     const std::function<Var(const Encoded& best)>& logits);

}  // namespace heed

#endif  // HEED_TASKS_WRITTEN_TEXT_H_
