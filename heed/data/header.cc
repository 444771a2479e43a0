#include "heed/data/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "heed/base/console.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"

namespace heed {
namespace {

constexpr size_t kMaxNameCharacters = 40;
constexpr size_t kMaxNameWords = 3;
/// Number of further lines from which a unique first label indicates a header.
constexpr int64_t kFewLines = 4;
constexpr int64_t kManyLines = 10;

/// Lower-case name without trailing digits, with "-" and " " as "_".
std::string NameWithoutNumber(std::string_view cell) {
  std::string name = Lowercase(TrimBlanks(cell));
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') {
    name.pop_back();
  }
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == ' '; }, '_');
  while (name.ends_with('_')) name.pop_back();
  return name;
}

bool IsColumnName(std::string_view cell) {
  static const std::set<std::string, std::less<>> names = {
      // Identifiers of a row.
      "id", "idx", "index", "qid", "pid", "did", "docid", "doc_id", "query_id",
      "corpus_id", "text_id", "passage_id", "question_id", "sentence_id",
      "document_id", "user", "user_id", "item", "item_id", "name", "title",
      "timestamp", "date", "time", "path", "file", "filename", "file_name",
      "image", "audio", "wav", "speaker",
      // Texts.
      "sentence", "text", "texts", "review", "reviews", "comment", "content",
      "body", "tweet", "message", "document", "doc", "passage", "context",
      "question", "query", "answer", "premise", "hypothesis", "utterance",
      "source", "target", "src", "tgt", "trg", "input", "output", "translation",
      "original", "caption", "transcript", "transcription", "word", "words",
      "token", "tokens", "string", "satz", "texte", "phrase", "testo", "texto",
      "source_text", "target_text", "text_a", "text_b",
      // Labels and scores of texts.
      "label", "labels", "class", "classes", "category", "sentiment", "tag",
      "tags", "intent", "topic", "score", "rating", "stars", "polarity",
      "is_duplicate", "similarity", "relevance", "relevant", "gold",
      "gold_label", "quality", "klasse", "etiqueta", "classe", "y", "emotion",
      "language", "lang", "relevance_label", "judgment", "candidates",
      "positives", "scores"};
  return names.contains(NameWithoutNumber(cell));
}

/// True for a usual name of a label column.
bool NamesLabels(std::string_view label) {
  static const std::set<std::string, std::less<>> names = {
      "label",  "labels",     "class",  "classes", "category", "sentiment",
      "target", "gold_label", "intent", "rating",  "stars",    "score",
      "y",      "klasse",     "classe", "topic",   "emotion",  "polarity"};
  return names.contains(NameWithoutNumber(label));
}

bool IsLanguage(std::string_view cell) {
  static const std::set<std::string, std::less<>> languages = {
      "en",        "de",       "fr",       "es",      "it",         "pt",
      "nl",        "ru",       "zh",       "ja",      "ko",         "ar",
      "cs",        "pl",       "tr",       "fi",      "sv",         "da",
      "no",        "nb",       "hu",       "ro",      "bg",         "el",
      "he",        "hi",       "id",       "vi",      "uk",         "et",
      "lv",        "lt",       "sk",       "sl",      "hr",         "sr",
      "ca",        "fa",       "th",       "is",      "ga",         "eng",
      "deu",       "ger",      "fra",      "spa",     "ita",        "english",
      "german",    "french",   "spanish",  "italian", "portuguese", "dutch",
      "russian",   "chinese",  "japanese", "korean",  "arabic",     "czech",
      "polish",    "turkish",  "finnish",  "swedish", "danish",     "norwegian",
      "hungarian", "romanian", "greek",    "hebrew",  "hindi",      "ukrainian",
      "deutsch",   "englisch"};
  return languages.contains(Lowercase(TrimBlanks(cell)));
}

/// True if a cell could be a column name: short, without punctuation.
bool CouldBeName(std::string_view cell) {
  const std::string_view name = TrimBlanks(cell);
  return !name.empty() &&
         CountCharacters(name) <= static_cast<int64_t>(kMaxNameCharacters) &&
         SplitUnicodeWhitespace(name).size() <= kMaxNameWords &&
         name.find_first_of(".,;:!?\"") == std::string_view::npos;
}

}  // namespace

bool NamesColumns(std::span<const std::string> cells) {
  if (cells.size() < 2) return false;
  const std::set<std::string> different(cells.begin(), cells.end());
  return different.size() == cells.size() &&
         (std::ranges::all_of(cells, IsColumnName) ||
          std::ranges::all_of(cells, IsLanguage));
}

bool NamesColumns(std::span<const std::string_view> cells) {
  const std::vector<std::string> texts(cells.begin(), cells.end());
  return NamesColumns(std::span<const std::string>(texts));
}

bool NamesLabelAndTexts(std::span<const std::string> cells) {
  return !cells.empty() && NamesLabels(cells.front()) && NamesColumns(cells);
}

bool StandsAmongNumbers(const std::string& label,
                        const std::map<std::string, int64_t>& others) {
  return !ParseNumber(label) &&
         std::ranges::all_of(others, [](const auto& other) {
           return ParseNumber(other.first).has_value();
         });
}

FirstLine JudgeFirstLine(const std::string& label,
                         std::span<const std::string> cells,
                         const std::map<std::string, int64_t>& others) {
  if (others.empty() || others.contains(label)) return FirstLine::kRow;
  if (StandsAmongNumbers(label, others)) return FirstLine::kHeader;
  const bool names = std::ranges::all_of(cells, CouldBeName);
  if ((NamesLabels(label) && names) ||
      (IsColumnName(label) && std::ranges::any_of(cells, IsColumnName))) {
    return FirstLine::kHeader;
  }
  int64_t lines = 0;
  bool several = true;  // all other labels occur more than once
  for (const auto& [other, count] : others) {
    lines += count;
    several &= count > 1;
  }
  if (!several) return FirstLine::kRow;
  const bool named = names && CouldBeName(label) && !ParseNumber(label) &&
                     std::ranges::any_of(cells, IsColumnName);
  if (lines >= kFewLines && named) return FirstLine::kHeader;
  return lines >= kManyLines ? FirstLine::kDoubt : FirstLine::kRow;
}

void SayHeaderLeftOut(const std::string& path, std::string_view line) {
  constexpr int64_t kShown = 60;
  std::string shown(CutLine(line, kShown, LongLines::kCutEnd));
  std::ranges::replace(shown, '\t', ' ');
  Say(fmt::format("{}: line 1 is a header ('{}') and is left out", path,
                  shown));
}

}  // namespace heed
