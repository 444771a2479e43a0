#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"
#include "heed/decode/beam.h"
#include "heed/decode/sample.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/forced_text.h"
#include "heed/tasks/lm/language.h"

namespace heed::lm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUsualContinuation = 64;  // Units: tokens

/// Completes, samples or scores a text, according to `mode`.
class LanguagePredictor : public PredictorWith<Prediction> {
 public:
  LanguagePredictor(const Model& model, Prediction options)
      : PredictorWith(std::move(options)), model_(model) {}

  double Targets(double bytes) const override { return TokensOfCopy(bytes); }

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  double Tokens(std::span<const Input> inputs,
                const Prediction& options) const override;

 private:
  /// `place`: index of the input in the call.
  Answer AnswerTo(const Input& input, size_t place, const Prediction& options,
                  const PredictCall& call) const;
  Answer Completions(const std::string& text, const Prediction& options,
                     const PredictCall& call) const;
  /// Continues a text by the most probable tokens or, if options.sample, by
  /// samples. `number`: index of the text, which seeds sampling.
  Answer Continuations(const std::string& text, int64_t number,
                       DecodeOptions options, size_t place,
                       const PredictCall& call) const;
  Answer ScoreOf(const std::string& text, const PredictCall& call) const;

  /// The predicted or requested answer for a text, and the word that continues
  /// it.
  struct Continuation {
    std::string answer;
    std::string word;  ///< "" if no word is completed
  };
  Continuation ContinuationOf(const Context& ctx, const ExplainInput& input,
                              const Prediction& options) const;

  int32_t TokenNamed(std::string_view shown, std::span<const float> row) const;
  int32_t NextToken(const std::string& line, std::span<const float> row) const;
  std::vector<int32_t> OthersOf(const AnswerSlots& slots,
                                const std::string& line, size_t begin,
                                const Axis& predicted) const;
  RunOfCopies LogP(const std::vector<int32_t>& read) const;
  /// The tokens that the model reads before the one that follows `ids`: <s> and
  /// `ids`. Without <s>: `ids`, or the end token if there are none. Throws:
  /// FormatError if there is no token to read.
  std::vector<int32_t> ReadBefore(const std::vector<int32_t>& ids) const;
  std::vector<Axis> AxesOf(const std::vector<int32_t>& whole,
                           const std::vector<int32_t>& read,
                           std::vector<std::string> pieces,
                           const std::vector<int32_t>& predicted) const;

  Mode ModeOf(const Prediction& options) const {
    if (!options.mode.open()) return options.mode.value();
    return model_.vocabulary.kind() == VocabularyKind::kTokenizer
               ? Mode::kContinue
               : Mode::kComplete;
  }

  const Model& model_;
};

Answer LanguagePredictor::Completions(const std::string& text,
                                      const Prediction& options,
                                      const PredictCall& call) const {
  const Completer completer(*model_.network, model_.vocabulary,
                            options.completion);
  CandidateList words("completions", "word");
  for (const Completion& completion :
       completer.Complete(text, call.cancellation)) {
    words.Add(completion.word, completion.probability);
  }
  return words.answer();
}

Answer LanguagePredictor::Continuations(const std::string& text, int64_t number,
                                        DecodeOptions options, size_t place,
                                        const PredictCall& call) const {
  const Encoded prompt = model_.vocabulary.EncodeWithPieces(text);
  const std::vector<int32_t> read = ReadBefore(prompt.ids);
  options.special = model_.vocabulary.special();
  options.start = read.front();
  const int64_t S = std::ssize(read) - 1;
  options.length_penalty = 0;
  options.max_length_factor = 0;
  if (options.max_length == 0) options.max_length = kUsualContinuation;
  const std::vector<int64_t> numbers = {number};
  const Inputs inputs = {
      Tensor::Of(std::span(read).subspan(1), {S, 1}),
      Tensor::Full({1}, static_cast<double>(S), DType::kI32)};
  if (!options.sample) options.beam = options.nbest = 1;
  SearchHooks hooks = {{}, {call.cancellation}};
  if (call.observer && options.nbest == 1) {
    hooks.observer = [&](int64_t, std::span<const int32_t> tokens, bool whole) {
      WrittenAnswer written;
      for (const int32_t id : tokens) {
        written.tokens.push_back(model_.vocabulary.Piece(id));
      }
      written.text = model_.vocabulary.DecodeAfter(prompt, tokens);
      if (!whole) written.text = WithoutPartialEnd(std::move(written.text));
      written.whole = whole;
      call.observer(place, written);
    };
  }
  const auto found =
      options.sample
          ? Sample(*model_.network, inputs, options, numbers, {}, hooks)
          : BeamSearch(*model_.network, inputs, options, {}, hooks);
  std::vector<std::string> texts;
  std::vector<double> log_probabilities;
  for (const Hypothesis& hypothesis : found.at(0)) {
    texts.push_back(model_.vocabulary.DecodeAfter(prompt, hypothesis.tokens));
    log_probabilities.push_back(hypothesis.log_probability);
  }
  return {fmt::format("{}", fmt::join(texts, "\n")),
          {{options.sample ? "samples" : "continuations", texts},
           {"log_probabilities", log_probabilities}}};
}

Answer LanguagePredictor::ScoreOf(const std::string& text,
                                  const PredictCall& call) const {
  std::vector<std::string> lines;
  for (const std::string_view line : SplitAt(text, "\n")) {
    lines.emplace_back(line);
  }
  const LanguageScore score = SplitWhitespace(text).empty()
                                  ? LanguageScore()
                                  : model_.Score(call.context(), lines);
  return {fmt::format("{}\t{}\t{}", ExactNumber(0 - score.nll), score.tokens,
                      ExactNumber(score.perplexity())),
          {{"log_probability", 0 - score.nll},
           {"tokens", score.tokens},
           {"perplexity", score.perplexity()}}};
}

Answer LanguagePredictor::AnswerTo(const Input& input, size_t place,
                                   const Prediction& options,
                                   const PredictCall& call) const {
  const std::string text = model_.Cased(input.Text());
  DecodeOptions decode = options.decode;
  const Mode mode = ModeOf(options);
  switch (mode) {
    case Mode::kComplete:
      return Completions(text, options, call);
    case Mode::kContinue:
    case Mode::kSample:
      decode.sample = mode == Mode::kSample || decode.temperature != 1 ||
                      decode.top_k > 0 || decode.top_p < 1 || decode.nbest > 1;
      return Continuations(text, input.number, decode, place, call);
    case Mode::kScore:
      break;
  }
  return ScoreOf(text, call);
}

std::vector<Answer> LanguagePredictor::Predict(std::span<const Input> inputs,
                                               const Prediction& options,
                                               const PredictCall& call) const {
  std::vector<Answer> answers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    answers.push_back(AnswerTo(inputs[i], i, options, call));
  }
  return answers;
}

double LanguagePredictor::Tokens(std::span<const Input> inputs,
                                 const Prediction& options) const {
  const double read = PredictorWith::Tokens(inputs, options);
  const auto count = static_cast<double>(inputs.size());
  const DecodeOptions& decode = options.decode;
  const Mode mode = ModeOf(options);
  if (mode == Mode::kContinue || mode == Mode::kSample) {
    return read +
           count * decode.nbest *
               (decode.max_length > 0 ? decode.max_length : kUsualContinuation);
  }
  if (mode == Mode::kScore) return read;
  return read + count * options.completion.beam * options.completion.max_tokens;
}

LanguagePredictor::Continuation LanguagePredictor::ContinuationOf(
    const Context& ctx, const ExplainInput& input,
    const Prediction& options) const {
  const bool completes = ModeOf(options) == Mode::kComplete;
  if (!input.answer.empty()) {
    const std::string cased = model_.Normalized(input.answer);
    const auto words = SplitWhitespace(cased);
    return {input.answer,
            completes && !words.empty() ? std::string(words[0]) : ""};
  }
  PredictCall call;
  call.cancellation = ctx.cancellation;
  const std::vector<Input> inputs = {{input.Text()}};
  const Answer answer = Predict(inputs, options, call).front();
  const auto words = answer.parts.value("completions", Json::array());
  return {answer.line,
          words.empty() ? "" : words[0].at("word").get<std::string>()};
}

/// Returns the most probable token with this display form, or the first token
/// of the text. Throws: FormatError for a text without tokens.
int32_t LanguagePredictor::TokenNamed(std::string_view shown,
                                      std::span<const float> row) const {
  const std::vector<int32_t> ids = model_.vocabulary.Encode(shown);
  if (ids.empty()) throw FormatError("explain: the answer has no words");
  return TokenShownAs(model_.vocabulary, shown, row).value_or(ids[0]);
}

/// The first token of a line; the most probable token for an empty line.
int32_t LanguagePredictor::NextToken(const std::string& line,
                                     std::span<const float> row) const {
  const SpecialIds& special = model_.vocabulary.special();
  if (line.empty()) {
    std::vector<float> known(row.begin(), row.end());
    for (const int32_t id : {special.pad, special.unk}) {
      if (id >= 0) At(known, id) = -std::numeric_limits<float>::infinity();
    }
    return LargestOf(known);
  }
  const std::string cased = model_.Normalized(line);
  const auto words = SplitWhitespace(cased);
  return TokenNamed(words.empty() ? std::string_view(cased) : words[0], row);
}

/// Returns the predicted tokens with one replaced. A line with a word for each
/// token replaces the first that differs; any other line is another
/// continuation and replaces the token at `begin`.
std::vector<int32_t> LanguagePredictor::OthersOf(const AnswerSlots& slots,
                                                 const std::string& line,
                                                 size_t begin,
                                                 const Axis& predicted) const {
  std::vector<int32_t> others = slots.chosen;
  const std::string cased = model_.Normalized(line);
  const auto words = SplitWhitespace(cased);
  if (words.size() != others.size()) {
    others.at(begin) = NextToken(line, slots.RowOf(begin));
    return others;
  }
  const std::vector<std::string>& predicted_words = predicted.shown();
  size_t place = 0;
  while (place + 1 < predicted_words.size() &&
         words[place] == predicted_words[place])
    ++place;
  others[place] = TokenNamed(words[place], slots.RowOf(place));
  return others;
}

/// log p of all tokens after each of these [copies, tokens, V].
RunOfCopies LanguagePredictor::LogP(const std::vector<int32_t>& read) const {
  return [this, read](const Context& c, int64_t copies) {
    return TransposeLeading(LogSoftmax(
        model_.network->Logits(c, {}, RepeatedColumns(read, copies))));
  };
}

ExplainablePrediction LanguagePredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const std::string given_text = model_.Normalized(input.Text());
  const Continuation next = ContinuationOf(given, input, options);
  // A partial last word is not read, since its completion is predicted.
  const size_t last = LastWord(given_text);
  const bool completes = last < given_text.size() &&
                         next.word.starts_with(given_text.substr(last));
  const std::string before = given_text.substr(0, last);
  const Encoded text = model_.vocabulary.EncodeWithPieces(
      completes ? before + next.word : given_text);
  if (text.ids.empty()) throw FormatError("explain: the text has no words");
  const std::vector<int32_t> whole = ReadBefore(text.ids);
  const std::vector<int32_t> read(whole.begin(), whole.end() - completes);
  const RunOfCopies log_p = LogP(read);
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  // Each token after the first one read is a target, followed by the most
  // probable next token.
  AnswerSlots slots = {
      "target",
      {whole.begin() + 1, whole.end()},
      [this](int32_t id) { return ShownToken(model_.vocabulary, id); },
      log_p,
      log_p(ctx, 1).value()};
  if (!completes) {
    slots.chosen.push_back(
        NextToken(input.answer, slots.RowOf(read.size() - 1)));
  }
  const size_t begin =
      slots.chosen.size() - 1 -
      (completes ? text.ids.size() - 1 - model_.vocabulary.Encode(before).size()
                 : 0);
  slots.queries = "source";
  for (int64_t i = 0; i < std::ssize(slots.chosen); ++i) {
    slots.map_rows.push_back(i);
  }
  ExplainableSegment result =
      ExplainSlots(input, AxesOf(whole, read, text.pieces, slots.chosen),
                   next.answer, watch, slots);
  if (!input.contrast.empty()) {
    const Axis& predicted = result.segment.axes.back();
    ContrastSlots(slots, OthersOf(slots, input.contrast, begin, predicted),
                  result);
  }
  return {next.answer, {std::move(result)}};
}

/// Axes of the tokens that are read, and of the predicted tokens. `whole`: the
/// text with the token before it, if there is one; `pieces`: of the text.
std::vector<Axis> LanguagePredictor::AxesOf(
    const std::vector<int32_t>& whole, const std::vector<int32_t>& read,
    std::vector<std::string> pieces,
    const std::vector<int32_t>& predicted) const {
  const Vocabulary& vocabulary = model_.vocabulary;
  if (whole.size() > pieces.size()) {
    pieces.insert(pieces.begin(), vocabulary.Piece(whole.front()));
  }
  std::vector<std::string> next(pieces.begin() + 1, pieces.end());
  if (next.size() < predicted.size()) {
    next.push_back(vocabulary.Piece(predicted.back()));
  }
  pieces.resize(read.size());
  return {
      InputTokenAxis("source", "Text", vocabulary, read, std::move(pieces)),
      TokenAxis("target", "Predicted", vocabulary, predicted, std::move(next))};
}

std::vector<int32_t> LanguagePredictor::ReadBefore(
    const std::vector<int32_t>& ids) const {
  const SpecialIds& special = model_.vocabulary.special();
  std::vector<int32_t> read = ids;
  if (special.bos >= 0) {
    read.insert(read.begin(), special.bos);
  } else if (ids.empty()) {
    if (special.eos < 0) {
      throw FormatError(
          "the text has no tokens, and texts of this vocabulary begin with no "
          "special token; give at least one word");
    }
    read.push_back(special.eos);
  }
  return read;
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& language,
                                                   Prediction options) const {
  return std::make_unique<LanguagePredictor>(language, std::move(options));
}

}  // namespace heed::lm
