#include "heed/data/row_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
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
        paths_[static_cast<size_t>(other - readers_.begin())], other->number());
  }

  std::vector<std::string> paths_;
  std::vector<LineReader> readers_;
};

class Tabbed : public RowReader {
 public:
  explicit Tabbed(const std::string& path) : path_(path), reader_(path) {}

  bool Next(TableRow& row) override {
    const std::optional<std::string_view> line = reader_.Next();
    if (!line) return false;
    const size_t tab = line->find('\t');
    if (tab == line->npos) {
      throw FormatError("{}:{}: no tab between source and target", path_,
                        reader_.number());
    }
    const size_t end = std::min(line->find('\t', tab + 1), line->size());
    row.resize(2);
    row[0].assign(line->substr(0, tab));
    row[1].assign(line->substr(tab + 1, end - tab - 1));
    return true;
  }

 private:
  std::string path_;
  LineReader reader_;
};

class Table : public RowReader {
 public:
  Table(const std::string& path, const std::vector<std::string>& columns)
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

std::unique_ptr<RowReader> ReadTabbed(const std::string& path) {
  return std::make_unique<Tabbed>(path);
}

std::unique_ptr<RowReader> ReadTable(const std::string& path,
                                     const std::vector<std::string>& columns) {
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
