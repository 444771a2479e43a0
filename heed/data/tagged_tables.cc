#include "heed/data/tagged_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/blank_ends.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

[[noreturn]] void RefuseSentence(const std::string& path, size_t line,
                                 const std::string& message) {
  throw FormatError("{}:{}: {}", path, line + 1, message);
}

/// Words and tags of texts separated by spaces; other kinds of blanks are part
/// of words.
std::pair<std::vector<std::string_view>, std::vector<std::string_view>>
WordsAndTags(std::string_view words, std::string_view tags) {
  const auto split = [](std::string_view text) {
    std::vector<std::string_view> parts;
    for (const std::string_view part : SplitWhitespace(text)) {
      if (!WithoutBlankEnds(part).empty())
        parts.push_back(WithoutBlankEnds(part));
    }
    return parts;
  };
  std::pair found = {SplitWhitespace(words), split(tags)};
  if (found.first.size() != found.second.size()) found.first = split(words);
  return found;
}

/// Column names of a table, from its first line.
std::vector<std::string> NamesOfTable(const std::string& path) {
  std::vector<std::string> names;
  ForEachLine(path, [&](std::string_view line, int64_t) {
    if (TrimBlanks(line).empty() || AnnouncedDelimiter(line)) return true;
    if (TableFormOf(path) == "jsonl") {
      const auto json = ParseJson(line, path + ":1");
      if (!json.is_object()) return false;
      for (const auto& item : json.items()) names.push_back(item.key());
      return false;
    }
    FieldReader reader(DelimiterOfHeader(line, {"words", "tags"}), path);
    if (const auto* fields = reader.Add(line, 1)) names = *fields;
    return false;
  });
  return names;
}

/// Columns by their names in the table; Hugging Face's data sets call words
/// "tokens". Throws: ConfigError for missing columns.
std::vector<std::string> ColumnsOfTable(const std::string& path,
                                        std::vector<std::string> columns) {
  using Names = std::array<std::string_view, 3>;
  constexpr std::array<Names, 2> kOthers = {
      {{"words", "tokens", ""}, {"tags", "ner_tags", "labels"}}};
  const std::vector<std::string> there = NamesOfTable(path);
  const auto is_there = [&](std::string_view name) {
    return !name.empty() && PlaceOfColumn(there, name).has_value();
  };
  for (std::string& column : columns) {
    if (is_there(column)) continue;
    for (const Names& names : kOthers) {
      if (column != names[0]) continue;
      const auto* const other = std::ranges::find_if(names, is_there);
      if (other != names.end()) column = *other;
    }
    if (is_there(column)) continue;
    throw ConfigError(
        "{}:1: no column '{}'; the first line names {}; each row holds a "
        "sentence: its words in a column 'words' or 'tokens', its tags in "
        "'tags', 'ner_tags' or 'labels'",
        path, column, fmt::join(there, ", "));
  }
  return columns;
}

/// True for "['O', 'B-LOC']", the text of a list that pandas writes into a
/// cell.
bool IsWrittenList(std::string_view cell) {
  cell = WithoutBlankEnds(cell);
  return cell.starts_with('[') && cell.ends_with(']') &&
         cell.find_first_of(",'\"") != cell.npos;
}

}  // namespace

std::vector<TaggedSentence> ReadTaggedTable(
    const std::string& path, const std::vector<std::string>& columns) {
  std::vector<TaggedSentence> sentences;
  ForEachRow(
      path, ColumnsOfTable(path, columns),
      [&](const TableRow& row, int64_t line) {
        const auto [words, tags] = WordsAndTags(row[0], row[1]);
        const auto place = static_cast<size_t>(line - 1);
        if (IsWrittenList(row[1])) {
          RefuseSentence(path, place,
                         "the tags are the text of a list; write tags and "
                         "words with spaces "
                         "between them, or as lists in JSON lines (.jsonl)");
        }
        if (words.empty())
          RefuseSentence(path, place, "the row holds no words");
        if (words.size() != tags.size()) {
          RefuseSentence(
              path, place,
              fmt::format("{} tags for {} words", tags.size(), words.size()));
        }
        sentences.push_back({{words.begin(), words.end()},
                             {tags.begin(), tags.end()},
                             row.size() > 2 ? row[2] : "",
                             fmt::format("{}:{}", path, line)});
      });
  return sentences;
}

std::vector<TaggedSentence> ReadSnips(const std::string& prefix) {
  const std::string words_path = prefix + ".seq.in";
  const std::string tags_path = prefix + ".seq.out";
  const std::string labels_path = prefix + ".label";
  const std::vector<std::string> words = ReadLines(words_path);
  const std::vector<std::string> tags = ReadLines(tags_path);
  const std::vector<std::string> labels = ReadLines(labels_path);
  if (words.size() != tags.size() || words.size() != labels.size()) {
    throw FormatError(
        "{} has {} lines, {} has {} and {} has {}; line i of all "
        "three is one sentence",
        words_path, words.size(), tags_path, tags.size(), labels_path,
        labels.size());
  }
  std::vector<TaggedSentence> sentences;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [w, t] = WordsAndTags(words[i], tags[i]);
    const std::vector<std::string_view> l = SplitUnicodeWhitespace(labels[i]);
    if (w.empty()) RefuseSentence(words_path, i, "the line holds no words");
    if (w.size() != t.size()) {
      RefuseSentence(tags_path, i,
                     fmt::format("{} tags for the {} words of {}", t.size(),
                                 w.size(), words_path));
    }
    if (l.size() != 1) RefuseSentence(labels_path, i, "not one label");
    sentences.push_back({{w.begin(), w.end()},
                         {t.begin(), t.end()},
                         std::string(l[0]),
                         fmt::format("{}:{}", tags_path, i + 1)});
  }
  return sentences;
}

}  // namespace heed
