// The predictor of a tagger: lines, tables and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"
#include "heed/metrics/spans.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/tag/tag.h"
#include "heed/train/progress.h"

namespace heed::tag {
namespace {

using Json = nlohmann::ordered_json;

// Typical bytes per word of text with a tag for each word.
constexpr double kBytesOfWord = 6;

/// Adds positions of words in a line, and the entities of their tags. Units:
/// characters from 0, ends excluded.
void AddPlaces(const std::string& line, const std::vector<std::string>& tags,
               const std::optional<TagNotation>& notation, Json& parts) {
  std::vector<std::pair<int64_t, int64_t>> places;
  int64_t characters = 0;
  size_t byte = 0;
  const auto advance = [&](size_t end) {
    characters +=
        CountCharacters(std::string_view(line).substr(byte, end - byte));
    byte = end;
    return characters;
  };
  const std::vector<std::string_view> words = SplitUnicodeWhitespace(line);
  for (const std::string_view word : words) {
    const auto begin = static_cast<size_t>(word.data() - line.data());
    const int64_t from = advance(begin);
    places.emplace_back(from, advance(begin + word.size()));
  }
  parts["offsets"] = places;
  if (!notation) return;
  parts["entities"] = Json::array();
  for (const Entity& entity : notation->Read(tags)) {
    const auto first = static_cast<size_t>(entity.begin);
    const auto last = static_cast<size_t>(entity.end) - 1;
    const char* begin = words[first].data();
    const char* end = words[last].data() + words[last].size();
    parts["entities"].push_back({{"type", entity.type},
                                 {"text", std::string(begin, end)},
                                 {"start", places[first].first},
                                 {"end", places[last].second},
                                 {"first_word", first},
                                 {"last_word", last}});
  }
}

TaggedSentence SentenceOf(std::string_view line) {
  const auto words = SplitUnicodeWhitespace(line);
  return {{words.begin(), words.end()}, {}, {}};
}

/// Logarithms of probabilities. Shapes: p [rows, C]; result f32 [rows, C].
Tensor LogsOf(const Tensor& p) {
  const Tensor numbers = p.To(DType::kF32);
  Tensor logs({numbers.rows(), numbers.cols()});
  for (int64_t r = 0; r < logs.rows(); ++r) {
    for (int64_t c = 0; c < logs.cols(); ++c) {
      logs.row<float>(r)[c] = std::log(numbers.row<float>(r)[c]);
    }
  }
  return logs;
}

class TagPredictor : public PredictorWith<Prediction> {
 public:
  TagPredictor(const Model& model, Prediction options)
      : PredictorWith(std::move(options)), model_(model) {}

 protected:
  /// Tags a sentence per line, or columns. The answer has the tags of the words
  /// (with intents: intent, tab, tags), or the columns with the tags added.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction& options) const override {
    return options.input == SentenceInput::kLines;
  }
  double Targets(double bytes) const override { return bytes / kBytesOfWord; }

 private:
  std::string LineOf(const SentenceTags& tagged,
                     const Prediction& options) const;
  Json PartsOf(const Words& words, const SentenceTags& tagged) const;
  Answer OfColumns(const Input& input, const Prediction& options,
                   const PredictCall& call) const;
  /// Ids of an answer; intent −1: none.
  struct Chosen {
    int32_t intent;
    std::vector<int32_t> tags;
  };
  std::vector<int32_t> TagsNamed(const std::string& line, size_t words) const;
  Chosen ChosenNamed(const std::string& line, const Chosen& own) const;
  /// Scores of copies of a sentence.
  using ScoresFunction =
      std::function<TagScores(const Context& ctx, int64_t copies)>;
  AnswerSlots TagSlots(const ScoresFunction& scores, const Chosen& chosen,
                       const Tensor& p, const PieceIds& pieces,
                       const ExplanationSegment& segment) const;
  AnswerSlots IntentSlots(const ScoresFunction& scores, const Chosen& chosen,
                          const Tensor& p,
                          const ExplanationSegment& segment) const;
  SentenceTags AddAxes(const Words& words, const Chosen& chosen,
                       std::vector<Axis>& axes) const;
  ScoresFunction ScoresOf(
      const std::shared_ptr<EncodedSentences>& encoded) const;
  static RunOfCopies LogPOf(const ScoresFunction& scores, const Chosen& chosen);
  ExplainableSegment SegmentOf(const Context& given, const ExplainInput& input,
                               const TaggedSentence& tagged,
                               const Prediction& options) const;

  const Model& model_;
};

std::string TagPredictor::LineOf(const SentenceTags& tagged,
                                 const Prediction& options) const {
  std::vector<std::string> tags = tagged.tags;
  for (size_t t = 0; options.probabilities && t < tags.size(); ++t) {
    tags[t] += ':' + ExactNumber(tagged.probabilities[t]);
  }
  const std::string line = fmt::format("{}", fmt::join(tags, " "));
  return model_.intents ? tagged.intent + '\t' + line : line;
}

Json TagPredictor::PartsOf(const Words& words,
                           const SentenceTags& tagged) const {
  Json parts = Json::object();
  if (model_.intents) {
    parts["intent"] = tagged.intent;
    parts["intent_probability"] = tagged.intent_probability;
  }
  parts["words"] = words;
  parts["tags"] = tagged.tags;
  parts["probabilities"] = tagged.probabilities;
  return parts;
}

/// Parses the columns of an input, with or without tags.
TaggedText ColumnsOf(const Input& input, const Prediction& options) {
  const std::string all = input.Text();
  std::vector<std::string> lines;
  for (const std::string_view line : SplitAt(all, "\n")) {
    lines.emplace_back(line);
  }
  TagColumns columns = options.columns;
  columns.need_tags = false;
  return ParseTagged(std::move(lines), input.place, columns);
}

Answer TagPredictor::OfColumns(const Input& input, const Prediction& options,
                               const PredictCall& call) const {
  TaggedText text = ColumnsOf(input, options);
  if (options.keep_tags) text.tag_column = -1;
  const std::vector<SentenceTags> tagged =
      model_.Tag(call.context(), text.sentences, 0);
  Answer answer;
  answer.line = WithTags(text, TagsOf(tagged));
  answer.line.pop_back();  // the last line feed
  Json& sentences = answer.parts["sentences"] = Json::array();
  for (size_t i = 0; call.parts && i < tagged.size(); ++i) {
    const TaggedSentence& sentence = text.sentences[i];
    sentences.push_back(PartsOf(sentence.words, tagged[i]));
    if (!sentence.tags.empty()) sentences.back()["gold"] = sentence.tags;
  }
  return answer;
}

std::vector<Answer> TagPredictor::Predict(std::span<const Input> inputs,
                                          const Prediction& options,
                                          const PredictCall& call) const {
  std::vector<Answer> answers;
  if (options.input == SentenceInput::kColumns) {
    for (const Input& input : inputs) {
      answers.push_back(OfColumns(input, options, call));
    }
    return answers;
  }
  std::vector<TaggedSentence> sentences;
  for (const Input& input : inputs) {
    sentences.push_back(SentenceOf(input.Text()));
  }
  const int64_t first = inputs.empty() ? 0 : inputs.front().number;
  const std::vector<SentenceTags> tagged =
      model_.Tag(call.context(), sentences, first);
  for (size_t i = 0; i < tagged.size(); ++i) {
    Answer& answer = answers.emplace_back();
    answer.line = LineOf(tagged[i], options);
    if (!call.parts) continue;
    answer.parts = PartsOf(sentences[i].words, tagged[i]);
    AddPlaces(inputs[i].Text(), tagged[i].tags, model_.notation, answer.parts);
  }
  return answers;
}

ExplainablePrediction TagPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  std::vector<TaggedSentence> sentences;
  if (options.input == SentenceInput::kColumns) {
    sentences = ColumnsOf(input.given, options).sentences;
  } else {
    sentences.push_back(SentenceOf(input.Text()));
  }
  ExplainablePrediction prediction;
  for (const TaggedSentence& sentence : sentences) {
    if (sentence.words.empty()) {
      throw FormatError("explain: the text has no words");
    }
    prediction.segments.push_back(SegmentOf(given, input, sentence, options));
    if (!prediction.answer.empty()) prediction.answer += '\n';
    prediction.answer += prediction.segments.back().segment.answer;
  }
  return prediction;
}

std::vector<int32_t> TagPredictor::TagsNamed(const std::string& line,
                                             size_t words) const {
  const auto names = SplitWhitespace(line);
  if (names.size() != words) {
    throw FormatError("explain: {} for {}", Counted(std::ssize(names), "tag"),
                      Counted(static_cast<int64_t>(words), "word"));
  }
  std::vector<int32_t> ids;
  for (const std::string_view name : names) ids.push_back(model_.tags.Id(name));
  return ids;
}

/// Parses a requested answer: tags, or with intents an intent, tags, or both
/// separated by a tab. Missing parts are taken from `own`.
TagPredictor::Chosen TagPredictor::ChosenNamed(const std::string& line,
                                               const Chosen& own) const {
  if (line.empty()) return own;
  const size_t words = own.tags.size();
  if (!model_.intents) return {-1, TagsNamed(line, words)};
  const size_t tab = line.find('\t');
  bool tags_alone = tab == line.npos && SplitWhitespace(line).size() == words;
  for (int32_t id = 0; id < model_.intents->size(); ++id) {
    tags_alone = tags_alone && model_.intents->Name(id) != line;
  }
  if (tags_alone) return {own.intent, TagsNamed(line, words)};
  return {model_.intents->Id(line.substr(0, tab)),
          tab == line.npos ? own.tags : TagsNamed(line.substr(tab + 1), words)};
}

/// Adds the axes of a sentence, its tags and its intent. Returns tags and
/// intent.
SentenceTags TagPredictor::AddAxes(const Words& words, const Chosen& chosen,
                                   std::vector<Axis>& axes) const {
  axes.push_back(model_.words->SourceAxis(words));
  SentenceTags answer;
  Axis tags_axis = NamesAxis("target", "Tags", {});
  for (size_t t = 0; t < words.size(); ++t) {
    answer.tags.push_back(model_.tags.Name(chosen.tags[t]));
    tags_axis.items.push_back(answer.tags.back());
    tags_axis.labels.push_back(
        fmt::format("{} · {}", words[t], answer.tags.back()));
  }
  axes.push_back(std::move(tags_axis));
  if (model_.intents) {
    answer.intent = model_.intents->Name(chosen.intent);
    axes.push_back(NamesAxis("answer", "Intent", {answer.intent}));
  }
  return answer;
}

/// Answer slots of the tags, explained by self-attention of words. Shapes: p
/// [T, tags].
AnswerSlots TagPredictor::TagSlots(const ScoresFunction& scores,
                                   const Chosen& chosen, const Tensor& p,
                                   const PieceIds& pieces,
                                   const ExplanationSegment& segment) const {
  AnswerSlots slots = {"target",
                       chosen.tags,
                       [this](int32_t id) { return model_.tags.Name(id); },
                       [scores](const Context& c, int64_t copies) {
                         return LogSoftmax(scores(c, copies).tags);
                       },
                       LogsOf(p),
                       segment.LastMap("source", "source")};
  for (int64_t t = 0; t < std::ssize(chosen.tags); ++t) {
    slots.map_rows.push_back(
        pieces.ids.defined() ? pieces.first.row<int32_t>(0)[t] : t);
  }
  return slots;
}

/// Answer slot of the intent, explained by the attention that pools the words.
/// Shapes: p [1, intents].
AnswerSlots TagPredictor::IntentSlots(const ScoresFunction& scores,
                                      const Chosen& chosen, const Tensor& p,
                                      const ExplanationSegment& segment) const {
  return {"answer",
          {chosen.intent},
          [this](int32_t id) { return model_.intents->Name(id); },
          [scores](const Context& c, int64_t copies) {
            return LogSoftmax(scores(c, copies).intents);
          },
          LogsOf(p),
          segment.LastMap("answer", "source"),
          {0}};
}

/// Throws: FormatError if the sentence was divided.
void CheckIsWhole(const PieceIds& pieces) {
  if (!pieces.ids.defined() || pieces.ids.dim(0) < 2) return;
  throw FormatError(
      "explain: the sentence is read in {} parts; explain a shorter one",
      pieces.ids.dim(0));
}

TagPredictor::ScoresFunction TagPredictor::ScoresOf(
    const std::shared_ptr<EncodedSentences>& encoded) const {
  return [this, encoded](const Context& c, int64_t copies) {
    return model_.network.Scores(c,
                                 model_.MakeBatch(*encoded, Repeated(copies)));
  };
}

/// log p of the chosen tags, and of the intent, if any.
RunOfCopies TagPredictor::LogPOf(const ScoresFunction& scores,
                                 const Chosen& chosen) {
  return [scores, chosen](const Context& c, int64_t copies) {
    const TagScores all = scores(c, copies);
    Var y = Pick(LogSoftmax(all.tags), RepeatedRows(chosen.tags, copies));
    const int32_t intent = chosen.intent;
    if (intent < 0) return y;
    return ConcatColumns(
        {y, Columns(LogSoftmax(all.intents), intent, intent + 1)});
  };
}

ExplainableSegment TagPredictor::SegmentOf(const Context& given,
                                           const ExplainInput& input,
                                           const TaggedSentence& tagged,
                                           const Prediction& options) const {
  const Words& words = tagged.words;
  const auto encoded = std::make_shared<EncodedSentences>(
      model_.Encode(std::vector<TaggedSentence>{{words, {}, {}}}));
  const ScoresFunction scores = ScoresOf(encoded);
  const TagBatch batch = model_.MakeBatch(*encoded, Repeated(1));
  const PieceIds& pieces = batch.sentences.pieces;
  CheckIsWhole(pieces);
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  const TagPrediction predicted = model_.network.Predict(ctx, batch);
  const TagScores p = model_.network.Probabilities(given, batch);
  const int32_t* ids = predicted.tags.row<int32_t>(0);
  const Chosen chosen = ChosenNamed(
      input.answer, {model_.intents ? predicted.intents.data<int32_t>()[0] : -1,
                     {ids, ids + words.size()}});
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = options.input == SentenceInput::kColumns
               ? fmt::format("{}", fmt::join(words, " "))
               : input.Text();
  SentenceTags answer = AddAxes(words, chosen, e.axes);
  AddMaps(watch, e);
  const AnswerSlots tags = TagSlots(scores, chosen, p.tags.value(), pieces, e);
  AddTargets(tags, e);
  for (const Target& target : e.targets) {
    answer.probabilities.push_back(*target.probability);
  }
  e.answer = LineOf(answer, options);
  AnswerSlots intents;
  if (model_.intents) {
    intents = IntentSlots(scores, chosen, p.intents.value(), e);
    AddTargets(intents, e);
  }
  result.scores.push_back(SourceScores(e, LogPOf(scores, chosen)));
  if (input.contrast.empty()) return result;
  const Chosen other = ChosenNamed(input.contrast, chosen);
  const bool of_intent = other.intent != chosen.intent;
  ContrastSlots(of_intent ? intents : tags,
                of_intent ? std::vector{other.intent} : other.tags, result,
                of_intent ? words.size() : 0);
  return result;
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& model,
                                                   Prediction options) const {
  return std::make_unique<TagPredictor>(model, std::move(options));
}

}  // namespace heed::tag
