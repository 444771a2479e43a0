// Numbers in tables: decimal points or commas, thousands separators.
#ifndef HEED_DATA_NUMBERS_H_
#define HEED_DATA_NUMBERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/base/config.h"
#include "heed/data/fields.h"
#include "heed/data/numbers.h"

namespace heed {

/// Decimal separator of a number.
enum class Decimal : uint8_t { kPoint, kComma };
constexpr auto WordsOf(Decimal) { return std::array{"point", "comma"}; }

/// Parses a finite number with optional sign and exponent. Digits before the
/// decimal mark may be grouped by three, with spaces of any kind, apostrophes,
/// or the other one of comma and point.
std::optional<double> ParseDecimal(std::string_view text, Decimal decimal);

/// Detects the decimal mark of a table from its cells.
class DecimalGuess {
 public:
  void Add(std::string_view cell);
  /// Decimal mark of a table with this delimiter.
  Decimal Decide(Delimiter delimiter) const;
  /// A cell such as "10,500" that is ambiguous because nothing in the table
  /// decides; empty if the mark is certain.
  std::string Doubt(Delimiter delimiter) const;

 private:
  int64_t point_ = 0;       ///< cells that can only have a decimal point
  int64_t comma_ = 0;       ///< cells that can only have a decimal comma
  std::string open_point_;  ///< first ambiguous cell with points: "1.234"
  std::string open_comma_;  ///< first ambiguous cell with commas: "1,234"
  bool whole_ = false;      ///< some cell has neither mark
};

/// Shortest decimal text that parses to the same f32, the type of models.
std::string ExactNumber(double number);

}  // namespace heed

#endif  // HEED_DATA_NUMBERS_H_
