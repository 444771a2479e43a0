#include "heed/data/review_columns.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"
#include "heed/data/time_cell.h"

namespace heed {
namespace {

using Names = std::vector<std::string_view>;

/// Usual column names (lower case, only letters and digits), preferred ones
/// first.
const std::array<Names, kReviewRoles>& UsualNames() {
  static const std::array<Names, kReviewRoles> names = {{
      {"user", "userid", "reviewerid", "uid", "customerid", "memberid",
       "authorid", "profileid", "reviewer", "customer", "author", "username"},
      {"item",       "itemid",   "movieid", "asin",         "parentasin",
       "businessid", "isbn",     "bookid",  "productid",    "animeid",
       "gmapid",     "recipeid", "gameid",  "appid",        "iid",
       "hotelid",    "placeid",  "venueid", "restaurantid", "beerid",
       "artistid",   "trackid",  "songid",  "filmid",       "movie",
       "book",       "product"},
      {"rating", "overall", "stars", "starrating", "bookrating", "score",
       "userrating", "reviewrating", "reviewscore", "ratingvalue",
       "reviewoverall"},
      {"review", "reviewtext", "text", "reviewbody", "comment", "reviewcontent",
       "content", "body"},
      {"time", "timestamp", "unixreviewtime", "unixtime", "date", "reviewdate",
       "reviewtime", "datetime", "createdat", "dateadded", "submitted"},
      {},
  }};
  return names;
}

/// "User-ID" and "user_id:token" (RecBole) become "userid".
std::string PlainName(std::string_view name) {
  std::string plain;
  for (const char c : Lowercase(name.substr(0, name.find(':')))) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  return plain;
}

bool ConsistsOf(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

/// All integers in a text.
std::vector<int64_t> NumbersIn(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr size_t kMaxDigits = 9;
  std::vector<int64_t> numbers;
  for (size_t at = 0; (at = text.find_first_of(kDigits, at)) != text.npos;) {
    const size_t end =
        std::min(text.find_first_not_of(kDigits, at), text.size());
    numbers.push_back(
        ParseInteger<int64_t>(text.substr(at, std::min(end - at, kMaxDigits)))
            .value_or(0));
    at = end;
  }
  return numbers;
}

/// Parses "2018-07-07 22:09:11", "2018/7/7" or "07 26, 2018" to seconds since
/// 1970.
std::optional<double> SecondsOfNumbers(std::string_view text) {
  if (!ConsistsOf(text, "0123456789-/:., TZ+")) return std::nullopt;
  std::vector<int64_t> parts = NumbersIn(text);
  constexpr int64_t kMinYear = 1000;
  constexpr size_t kDate = 3;
  if (parts.size() < kDate) return std::nullopt;
  if (parts[0] < kMinYear && parts[2] >= kMinYear) {
    std::rotate(parts.begin(), parts.begin() + 2, parts.begin() + kDate);
  }
  if (parts[0] < kMinYear || parts[0] > 9999) return std::nullopt;
  const std::chrono::year_month_day day(
      std::chrono::year(static_cast<int>(parts[0])),
      std::chrono::month(static_cast<unsigned>(parts[1])),
      std::chrono::day(static_cast<unsigned>(parts[2])));
  if (!day.ok()) return std::nullopt;
  parts.resize(6);
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) +
         3600.0 * static_cast<double>(parts[3]) +
         60.0 * static_cast<double>(parts[4]) + static_cast<double>(parts[5]);
}

/// Parses a date in any format of tables to seconds since 1970.
std::optional<double> SecondsOfDate(std::string_view text) {
  if (const auto seconds = SecondsOfNumbers(text)) return seconds;
  for (const TimeReading& reading : ReadTime(text)) {
    if (reading.form == DateForm::kTimeOfDay) continue;
    return static_cast<double>(reading.moment) / kSecond;
  }
  return std::nullopt;
}

/// True for Amazon's id of a product, or of a reviewer.
bool IsAsin(std::string_view text) {
  constexpr size_t kSize = 10;
  return text.size() == kSize &&
         (text[0] == 'B' || (text[0] >= '0' && text[0] <= '9')) &&
         ConsistsOf(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}
bool IsAmazonReviewer(std::string_view text) {
  constexpr size_t kMin = 10;
  return text.size() >= kMin && text[0] == 'A' &&
         ConsistsOf(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/// True for a truncated product id, or reviewer id, as some data sets have.
bool BeginsAsAsin(std::string_view text) {
  return text.starts_with("B0") &&
         ConsistsOf(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}
bool BeginsAsAmazonReviewer(std::string_view text) {
  return text.size() > 1 && text[0] == 'A' && text[1] >= '0' &&
         text[1] <= '9' &&
         ConsistsOf(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/// True for a single word that looks like an identifier: RX983154919.
bool IsIdentifier(std::string_view text) {
  constexpr size_t kShort = 6;
  constexpr size_t kLong = 20;
  if (text.size() < kShort || !std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
      })) {
    return false;
  }
  return text.size() >= kLong ||
         text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

std::optional<ReviewPlaces> UsualPlaces(std::span<const std::string> names,
                                        ReviewRole last_needed) {
  std::vector<std::string> plain;
  for (const std::string& name : names) plain.push_back(PlainName(name));
  ReviewPlaces places;
  for (size_t role = 0; role < kReviewRoles; ++role) {
    for (const std::string_view usual : UsualNames()[role]) {
      const auto found = std::ranges::find(plain, usual);
      if (found == plain.end()) continue;
      places[role] = static_cast<size_t>(found - plain.begin());
      break;
    }
    const bool needed = role <= static_cast<size_t>(last_needed);
    if (needed && !places[role]) return std::nullopt;
  }
  return places;
}

bool IsNoReviewText(std::string_view text) {
  text = TrimBlanks(text);
  if (ParseNumber(text) || SecondsOfDate(text)) return true;
  const std::string lower = Lowercase(text);
  if (lower == "true" || lower == "false" || IsIdentifier(text)) return true;
  const bool address = lower.starts_with("http://") ||
                       lower.starts_with("https://") ||
                       lower.starts_with("www.");
  return address && lower.find(' ') == lower.npos;
}

bool IsReviewTime(std::string_view text) {
  constexpr double kMinSeconds = 1e8;
  const auto number = ParseNumber(text);
  if (number) return *number >= kMinSeconds;
  return SecondsOfDate(TrimBlanks(text)).has_value();
}

std::optional<double> ReviewTimeOf(std::string_view text) {
  const auto number = ParseNumber(text);
  return number ? number : SecondsOfDate(TrimBlanks(text));
}

std::optional<double> RatingOf(std::string_view text) {
  const auto number = ParseNumber(text);
  return number ? number : ParseDecimal(text, Decimal::kComma);
}

std::optional<ReviewPlaces> PlacesWithoutHeader(
    std::span<const std::vector<std::string>> rows) {
  constexpr size_t kMin = 3;
  constexpr size_t kMax = 5;
  const size_t width = rows.front().size();
  if (width < kMin || width > kMax) return std::nullopt;
  const auto all = [&](size_t column, const auto& is) {
    return std::ranges::all_of(rows, [&](const std::vector<std::string>& row) {
      return row.size() == width && is(row[column]);
    });
  };
  ReviewPlaces places = {0, 1, 2};
  if ((all(0, IsAsin) && all(1, IsAmazonReviewer)) ||
      (all(0, BeginsAsAsin) && all(1, BeginsAsAmazonReviewer))) {
    std::swap(places[0], places[1]);
  }
  if (width == kMin) return places;
  const auto place = [&](ReviewRole role) -> std::optional<size_t>& {
    return At(places, role);
  };
  const bool time = all(width - 1, IsReviewTime);
  if (width == kMax && !time) return std::nullopt;
  if (time) place(ReviewRole::kTime) = width - 1;
  if (width == kMax || !time) place(ReviewRole::kText) = kMin;
  return places;
}

}  // namespace heed
