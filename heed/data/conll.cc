#include "heed/data/conll.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/blank_ends.h"
#include "heed/data/header.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 10> kConlluColumns = {
    "id",    "form", "lemma",  "upos", "xpos",
    "feats", "head", "deprel", "deps", "misc"};

[[noreturn]] void Fail(const std::string& path, size_t line,
                       const std::string& message) {
  throw FormatError("{}:{}: {}", path, line + 1, message);
}

bool IsBlank(std::string_view line) { return WithoutBlankEnds(line).empty(); }

/// Splits a line into columns. `count`: expected number (0: any). If splitting
/// at all white space gives `count` columns instead, uses these.
std::vector<std::string_view> Split(std::string_view line, bool tabs,
                                    size_t count) {
  std::vector<std::string_view> columns;
  for (const std::string_view column :
       tabs ? SplitAt(line, "\t") : SplitWhitespace(line)) {
    columns.push_back(WithoutBlankEnds(column));
  }
  while (columns.size() > std::max<size_t>(count, 1) &&
         columns.back().empty()) {
    columns.pop_back();
  }
  if (count == 0 || columns.size() == count) return columns;
  std::vector<std::string_view> others = columns;
  std::erase_if(others, [](std::string_view column) { return column.empty(); });
  if (others.size() == count) return others;
  others = SplitUnicodeWhitespace(line);
  // A comment is not a word line, whatever its number of columns.
  if (others.size() == count && !line.starts_with('#')) return others;
  return columns;
}

bool IsConllu(std::string_view path, const Auto<TaggedForm>& format) {
  if (!format.open()) return format == TaggedForm::kConllu;
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path.ends_with(".conllu") || path.ends_with(".conllup");
}

int ConlluColumn(const std::string& name) {
  const auto* found =
      std::find(kConlluColumns.begin() + 1, kConlluColumns.end(), name);
  if (found == kConlluColumns.end()) {
    throw ConfigError(
        "unknown CoNLL-U column '{}'; choose one of {}", name,
        fmt::join(kConlluColumns.begin() + 1, kConlluColumns.end(), ", "));
  }
  return static_cast<int>(found - kConlluColumns.begin());
}

/// Collects the sentences of a file.
class SentenceReader {
 public:
  SentenceReader(std::vector<std::string> lines, const std::string& path,
                 bool need_tags)
      : path_(path), need_tags_(need_tags) {
    text_.lines = std::move(lines);
  }
  virtual ~SentenceReader() = default;

  TaggedText Read() {
    for (size_t i = 0; i < text_.lines.size(); ++i) {
      if (IsBlank(text_.lines[i])) {
        EndSentence();
      } else {
        ReadLine(i);
      }
    }
    EndSentence();
    if (text_.sentences.empty()) {
      throw FormatError("{} holds no words", path_);
    }
    CheckWords();
    return std::move(text_);
  }

 protected:
  virtual void ReadLine(size_t line) = 0;
  /// Throws: FormatError if the word column does not hold words.
  virtual void CheckWords() const {}

  void EndSentence() {
    if (sentence_.words.empty()) return;
    text_.sentences.push_back(std::move(sentence_));
    text_.places.push_back(std::move(places_));
    sentence_ = {};
    places_.clear();
  }

  /// Adds a word. `tag`: null if the text has no tags.
  void AddWord(size_t line, std::string_view word,
               const std::string_view* tag) {
    if (sentence_.words.empty()) {
      sentence_.place = fmt::format("{}:{}", path_, line + 1);
    }
    sentence_.words.emplace_back(word);
    places_.push_back(static_cast<int64_t>(line));
    if (tag == nullptr) return;
    if (tag->empty() && need_tags_) Fail(path_, line, "the tag is empty");
    sentence_.tags.emplace_back(*tag);
  }

  const std::string path_;
  const bool need_tags_;
  TaggedText text_;
  TaggedSentence sentence_;
  std::vector<int64_t> places_;
};

class ColumnReader : public SentenceReader {
 public:
  ColumnReader(std::vector<std::string> lines, const std::string& path,
               const TagColumns& columns)
      : SentenceReader(std::move(lines), path, columns.need_tags),
        word_column_(columns.word_column - 1),
        tag_column_(columns.tag_column - 1) {
    if (columns.word_column < 1 || columns.tag_column < 0 ||
        columns.word_column == columns.tag_column) {
      throw ConfigError(
          "columns {} (words) and {} (tags): columns count from 1, 0 is the "
          "last for tags, and the two must differ",
          columns.word_column, columns.tag_column);
    }
    FindColumns();
  }

 private:
  /// First word lines, enough to determine the columns.
  std::vector<size_t> FirstLines() const {
    constexpr size_t kEnough = 100;
    std::vector<size_t> lines;
    for (size_t i = 0; i < text_.lines.size() && lines.size() < kEnough; ++i) {
      const std::string_view line = WithoutBlankEnds(text_.lines[i]);
      if (line.empty() || line.starts_with('#') || IsDocument(line)) continue;
      lines.push_back(i);
    }
    return lines;
  }

  /// Determines the columns. The first word line determines the separator; the
  /// most frequent number of columns is the number of columns.
  void FindColumns() {
    const std::vector<size_t> lines = FirstLines();
    if (lines.empty()) return;
    const std::string& first = text_.lines[lines.front()];
    // A tab at the end of a line is not a separator.
    const std::string_view words = WithoutBlankEnds(first);
    const char* end = words.data() + words.size();
    text_.tabs = std::find(first.data(), end, '\t') != end;
    std::map<size_t, size_t> numbers;
    for (const size_t i : lines) {
      const size_t columns = Split(text_.lines[i], text_.tabs, 0).size();
      if (++numbers[columns] <= numbers[text_.columns]) continue;
      text_.columns = columns;
    }
    first_ = *std::ranges::find_if(lines, [this](size_t i) {
      return Split(text_.lines[i], text_.tabs, 0).size() == text_.columns;
    });
    const int count = static_cast<int>(text_.columns);
    const int largest = std::max(word_column_, tag_column_);
    if (largest >= count) {
      Fail(path_, first_,
           fmt::format("column {} is missing: there are {} between {}",
                       largest + 1, count, Separator()));
    }
    if (tag_column_ < 0 && count - 1 != word_column_) tag_column_ = count - 1;
    if (tag_column_ < 0 && need_tags_) {
      Fail(path_, first_,
           fmt::format("no column of tags after the words in column {}; "
                       "separate columns by tabs or spaces",
                       word_column_ + 1));
    }
    text_.tag_column = tag_column_;
    FindTags();
  }

  /// Collects tags of lines that are certainly not comments, if there are
  /// ambiguous lines.
  void FindTags() {
    const bool needed =
        !text_.tabs && tag_column_ >= 0 &&
        std::ranges::any_of(text_.lines, [](const std::string& line) {
          return line.starts_with("# ");
        });
    for (size_t i = 0; needed && i < text_.lines.size(); ++i) {
      const std::string& line = text_.lines[i];
      if (line.starts_with('#')) continue;
      const auto columns = Split(line, text_.tabs, text_.columns);
      if (columns.size() != text_.columns) continue;
      tags_.emplace(At(columns, tag_column_));
    }
  }

  /// True if a line between two sentences is a comment.
  bool IsComment(std::string_view line,
                 const std::vector<std::string_view>& columns) const {
    if (!line.starts_with('#')) return false;
    if (columns.size() != text_.columns) return true;
    if (!line.starts_with("# ")) return false;
    return text_.tabs || tag_column_ < 0 ||
           !tags_.contains(At(columns, tag_column_));
  }

  const char* Separator() const { return text_.tabs ? "tabs" : "spaces"; }

  static bool IsDocument(std::string_view line) {
    constexpr std::string_view kDocument = "-DOCSTART-";
    return line.starts_with(kDocument) &&
           (line.size() == kDocument.size() || line[kDocument.size()] == ' ' ||
            line[kDocument.size()] == '\t');
  }

  void ReadLine(size_t i) override {
    const std::string_view line = WithoutBlankEnds(text_.lines[i]);
    const bool tabbed_comment =
        !text_.tabs && line.starts_with("# ") && line.find('\t') != line.npos;
    if (IsDocument(line) || tabbed_comment) {
      EndSentence();
      return;
    }
    const std::vector<std::string_view> columns =
        Split(text_.lines[i], text_.tabs, text_.columns);
    if (sentence_.words.empty() && IsComment(line, columns)) return;
    if (i == first_ && tag_column_ >= 0 &&
        NamesColumns(std::span<const std::string_view>(columns))) {
      SayHeaderLeftOut(path_, line);
      return;
    }
    if (columns.size() != text_.columns) {
      Fail(path_, i,
           fmt::format("{} columns between {}, but line {} has {}",
                       columns.size(), Separator(), first_ + 1, text_.columns));
    }
    AddWord(i, At(columns, word_column_),
            tag_column_ < 0 ? nullptr : &At(columns, tag_column_));
  }

  /// Throws: FormatError if the words are only numbers, or one document name.
  void CheckWords() const override {
    bool count = true;
    bool same = true;
    size_t longest = 0;
    for (const TaggedSentence& sentence : text_.sentences) {
      const std::vector<std::string>& words = sentence.words;
      const auto first = ParseInteger<size_t>(words.front());
      for (size_t i = 0; i < words.size(); ++i) {
        count &= first && *first < 2 && words[i] == std::to_string(*first + i);
        same &= words[i] == words.front();
      }
      longest = std::max(longest, words.size());
    }
    if (longest < 3 || text_.columns < 3 || !(count || same)) return;
    Fail(path_, first_,
         fmt::format(
             "column {}, that of the words, {}; choose another one "
             "(--word-column) of: {}",
             word_column_ + 1,
             count ? "counts the words of each sentence"
                   : "has one and the same word in all of a sentence",
             fmt::join(Split(text_.lines[first_], text_.tabs, 0), ", ")));
  }

  int word_column_;
  int tag_column_;
  size_t first_ = 0;
  std::set<std::string, std::less<>> tags_;
};

/// Column names in the first line of CoNLL-U Plus; empty for other files.
std::vector<std::string> GlobalColumns(const std::vector<std::string>& lines) {
  constexpr std::string_view kMark = "# global.columns";
  if (lines.empty()) return {};
  std::string_view line = lines.front();
  if (!line.starts_with(kMark)) return {};
  line.remove_prefix(kMark.size());
  line = TrimBlanks(line);
  if (!line.starts_with('=')) return {};
  std::vector<std::string> names;
  for (const std::string_view name : SplitWhitespace(line.substr(1))) {
    names.push_back(Lowercase(name));
  }
  return names;
}

/// True for CoNLL-U Plus with a column of words.
bool NamesForms(const std::vector<std::string>& lines) {
  return std::ranges::count(GlobalColumns(lines), "form") > 0;
}

/// Reader of CoNLL-U with its ten columns, or with those in the first line.
class ConlluReader : public SentenceReader {
 public:
  ConlluReader(std::vector<std::string> lines, const std::string& path,
               const TagColumns& columns)
      : SentenceReader(std::move(lines), path, columns.need_tags),
        names_(GlobalColumns(text_.lines)) {
    if (names_.empty()) {
      names_.assign(kConlluColumns.begin(), kConlluColumns.end());
      text_.tag_column = ConlluColumn(columns.conllu_column);
    } else {
      FindColumns(columns);
    }
    text_.columns = names_.size();
    id_ = Place("id");
    form_ = Place("form");
    if (form_ == text_.columns) Fail(path_, 0, "no column FORM is named");
  }

 private:
  /// Index of a column; the number of columns if it does not exist.
  size_t Place(const std::string& name) const {
    return static_cast<size_t>(std::ranges::find(names_, name) -
                               names_.begin());
  }

  /// Finds the tag column of CoNLL-U Plus: by number, by name, or the last one.
  void FindColumns(const TagColumns& columns) {
    const size_t count = names_.size();
    if (static_cast<size_t>(columns.tag_column) > count) {
      Fail(path_, 0,
           fmt::format("column {} is missing: there are {}", columns.tag_column,
                       count));
    }
    size_t tags = Place(columns.conllu_column);
    if (columns.tag_column > 0) {
      tags = static_cast<size_t>(columns.tag_column - 1);
    } else if (tags == count) {
      tags = count - 1;
    }
    text_.tag_column = static_cast<int>(tags);
    Say(fmt::format("{}: reads tags of column {}, {} (--tag-column)", path_,
                    tags + 1, names_[tags]));
  }

  /// True for a range of words (3-4) or an empty node (8.1).
  static bool IsLeftOut(std::string_view id) {
    const size_t mark = id.find_first_of("-.");
    return mark != id.npos && ParseInteger<uint64_t>(id.substr(0, mark)) &&
           ParseInteger<uint64_t>(id.substr(mark + 1));
  }

  void ReadLine(size_t i) override {
    const std::string& line = text_.lines[i];
    if (line.starts_with('#') && sentence_.words.empty()) return;
    const std::vector<std::string_view> columns =
        Split(line, true, text_.columns);
    if (columns.size() != text_.columns) {
      Fail(path_, i,
           fmt::format("{} columns between tabs; CoNLL-U has {}",
                       columns.size(), text_.columns));
    }
    if (id_ < columns.size()) {
      if (IsLeftOut(columns[id_])) return;
      const size_t expected = sentence_.words.size() + 1;
      if (ParseInteger<uint64_t>(columns[id_]) != expected) {
        Fail(path_, i,
             fmt::format("word number '{}' where {} is expected", columns[id_],
                         expected));
      }
    }
    AddWord(i, columns[form_], &At(columns, text_.tag_column));
  }

  std::vector<std::string> names_;  // lower-case names of the columns
  size_t id_ = 0;                   // if absent, the number of columns
  size_t form_ = 0;
};

}  // namespace

void TagColumns::Visit(FieldList& v) {
  v("format", format,
    "conll: one word a line, in columns; conllu: CoNLL-U, or CoNLL-U Plus; "
    "auto: conllu for file names in .conllu or .conllup (.gz too) and for "
    "CoNLL-U Plus");
  v("word_column", word_column, Range(1, 1000), "conll: column of the words")
      .If(!(format == TaggedForm::kConllu), "--format conll");
  v("tag_column", tag_column, Range(0, 1000),
    "conll: column of the tags; 0: the last");
  v("conllu_column", conllu_column,
    OneOf(std::vector<std::string>(kConlluColumns.begin() + 1,
                                   kConlluColumns.end())),
    "conllu: column of the tags")
      .If(!(format == TaggedForm::kConll), "--format conllu");
}

TaggedText ReadTagged(const std::string& path, const TagColumns& columns) {
  return ParseTagged(ReadLines(path), path, columns);
}

TaggedText ParseTagged(std::vector<std::string> lines, const std::string& name,
                       const TagColumns& columns) {
  if (IsConllu(name, columns.format) ||
      (columns.format.open() && NamesForms(lines))) {
    return ConlluReader(std::move(lines), name, columns).Read();
  }
  return ColumnReader(std::move(lines), name, columns).Read();
}

std::string WithTags(const TaggedText& text,
                     std::span<const std::vector<std::string>> tags) {
  if (tags.size() != text.places.size()) {
    throw ShapeError("tags of {} sentences for a text of {}", tags.size(),
                     text.places.size());
  }
  std::vector<std::string> lines = text.lines;
  for (size_t i = 0; i < tags.size(); ++i) {
    if (tags[i].size() != text.places[i].size()) {
      throw ShapeError("{} tags for the {} words of sentence {}",
                       tags[i].size(), text.places[i].size(), i + 1);
    }
    for (size_t word = 0; word < tags[i].size(); ++word) {
      std::string& line = At(lines, text.places[i][word]);
      std::vector<std::string_view> columns =
          Split(line, text.tabs, text.columns);
      if (text.tag_column < 0) {
        columns.emplace_back(tags[i][word]);
      } else {
        At(columns, text.tag_column) = tags[i][word];
      }
      line = fmt::format("{}", fmt::join(columns, text.tabs ? "\t" : " "));
    }
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace heed
