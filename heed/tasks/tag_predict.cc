// What a tagger answers: lines, tables, and parts for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/tasks/tag.h"

namespace heed {
namespace {

/// Adds where words stand in a line, and the entities that their tags spell.
/// Units: characters from 0, ends excluded.
void AddPlaces(const std::string& line, const std::vector<std::string>& tags,
               nlohmann::ordered_json& parts) {
  std::vector<std::pair<int64_t, int64_t>> places;
  int64_t characters = 0;
  size_t byte = 0;
  const auto advance = [&](size_t end) {
    for (; byte < end; ++byte) {
      characters += (static_cast<unsigned char>(line[byte]) & 0xC0) != 0x80;
    }
    return characters;
  };
  const std::vector<std::string_view> words = SplitWhitespace(line);
  for (const std::string_view word : words) {
    const auto begin = static_cast<size_t>(word.data() - line.data());
    const int64_t from = advance(begin);
    places.emplace_back(from, advance(begin + word.size()));
  }
  parts["offsets"] = places;
  const std::vector<std::vector<std::string>> all = {tags};
  if (!SpellEntities(all)) return;
  parts["entities"] = nlohmann::ordered_json::array();
  for (const Entity& entity : ReadEntities(tags)) {
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

}  // namespace

void TagTask::VisitPredict(FieldList& v) {
  v.Section("Input and output");
  v("input", input_, OneOf{"lines", "columns"},
    "lines: a sentence a line, words between spaces; writes a tag for each "
    "word. columns: as for training, with or without tags; writes them with "
    "the tags in their column");
  v("keep_tags", keep_tags_,
    "columns: keep the tags that are there, and write the model's in a new "
    "last column, as conlleval reads them");
  VisitFormat(v, UsedColumns());
  v("probabilities", probabilities_,
    "lines: write TAG:PROBABILITY for each word");
}

std::string TagTask::JoinTags(const Tagged& answer) const {
  if (!probabilities_) return fmt::format("{}", fmt::join(answer.tags, " "));
  std::vector<std::string> tags;
  for (size_t t = 0; t < answer.tags.size(); ++t) {
    tags.push_back(
        fmt::format("{}:{:.4f}", answer.tags[t], answer.probabilities[t]));
  }
  return fmt::format("{}", fmt::join(tags, " "));
}

std::string TagTask::LineOf(const Tagged& answer) const {
  return JoinTags(answer);
}

ModelAnswer TagTask::Say(const Words& words, const Tagged& tagged) const {
  using Json = nlohmann::ordered_json;
  ModelAnswer answer = {LineOf(tagged), Json::object()};
  Json& parts = answer.parts;
  if (with_intents()) parts["intent"] = tagged.intent;
  parts["words"] = words;
  parts["tags"] = tagged.tags;
  parts["probabilities"] = tagged.probabilities;
  return answer;
}

ModelAnswer TagTask::PredictColumns(const Context& ctx,
                                    const std::string& input,
                                    bool with_parts) const {
  std::vector<std::string> lines;
  for (const std::string_view line : SplitAt(input, "\n")) {
    lines.emplace_back(line);
  }
  TagColumns columns = columns_.value_or(data.columns);
  columns.need_tags = false;
  TaggedText text = ParseTagged(std::move(lines), "standard input", columns);
  if (keep_tags_) text.tag_column = -1;
  ModelAnswer answer;
  std::vector<std::vector<std::string>> tags;
  answer.parts["sentences"] = nlohmann::ordered_json::array();
  const std::vector<Tagged> tagged = TagAll(ctx, text.sentences);
  for (size_t i = 0; i < tagged.size(); ++i) {
    tags.push_back(tagged[i].tags);
    if (!with_parts) continue;
    answer.parts["sentences"].push_back(
        Say(text.sentences[i].words, tagged[i]).parts);
    if (!text.sentences[i].tags.empty()) {
      answer.parts["sentences"].back()["gold"] = text.sentences[i].tags;
    }
  }
  answer.line = WithTags(text, tags);
  answer.line.pop_back();  // the last line feed
  return answer;
}

InputReading TagTask::reading() const {
  InputReading reading;
  reading.defaults.long_lines = LongLines::kWhole;
  reading.whole = input_ == "columns";
  return reading;
}

Predictor TagTask::MakePredictor(const Context& ctx, bool with_parts,
                                 const InputOptions& /*options*/) const {
  return [this, ctx, with_parts](std::span<const std::string> inputs,
                                 int64_t first) {
    std::vector<ModelAnswer> answers;
    if (input_ == "columns") {
      for (const std::string& text : inputs) {
        answers.push_back(PredictColumns(ctx, text, with_parts));
      }
      return answers;
    }
    std::vector<TaggedSentence> sentences;
    for (const std::string& line : inputs) {
      const auto words = SplitWhitespace(line);
      sentences.push_back({{words.begin(), words.end()}, {}, {}});
    }
    const std::vector<Tagged> tagged = TagAll(ctx, sentences, first);
    for (size_t i = 0; i < tagged.size(); ++i) {
      answers.push_back(Say(sentences[i].words, tagged[i]));
      if (with_parts) AddPlaces(inputs[i], tagged[i].tags, answers[i].parts);
    }
    return answers;
  };
}

}  // namespace heed
