#include "heed/data/conll.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/table.h"
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

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r\v\f") == line.npos;
}

std::vector<std::string_view> Split(std::string_view line, bool tabs) {
  return tabs ? SplitAt(line, "\t") : SplitWhitespace(line);
}

bool IsConllu(const std::string& path, const std::string& format) {
  if (format == "conllu") return true;
  if (format == "auto")
    return path.ends_with(".conllu") || path.ends_with(".conllu.gz");
  if (format == "conll") return false;
  throw ConfigError(
      "unknown format '{}' of tagged text; choose auto, conll or conllu",
      format);
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

/// Puts the words of a file together.
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
    return std::move(text_);
  }

 protected:
  virtual void ReadLine(size_t line) = 0;

  void EndSentence() {
    if (sentence_.words.empty()) return;
    text_.sentences.push_back(std::move(sentence_));
    text_.places.push_back(std::move(places_));
    sentence_ = {};
    places_.clear();
  }

  /// `tag` is null if the text has none.
  void AddWord(size_t line, std::string_view word,
               const std::string_view* tag) {
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
  /// The first line that is not a comment tells how many columns there are.
  void FindColumns() {
    const auto first = std::ranges::find_if(text_.lines, [](const auto& l) {
      return !IsBlank(l) && !l.starts_with('#') && !IsDocument(l);
    });
    if (first == text_.lines.end()) return;
    first_ = static_cast<size_t>(first - text_.lines.begin());
    text_.tabs = first->find('\t') != first->npos;
    count_ = Split(*first, text_.tabs).size();
    const int count = static_cast<int>(count_);
    const int largest = std::max(word_column_, tag_column_);
    if (largest >= count) {
      Fail(path_, first_,
           fmt::format("column {} is asked for, but there are {} between {}",
                       largest + 1, count, Separator()));
    }
    if (tag_column_ < 0 && count - 1 != word_column_) tag_column_ = count - 1;
    if (tag_column_ < 0 && need_tags_) {
      Fail(path_, first_,
           fmt::format("no column of tags behind the words in column {}; "
                       "columns stand between tabs or spaces",
                       word_column_ + 1));
    }
    text_.tag_column = tag_column_;
  }

  const char* Separator() const { return text_.tabs ? "tabs" : "spaces"; }

  static bool IsDocument(std::string_view line) {
    constexpr std::string_view kDocument = "-DOCSTART-";
    return line.starts_with(kDocument) &&
           (line.size() == kDocument.size() || line[kDocument.size()] == ' ' ||
            line[kDocument.size()] == '\t');
  }

  void ReadLine(size_t i) override {
    const std::string& line = text_.lines[i];
    if (IsDocument(line)) {
      EndSentence();
      return;
    }
    const std::vector<std::string_view> columns = Split(line, text_.tabs);
    if (columns.size() != count_) {
      if (line.starts_with('#') && sentence_.words.empty()) return;
      Fail(path_, i,
           fmt::format("{} columns between {}, but line {} has {}",
                       columns.size(), Separator(), first_ + 1, count_));
    }
    AddWord(
        i, columns[static_cast<size_t>(word_column_)],
        tag_column_ < 0 ? nullptr : &columns[static_cast<size_t>(tag_column_)]);
  }

  int word_column_;
  int tag_column_;
  size_t count_ = 0;
  size_t first_ = 0;
};

class ConlluReader : public SentenceReader {
 public:
  ConlluReader(std::vector<std::string> lines, const std::string& path,
               const TagColumns& columns)
      : SentenceReader(std::move(lines), path, columns.need_tags) {
    text_.tag_column = ConlluColumn(columns.conllu_column);
  }

 private:
  /// A range of words (3-4) or a node that is not in the text (8.1).
  static bool IsLeftOut(std::string_view id) {
    const size_t mark = id.find_first_of("-.");
    return mark != id.npos && ParseInteger<uint64_t>(id.substr(0, mark)) &&
           ParseInteger<uint64_t>(id.substr(mark + 1));
  }

  void ReadLine(size_t i) override {
    const std::string& line = text_.lines[i];
    if (line.starts_with('#') && sentence_.words.empty()) return;
    const std::vector<std::string_view> columns = SplitAt(line, "\t");
    if (columns.size() != kConlluColumns.size()) {
      Fail(path_, i,
           fmt::format("{} columns between tabs; CoNLL-U has {}",
                       columns.size(), kConlluColumns.size()));
    }
    if (IsLeftOut(columns[0])) return;
    const size_t expected = sentence_.words.size() + 1;
    if (ParseInteger<uint64_t>(columns[0]) != expected) {
      Fail(path_, i,
           fmt::format("word number '{}' where {} is expected", columns[0],
                       expected));
    }
    AddWord(i, columns[1], &columns[static_cast<size_t>(text_.tag_column)]);
  }
};

}  // namespace

void TagColumns::Visit(FieldList& v) {
  v("format", format, OneOf{"auto", "conll", "conllu"},
    "conll: a word a line in columns; conllu: CoNLL-U; auto: conllu for names "
    "that end in .conllu or .conllu.gz");
  v("word_column", word_column, Range(1, 1000), "conll: column of the words");
  v("tag_column", tag_column, Range(0, 1000),
    "conll: column of the tags; 0: the last");
  v("conllu_column", conllu_column,
    OneOf(std::vector<std::string>(kConlluColumns.begin() + 1,
                                   kConlluColumns.end())),
    "conllu: column of the tags");
}

TaggedText ReadTagged(const std::string& path, const TagColumns& columns) {
  return ParseTagged(ReadLines(path), path, columns);
}

TaggedText ParseTagged(std::vector<std::string> lines, const std::string& name,
                       const TagColumns& columns) {
  if (IsConllu(name, columns.format)) {
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
      std::string& line = lines[static_cast<size_t>(text.places[i][word])];
      std::vector<std::string_view> columns = Split(line, text.tabs);
      if (text.tag_column < 0) {
        columns.emplace_back(tags[i][word]);
      } else {
        columns[static_cast<size_t>(text.tag_column)] = tags[i][word];
      }
      line = fmt::format("{}", fmt::join(columns, text.tabs ? "\t" : " "));
    }
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::vector<TaggedSentence> ReadTaggedTable(
    const std::string& path, const std::vector<std::string>& columns) {
  std::vector<TaggedSentence> sentences;
  ForEachRow(path, columns, [&](const TableRow& row, int64_t line) {
    const std::vector<std::string_view> words = SplitWhitespace(row[0]);
    const std::vector<std::string_view> tags = SplitWhitespace(row[1]);
    const auto place = static_cast<size_t>(line - 1);
    if (words.empty()) Fail(path, place, "the row holds no words");
    if (words.size() != tags.size()) {
      Fail(path, place,
           fmt::format("{} tags for {} words", tags.size(), words.size()));
    }
    sentences.push_back({{words.begin(), words.end()},
                         {tags.begin(), tags.end()},
                         row.size() > 2 ? row[2] : ""});
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
    const std::vector<std::string_view> w = SplitWhitespace(words[i]);
    const std::vector<std::string_view> t = SplitWhitespace(tags[i]);
    const std::vector<std::string_view> l = SplitWhitespace(labels[i]);
    if (w.empty()) Fail(words_path, i, "the line holds no words");
    if (w.size() != t.size()) {
      Fail(tags_path, i,
           fmt::format("{} tags for the {} words of {}", t.size(), w.size(),
                       words_path));
    }
    if (l.size() != 1) Fail(labels_path, i, "not one label");
    sentences.push_back(
        {{w.begin(), w.end()}, {t.begin(), t.end()}, std::string(l[0])});
  }
  return sentences;
}

}  // namespace heed
