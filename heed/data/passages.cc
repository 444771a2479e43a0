#include "heed/data/passages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/data/documents.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonLimits kPassageLimits = {.bytes = kMaxPassageBytes,
                                       .values = 2 * kMaxCandidates,
                                       .names = 16,
                                       .depth = 4};
constexpr int64_t kSentencesOfCbt = 20;

[[noreturn]] void RefusePassage(const std::string& place,
                                const std::string& why) {
  throw FormatError("{}: {}", place, why);
}

void CheckPassageSize(size_t bytes, const std::string& place) {
  if (bytes <= kMaxPassageBytes) return;
  RefusePassage(place, fmt::format("a passage with its question of over {} "
                                   "bytes",
                                   kMaxPassageBytes));
}

std::string TextOfMember(const Json& json, const char* name, bool needed,
                         const std::string& place) {
  if (!json.contains(name)) {
    if (needed) RefusePassage(place, fmt::format("there is no \"{}\"", name));
    return "";
  }
  const Json& value = json.at(name);
  if (!value.is_string() ||
      SplitWhitespace(value.get_ref<const std::string&>()).empty()) {
    RefusePassage(place, fmt::format("\"{}\" is not a text with a word: {}",
                                     name, Abridged(value)));
  }
  return value.get<std::string>();
}

PassageQuestion QuestionOfJson(std::string_view line, bool with_answer,
                               const std::string& place) {
  CheckPassageSize(line.size(), place);
  const Json json = ParseJson(line, place, kPassageLimits);
  if (!json.is_object()) {
    RefusePassage(place, "is not an object with \"passage\" and \"question\"");
  }
  constexpr const char* kMembers[] = {"passage", "question", "answer",
                                      "candidates"};
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(kMembers, name) != std::end(kMembers)) continue;
    RefusePassage(place,
                  fmt::format("unknown member {} (there are {})",
                              Abridged(Json(name)), fmt::join(kMembers, ", ")));
  }
  PassageQuestion question;
  question.passage = TextOfMember(json, "passage", true, place);
  question.question = TextOfMember(json, "question", true, place);
  question.answer = TextOfMember(json, "answer", with_answer, place);
  question.place = place;
  if (!json.contains("candidates")) return question;
  const Json& candidates = json.at("candidates");
  if (!candidates.is_array() || candidates.empty() ||
      candidates.size() > kMaxCandidates) {
    RefusePassage(place, fmt::format("\"candidates\" is not a list of 1 to {} "
                                     "words",
                                     kMaxCandidates));
  }
  for (const Json& candidate : candidates) {
    if (!candidate.is_string() ||
        candidate.get_ref<const std::string&>().empty()) {
      RefusePassage(place, fmt::format("the candidate {} is not a word",
                                       Abridged(candidate)));
    }
    question.candidates.push_back(candidate.get<std::string>());
  }
  return question;
}

/// Parser of stories with numbered lines and questions.
class NumberedStories {
 public:
  /// `cbt`: a question ends its story and has candidates. `answered`: each
  /// question has its answer.
  NumberedStories(std::string name, bool cbt, bool answered)
      : name_(std::move(name)), cbt_(cbt), answered_(answered) {}

  std::optional<PassageQuestion> Add(std::string_view line,
                                     const std::string& place) {
    // A tab at the end precedes a missing answer.
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const auto [number, text] = SplitOnce(line.substr(begin), " ");
    const auto parsed = ParseInteger<int64_t>(number);
    if (!parsed) {
      RefusePassage(place, "the line does not begin with a number and a space");
    }
    if (*parsed == 1) {
      passage_.clear();
    } else if (*parsed != last_ + 1) {
      RefusePassage(
          place,
          fmt::format(
              "line number {} after {}; number the lines of a story from 1",
              *parsed, last_));
    }
    last_ = *parsed;
    const bool asks = !answered_ && TrimBlanks(text).ends_with('?');
    if (text.find('\t') == text.npos && !asks) {
      CheckPassageSize(passage_.size() + text.size(), place);
      if (!passage_.empty()) passage_ += '\n';
      passage_ += text;
      return std::nullopt;
    }
    return QuestionOf(SplitAt(text, "\t"), place);
  }

 private:
  PassageQuestion QuestionOf(const std::vector<std::string_view>& fields,
                             const std::string& place) const {
    if (passage_.empty()) RefusePassage(place, "a question without a story");
    PassageQuestion question;
    question.passage = passage_;
    question.question = TrimBlanks(fields[0]);
    if (fields.size() > 1) question.answer = TrimBlanks(fields[1]);
    question.place = place;
    if (SplitWhitespace(question.question).empty() ||
        (answered_ && question.answer.empty())) {
      RefusePassage(place, "a question without words or without an answer");
    }
    if (!cbt_) return question;
    if (last_ != kSentencesOfCbt + 1 || fields.size() < 3) {
      RefusePassage(place,
                    "not 20 sentences and line 21 with question, tab, answer, "
                    "two tabs, candidates");
    }
    for (const std::string_view one : SplitAt(fields.back(), "|")) {
      if (!one.empty()) question.candidates.emplace_back(one);
    }
    if (question.candidates.empty() ||
        question.candidates.size() > kMaxCandidates) {
      RefusePassage(place,
                    fmt::format("{} candidates; there are 1 to {}",
                                question.candidates.size(), kMaxCandidates));
    }
    return question;
  }

  std::string name_;
  bool cbt_;
  bool answered_;
  int64_t last_ = 0;
  std::string passage_;
};

/// Detects cbt by the first question of a file with numbered lines.
bool HasCandidates(std::string_view line) {
  const std::vector<std::string_view> fields = SplitAt(line, "\t");
  return fields.size() >= 4 &&
         fields.back().find('|') != std::string_view::npos;
}

using LineFunction = std::function<bool(std::string_view line, int64_t number)>;

/// Calls `each` for the lines of a file. Can be called repeatedly.
using LinesOf = std::function<void(const LineFunction& each)>;

void AddPassages(const LinesOf& lines, const std::string& name,
                 PassageFormat format, bool answered,
                 std::vector<PassageQuestion>* all) {
  if (format == PassageFormat::kAuto) {
    format = PassageFormat::kBabi;
    if (!TableFormOf(name).empty()) {
      format = PassageFormat::kJsonl;
    } else {
      lines([&](std::string_view line, int64_t) {
        if (line.find('\t') == line.npos) return true;
        if (HasCandidates(line)) format = PassageFormat::kCbt;
        return false;
      });
    }
  }
  NumberedStories stories(name, format == PassageFormat::kCbt, answered);
  const size_t before = all->size();
  lines([&](std::string_view line, int64_t number) {
    if (TrimBlanks(line).empty()) return true;
    const std::string place = fmt::format("{}:{}", name, number);
    if (format == PassageFormat::kJsonl) {
      all->push_back(QuestionOfJson(line, answered, place));
    } else if (auto question = stories.Add(line, place)) {
      all->push_back(*std::move(question));
    }
    return true;
  });
  if (all->size() == before) RefusePassage(name, "there is no question");
}

bool IsPunctuation(char c) {
  constexpr std::string_view kMarks = ".,;:!?\"'`()[]{}";
  return kMarks.find(c) != kMarks.npos;
}

}  // namespace

std::vector<PassageQuestion> ReadPassages(const std::vector<std::string>& paths,
                                          PassageFormat format) {
  std::vector<PassageQuestion> all;
  for (const std::string& path : paths) {
    AddPassages([&path](const LineFunction& each) { ForEachLine(path, each); },
                path, format, /*answered=*/true, &all);
  }
  return all;
}

namespace {

std::vector<PassageQuestion> PassagesIn(std::string_view text,
                                        const std::string& name,
                                        PassageFormat format, bool answered) {
  std::vector<PassageQuestion> all;
  AddPassages(
      [text](const LineFunction& each) {
        int64_t number = 0;
        for (const std::string_view line : SplitLines(text)) {
          if (!each(line, ++number)) return;
        }
      },
      name, format, answered, &all);
  return all;
}

}  // namespace

std::vector<PassageQuestion> ParsePassages(std::string_view text,
                                           const std::string& name,
                                           PassageFormat format) {
  return PassagesIn(text, name, format, /*answered=*/true);
}

bool IsNumberedStory(std::string_view text) {
  int64_t lines = 0;
  for (const std::string_view line : SplitLines(text)) {
    if (TrimBlanks(line).empty()) continue;
    const auto number =
        ParseInteger<int64_t>(SplitOnce(TrimBlanks(line), " ").first);
    if (!number ||
        (++lines == 1 && (*number != 1 || line.find('\t') != line.npos))) {
      return false;
    }
  }
  return lines > 0;
}

std::vector<PassageQuestion> ParseStoryQuestions(std::string_view text,
                                                 const std::string& name,
                                                 PassageFormat format) {
  return PassagesIn(text, name, format, /*answered=*/false);
}

PassageQuestion ParsePassageQuestion(std::string_view line,
                                     const std::string& place) {
  if (TrimBlanks(line).starts_with('{')) {
    return QuestionOfJson(TrimBlanks(line), /*with_answer=*/false, place);
  }
  CheckPassageSize(line.size(), place);
  const size_t tab = line.rfind('\t');
  PassageQuestion question;
  question.place = place;
  if (tab != line.npos) {
    question.passage = line.substr(0, tab);
    question.question = TrimBlanks(line.substr(tab + 1));
  }
  if (SplitWhitespace(question.passage).empty() || question.question.empty()) {
    RefusePassage(place,
                  "is not a question; write passage, a tab and question, or "
                  "{\"passage\": \"...\", \"question\": \"...\"}");
  }
  return question;
}

std::string PassageLine(const PassageQuestion& question) {
  Json json = {{"passage", question.passage}, {"question", question.question}};
  if (!question.answer.empty()) json["answer"] = question.answer;
  if (!question.candidates.empty()) json["candidates"] = question.candidates;
  return DumpJson(json);
}

std::vector<std::string> PassageWords(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view word : SplitUnicodeWhitespace(text)) {
    while (word.size() > 1 && IsPunctuation(word.front())) {
      words.emplace_back(word.substr(0, 1));
      word.remove_prefix(1);
    }
    size_t end = word.size();
    while (end > 1 && IsPunctuation(word[end - 1])) --end;
    words.emplace_back(word.substr(0, end));
    for (; end < word.size(); ++end) words.emplace_back(word.substr(end, 1));
  }
  return words;
}

PassageText ReadPassageText(const PassageQuestion& question, bool lowercase) {
  const auto key = [lowercase](const std::string& word) {
    return NormalForm(lowercase ? Lowercase(word) : word);
  };
  PassageText text;
  const std::vector<size_t> begins = FindSentences(question.passage);
  for (size_t i = 0; i < begins.size(); ++i) {
    const size_t end =
        i + 1 < begins.size() ? begins[i + 1] : question.passage.size();
    std::vector<std::string> own = PassageWords(NormalForm(
        std::string_view(question.passage).substr(begins[i], end - begins[i])));
    if (own.empty()) continue;
    text.sentences.push_back(std::ssize(text.words));
    std::ranges::move(own, std::back_inserter(text.words));
  }
  text.question = PassageWords(NormalForm(question.question));
  if (text.words.empty() || text.question.empty()) {
    RefusePassage(question.place, text.words.empty()
                                      ? "a passage without words"
                                      : "a question without words");
  }
  // −1: a candidate that has not occurred yet.
  std::map<std::string, int32_t> places;
  for (const std::string& one : question.candidates) places[key(one)] = -1;
  const bool all = places.empty();
  for (const std::string& word : text.words) {
    const std::string own = key(word);
    if (all) places.try_emplace(own, -1);
    const auto found = places.find(own);
    if (found == places.end()) {
      text.of_words.push_back(-1);
      continue;
    }
    if (found->second < 0) {
      found->second = static_cast<int32_t>(text.candidates.size());
      text.candidates.push_back(word);
    }
    text.of_words.push_back(found->second);
  }
  if (const auto found = places.find(key(question.answer));
      found != places.end()) {
    text.answer = found->second;
  }
  return text;
}

}  // namespace heed
