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

/// The texts of the columns that were asked for, in their order.
using TableRow = std::vector<std::string>;

/// Reads a table line by line.
class TableReader {
 public:
  virtual ~TableReader() = default;

  /// The next line, without its end, as number `line` from 1. Nothing if no row
  /// is complete with it: of a header, within a quoted field, of a blank line.
  /// Throws: FormatError that names the line.
  virtual std::optional<TableRow> Add(std::string_view text, int64_t line) = 0;
  /// Throws: FormatError for a table that ends within a row.
  virtual void Finish() const = 0;
};

/// The columns that are read of a table, and how it is written.
struct TableColumns {
  TableColumns() = default;
  TableColumns(std::vector<std::string> columns)  // NOLINT: implicit by design
      : names(std::move(columns)) {}
  TableColumns(std::initializer_list<std::string> columns)  // NOLINT
      : names(columns) {}

  /// Names; or numbers from 1, for a table whose first row is none of names.
  std::vector<std::string> names;
  /// Delimiter of CSV files; open: the one between the names of the first line.
  Auto<Delimiter> delimiter = {};
  /// Whether the first row is a header, where columns are chosen by number;
  /// open: detected.
  Auto<HeaderLine> header = {};
};

/// CSV: the first row names the columns (see PlaceOfColumn); a field may stand
/// in double quotes, doubled within it, and then hold commas and ends of lines.
/// Another delimiter is found, and said on standard error. JSON lines: an
/// object a line; a text, a number, or a list of texts, which are joined by
/// spaces. `form`: "csv" or "jsonl"; `name` stands in errors. A field may have
/// 16 MB. Errors: a column that is not there (ConfigError, names those that
/// are), a row with more or fewer fields than the header, a quote that is not
/// closed (names the line in which it begins), text behind a closing quote;
/// what ParseJson refuses, and a member that is something else. Of JSON lines,
/// the columns from `optional` on may be absent or null, and are then empty.
std::unique_ptr<TableReader> MakeTableReader(const std::string& form,
                                             const TableColumns& columns,
                                             std::string name,
                                             size_t optional = SIZE_MAX);

/// Whether columns are given by number.
bool AreNumbered(const std::vector<std::string>& columns);

/// The text with spaces in the place of ends of lines, which a row of one line
/// has not.
std::string InOneLine(std::string text);

/// Throws: ConfigError unless there are `count` columns; `what` they hold:
/// "source and target".
void CheckColumns(const std::vector<std::string>& columns, size_t count,
                  std::string_view what);

/// "csv", "jsonl" or "" for other files, by the end of the name: .csv, .jsonl,
/// .ndjson, and these with .gz.
std::string TableFormOf(std::string_view path);

/// Calls body(row, line) for the rows of a file, plain or gzip, of this form,
/// or of that of its name. `line`: the one in which the row ends. Throws: as
/// TableReader and ForEachLine.
void ForEachRow(const std::string& path, const std::string& form,
                const TableColumns& columns,
                const std::function<void(TableRow row, int64_t line)>& body);
void ForEachRow(const std::string& path, const TableColumns& columns,
                const std::function<void(TableRow row, int64_t line)>& body);

}  // namespace heed

#endif  // HEED_DATA_TABLE_H_
