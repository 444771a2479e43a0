// Reading of published review and rating files.
#ifndef HEED_DATA_REVIEW_FILES_H_
#define HEED_DATA_REVIEW_FILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/reviews.h"

namespace heed {

/// Format of review files.
struct ReviewFormat {
  /// Columns of user, item and rating, and optionally of text, time and the
  /// deciding role ("user", "item", "both" or nothing). An empty text column
  /// name: the files have no texts.
  std::vector<std::string> columns = {"user", "item", "rating", "review"};
  RatingScale scale;
};

/// Reads the reviews of all files, in order. A file (.gz too) is one of: JSON
/// lines; a table with or without header, separated by tabs, commas,
/// semicolons, bars, "::" or spaces; blocks of "ITEM:" with lines of user,
/// rating and date. Without a header, columns are in the order of
/// ReviewFormat::columns. If these are the defaults but the file has other
/// names, the usual names of public data sets are recognised (userId, asin,
/// overall, reviewText, timestamp), with a message. Blank lines are ignored;
/// texts may be empty, absent or null. Ratings may have decimal commas. Ratings
/// of 0 and −1 below the scale mean "not rated" and are dropped, with a
/// message. Throws: IoError; ConfigError for columns that do not match;
/// FormatError with file and line, for a row without user, item or rating, a
/// rating outside the scale (see ScaleOf), a file without reviews, or a text
/// column of numbers, times or URLs.
std::vector<Review> ReadReviews(const std::vector<std::string>& paths,
                                const ReviewFormat& format);

/// Parses the text of one file, which may have no reviews. `name`: name for
/// error messages.
std::vector<Review> ParseReviews(std::string_view text, const std::string& name,
                                 const ReviewFormat& format);

/// Throws: ConfigError unless there are three to six different columns.
void CheckReviewColumns(const std::vector<std::string>& columns);

/// Scale of the ratings: `given`, unless it is the default 1 to 5 and the
/// ratings are clearly on another usual scale (half stars from 0.5, or 0 or 1
/// to 10).
RatingScale ScaleOf(std::span<const Review> reviews, const RatingScale& given);

}  // namespace heed

#endif  // HEED_DATA_REVIEW_FILES_H_
