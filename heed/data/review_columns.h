// Which column of a table of ratings holds what.
#ifndef HEED_DATA_REVIEW_COLUMNS_H_
#define HEED_DATA_REVIEW_COLUMNS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Meaning of a column, in the order of ReviewFormat::columns.
enum class ReviewRole : uint8_t {
  kUser,
  kItem,
  kRating,
  kText,
  kTime,
  kDecides,
};
inline constexpr size_t kReviewRoles = 6;

/// Where each role stands in a row; nothing: in no column.
using ReviewPlaces = std::array<std::optional<size_t>, kReviewRoles>;

/// The places of the columns that public data sets usually call so. Nothing
/// unless there are a user, an item and a rating.
std::optional<ReviewPlaces> UsualPlaces(std::span<const std::string> names);

/// Whether a text is a number, a time, an address, an identifier or a truth
/// value, which no review is.
bool IsNoReviewText(std::string_view text);

/// Whether a text is a time: seconds or milliseconds since 1970, or a date.
bool IsReviewTime(std::string_view text);

/// A number, or the seconds since 1970 of a date; nothing for another text.
std::optional<double> ReviewTimeOf(std::string_view text);

/// The number of a rating, with a decimal point or a decimal comma.
std::optional<double> RatingOf(std::string_view text);

/// The places of rows without a header: user, item, rating, and then a text, a
/// time, or both. Throws: nothing; a row of another width has no places.
std::optional<ReviewPlaces> PlacesWithoutHeader(
    std::span<const std::vector<std::string>> rows);

}  // namespace heed

#endif  // HEED_DATA_REVIEW_COLUMNS_H_
