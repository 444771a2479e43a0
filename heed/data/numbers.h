// Numbers as tables write them: decimal points or commas, grouped thousands.
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

/// A finite number, with an optional sign and exponent. Whole digits may be
/// grouped by three, with spaces of any kind, apostrophes, or whichever of
/// comma and point is not the decimal mark.
std::optional<double> ParseDecimal(std::string_view text, Decimal decimal);

/// Collects what the cells of a table say about its decimal mark.
class DecimalGuess {
 public:
  void Add(std::string_view cell);
  /// The decimal mark of a table with this delimiter.
  Decimal Decide(Delimiter delimiter) const;
  /// A cell that could also be read with the other mark, if nothing in the
  /// table tells how: "10,500". Empty: it is certain.
  std::string Doubt(Delimiter delimiter) const;

 private:
  int64_t point_ = 0;  ///< cells that have decimal points, and no other reading
  int64_t comma_ = 0;  ///< decimal commas
  std::string open_point_;  ///< "1.234", the first cell of its kind
  std::string open_comma_;  ///< "1,234"
  bool whole_ = false;      ///< a cell has neither mark
};

/// The shortest decimal form that reads back as the same number of f32, which
/// models compute in.
std::string ExactNumber(double number);

}  // namespace heed

#endif  // HEED_DATA_NUMBERS_H_
