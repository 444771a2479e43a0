// Files of reviews and ratings as they are published.
#ifndef HEED_DATA_REVIEW_FILES_H_
#define HEED_DATA_REVIEW_FILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/reviews.h"

namespace heed {

/// How files of reviews are read.
struct ReviewFormat {
  /// Names of the columns that hold user, item and rating, and optionally text,
  /// time and what a review decides ("user", "item", "both" or nothing). An
  /// empty name: the files have no texts.
  std::vector<std::string> columns = {"user", "item", "rating", "review"};
  RatingScale scale;
};

/// Reads the reviews of all files in their order. A file (.gz too) is JSON
/// lines, or a table whose fields stand between tabs, commas, semicolons, bars,
/// "::" or spaces, with a header or without, or blocks of "ITEM:" with lines of
/// user, rating and date. Without a header the columns stand in the order of
/// ReviewFormat::columns. If these have the default names, and the file has
/// others, the usual names of public data sets are recognised (userId, asin,
/// overall, reviewText, timestamp), which is said in a line. Blank lines do not
/// count; the text of a review may be empty, absent or null. Ratings may have
/// decimal commas. Ratings of 0 and -1 that stand below a scale are no ratings:
/// they are left out, and a line says how many. Throws: IoError;
/// ConfigError for columns that do not fit; FormatError that names file and
/// line, for a row without a user, an item or a number, or with a rating
/// outside of the scale (see ScaleOf), for a file without a review, and for a
/// column of texts that holds nothing but numbers, times or addresses.
std::vector<Review> ReadReviews(const std::vector<std::string>& paths,
                                const ReviewFormat& format);

/// The reviews in the text of one file of this name, which may have none.
std::vector<Review> ParseReviews(std::string_view text, const std::string& name,
                                 const ReviewFormat& format);

/// Throws: ConfigError unless three to six different columns are named.
void CheckReviewColumns(const std::vector<std::string>& columns);

/// The scale of these ratings: `given`; or, if that is the default 1 to 5 and
/// the ratings clearly are on another usual scale, that one: half stars from
/// 0.5, or 0 or 1 to 10.
RatingScale ScaleOf(std::span<const Review> reviews, const RatingScale& given);

}  // namespace heed

#endif  // HEED_DATA_REVIEW_FILES_H_
