#include "heed/data/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/header.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxJsonLineBytes = size_t{16} << 20;

[[noreturn]] void Refuse(const std::string& name, int64_t line,
                         std::string_view message) {
  throw FormatError("{}:{}: {}", name, line, message);
}

class CsvTable : public TableReader {
 public:
  CsvTable(const TableColumns& columns, std::string name)
      : columns_(columns), name_(std::move(name)) {}

  std::optional<TableRow> Add(std::string_view text, int64_t line) override {
    if (!fields_) {
      const auto announced = AnnouncedDelimiter(text);
      Open(announced ? *announced : DelimiterOfHeader(text, columns_.names),
           text);
      if (announced) return std::nullopt;
    }
    // A blank line, in a table with several columns.
    if (text.empty() && !fields_->quoted() && width_ != 1) return std::nullopt;
    const std::vector<std::string>* fields = fields_->Add(text, line);
    return fields ? Row(*fields, line) : std::nullopt;
  }

  void Finish() const override {
    if (fields_) fields_->Finish();
    if (places_.empty()) {
      throw FormatError(name_ + ": no header that names the columns");
    }
  }

 private:
  /// A header with blanks after its delimiters indicates blanks in all rows.
  void Open(Delimiter found, std::string_view header) {
    const Delimiter delimiter =
        columns_.delimiter.open() ? found : columns_.delimiter.value();
    const bool blanks =
        !AreNumbered(columns_.names) &&
        header.find(std::string{CharacterOf(delimiter), ' '}) != header.npos;
    fields_.emplace(delimiter, name_, blanks);
    if (delimiter == Delimiter::kComma) return;
    Say(fmt::format("{}: reads a {} table", name_,
                    Auto<Delimiter>(delimiter).word()));
  }

  std::optional<TableRow> Row(const std::vector<std::string>& fields,
                              int64_t line) {
    const bool first = places_.empty();
    if (first) {
      width_ = fields.size();
      if (FindNames(fields)) return std::nullopt;
      FindNumbers(fields, line);
    }
    if (fields.size() != width_) {
      Refuse(name_, line,
             fmt::format("{} fields, but the header names {}", fields.size(),
                         width_));
    }
    TableRow row;
    for (const size_t place : places_) row.push_back(fields[place]);
    if (first && IsHeader(row)) return std::nullopt;
    return row;
  }

  bool FindNames(const std::vector<std::string>& header) {
    std::vector<size_t> places;
    for (const std::string& column : columns_.names) {
      const auto place = PlaceOfColumn(header, column);
      if (!place) return false;
      places.push_back(*place);
    }
    places_ = std::move(places);
    return true;
  }

  /// Sets columns by number, from 1. Throws: ConfigError.
  void FindNumbers(const std::vector<std::string>& first, int64_t line) {
    std::vector<size_t> places;
    for (const std::string& column : columns_.names) {
      const auto number = ParseInteger<size_t>(column);
      if (!number || *number < 1 || *number > first.size()) {
        throw ConfigError(
            "{}:{}: no column '{}'; the first line names {} (choose with "
            "--columns, by number where there is no header: --columns 1,2)",
            name_, line, MissingColumn(first), fmt::join(first, ", "));
      }
      places.push_back(*number - 1);
    }
    places_ = std::move(places);
  }

  const std::string& MissingColumn(
      const std::vector<std::string>& first) const {
    return *std::ranges::find_if(columns_.names,
                                 [&](const std::string& column) {
                                   return !PlaceOfColumn(first, column);
                                 });
  }

  /// True if the first row is a header, in a table with numbered columns.
  bool IsHeader(const TableRow& row) const {
    if (!columns_.header.open()) return columns_.header == HeaderLine::kYes;
    if (!NamesColumns(row)) return false;
    SayHeaderLeftOut(name_, fmt::format("{}", fmt::join(row, " ")));
    return true;
  }

  const TableColumns columns_;
  std::string name_;
  std::optional<FieldReader> fields_;
  std::vector<size_t> places_;  // of the columns; empty before the first row
  size_t width_ = 0;
};

/// Text of a member; nullopt for other types.
std::optional<std::string> TextOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_array()) return std::nullopt;
  std::string joined;
  for (const Json& item : value) {
    if (!item.is_string()) return std::nullopt;
    if (!joined.empty()) joined += ' ';
    joined += item.get<std::string>();
  }
  return joined;
}

class JsonLinesTable : public TableReader {
 public:
  JsonLinesTable(std::vector<std::string> columns, std::string name,
                 size_t optional)
      : columns_(std::move(columns)),
        name_(std::move(name)),
        optional_(optional) {}

  std::optional<TableRow> Add(std::string_view text, int64_t line) override {
    if (text.find_first_not_of(" \t") == text.npos) return std::nullopt;
    if (text.size() > kMaxJsonLineBytes) {
      Refuse(name_, line, "a line of more than 16 MB");
    }
    const Json json = ParseJson(text, fmt::format("{}:{}", name_, line));
    if (!json.is_object()) Refuse(name_, line, "is not a JSON object");
    TableRow row;
    for (const std::string& column : columns_) {
      const auto member = json.find(column);
      if (row.size() >= optional_ &&
          (member == json.end() || member->is_null())) {
        row.emplace_back();
        continue;
      }
      if (member == json.end()) {
        std::vector<std::string> keys;
        for (const auto& item : json.items()) keys.push_back(item.key());
        Refuse(
            name_, line,
            fmt::format("no member '{}'; there are {} (choose with --columns)",
                        column, fmt::join(keys, ", ")));
      }
      const std::optional<std::string> value = TextOf(*member);
      if (!value) {
        Refuse(name_, line,
               fmt::format("member '{}' is neither a text nor a number nor a "
                           "list of texts",
                           column));
      }
      row.push_back(*value);
    }
    return row;
  }

  void Finish() const override {}

 private:
  std::vector<std::string> columns_;
  std::string name_;
  size_t optional_;
};

}  // namespace

std::unique_ptr<TableReader> MakeTableReader(const std::string& form,
                                             const TableColumns& columns,
                                             std::string name,
                                             size_t optional) {
  if (form == "csv") {
    return std::make_unique<CsvTable>(columns, std::move(name));
  }
  return std::make_unique<JsonLinesTable>(columns.names, std::move(name),
                                          optional);
}

bool AreNumbered(const std::vector<std::string>& columns) {
  return std::ranges::all_of(columns, [](const std::string& column) {
    return ParseInteger<size_t>(column).has_value();
  });
}

std::string InOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  return text;
}

void CheckColumns(const std::vector<std::string>& columns, size_t count,
                  std::string_view what) {
  if (columns.size() == count) return;
  throw ConfigError("--columns names {} columns, not {}: of {}", columns.size(),
                    count, what);
}

std::string TableFormOf(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".csv")) return "csv";
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") ? "jsonl" : "";
}

void ForEachRow(const std::string& path, const TableColumns& columns,
                const std::function<void(TableRow row, int64_t line)>& body) {
  ForEachRow(path, TableFormOf(path), columns, body);
}

void ForEachRow(const std::string& path, const std::string& form,
                const TableColumns& columns,
                const std::function<void(TableRow row, int64_t line)>& body) {
  const std::unique_ptr<TableReader> reader =
      MakeTableReader(form, columns, path);
  ForEachLine(path, [&](std::string_view text, int64_t line) {
    if (std::optional<TableRow> row = reader->Add(text, line)) {
      body(std::move(*row), line);
    }
    return true;
  });
  reader->Finish();
}

}  // namespace heed
