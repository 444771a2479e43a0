#include "heed/data/labelled_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
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
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr int kLargestFold = 999;
/// Number of lines that are used to detect a file's format.
constexpr size_t kSampledLines = 200;

using Strings = std::vector<std::string>;

std::optional<int> Number(std::string_view digits) {
  const auto number = ParseInteger<int>(digits);
  return number && *number >= 0 ? number : std::nullopt;
}

/// Parses "0-3,5" as 0, 1, 2, 3 and 5.
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

/// Format of a file. A table's file name takes precedence over the option.
Named<LabelledForm> FormOf(const std::string& path,
                           const LabelledFormat& format) {
  const std::string table = TableFormOf(path);
  return table.empty() ? format.format : Named<LabelledForm>(table);
}

bool IsTable(const std::string& path, const LabelledFormat& format) {
  const LabelledForm form = FormOf(path, format);
  return form == LabelledForm::kCsv || form == LabelledForm::kJsonl;
}

Strings OtherFormats(const Named<LabelledForm>& format) {
  Strings others = format.Words();
  std::erase(others, format.word());
  return others;
}

/// Reader of one file. Errors contain the file and the line.
class LabelReader {
 public:
  LabelReader(const std::string& path, const LabelledFormat& format,
              LabelledText& result)
      : path_(path),
        format_(format),
        result_(result),
        form_(FormOf(path, format)) {
    result.files.emplace_back(path, first_);
    if (!IsTable(path, format)) lines_ = ReadLines(path);
  }

  void Tsv();
  void Table();
  void Lines(const std::string& label_path);
  void Documents(const std::set<int>& folds);
  void Imdb();
  /// Removes a header line from the rows that were read.
  void LeaveOutHeader();
  /// Warns of further rows that look like headers, as in concatenated files.
  void WarnOfHeaders() const;

 private:
  [[noreturn]] void Fail(size_t line, std::string_view message) const {
    throw FormatError("{}:{}: {}", path_, line + 1, message);
  }
  /// Throws like Fail. At the first line, the message also lists other formats.
  [[noreturn]] void Misfit(size_t line, std::string_view message) const {
    if (line > 0) Fail(line, message);
    Fail(line, fmt::format("{}; the file is read as --format {}, others are {}",
                           message, form_.word(),
                           fmt::join(OtherFormats(form_), ", ")));
  }
  void AddLabels(const std::string& path, size_t line, std::string_view text);
  Delimiter DelimiterOfLines() const;
  int Needed() const;
  /// Label, text and second text of row i.
  Strings CellsOf(size_t i) const;
  /// Prints which columns are used, if the file has more than the default ones.
  void SayColumns(size_t columns) const;
  template <typename Text>
  void AddColumns(size_t line, const std::vector<Text>& columns,
                  Delimiter delimiter);

  const std::string& path_;
  const LabelledFormat& format_;
  LabelledText& result_;
  const Named<LabelledForm> form_;
  std::vector<std::string> lines_;
  size_t first_ = result_.text.size();  // first row of this file
};

void LabelReader::Table() {
  if (format_.columns.size() != 3) {
    CheckColumns(format_.columns, 2, "label and text");
  }
  TableColumns columns(format_.columns);
  columns.delimiter = format_.delimiter;
  columns.header = format_.header;
  ForEachRow(path_, form_.word(), columns, [&](TableRow row, int64_t line) {
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
  result_.lines.push_back(static_cast<int64_t>(line) + 1);
  const std::vector<std::string_view> given =
      !format_.multi_label             ? std::vector{text}
      : WithoutBlankEnds(text).empty() ? std::vector<std::string_view>()
                                       : SplitAt(text, ",");
  for (std::string_view label : given) {
    label = WithoutBlankEnds(label);
    if (label.empty()) {
      throw FormatError("{}:{}: no label", path, line + 1);
    }
    labels.emplace_back(label);
  }
}

Delimiter LabelReader::DelimiterOfLines() const {
  if (!format_.delimiter.open()) return format_.delimiter.value();
  const auto lines = std::span(lines_);
  const size_t sampled = std::min(kSampledLines, lines.size());
  const Delimiter found = DelimiterInsteadOfTab(lines.first(sampled),
                                                static_cast<size_t>(Needed()));
  if (found != Delimiter::kTab) {
    Say(fmt::format("{}: reads a {} table (--delimiter)", path_,
                    Auto<Delimiter>(found).word()));
  }
  return found;
}

int LabelReader::Needed() const {
  return std::max(
      {format_.label_column, format_.text_column, format_.second_column});
}

Strings LabelReader::CellsOf(size_t i) const {
  Strings cells = {fmt::format("{}", fmt::join(result_.labels[i], ",")),
                   result_.text[i]};
  if (result_.pairs()) cells.push_back(result_.second[i]);
  return cells;
}

void LabelReader::SayColumns(size_t columns) const {
  const LabelledFormat defaults;
  if (static_cast<int>(columns) <= Needed() || format_.pairs() ||
      format_.label_column != defaults.label_column ||
      format_.text_column != defaults.text_column) {
    return;
  }
  Say(
      fmt::format("{}: reads the label of column {} and the text of column {}, "
                  "of {} columns (--label-column, --text-column)",
                  path_, format_.label_column, format_.text_column, columns));
}

template <typename Text>
void LabelReader::AddColumns(size_t line, const std::vector<Text>& columns,
                             Delimiter delimiter) {
  if (std::ssize(columns) < Needed()) {
    const char* between = delimiter == Delimiter::kTab ? "tabs" : "delimiters";
    Misfit(line, fmt::format("{} columns between {}; {} are needed",
                             columns.size(), between, Needed()));
  }
  const auto column = [&](int number) -> const Text& {
    return At(columns, number - 1);
  };
  if (result_.text.size() == first_) SayColumns(columns.size());
  AddLabels(path_, line, column(format_.label_column));
  result_.text.emplace_back(column(format_.text_column));
  if (format_.second_column > 0) {
    result_.second.emplace_back(column(format_.second_column));
  }
}

void LabelReader::Tsv() {
  const Delimiter delimiter = DelimiterOfLines();
  if (delimiter == Delimiter::kTab) {
    // Quotes have no meaning, because a text may begin with one.
    for (size_t i = 0; i < lines_.size(); ++i) {
      AddColumns(i, SplitAt(lines_[i], "\t"), delimiter);
    }
    return;
  }
  FieldReader fields(delimiter, path_);
  for (size_t i = 0; i < lines_.size(); ++i) {
    const auto* row = fields.Add(lines_[i], static_cast<int64_t>(i) + 1);
    if (row == nullptr) continue;
    AddColumns(i, *row, delimiter);
    result_.text.back() = InOneLine(std::move(result_.text.back()));
  }
  fields.Finish();
}

void LabelReader::LeaveOutHeader() {
  if (format_.header == HeaderLine::kNo || result_.text.size() <= first_) {
    return;
  }
  const Strings header = CellsOf(first_);
  std::map<std::string, int64_t> others;
  int64_t repeated = 0;
  for (size_t i = first_ + 1; i < result_.text.size(); ++i) {
    const Strings cells = CellsOf(i);
    if (cells == header) {
      ++repeated;
    } else {
      ++others[cells[0]];
    }
  }
  // Concatenated files repeat the header, but a data row may be repeated, too.
  if (repeated > 0 && !NamesColumns(header) &&
      !StandsAmongNumbers(header[0], others)) {
    others[header[0]] += repeated;
  }
  const FirstLine judged =
      format_.header == HeaderLine::kYes ? FirstLine::kHeader
      : format_.multi_label
          ? (NamesColumns(header) ? FirstLine::kHeader : FirstLine::kRow)
          : JudgeFirstLine(header[0], std::span(header).subspan(1), others);
  if (judged == FirstLine::kDoubt) {
    Warn(
        fmt::format("{}:1: the label '{}' occurs only in this line; if the "
                    "line is a header, use --header yes",
                    path_, header[0]));
  }
  if (judged != FirstLine::kHeader) return;
  if (format_.header.open()) {
    SayHeaderLeftOut(path_, fmt::format("{}", fmt::join(header, " ")));
  }
  for (size_t i = result_.text.size(); i-- > first_;) {
    if (i != first_ && CellsOf(i) != header) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    result_.text.erase(result_.text.begin() + at);
    result_.labels.erase(result_.labels.begin() + at);
    result_.lines.erase(result_.lines.begin() + at);
    if (result_.pairs()) result_.second.erase(result_.second.begin() + at);
  }
}

void LabelReader::WarnOfHeaders() const {
  if (format_.header == HeaderLine::kNo) return;
  std::vector<size_t> headers;
  std::set<std::string> labels;  // labels of the other rows
  for (size_t i = first_; i < result_.text.size(); ++i) {
    const Strings cells = CellsOf(i);
    if (NamesLabelAndTexts(cells)) {
      headers.push_back(i);
    } else {
      labels.insert(cells[0]);
    }
  }
  for (const size_t i : headers) {
    const Strings cells = CellsOf(i);
    if (labels.contains(cells[0])) continue;
    Warn(
        fmt::format("{}: '{}' looks like a header, but is read as a text with "
                    "its label; remove the line",
                    result_.PlaceOf(i), fmt::join(cells, " ")));
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
  size_t begun = 0;  // line of the last "#doc" from 1; 0 for none
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
    if (i == 0 && !rating && format_.header != HeaderLine::kNo &&
        NamesColumns(
            std::vector<std::string>(columns.begin(), columns.end()))) {
      SayHeaderLeftOut(path_, lines_[i]);
      continue;
    }
    if (!rating || *rating < 1 || *rating > 10 ||
        (*rating > 4 && *rating < 7)) {
      Misfit(i,
             "not a name, a rating (1 to 4 or 7 to 10) and a text, with tabs "
             "between them");
    }
    result_.labels.push_back({*rating > 4 ? "pos" : "neg"});
    result_.lines.push_back(static_cast<int64_t>(i) + 1);
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
  if (format.format == LabelledForm::kLines) {
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
        format.format.word(), files.labels.front());
  }
  if (!files.folds.empty() && format.format != LabelledForm::kDocs) {
    throw ConfigError("folds are known to format docs, not to {}",
                      format.format.word());
  }
}

}  // namespace

const std::string& LabelledText::FileOf(size_t i) const {
  const auto behind = std::ranges::upper_bound(
      files, i, {}, &std::pair<std::string, size_t>::second);
  return std::prev(behind)->first;
}

std::string LabelledText::PlaceOf(size_t i) const {
  return fmt::format("{}:{}", FileOf(i), lines[i]);
}

void LabelledFormat::VisitForm(FieldList& v) {
  v("format", format, "format of the files of labelled texts").Main();
  v("label_column", label_column, Range(1, 1000), "tsv: column of the label");
  v("text_column", text_column, Range(1, 1000), "tsv: column of the text");
  v("second_column", second_column, Range(0, 1000),
    "tsv: column of the second text of a pair, 0 for single texts");
  v("columns", columns, Any{"NAMES"},
    "csv, jsonl: columns of the label, the text and optionally the second text "
    "of a pair; numbers from 1 where there is no header");
  VisitLines(v);
}

void LabelledFormat::VisitTable(FieldList& v) {
  v("format", format, OneOf{"tsv", "csv", "jsonl"}, "format of the lists")
      .Main();
  v("label_column", label_column, Range(1, 1000), "tsv: column of the answer");
  v("text_column", text_column, Range(1, 1000), "tsv: column of the input");
  v("columns", columns, Any{"NAMES"},
    "csv, jsonl: columns of the answer and the input; numbers from 1 where "
    "there is no header");
  VisitLines(v);
}

void LabelledFormat::VisitLines(FieldList& v) {
  v("delimiter", delimiter, "tsv, csv: column separator; auto: detect it");
  v("header", header,
    "first line is a header with names of columns; auto: detect it by the "
    "label");
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
      if (AreNumbered(format.columns)) reader.LeaveOutHeader();
      reader.WarnOfHeaders();
    } else if (format.format == LabelledForm::kTsv) {
      reader.Tsv();
      reader.LeaveOutHeader();
      reader.WarnOfHeaders();
    } else if (format.format == LabelledForm::kLines) {
      reader.Lines(*labels++);
      reader.LeaveOutHeader();
    } else if (format.format == LabelledForm::kDocs) {
      reader.Documents(folds);
    } else {
      reader.Imdb();
    }
  }
  // Files in other formats do not contain sentence boundaries.
  if (!result.sentences.empty()) result.sentences.resize(result.text.size());
  if (result.text.empty()) {
    throw ConfigError(files.texts.empty()
                          ? std::string("no file of labelled texts is named")
                          : fmt::format("{}: no document of the folds {}",
                                        files.texts.front(), files.folds));
  }
  return result;
}

void WarnOfLoneLabels(const LabelledText& text, const LabelledFormat& format) {
  constexpr size_t kFewest = 10;
  constexpr double kMax = 0.9;
  std::map<std::string, size_t> counts;
  for (const Strings& labels : text.labels) {
    for (const std::string& label : labels) ++counts[label];
  }
  const auto once = static_cast<size_t>(std::ranges::count_if(
      counts, [](const auto& label) { return label.second == 1; }));
  const size_t all = text.text.size();
  if (format.multi_label || all < kFewest ||
      static_cast<double>(once) < kMax * static_cast<double>(all)) {
    return;
  }
  const std::string& file =
      text.files.empty() ? std::string("the texts") : text.files.front().first;
  const bool table = !text.files.empty() && IsTable(file, format);
  Warn(fmt::format(
      "{}: {} of {} labels occur only once, such as '{}'; if these "
      "are not labels, choose other columns ({})",
      file, once, all, text.labels.front().front(),
      table ? "--columns LABEL,TEXT" : "--label-column, --text-column"));
}

}  // namespace heed
