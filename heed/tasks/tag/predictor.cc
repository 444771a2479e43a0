// What a tagger answers: lines, tables, and parts for programs.
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
#include "heed/tasks/tag/tag.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Of text with a tag for each word.
constexpr double kBytesOfWord = 6;

/// Adds where words stand in a line, and the entities that their tags spell.
/// Units: characters from 0, ends excluded.
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

std::vector<float> LogsOf(const Tensor& p, int64_t row) {
  const Tensor numbers = p.To(DType::kF32);
  std::vector<float> logs;
  for (int64_t c = 0; c < p.dim(-1); ++c) {
    logs.push_back(std::log(numbers.row<float>(row)[c]));
  }
  return logs;
}

class TagPredictor : public PredictorWith<TaggingPrediction> {
 public:
  TagPredictor(const TagModel& model, TaggingPrediction options)
      : PredictorWith(std::move(options)), model_(model) {}

 protected:
  /// A sentence a line, or columns; the tags of its words (with intents:
  /// intent, tab, tags), or the columns with the tags in them.
  std::vector<Answer> Answers(std::span<const Input> inputs,
                              const TaggingPrediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction ExplanationWith(
      const Context& given, const ExplainInput& input,
      const TaggingPrediction& options) const override;
  bool JoinsWith(const TaggingPrediction& options) const override {
    return options.input == "lines";
  }
  double Targets(double bytes) const override { return bytes / kBytesOfWord; }

 private:
  std::string LineOf(const SentenceTags& tagged,
                     const TaggingPrediction& options) const;
  Json PartsOf(const Words& words, const SentenceTags& tagged) const;
  Answer OfColumns(const Input& input, const TaggingPrediction& options,
                   const PredictCall& call) const;
  ExplainableSegment SegmentOf(const Context& given, const ExplainInput& input,
                               const TaggedSentence& tagged,
                               const TaggingPrediction& options) const;

  const TagModel& model_;
};

std::string TagPredictor::LineOf(const SentenceTags& tagged,
                                 const TaggingPrediction& options) const {
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

/// The columns of an input, with or without tags.
TaggedText ColumnsOf(const Input& input, const TaggingPrediction& options) {
  const std::string all = input.Text();
  std::vector<std::string> lines;
  for (const std::string_view line : SplitAt(all, "\n")) {
    lines.emplace_back(line);
  }
  TagColumns columns = options.columns;
  columns.need_tags = false;
  return ParseTagged(std::move(lines), input.place, columns);
}

Answer TagPredictor::OfColumns(const Input& input,
                               const TaggingPrediction& options,
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

std::vector<Answer> TagPredictor::Answers(std::span<const Input> inputs,
                                          const TaggingPrediction& options,
                                          const PredictCall& call) const {
  std::vector<Answer> answers;
  if (options.input == "columns") {
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

ExplainablePrediction TagPredictor::ExplanationWith(
    const Context& given, const ExplainInput& input,
    const TaggingPrediction& options) const {
  std::vector<TaggedSentence> sentences;
  if (options.input == "columns") {
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

ExplainableSegment TagPredictor::SegmentOf(
    const Context& given, const ExplainInput& input,
    const TaggedSentence& tagged, const TaggingPrediction& options) const {
  const Words& words = tagged.words;
  const std::vector<TaggedSentence> sentence = {{words, {}, {}}};
  const auto encoded =
      std::make_shared<EncodedSentences>(model_.Encode(sentence));
  const auto repeated = [this, encoded](int64_t copies) {
    return model_.MakeBatch(*encoded, Repeated(copies));
  };
  const TagBatch batch = repeated(1);
  const PieceIds& pieces = batch.sentences.pieces;
  if (pieces.ids.defined() && pieces.ids.dim(0) > 1) {
    throw FormatError(
        "explain: the sentence is read in {} parts; explain a shorter one",
        pieces.ids.dim(0));
  }
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const TagPrediction predicted = model_.network.Predict(ctx, batch);
  const TagScores p = model_.network.Probabilities(given, batch);
  const int64_t T = std::ssize(words);
  std::vector<int32_t> tags(predicted.tags.row<int32_t>(0),
                            predicted.tags.row<int32_t>(0) + T);
  const auto tags_of = [&](const std::string& line) {
    const auto names = SplitWhitespace(line);
    if (std::ssize(names) != T) {
      throw FormatError("explain: {} for {}", Counted(std::ssize(names), "tag"),
                        Counted(T, "word"));
    }
    std::vector<int32_t> ids;
    for (const std::string_view name : names)
      ids.push_back(model_.tags.Id(name));
    return ids;
  };
  // A line is tags; with intents, an intent, tags, or both with a tab between.
  struct Chosen {
    int32_t intent;
    std::vector<int32_t> tags;
  };
  const auto is_intent = [&](const std::string& line) {
    for (int32_t id = 0; id < model_.intents->size(); ++id) {
      if (model_.intents->Name(id) == line) return true;
    }
    return false;
  };
  const auto chosen_of = [&](const std::string& line, const Chosen& own) {
    if (line.empty()) return own;
    if (!model_.intents) return Chosen{-1, tags_of(line)};
    const size_t tab = line.find('\t');
    const bool tags_alone = tab == line.npos && !is_intent(line) &&
                            std::ssize(SplitWhitespace(line)) == T;
    if (tags_alone) return Chosen{own.intent, tags_of(line)};
    return Chosen{model_.intents->Id(line.substr(0, tab)),
                  tab == line.npos ? own.tags : tags_of(line.substr(tab + 1))};
  };
  const Chosen own = chosen_of(
      input.answer, {model_.intents ? predicted.intents.data<int32_t>()[0] : -1,
                     std::move(tags)});
  tags = own.tags;
  const int32_t intent = own.intent;

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = options.input == "columns" ? fmt::format("{}", fmt::join(words, " "))
                                      : input.Text();
  e.axes.push_back(model_.words->SourceAxis(sentence[0].words));
  Axis said = NamesAxis("target", "Tags", {});
  SentenceTags answer;
  for (int64_t t = 0; t < T; ++t) {
    const auto i = static_cast<size_t>(t);
    answer.tags.push_back(model_.tags.Name(tags[i]));
    said.items.push_back(answer.tags.back());
    said.labels.push_back(
        fmt::format("{} · {}", sentence[0].words[i], answer.tags.back()));
  }
  e.axes.push_back(std::move(said));
  if (model_.intents) {
    answer.intent = model_.intents->Name(intent);
    e.axes.push_back(NamesAxis("answer", "Intent", {answer.intent}));
  }
  AddMaps(watch, e);
  // Words see each other, and attention pools them to the intent.
  const std::optional<size_t> between = e.LastMap("source", "source");
  const auto tag_name = [this](int32_t id) { return model_.tags.Name(id); };
  for (int64_t t = 0; t < T; ++t) {
    e.targets.push_back(ChoiceTarget("target", t, LogsOf(p.tags.value(), t),
                                     tags[static_cast<size_t>(t)], tag_name));
    answer.probabilities.push_back(*e.targets.back().probability);
    SetMap(e.targets.back(), between,
           pieces.ids.defined() ? pieces.first.row<int32_t>(0)[t] : t);
  }
  e.answer = LineOf(answer, options);
  if (model_.intents) {
    e.targets.push_back(
        ChoiceTarget("answer", 0, LogsOf(p.intents.value(), 0), intent,
                     [this](int32_t id) { return model_.intents->Name(id); }));
    SetMap(e.targets.back(), e.LastMap("answer", "source"), 0);
  }
  const auto log_p_tags = [this, repeated](const Context& c, int64_t copies) {
    return LogSoftmax(model_.network.Scores(c, repeated(copies)).tags);
  };
  result.scores.push_back(SourceScores(
      e, [this, repeated, tags, intent](const Context& c, int64_t copies) {
        const TagScores scores = model_.network.Scores(c, repeated(copies));
        Var y = Pick(LogSoftmax(scores.tags), RepeatedRows(tags, copies));
        if (intent < 0) return y;
        return ConcatColumns(
            {y, Columns(LogSoftmax(scores.intents), intent, intent + 1)});
      }));
  if (input.contrast.empty()) return result;
  const Chosen other = chosen_of(input.contrast, own);
  const auto contrast = [&](int64_t target, const Tensor& p_all, int64_t row,
                            const LabelSet& names, int32_t chosen,
                            int32_t instead, auto all_log_p) {
    SetChoiceContrast(
        result, static_cast<size_t>(target), chosen,
        {names.Name(instead),
         std::exp(LogsOf(p_all, row)[static_cast<size_t>(instead)])},
        instead, all_log_p);
  };
  if (other.intent != intent) {
    contrast(
        T, p.intents.value(), 0, *model_.intents, intent, other.intent,
        [this, repeated](const Context& c, int64_t copies) {
          return LogSoftmax(model_.network.Scores(c, repeated(copies)).intents);
        });
    return result;
  }
  const auto differing = std::ranges::mismatch(tags, other.tags);
  if (differing.in1 == tags.end()) {
    throw FormatError("explain: the contrast is the answer itself");
  }
  const int64_t t = differing.in1 - tags.begin();
  contrast(t, p.tags.value(), t, model_.tags, *differing.in1, *differing.in2,
           [log_p_tags, t](const Context& c, int64_t copies) {
             return Select(TransposeLeading(log_p_tags(c, copies)), t);
           });
  return result;
}

}  // namespace

std::unique_ptr<Predictor> TagSettings::Predicting(
    const TagModel& model, TaggingPrediction options) const {
  return std::make_unique<TagPredictor>(model, std::move(options));
}

}  // namespace heed
