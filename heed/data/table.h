// Tables of texts: CSV with a header (RFC 4180) and JSON lines.
#ifndef HEED_DATA_TABLE_H_
#define HEED_DATA_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/fields.h"

namespace heed {

/// Texts of the requested columns, in their order.
using TableRow = std::vector<std::string>;

/// Parses a table line by line.
class TableReader {
 public:
  virtual ~TableReader() = default;

  /// Adds a line without its end, with number `line` from 1. Returns the row
  /// that this line completes; nullopt for a header, within a quoted field, or
  /// for a blank line. Throws: FormatError with the line.
  virtual std::optional<TableRow> Add(std::string_view text, int64_t line) = 0;
  /// Throws: FormatError if the table ends within a row.
  virtual void Finish() const = 0;
};

/// Columns to read, and format of the table.
struct TableColumns {
  TableColumns() = default;
  TableColumns(std::vector<std::string> columns)  // NOLINT: implicit by design
      : names(std::move(columns)) {}
  TableColumns(std::initializer_list<std::string> columns)  // NOLINT
      : names(columns) {}

  /// Names; or numbers from 1, for a table without header.
  std::vector<std::string> names;
  /// Delimiter of CSV files; open: detected from the first line.
  Auto<Delimiter> delimiter = {};
  /// Presence of a header if columns are numbers; open: detected.
  Auto<HeaderLine> header = {};
};

/// Makes a reader. CSV: the first row names the columns (see PlaceOfColumn).
/// Fields in double quotes may contain delimiters, line ends and doubled
/// quotes. Other delimiters than the comma are detected, with a message on
/// standard error. JSON lines: an object per line, whose members are texts,
/// numbers or lists of texts, which are joined by spaces. `form`: "csv" or
/// "jsonl". `name`: name for error messages. `optional`: columns of JSON lines
/// from this index on may be absent or null, and are then empty. A field may
/// have at most 16 MB. Errors: ConfigError for a missing column (lists the
/// existing ones); FormatError for a row with another number of fields than the
/// header, an unclosed quote (with the line of its start), text after a closing
/// quote, invalid JSON, and members of other types.
std::unique_ptr<TableReader> MakeTableReader(const std::string& form,
                                             const TableColumns& columns,
                                             std::string name,
                                             size_t optional = SIZE_MAX);

/// True if columns are given by number.
bool AreNumbered(const std::vector<std::string>& columns);

/// Text with line ends replaced by spaces.
std::string InOneLine(std::string text);

/// Throws: ConfigError unless there are `count` columns. `what`: their content,
/// such as "source and target".
void CheckColumns(const std::vector<std::string>& columns, size_t count,
                  std::string_view what);

/// Format by file name: "csv" for .csv, "jsonl" for .jsonl and .ndjson (also
/// with .gz), "" for others.
std::string TableFormOf(std::string_view path);

/// Calls body(row, line) for all rows of a file, plain or gzip. `form`: format;
/// by default that of the file name. `line`: last line of the row. Throws: as
/// TableReader and ForEachLine.
void ForEachRow(const std::string& path, const std::string& form,
                const TableColumns& columns,
                const std::function<void(TableRow row, int64_t line)>& body);
void ForEachRow(const std::string& path, const TableColumns& columns,
                const std::function<void(TableRow row, int64_t line)>& body);

}  // namespace heed

#endif  // HEED_DATA_TABLE_H_
