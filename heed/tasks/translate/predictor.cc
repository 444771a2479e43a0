#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/decode/beam.h"
#include "heed/decode/divided_lines.h"
#include "heed/decode/sample.h"
#include "heed/decode/translator.h"
#include "heed/models/copying.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/forced_text.h"
#include "heed/tasks/target_loss.h"
#include "heed/tasks/translate/confidence.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/text/copied_tokens.h"
#include "heed/text/sentences.h"

namespace heed::translate {
namespace {

/// Probability of each target token given the previous ones.
std::vector<float> TokenProbabilities(const Context& ctx, const Model& model,
                                      const std::string& line,
                                      const Translation& translation) {
  if (translation.target_ids.empty()) return {};
  Corpus pair;
  pair.source.push_back(EncodeSource(*model.model, model.vocabularies.source,
                                     line, model.data.lowercase)
                            .ids);
  pair.target.push_back(translation.target_ids);
  return ForcedProbabilities(
      TargetLogits(*model.model, ctx, MakeBatch(pair, Repeated(1))),
      translation.target_ids);
}

/// Links of white-space words: [source, target].
nlohmann::ordered_json WordLinks(const Model& model, const std::string& source,
                                 const std::string& target) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  if (target.empty()) return links;
  const std::vector<AlignmentLinks> pairs =
      AlignWords(model, {{source}, {target}});
  for (const AlignmentLink& link : pairs.front()) {
    links.push_back({link.source, link.target});
  }
  return links;
}

/// A source and target for teacher forcing, and a contrast target.
struct ForcedPair {
  std::string text;
  Encoded source;
  std::string answer;
  Encoded target;
  std::vector<int32_t> contrast;  // ids; empty: none
};

/// The separately translated parts of a text, as in `heed translate`: lines,
/// and sentences of long lines.
std::vector<std::string> PartsOf(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string_view line : SplitAt(text, "\n")) {
    const bool divided = IsLongerThan(line, kLongestLine);
    for (const std::string_view part :
         divided ? SplitSentences(line) : std::vector<std::string_view>{line}) {
      const std::string_view words = divided ? TrimBlanks(part) : part;
      if (!SplitWhitespace(words).empty()) parts.emplace_back(words);
    }
  }
  return parts;
}

/// Encodes a target with the temporary ids of tokens that the model copies.
Encoded EncodeTarget(const Model& model, const std::string& line,
                     const Encoded& source) {
  const Vocabulary& vocabulary = model.vocabularies.target;
  return model.data.copy
             ? EncodeCopiedTarget(vocabulary, line, model.data.lowercase,
                                  source.pieces)
             : EncodeSentence(vocabulary, line, model.data.lowercase);
}

/// Adds the map of p_gen and 1 − p_gen of each target token.
void AddCopyMap(const Context& ctx, const CopyingDecoder& model,
                const Corpus& pair, ExplanationSegment& segment) {
  const DecoderExamples one = ExamplesOf(MakeBatch(pair, Repeated(1)));
  const Tensor generates =
      model.Generates(ctx, one.inputs, one.target_in).value();
  AttentionMap map;
  map.name = "copy";
  map.title = "generated or copied";
  map.query = "target";
  map.key = "choice";
  map.numbers = false;
  map.heads = 1;
  map.query_size = generates.dim(0);
  map.key_size = 2;
  for (int64_t t = 0; t < map.query_size; ++t) {
    const float p = generates.row<float>(t)[0];
    map.weights.insert(map.weights.end(), {p, 1 - p});
  }
  segment.axes.push_back(
      NamesAxis("choice", "Choice", {"generated", "copied"}));
  segment.maps.push_back(std::move(map));
}

/// Runs a pair by teacher forcing, all steps at once.
ExplainableSegment ForceSegment(const Context& given,
                                const AttentionWatch::Selector& select,
                                const Vocabularies& v,
                                const std::shared_ptr<Decoder>& model,
                                ForcedPair pair) {
  auto corpus = std::make_shared<Corpus>();
  corpus->source.push_back(pair.source.ids);
  corpus->target.push_back(pair.target.ids);
  ExplainableSegment result;
  result.segment.text = std::move(pair.text);
  result.segment.answer = std::move(pair.answer);
  result.segment.axes.push_back(InputTokenAxis("source", "Source", v.source,
                                               pair.source.ids,
                                               std::move(pair.source.pieces)));
  ForcedText text;
  text.label = "Translation";
  text.target = std::move(pair.target);
  text.contrast = std::move(pair.contrast);
  if (model->copies()) text.source_pieces = result.segment.axes[0].items;
  text.logits = [model, corpus](const Context& c, int64_t copies) {
    return TargetLogits(*model, c, MakeBatch(*corpus, Repeated(copies)));
  };
  ForceText(given, select, *model, v.target, std::move(text), result);
  result.scores.back().tokens_of_copy =
      std::ssize(corpus->source[0]) + std::ssize(corpus->target[0]);
  if (const auto* copying = dynamic_cast<const CopyingDecoder*>(model.get())) {
    AddCopyMap(given, *copying, *corpus, result.segment);
  }
  return result;
}

TranslateHooks HooksOf(const PredictCall& call, const Vocabulary& vocabulary,
                       size_t lines) {
  TranslateHooks hooks = {.observer = nullptr,
                          .cancellations = call.cancellations};
  if (hooks.cancellations.empty() && call.cancellation != nullptr) {
    hooks.cancellations.assign(lines, call.cancellation);
  }
  if (call.observer) {
    hooks.observer = [&call, &vocabulary](
                         int64_t line, const std::vector<std::string>& pieces,
                         bool whole) {
      std::string text = vocabulary.DecodePieces(pieces);
      if (!whole) text = WithoutPartialEnd(std::move(text));
      call.observer(static_cast<size_t>(line),
                    {pieces, std::move(text), whole});
    };
  }
  return hooks;
}

class TranslationPredictor : public PredictorWith<Prediction> {
 public:
  TranslationPredictor(const Model& model, const Prediction& options)
      : PredictorWith(options),
        model_(WithEnsemble(model, options.ensemble)),
        shortlist_(ReadShortlist(options, model.folder,
                                 model.vocabularies.source,
                                 model.vocabularies.target)) {}

  double Targets(double bytes) const override {
    return Predictor::TokensOfCopy(bytes);
  }
  double TokensOfCopy(double bytes) const override {
    return 2 * Predictor::TokensOfCopy(bytes);
  }

  // Samples depend on the line number.
  bool joins_inputs(const Prediction& options) const override {
    return !options.sample;
  }

  // A target-language mark at the start of a text applies to all of its lines.
  bool explains_lines_together() const override { return true; }

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
  std::vector<ForcedPair> PairsToExplain(const Context& given,
                                         const ExplainInput& input,
                                         const Prediction& options) const;

  Model model_;
  std::shared_ptr<const Shortlist> shortlist_;
};

std::vector<Answer> TranslationPredictor::Predict(
    std::span<const Input> inputs, const Prediction& options,
    const PredictCall& call) const {
  Prediction decode = options;
  decode.keep_scores = options.keep_scores || call.parts ||
                       options.confidence || decode.nbest > 1;
  const Translator translator(*model_.model, model_.vocabularies.source,
                              model_.vocabularies.target, model_.data.lowercase,
                              decode, shortlist_);
  std::vector<std::string> lines;
  const std::string usual = options.Mark(*model_.marks);
  for (const Input& input : inputs) {
    lines.push_back(WithMark(*model_.marks, input.Text(), usual));
  }
  const int64_t first = inputs.empty() ? 0 : inputs.front().number;
  std::vector<Translations> all =
      TranslateDivided(translator, *model_.marks, lines, first, call.max_line,
                       HooksOf(call, model_.vocabularies.target, lines.size()));
  if (call.cancellations.empty()) call.context().CheckCancelled();
  if (call.warns) WarnOfPositions(*model_.model, all);
  std::vector<Answer> answers;
  for (size_t i = 0; i < all.size(); ++i) {
    Answer& answer = answers.emplace_back();
    answer.line = OutputLines(model_, inputs[i].number, all[i], decode);
    if (answer.line.ends_with('\n')) answer.line.pop_back();
    if (call.parts) {
      answer.parts = TranslationParts(
          call.context(), model_, lines[i], all[i],
          /*align=*/!IsLongerThan(lines[i], call.max_line), options.confidence);
    }
    answer.tokens_read = std::ssize(all[i].front().source_pieces);
    answer.tokens_written = std::ssize(all[i].front().target_pieces);
    answer.details = std::move(all[i]);
  }
  return answers;
}

double TranslationPredictor::Tokens(std::span<const Input> inputs,
                                    const Prediction& options) const {
  const double read = PredictorWith::Tokens(inputs, options);
  const auto count = static_cast<double>(inputs.size());
  const int width = options.sample ? options.nbest : options.beam;
  const double written =
      options.max_length > 0
          ? count * options.max_length
          : options.max_length_factor * read + options.max_length_extra * count;
  return read + width * written;
}

/// The pairs to explain: the whole text with a given translation, or its parts
/// with the translations that the search of `heed translate` finds with these
/// options.
std::vector<ForcedPair> TranslationPredictor::PairsToExplain(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const Vocabularies& v = model_.vocabularies;
  const auto encode_source = [this, &v](const std::string& line) {
    return EncodeSource(*model_.model, v.source, line, model_.data.lowercase);
  };
  const TargetMarks& marks = *model_.marks;
  // The mark of a text applies to all of its parts.
  const std::string usual =
      TakeMark(marks, input.Text(), options.Mark(marks)).mark;
  if (!input.answer.empty()) {
    const std::string text = WithMark(marks, input.Text(), usual);
    Encoded source = encode_source(text);
    Encoded target = EncodeTarget(model_, input.answer, source);
    return {{text, std::move(source), input.answer, std::move(target), {}}};
  }
  std::vector<std::string> parts =
      input.parts.empty() ? PartsOf(input.Text()) : input.parts;
  for (std::string& part : parts) part = WithMark(marks, part, usual);
  const Translator translator(*model_.model, v.source, v.target,
                              model_.data.lowercase, options, shortlist_);
  TranslateHooks hooks;
  if (given.cancellation != nullptr) {
    hooks.cancellations.assign(parts.size(), given.cancellation);
  }
  std::vector<Translations> found = translator.Translate(parts, 0, hooks);
  given.CheckCancelled();
  std::vector<ForcedPair> pairs;
  for (size_t i = 0; i < parts.size(); ++i) {
    Translation& best = found[i].front();
    pairs.push_back({parts[i],
                     encode_source(parts[i]),
                     best.text,
                     {best.target_ids, best.target_pieces},
                     {}});
  }
  return pairs;
}

ExplainablePrediction TranslationPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  options.RefuseConfidence();
  const Vocabularies& v = model_.vocabularies;
  std::vector<ForcedPair> pairs = PairsToExplain(given, input, options);
  std::erase_if(pairs, [](const ForcedPair& pair) {
    return pair.source.ids.size() <= 1 || pair.target.ids.empty();
  });
  if (pairs.empty()) throw FormatError("explain: the text has no words");
  if (!input.contrast.empty()) {
    if (pairs.size() > 1) {
      throw FormatError(
          "explain: the text is translated in {} parts; contrast one of them",
          pairs.size());
    }
    pairs[0].contrast =
        EncodeTarget(model_, input.contrast, pairs[0].source).ids;
  }
  ExplainablePrediction result;
  for (ForcedPair& pair : pairs) {
    if (!result.segments.empty()) result.answer += '\n';
    result.answer += pair.answer;
    result.segments.push_back(
        ForceSegment(given, input.watch, v, model_.model, std::move(pair)));
  }
  return result;
}

}  // namespace

nlohmann::ordered_json TranslationParts(const Context& ctx, const Model& model,
                                        const std::string& line,
                                        const Translations& translations,
                                        bool align, bool confidence) {
  const Translation& best = translations.front();
  nlohmann::ordered_json parts = {{"text", best.text},
                                  {"score", best.score},
                                  {"log_probability", best.log_probability},
                                  {"source_tokens", best.source_pieces},
                                  {"target_tokens", best.target_pieces}};
  if (align) {
    parts["probabilities"] = TokenProbabilities(ctx, model, line, best);
    if (!best.source_cut && !model.model->alignment_attention().empty()) {
      parts["alignment"] = WordLinks(model, line, best.text);
    }
  }
  if (confidence) {
    const TranslationConfidence of_best =
        ConfidenceOf(best, model.vocabularies.target.kind(), model.quality);
    parts["confidence"] = of_best.confidence;
    parts["calibrated"] = model.quality.has_value();
    parts["words"] = WordsJson(best.text, of_best.words);
  }
  for (size_t i = 1; i < translations.size(); ++i) {
    parts["alternatives"].push_back(
        {{"text", translations[i].text}, {"score", translations[i].score}});
  }
  return parts;
}

std::string OutputLines(const Model& model, int64_t index,
                        const Translations& translations,
                        const Prediction& options) {
  const bool nbest = options.nbest > 1;
  if (!options.confidence) return LinesOf(index, translations, nbest);
  std::string lines;
  for (const Translation& one : translations) {
    std::string line = LinesOf(index, {one}, nbest);
    line.pop_back();  // the line end
    const TranslationConfidence found =
        ConfidenceOf(one, model.vocabularies.target.kind(), model.quality);
    lines += fmt::format("{}{}{:.4f}\n", line, nbest ? " ||| " : "\t",
                         found.confidence);
  }
  return lines;
}

InputReading Settings::Reading(const Prediction& /*options*/) const {
  InputReading reading;
  reading.window = kTranslatedTogether;
  reading.defaults.long_lines = LongLines::kWhole;
  reading.defaults.max_line = kLongestLine;
  reading.defaults.columns = {"source"};
  return reading;
}

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& translator,
                                                   Prediction options) const {
  return std::make_unique<TranslationPredictor>(translator, std::move(options));
}

}  // namespace heed::translate
