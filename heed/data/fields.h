// Fields of delimited text: which delimiter a file has, and rows of it.
#ifndef HEED_DATA_FIELDS_H_
#define HEED_DATA_FIELDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Character between two fields of a line.
enum class Delimiter : uint8_t { kComma, kSemicolon, kTab, kPipe };
constexpr auto WordsOf(Delimiter) {
  return std::array{"comma", "semicolon", "tab", "pipe"};
}
char CharacterOf(Delimiter delimiter);

/// Whether the first line of a table names its columns.
enum class HeaderLine : uint8_t { kYes, kNo };
constexpr auto WordsOf(HeaderLine) { return std::array{"yes", "no"}; }

/// Puts fields together, line by line (RFC 4180): a field may stand in double
/// quotes, doubled within it, and then hold delimiters and ends of lines. A
/// field may have 16 MB.
class FieldReader {
 public:
  /// `name` stands in errors. `trim`: blanks around fields, also around quotes,
  /// do not count.
  FieldReader(Delimiter delimiter, std::string name, bool trim = false);

  /// The fields of the row that is complete with this line, number `line` from
  /// 1; null within a quoted field. They stay until the next call.
  /// Throws: FormatError that names line and column of text behind a closing
  /// quote, and of a field that is too large.
  const std::vector<std::string>* Add(std::string_view text, int64_t line);
  /// Throws: FormatError that names the line of a quote that is not closed.
  void Finish() const;
  /// Whether the last line ended within a quoted field.
  bool quoted() const { return quoted_; }

 private:
  void AddQuoted(std::string_view text, size_t& at);
  void Append(std::string_view text, int64_t line);
  void CloseField();
  [[noreturn]] void Refuse(int64_t line, std::string_view message) const;

  char delimiter_;
  std::string name_;
  bool trim_;
  std::vector<std::string> fields_;
  bool quoted_ = false;  // within quotes
  bool closed_ = false;  // behind them
  int64_t quote_line_ = 0;
};

/// The delimiter that divides most of these lines into fields of which there
/// are as many in each: several, if any delimiter gives several. `fits` scores
/// the rows of a delimiter (from 0 to 1), where the number of fields does not
/// decide; null: all alike. Comma where nothing tells.
Delimiter GuessDelimiter(
    std::span<const std::string> lines,
    const std::function<double(const std::vector<std::vector<std::string>>&)>&
        fits = nullptr);

/// The place in a header of the column of this name: of the cell that is it, or
/// else of the only one that is it but for case and white space around it.
std::optional<size_t> PlaceOfColumn(std::span<const std::string> header,
                                    std::string_view name);

/// The delimiter with which a header names these columns; that which gives most
/// fields where none does.
Delimiter DelimiterOfHeader(std::string_view header,
                            const std::vector<std::string>& columns);

/// The delimiter of lines that are declared to have tabs between `columns`
/// fields: a tab, unless none of them has one and another delimiter divides
/// each into as many. Texts have commas of their own, so not every one does.
Delimiter DelimiterInsteadOfTab(std::span<const std::string> lines,
                                size_t columns);

/// "sep=;", the line with which spreadsheets announce a delimiter, or nothing.
std::optional<Delimiter> AnnouncedDelimiter(std::string_view line);

}  // namespace heed

#endif  // HEED_DATA_FIELDS_H_
