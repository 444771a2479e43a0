#include "heed/tasks/written_text.h"

#include "heed/base/console.h"
#include "heed/data/input_lines.h"
#include "heed/decode/translator.h"
#include "heed/tasks/forced_text.h"

namespace heed {

void TextSearch::VisitSearch(FieldList& v, const std::string& texts,
                             const std::string& input,
                             const std::string& usual_length) {
  v.Section("Search");
  v("beam", beam, Range(1, 1000),
    "beam size: hypotheses kept at each step; 1: greedy")
      .ServedUpTo(kServedBeam);
  v("nbest", nbest, Range(1, 1000), texts + " of each " + input);
  v("length_penalty", length_penalty, Range(0, 10),
    "favour longer " + texts + " (alpha of Wu et al. 2016)");
  v("coverage_penalty", coverage_penalty, Range(0, 10),
    "favour " + texts + " that attended to all of the " + input +
        " (beta of Wu et al. 2016)");
  v("max_length", max_length, Range(0, 100000),
    "maximum tokens; 0: " + usual_length)
      .ServedUpTo(kServedTokens);
}

DecodeOptions TextSearch::Decoding(const Vocabulary& vocabulary) const {
  DecodeOptions decode;
  decode.special = vocabulary.special();
  decode.beam = beam;
  decode.nbest = nbest;
  decode.length_penalty = length_penalty;
  decode.coverage_penalty = coverage_penalty;
  decode.max_length = max_length;
  return decode;
}

BleuTokenizer BleuTokenizerFor(Auto<BleuTokenizer> option,
                               std::span<const std::string> references) {
  const ChosenTokenizer chosen = ChooseTokenizer(option, references);
  if (!chosen.note.empty()) Warn(chosen.note);
  return chosen.tokenizer;
}

Encoded WithEnd(const Vocabulary& vocabulary, std::span<const int32_t> tokens) {
  Encoded encoded;
  encoded.ids.assign(tokens.begin(), tokens.end());
  encoded.ids.push_back(vocabulary.special().eos);
  for (const int32_t id : encoded.ids) {
    encoded.pieces.push_back(vocabulary.Piece(id));
  }
  return encoded;
}

Answer WrittenAnswer(const Vocabulary& vocabulary, int64_t number,
                     const std::vector<Hypothesis>& found, bool parts,
                     const std::function<Var(const Encoded& best)>& logits) {
  Translations written;
  for (const Hypothesis& one : found) {
    Translation& text = written.emplace_back();
    text.text = vocabulary.Decode(one.tokens);
    text.score = one.score;
    text.log_probability = one.log_probability;
  }
  Answer answer;
  answer.line = LinesOf(number, written, written.size() > 1);
  if (answer.line.ends_with('\n')) answer.line.pop_back();
  if (!parts) return answer;
  const Encoded best = WithEnd(vocabulary, found.front().tokens);
  answer.parts = {{"text", written[0].text},
                  {"score", written[0].score},
                  {"log_probability", written[0].log_probability},
                  {"tokens", best.pieces}};
  answer.parts["probabilities"] = ForcedProbabilities(logits(best), best.ids);
  for (size_t i = 1; i < written.size(); ++i) {
    answer.parts["alternatives"].push_back(
        {{"text", written[i].text}, {"score", written[i].score}});
  }
  return answer;
}

}  // namespace heed
