#include "heed/data/labelled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/documents.h"
#include "heed/data/input_lines.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr int64_t kMarkedTextsPerChunk = 64;
constexpr int kLargestFold = 999;
constexpr size_t kNamedLabels = 20;

using Strings = std::vector<std::string>;

std::optional<int> Number(std::string_view digits) {
  const auto number = ParseInteger<int>(digits);
  return number && *number >= 0 ? number : std::nullopt;
}

/// "0-3,5" as 0, 1, 2, 3 and 5.
std::set<int> ParseFolds(const std::string& text) {
  std::set<int> folds;
  for (const std::string_view part : SplitAt(text, ",")) {
    const std::vector<std::string_view> ends = SplitAt(part, "-");
    const auto low = Number(ends.front());
    const auto high = Number(ends.back());
    if (ends.size() > 2 || !low || !high || *low > *high ||
        *high > kLargestFold) {
      throw ConfigError(
          "folds '{}': '{}' is not a fold from 0 to {} nor a range "
          "such as 0-7",
          text, part, kLargestFold);
    }
    for (int fold = *low; fold <= *high; ++fold) folds.insert(fold);
  }
  return folds;
}

/// How a file is written: its name tells tables in any format.
std::string FormOf(const std::string& path, const LabelledFormat& format) {
  const std::string table = TableFormOf(path);
  return table.empty() ? format.format : table;
}

bool IsTable(const std::string& path, const LabelledFormat& format) {
  const std::string form = FormOf(path, format);
  return form == "csv" || form == "jsonl";
}

const std::vector<std::string>& Formats() {
  static const std::vector<std::string> formats = {"tsv",   "csv",  "jsonl",
                                                   "lines", "docs", "imdb"};
  return formats;
}

Strings OtherFormats(const std::string& format) {
  Strings others = Formats();
  std::erase(others, format);
  return others;
}

/// One file while it is read; errors name it and the line.
class LabelReader {
 public:
  LabelReader(const std::string& path, const LabelledFormat& format,
              LabelledText& result)
      : path_(path),
        format_(format),
        result_(result),
        form_(FormOf(path, format)) {
    if (!IsTable(path, format)) lines_ = ReadLines(path);
  }

  void Tsv();
  void Table();
  void Lines(const std::string& label_path);
  void Documents(const std::set<int>& folds);
  void Imdb();

 private:
  [[noreturn]] void Fail(size_t line, std::string_view message) const {
    throw FormatError("{}:{}: {}", path_, line + 1, message);
  }
  /// As Fail; a file whose first line does not fit has another format.
  [[noreturn]] void Misfit(size_t line, std::string_view message) const {
    if (line > 0) Fail(line, message);
    Fail(line,
         fmt::format("{}; the file is read as --format {}, others are {}",
                     message, form_, fmt::join(OtherFormats(form_), ", ")));
  }
  void AddLabels(const std::string& path, size_t line, std::string_view text);

  const std::string& path_;
  const LabelledFormat& format_;
  LabelledText& result_;
  std::string form_;
  std::vector<std::string> lines_;
};

void LabelReader::Table() {
  if (format_.columns.size() != 3) {
    CheckColumns(format_.columns, 2, "label and text");
  }
  ForEachRow(path_, form_, format_.columns, [&](TableRow row, int64_t line) {
    AddLabels(path_, static_cast<size_t>(line) - 1, row[0]);
    result_.text.push_back(InOneLine(std::move(row[1])));
    if (row.size() > 2) {
      result_.second.push_back(InOneLine(std::move(row[2])));
    }
  });
}

void LabelReader::AddLabels(const std::string& path, size_t line,
                            std::string_view text) {
  std::vector<std::string>& labels = result_.labels.emplace_back();
  const std::vector<std::string_view> given =
      !format_.multi_label       ? std::vector{text}
      : TrimBlanks(text).empty() ? std::vector<std::string_view>()
                                 : SplitAt(text, ",");
  for (std::string_view label : given) {
    label = TrimBlanks(label);
    if (label.empty()) {
      throw FormatError("{}:{}: no label", path, line + 1);
    }
    labels.emplace_back(label);
  }
}

void LabelReader::Tsv() {
  const int needed = std::max(
      {format_.label_column, format_.text_column, format_.second_column});
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::vector<std::string_view> columns = SplitAt(lines_[i], "\t");
    if (std::ssize(columns) < needed) {
      Misfit(i, fmt::format("{} columns between tabs; {} are needed",
                            columns.size(), needed));
    }
    const auto column = [&](int number) {
      return columns[static_cast<size_t>(number - 1)];
    };
    AddLabels(path_, i, column(format_.label_column));
    result_.text.emplace_back(column(format_.text_column));
    if (format_.second_column > 0) {
      result_.second.emplace_back(column(format_.second_column));
    }
  }
}

void LabelReader::Lines(const std::string& label_path) {
  const std::vector<std::string> labels = ReadLines(label_path);
  if (labels.size() != lines_.size()) {
    throw FormatError(
        "{} has {} lines but {} has {}; line i of one must be the label of "
        "line i of the other",
        label_path, labels.size(), path_, lines_.size());
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    AddLabels(label_path, i, labels[i]);
    result_.text.push_back(std::move(lines_[i]));
  }
}

void LabelReader::Documents(const std::set<int>& folds) {
  bool wanted = false;
  size_t begun = 0;  // the line of the last "#doc", or 0 for none, from 1
  const auto check = [&] {
    if (wanted && result_.text.back().empty()) {
      Fail(begun - 1, "a document without a sentence");
    }
  };
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::string& line = lines_[i];
    if (line == "#doc" || line.starts_with("#doc ")) {
      check();
      begun = i + 1;
      const auto words = SplitWhitespace(line);
      const auto fold = words.size() == 4 ? Number(words[3]) : std::nullopt;
      const bool without = words.size() == 3 && folds.empty();
      if (!fold && !without) {
        Fail(i, "not '#doc NAME LABEL FOLD' with a number as fold");
      }
      wanted = folds.empty() || folds.contains(*fold);
      if (!wanted) continue;
      AddLabels(path_, i, words[2]);
      result_.text.emplace_back();
      result_.sentences.resize(result_.text.size());
    } else if (begun == 0) {
      Misfit(i, "text before the first '#doc NAME LABEL FOLD'");
    } else if (wanted && !SplitWhitespace(line).empty()) {
      std::string& text = result_.text.back();
      if (!text.empty()) text += ' ';
      result_.sentences.back().push_back(text.size());
      text += line;
    }
  }
  check();
}

void LabelReader::Imdb() {
  constexpr std::string_view kBreak = "<br />";
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::vector<std::string_view> columns = SplitAt(lines_[i], "\t");
    const auto rating = columns.size() == 3 ? Number(columns[1]) : std::nullopt;
    if (!rating || *rating < 1 || *rating > 10 ||
        (*rating > 4 && *rating < 7)) {
      Misfit(i,
             "not a name, a rating (1 to 4 or 7 to 10) and a text, with tabs "
             "between them");
    }
    result_.labels.push_back({*rating > 4 ? "pos" : "neg"});
    std::string& text = result_.text.emplace_back(columns[2]);
    for (size_t at = 0; (at = text.find(kBreak, at)) != text.npos; ++at) {
      text.erase(at, kBreak.size() - 1);
      text[at] = ' ';
    }
  }
}

void CheckFiles(const LabelledFiles& files, const LabelledFormat& format) {
  Check(format);
  if (format.label_column == format.text_column ||
      format.label_column == format.second_column ||
      format.text_column == format.second_column) {
    throw ConfigError(
        "label, text and second text cannot share a column: {}, {} and {}",
        format.label_column, format.text_column, format.second_column);
  }
  if (format.format == "lines") {
    const auto without = std::ranges::count_if(
        files.texts,
        [&](const std::string& path) { return !IsTable(path, format); });
    if (std::ssize(files.labels) != without) {
      throw ConfigError(
          "format lines needs a file of labels for each file of texts; there "
          "are {} and {} (--labels FILE; --format names other ways to write "
          "them: {})",
          files.labels.size(), without,
          fmt::join(OtherFormats(format.format), ", "));
    }
  } else if (!files.labels.empty()) {
    throw ConfigError(
        "format {} holds its labels itself; {} would be a file of labels for "
        "format lines",
        format.format, files.labels.front());
  }
  if (!files.folds.empty() && format.format != "docs") {
    throw ConfigError("folds are known to format docs, not to {}",
                      format.format);
  }
}

/// Cuts from the end of the longer one until both fit; whether they did not.
bool Truncate(Encoded& first, Encoded& second, int64_t room) {
  const auto cut = [](Encoded& text, int64_t size) {
    text.ids.resize(static_cast<size_t>(size));
    text.pieces.resize(static_cast<size_t>(size));
  };
  const int64_t a = std::ssize(first.ids);
  const int64_t b = std::ssize(second.ids);
  if (a + b <= room) return false;
  // What the shorter one leaves free of its half is the longer one's.
  const int64_t kept = std::min(a, std::max(room - b, (room + 1) / 2));
  cut(first, kept);
  cut(second, room - kept);
  return true;
}

}  // namespace

void LabelledFormat::VisitForm(FieldList& v) {
  v("format", format, OneOf(Formats()), "format of the files of labelled texts")
      .Main();
  v("label_column", label_column, Range(1, 1000), "tsv: column of the label");
  v("text_column", text_column, Range(1, 1000), "tsv: column of the text");
  v("second_column", second_column, Range(0, 1000),
    "tsv: column of the second text of a pair, 0 for single texts");
  v("columns", columns, Any{"NAMES"},
    "csv, jsonl: columns of the label, the text and optionally the second text "
    "of "
    "a pair");
}

void LabelledFormat::Visit(FieldList& v) {
  VisitForm(v);
  v("multi_label", multi_label,
    "a text has any number of labels, with commas between them");
}

LabelledText ReadLabelled(const LabelledFiles& files,
                          const LabelledFormat& format) {
  CheckFiles(files, format);
  const std::set<int> folds =
      files.folds.empty() ? std::set<int>() : ParseFolds(files.folds);
  LabelledText result;
  auto labels = files.labels.begin();
  for (const std::string& path : files.texts) {
    LabelReader reader(path, format, result);
    if (IsTable(path, format)) {
      reader.Table();
    } else if (format.format == "tsv") {
      reader.Tsv();
    } else if (format.format == "lines") {
      reader.Lines(*labels++);
    } else if (format.format == "docs") {
      reader.Documents(folds);
    } else {
      reader.Imdb();
    }
  }
  // Files in other formats do not say where sentences begin.
  if (!result.sentences.empty()) result.sentences.resize(result.text.size());
  if (result.text.empty()) {
    throw ConfigError(files.texts.empty()
                          ? std::string("no file of labelled texts is named")
                          : fmt::format("{}: no document of the folds {}",
                                        files.texts.front(), files.folds));
  }
  return result;
}

LabelSet::LabelSet(const LabelledText& text) {
  std::set<std::string> names;
  for (const auto& labels : text.labels) {
    names.insert(labels.begin(), labels.end());
  }
  if (names.size() < 2) {
    throw ConfigError(
        "labels: {} different in the training text{}; at least 2 are needed",
        names.size(),
        names.empty() ? "" : fmt::format(" ('{}')", *names.begin()));
  }
  names_.assign(names.begin(), names.end());
}

LabelSet LabelSet::Parse(std::string_view bytes, const std::string& name) {
  LabelSet set;
  std::vector<std::string_view> lines = SplitAt(bytes, "\n");
  const bool whole = lines.back().empty();  // behind the last line feed
  lines.pop_back();
  set.names_.assign(lines.begin(), lines.end());
  if (!whole || set.names_.size() < 2 ||
      std::ranges::adjacent_find(set.names_, std::greater_equal<>()) !=
          set.names_.end()) {
    throw FormatError(
        "{} is not a list of two or more labels, one per line, sorted", name);
  }
  return set;
}

std::string LabelSet::Serialize() const {
  std::string bytes;
  for (const std::string& name : names_) bytes += name + "\n";
  return bytes;
}

int32_t LabelSet::Id(std::string_view label) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), label);
  if (found == names_.end() || *found != label) {
    const size_t shown = std::min(names_.size(), kNamedLabels);
    throw FormatError(
        "label '{}' was not in the training text, which had {}{}", label,
        fmt::join(names_.begin(), names_.begin() + static_cast<long>(shown),
                  ", "),
        shown < names_.size() ? ", ..." : "");
  }
  return static_cast<int32_t>(found - names_.begin());
}

MarkedText MarkText(const Vocabulary& vocabulary, std::string_view text,
                    const std::string* second, const TextOptions& options) {
  const auto encode = [&](std::string_view line) {
    return vocabulary.EncodeWithPieces(
        options.lowercase ? std::string_view(Lowercase(line)) : line);
  };
  Encoded first = encode(text);
  Encoded other = second != nullptr ? encode(*second) : Encoded();
  const int64_t marks = second != nullptr ? 3 : 2;
  MarkedText marked;
  if (options.max_length > 0) {
    marked.cut = Truncate(first, other,
                          std::max<int64_t>(options.max_length - marks, 0));
  }
  const auto mark = [&](int32_t id) {
    marked.ids.push_back(id);
    marked.pieces.push_back(vocabulary.Piece(id));
  };
  const auto append = [&](Encoded& part) {
    marked.ids.insert(marked.ids.end(), part.ids.begin(), part.ids.end());
    std::move(part.pieces.begin(), part.pieces.end(),
              std::back_inserter(marked.pieces));
    mark(vocabulary.special().eos);
  };
  mark(vocabulary.special().bos);
  append(first);
  marked.first = static_cast<int32_t>(marked.ids.size());
  if (second != nullptr) append(other);
  return marked;
}

std::vector<size_t> SentencesOf(const LabelledText& text, size_t i) {
  return i < text.sentences.size() && !text.sentences[i].empty()
             ? text.sentences[i]
             : FindSentences(text.text[i]);
}

LabelledCorpus EncodeLabelled(const LabelledText& text,
                              const Vocabulary& vocabulary,
                              const LabelSet* labels,
                              const TextOptions& options) {
  const size_t size = text.text.size();
  LabelledCorpus result;
  result.corpus.source.resize(size);
  result.corpus.target.resize(size);
  result.first.resize(size);
  if (options.documents) result.sentences.resize(size);
  if (options.vectors != nullptr) result.vector_rows.resize(size);
  result.vectors = options.vectors;
  const auto find_vectors = [&](size_t i, const Strings& pieces) {
    if (options.vectors == nullptr) return;
    for (const std::string& piece : pieces) {
      result.vector_rows[i].push_back(options.vectors->Find(piece));
    }
  };
  std::atomic<int64_t> cut{0};
  ParallelForEach(
      static_cast<int64_t>(size), kMarkedTextsPerChunk, [&](int64_t n) {
        const auto i = static_cast<size_t>(n);
        if (options.documents) {
          MarkedDocument marked =
              MarkDocument(vocabulary, text.text[i], SentencesOf(text, i),
                           options.max_length, options.lowercase);
          find_vectors(i, marked.pieces);
          result.first[i] = static_cast<int32_t>(marked.ids.size());
          result.corpus.source[i] = std::move(marked.ids);
          result.sentences[i] = std::move(marked.sentences);
          if (marked.cut) ++cut;
          return;
        }
        MarkedText marked =
            MarkText(vocabulary, text.text[i],
                     text.pairs() ? &text.second[i] : nullptr, options);
        result.corpus.source[i] = std::move(marked.ids);
        find_vectors(i, marked.pieces);
        result.first[i] = marked.first;
        if (marked.cut) ++cut;
      });
  result.cut = cut;
  for (size_t i = 0; labels != nullptr && i < size; ++i) {
    std::vector<int32_t>& ids = result.corpus.target[i];
    for (const std::string& label : text.labels[i]) {
      ids.push_back(labels->Id(label));
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  return result;
}

void WarnOfCut(const LabelledCorpus& corpus, int max_length) {
  if (corpus.cut == 0) return;
  Warn(
      fmt::format("of {} of {} texts, only the first {} tokens are read "
                  "(--max-length)",
                  corpus.cut, corpus.corpus.size(), max_length));
}

LabelledBatch MakeLabelledBatch(const LabelledCorpus& corpus,
                                std::span<const int64_t> indices) {
  LabelledBatch batch = {
      MakeSegmentBatch(corpus.corpus.source, corpus.first, indices, kPad), {}};
  for (const int64_t i : indices) {
    batch.labels.push_back(corpus.corpus.target[static_cast<size_t>(i)]);
  }
  if (!corpus.sentences.empty()) {
    batch.sentences = MakeIdRows(corpus.sentences, indices, 0).ids;
  }
  if (corpus.vectors != nullptr) {
    batch.vectors = VectorsOfRows(*corpus.vectors, corpus.vector_rows, indices);
  }
  return batch;
}

}  // namespace heed
