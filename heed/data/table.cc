#include "heed/data/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostFieldBytes = size_t{16} << 20;

[[noreturn]] void Refuse(const std::string& name, int64_t line,
                         std::string_view message) {
  throw FormatError("{}:{}: {}", name, line, message);
}

class CsvTable : public TableReader {
 public:
  CsvTable(std::vector<std::string> columns, std::string name)
      : columns_(std::move(columns)), name_(std::move(name)) {}

  std::optional<TableRow> Add(std::string_view text, int64_t line) override {
    if (quoted_) {
      Append("\n", line);
    } else if (text.empty() && width_ != 1) {
      return std::nullopt;  // blank, where a row has several fields
    } else {
      fields_.assign(1, "");
      closed_ = false;
    }
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quoted_) {
        if (c != '"') {
          Append(text.substr(i, 1), line);
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          Append(text.substr(i++, 1), line);
        } else {
          quoted_ = false;
          closed_ = true;
        }
      } else if (c == ',') {
        fields_.emplace_back();
        closed_ = false;
      } else if (closed_) {
        Refuse(name_, line, "text behind the closing quote of a field");
      } else if (c == '"' && fields_.back().empty()) {
        quoted_ = true;
        quote_line_ = line;
      } else {
        Append(text.substr(i, 1), line);
      }
    }
    if (quoted_) return std::nullopt;
    return Row(line);
  }

  void Finish() const override {
    if (quoted_) Refuse(name_, quote_line_, "a quote is not closed");
    if (places_.empty()) {
      throw FormatError(name_ + ": no header that names the columns");
    }
  }

 private:
  void Append(std::string_view text, int64_t line) {
    std::string& field = fields_.back();
    field += text;
    if (field.size() <= kMostFieldBytes) return;
    if (quoted_) {
      Refuse(name_, quote_line_,
             "a field of more than 16 MB; is its quote not closed?");
    }
    Refuse(name_, line, "a field of more than 16 MB");
  }

  std::optional<TableRow> Row(int64_t line) {
    if (places_.empty()) {
      width_ = fields_.size();
      for (const std::string& column : columns_) {
        const auto found = std::ranges::find(fields_, column);
        if (found == fields_.end()) {
          throw ConfigError(
              "{}:{}: no column '{}'; the header names {} (choose "
              "with --columns)",
              name_, line, column, fmt::join(fields_, ", "));
        }
        places_.push_back(static_cast<size_t>(found - fields_.begin()));
      }
      return std::nullopt;
    }
    if (fields_.size() != width_) {
      Refuse(name_, line,
             fmt::format("{} fields, but the header names {}", fields_.size(),
                         width_));
    }
    TableRow row;
    for (const size_t place : places_) row.push_back(fields_[place]);
    return row;
  }

  std::vector<std::string> columns_;
  std::string name_;
  std::vector<size_t> places_;  // of the columns; none before the header
  size_t width_ = 0;
  std::vector<std::string> fields_;
  bool quoted_ = false;  // within quotes
  bool closed_ = false;  // behind them
  int64_t quote_line_ = 0;
};

/// The text of a member, or nothing for what is none.
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
  JsonLinesTable(std::vector<std::string> columns, std::string name)
      : columns_(std::move(columns)), name_(std::move(name)) {}

  std::optional<TableRow> Add(std::string_view text, int64_t line) override {
    if (text.find_first_not_of(" \t") == text.npos) return std::nullopt;
    if (text.size() > kMostFieldBytes) {
      Refuse(name_, line, "a line of more than 16 MB");
    }
    const Json json = ParseJson(text, fmt::format("{}:{}", name_, line));
    if (!json.is_object()) Refuse(name_, line, "is not a JSON object");
    TableRow row;
    for (const std::string& column : columns_) {
      const auto member = json.find(column);
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
};

}  // namespace

std::unique_ptr<TableReader> MakeTableReader(const std::string& form,
                                             std::vector<std::string> columns,
                                             std::string name) {
  if (form == "csv") {
    return std::make_unique<CsvTable>(std::move(columns), std::move(name));
  }
  return std::make_unique<JsonLinesTable>(std::move(columns), std::move(name));
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

void ForEachRow(const std::string& path,
                const std::vector<std::string>& columns,
                const std::function<void(TableRow row, int64_t line)>& body) {
  ForEachRow(path, TableFormOf(path), columns, body);
}

void ForEachRow(const std::string& path, const std::string& form,
                const std::vector<std::string>& columns,
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
