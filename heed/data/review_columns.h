// Detection of the columns in tables of ratings.
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

/// Column of each role; nullopt if there is none.
using ReviewPlaces = std::array<std::optional<size_t>, kReviewRoles>;

/// Columns by the usual names of public data sets. Nullopt unless all roles up
/// to `last_needed` have one.
std::optional<ReviewPlaces> UsualPlaces(
    std::span<const std::string> names,
    ReviewRole last_needed = ReviewRole::kRating);

/// True if a text cannot be a review: a number, a time, a URL, an identifier or
/// a boolean.
bool IsNoReviewText(std::string_view text);

/// True for a time: seconds or milliseconds since 1970, or a date.
bool IsReviewTime(std::string_view text);

/// A number, or seconds since 1970 of a date; nullopt for other texts.
std::optional<double> ReviewTimeOf(std::string_view text);

/// Value of a rating with a decimal point or a decimal comma.
std::optional<double> RatingOf(std::string_view text);

/// Columns of rows without a header: user, item, rating, and then a text, a
/// time, or both. Nullopt for other numbers of columns.
std::optional<ReviewPlaces> PlacesWithoutHeader(
    std::span<const std::vector<std::string>> rows);

}  // namespace heed

#endif  // HEED_DATA_REVIEW_COLUMNS_H_
