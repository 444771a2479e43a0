// Fields of delimited text: detection of the delimiter, and parsing of rows.
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

/// Presence of a header line with column names.
enum class HeaderLine : uint8_t { kYes, kNo };
constexpr auto WordsOf(HeaderLine) { return std::array{"yes", "no"}; }

/// Parses rows line by line (RFC 4180). A field in double quotes may contain
/// delimiters and line ends, and doubled quotes. A field may have at most 16
/// MB.
class FieldReader {
 public:
  /// `name`: name for error messages. `trim`: ignore blanks around fields, also
  /// around quotes.
  FieldReader(Delimiter delimiter, std::string name, bool trim = false);

  /// Adds a line, with its number `line` from 1. Returns the fields of the row
  /// that this line completes, valid until the next call; null within a quoted
  /// field. Throws: FormatError with line and column, for text after a closing
  /// quote or a field that is too large.
  const std::vector<std::string>* Add(std::string_view text, int64_t line);
  /// Throws: FormatError with the line of a quote that is not closed.
  void Finish() const;
  /// True if the last line ended within a quoted field.
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
  bool closed_ = false;  // after closing quotes
  int64_t quote_line_ = 0;
};

/// Detects the delimiter that splits most lines into the same number of fields,
/// at least two if possible. `fits`: optional score of a delimiter's rows in 0
/// to 1, for delimiters that are equal otherwise. Comma if nothing decides.
Delimiter GuessDelimiter(
    std::span<const std::string> lines,
    const std::function<double(const std::vector<std::vector<std::string>>&)>&
        fits = nullptr);

/// Index of the column with this name in a header: the exact match, otherwise
/// the only match that ignores case and surrounding white space.
std::optional<size_t> PlaceOfColumn(std::span<const std::string> header,
                                    std::string_view name);

/// Delimiter by which a header has all of these columns; otherwise the
/// delimiter that gives most fields.
Delimiter DelimiterOfHeader(std::string_view header,
                            const std::vector<std::string>& columns);

/// Delimiter of lines that should have tabs between `columns` fields. It is a
/// tab, unless no line has one and another delimiter splits every line into
/// `columns` fields. Every line must match, because texts contain commas, too.
Delimiter DelimiterInsteadOfTab(std::span<const std::string> lines,
                                size_t columns);

/// Delimiter in "sep=;", a first line that spreadsheets write; nullopt for
/// other lines.
std::optional<Delimiter> AnnouncedDelimiter(std::string_view line);

}  // namespace heed

#endif  // HEED_DATA_FIELDS_H_
