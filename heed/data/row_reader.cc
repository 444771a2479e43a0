#include "heed/data/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/data/header.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"

namespace heed {
namespace {

class SideBySide : public RowReader {
 public:
  explicit SideBySide(std::vector<std::string> paths)
      : paths_(std::move(paths)) {
    for (const std::string& path : paths_) readers_.emplace_back(path);
  }

  bool Next(TableRow& row) override {
    row.resize(readers_.size());
    size_t found = 0;
    for (size_t i = 0; i < readers_.size(); ++i) {
      const std::optional<std::string_view> line = readers_[i].Next();
      if (!line) continue;
      row[i].assign(*line);
      ++found;
    }
    if (found != 0 && found != readers_.size()) RefuseLengths();
    return found != 0;
  }

 private:
  [[noreturn]] void RefuseLengths() {
    for (LineReader& reader : readers_) {
      while (reader.Next()) {
      }
    }
    const auto other =
        std::ranges::find_if(readers_, [&](const LineReader& reader) {
          return reader.number() != readers_.front().number();
        });
    throw FormatError(
        "{} has {} lines but {} has {}; line i of one must translate line i "
        "of the other",
        paths_.front(), readers_.front().number(),
        At(paths_, other - readers_.begin()), other->number());
  }

  std::vector<std::string> paths_;
  std::vector<LineReader> readers_;
};

class Tabbed : public RowReader {
 public:
  Tabbed(const std::string& path, const PairForm& form)
      : path_(path), form_(form), reader_(path) {
    while (first_lines_.size() < kFirstLines) {
      const std::optional<std::string_view> line = reader_.Next();
      if (!line) break;
      first_lines_.emplace_back(*line);
    }
    const Delimiter delimiter = FindDelimiter();
    // In tab-separated files quotes have no meaning, because a text may begin
    // with one.
    if (delimiter != Delimiter::kTab) fields_.emplace(delimiter, path_);
  }

  bool Next(TableRow& row) override {
    while (NextRow(row)) {
      if (++rows_ > 1 || !IsHeader(row)) return true;
    }
    return false;
  }

 private:
  static constexpr size_t kFirstLines = 50;

  Delimiter FindDelimiter() const {
    if (!form_.delimiter.open()) return form_.delimiter.value();
    const Delimiter found = DelimiterInsteadOfTab(first_lines_, 2);
    if (found != Delimiter::kTab) {
      Say(fmt::format("{}: reads a {} table (--delimiter)", path_,
                      Auto<Delimiter>(found).word()));
    }
    return found;
  }

  std::optional<std::string_view> NextLine() {
    if (number_ < first_lines_.size()) return first_lines_[number_++];
    const std::optional<std::string_view> line = reader_.Next();
    if (line) ++number_;
    return line;
  }

  bool NextRow(TableRow& row) {
    while (const std::optional<std::string_view> line = NextLine()) {
      if (!fields_) {
        SplitLine(*line, row);
        return true;
      }
      const auto* fields = fields_->Add(*line, static_cast<int64_t>(number_));
      if (fields == nullptr) continue;
      if (fields->size() < 2) Refuse("no delimiter");
      row = {InOneLine((*fields)[0]), InOneLine((*fields)[1])};
      return true;
    }
    if (fields_) fields_->Finish();
    return false;
  }

  void SplitLine(std::string_view line, TableRow& row) const {
    const size_t tab = line.find('\t');
    if (tab == line.npos) Refuse("no tab");
    const size_t end = std::min(line.find('\t', tab + 1), line.size());
    row.resize(2);
    row[0].assign(line.substr(0, tab));
    row[1].assign(line.substr(tab + 1, end - tab - 1));
  }

  bool IsHeader(const TableRow& row) const {
    if (!form_.header.open()) return form_.header == HeaderLine::kYes;
    if (!NamesColumns(row)) return false;
    SayHeaderLeftOut(path_, row[0] + " " + row[1]);
    return true;
  }

  [[noreturn]] void Refuse(std::string_view what) const {
    throw FormatError("{}:{}: {} between source and target (--delimiter)",
                      path_, number_, what);
  }

  std::string path_;
  PairForm form_;
  LineReader reader_;
  std::vector<std::string> first_lines_;
  size_t number_ = 0;  // of the last line, from 1
  int64_t rows_ = 0;
  std::optional<FieldReader> fields_;
};

class Table : public RowReader {
 public:
  Table(const std::string& path, const TableColumns& columns)
      : lines_(path),
        rows_(MakeTableReader(TableFormOf(path), columns, path)) {}

  bool Next(TableRow& row) override {
    while (const std::optional<std::string_view> line = lines_.Next()) {
      std::optional<TableRow> texts = rows_->Add(*line, lines_.number());
      if (!texts) continue;
      row = std::move(*texts);
      for (std::string& text : row) text = InOneLine(std::move(text));
      return true;
    }
    rows_->Finish();
    return false;
  }

 private:
  LineReader lines_;
  std::unique_ptr<TableReader> rows_;
};

}  // namespace

std::unique_ptr<RowReader> ReadSideBySide(std::vector<std::string> paths) {
  return std::make_unique<SideBySide>(std::move(paths));
}

std::unique_ptr<RowReader> ReadTabbed(const std::string& path,
                                      const PairForm& form) {
  return std::make_unique<Tabbed>(path, form);
}

std::unique_ptr<RowReader> ReadTable(const std::string& path,
                                     const TableColumns& columns) {
  return std::make_unique<Table>(path, columns);
}

std::vector<RowFile> PlainRowFiles(const std::vector<std::string>& paths,
                                   const std::vector<std::string>& columns) {
  std::vector<RowFile> files;
  for (const std::string& path : paths) {
    if (TableFormOf(path).empty()) {
      files.push_back({{path}, [path] { return ReadSideBySide({path}); }});
      continue;
    }
    CheckColumns(columns, 1, "the texts");
    files.push_back(
        {{path}, [path, columns] { return ReadTable(path, columns); }});
  }
  return files;
}

}  // namespace heed
