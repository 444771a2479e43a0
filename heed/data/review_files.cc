#include "heed/data/review_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/fields.h"
#include "heed/data/input_lines.h"
#include "heed/data/review_columns.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Number of lines that are used to detect a file's format.
constexpr size_t kReviewLinesSeen = 100;
constexpr size_t kNeededRoles = 3;
constexpr const char* kRoleNames[] = {"user", "item", "rating",
                                      "text", "time", "decides"};

[[noreturn]] void RefuseReviews(const std::string& place,
                                const std::string& why) {
  throw FormatError("{}: {}", place, why);
}

/// Separators of a line's fields.
enum class Division : uint8_t { kFields, kTabs, kColons, kBlanks, kBlocks };

std::vector<std::string> Divided(std::string_view line, Division division) {
  const auto parts = division == Division::kTabs     ? SplitAt(line, "\t")
                     : division == Division::kBlanks ? SplitWhitespace(line)
                     : division == Division::kBlocks ? SplitAt(line, ",")
                                                     : SplitAt(line, "::");
  return {parts.begin(), parts.end()};
}

/// True for "1193:", which begins the ratings of an item in Netflix's files.
bool BeginsBlock(std::string_view line) {
  return line.size() > 1 && line.ends_with(':') &&
         ParseInteger<uint64_t>(line.substr(0, line.size() - 1)).has_value();
}

struct ReviewInputLine {
  std::string text;
  int64_t number;
};

/// Parser of one file. Its first lines determine the format.
class ReviewLines {
 public:
  ReviewLines(std::string name, const ReviewFormat& format,
              std::vector<Review>* to)
      : name_(std::move(name)),
        columns_(format.columns),
        chosen_(format.columns != ReviewFormat().columns),
        to_(to) {}

  void Add(std::string_view line, int64_t number) {
    if (decided_) return Read(line, number);
    waiting_.push_back({std::string(line), number});
    if (waiting_.size() >= kReviewLinesSeen) Decide();
  }
  void Finish() {
    if (!decided_) Decide();
    if (table_) table_->Finish();
    if (fields_) fields_->Finish();
    if (no_texts_ > 0 && no_texts_ == texts_) RefuseTexts();
  }

 private:
  void Decide();
  void DecideJson();
  void DecideTable();
  Division DivisionOf(std::span<const std::string> lines);
  bool FindHeader(const std::vector<std::string>& first);
  void FindColumns(const std::vector<std::vector<std::string>>& rows);
  void Describe(const std::vector<std::string>& names) const;
  /// Prints a delimiter other than the comma, and decimal commas.
  void DescribeForm(const std::vector<std::vector<std::string>>& rows) const;
  void Read(std::string_view line, int64_t number);
  std::optional<std::vector<std::string>> FieldsOf(std::string_view line,
                                                   int64_t number);
  void AddRow(const std::vector<std::string>& fields, std::string place);
  [[noreturn]] void RefuseTexts() const;
  /// Column names of training data and of questions, without one role.
  std::string NamesWithout(ReviewRole without) const;

  const std::string name_;
  const std::vector<std::string> columns_;
  const bool chosen_;  // columns differ from the defaults
  std::vector<Review>* to_;

  std::vector<ReviewInputLine> waiting_;
  bool decided_ = false;
  Division division_ = Division::kTabs;
  std::optional<FieldReader> fields_;  // for Division::kFields
  Delimiter delimiter_ = Delimiter::kComma;
  std::unique_ptr<TableReader> table_;  // for JSON lines
  ReviewPlaces places_;
  std::vector<std::string> names_;  // column names of the file
  bool skips_header_ = false;
  size_t width_ = 0;
  std::string block_;  // current item for Division::kBlocks
  int64_t texts_ = 0;
  int64_t no_texts_ = 0;  // texts that are numbers, times or URLs
  std::string first_no_text_;
};

void ReviewLines::Decide() {
  decided_ = true;
  std::vector<ReviewInputLine> lines = std::move(waiting_);
  const auto first = std::ranges::find_if(
      lines, [](const auto& line) { return !TrimBlanks(line.text).empty(); });
  if (first == lines.end()) return;
  std::ranges::copy_if(lines, std::back_inserter(waiting_),
                       [](const ReviewInputLine& line) {
                         return !TrimBlanks(line.text).empty();
                       });
  if (TrimBlanks(first->text).starts_with('{') ||
      TableFormOf(name_) == "jsonl") {
    DecideJson();
  } else {
    DecideTable();
  }
  waiting_.clear();
  for (const ReviewInputLine& line : lines) Read(line.text, line.number);
}

void ReviewLines::DecideJson() {
  std::vector<std::string> keys;
  for (const ReviewInputLine& line : waiting_) {
    const auto json =
        ParseJson(line.text, fmt::format("{}:{}", name_, line.number));
    if (!json.is_object()) continue;
    for (const auto& item : json.items()) {
      if (std::ranges::find(keys, item.key()) == keys.end()) {
        keys.push_back(item.key());
      }
    }
  }
  const auto usual =
      chosen_ ? std::optional<ReviewPlaces>() : UsualPlaces(keys);
  std::vector<std::string> wanted;
  for (size_t role = 0; role < kReviewRoles; ++role) {
    std::string key = role < columns_.size() ? columns_[role] : "";
    if (usual) key = (*usual)[role] ? keys[*(*usual)[role]] : "";
    if (key.empty()) continue;
    places_[role] = wanted.size();
    wanted.push_back(std::move(key));
  }
  names_ = wanted;
  if (usual) Describe(wanted);
  table_ = MakeTableReader("jsonl", wanted, name_, kNeededRoles);
}

Division ReviewLines::DivisionOf(std::span<const std::string> lines) {
  if (BeginsBlock(lines.front())) return Division::kBlocks;
  const auto all = [&](Division division) {
    return std::ranges::all_of(lines, [&](const std::string& line) {
      return Divided(line, division).size() >= kNeededRoles;
    });
  };
  for (const Division division : {Division::kTabs, Division::kColons}) {
    if (all(division)) return division;
  }
  const Delimiter delimiter = GuessDelimiter(lines);
  if (lines.front().find(CharacterOf(delimiter)) != std::string::npos &&
      delimiter != Delimiter::kTab) {
    fields_.emplace(delimiter, name_, true);
    delimiter_ = delimiter;
    return Division::kFields;
  }
  return all(Division::kBlanks) && TableFormOf(name_).empty()
             ? Division::kBlanks
             : Division::kTabs;
}

void ReviewLines::DecideTable() {
  std::vector<std::string> lines;
  for (const ReviewInputLine& line : waiting_) lines.push_back(line.text);
  division_ = DivisionOf(lines);
  if (division_ == Division::kBlocks) {
    places_ = {0, 1, 2, std::nullopt, 3};
    names_ = {"user", "item", "rating", "date"};
    width_ = names_.size();
    return;
  }
  std::vector<std::vector<std::string>> rows;
  std::optional<FieldReader> reader = fields_;
  for (const std::string& line : lines) {
    if (!reader) {
      rows.push_back(Divided(line, division_));
    } else if (const auto* fields = reader->Add(line, 1)) {
      rows.push_back(*fields);
    }
  }
  if (rows.empty()) return;  // unclosed quote, which Finish reports
  width_ = rows.front().size();
  FindColumns(rows);
  DescribeForm(rows);
}

void ReviewLines::DescribeForm(
    const std::vector<std::vector<std::string>>& rows) const {
  const size_t rating = *At(places_, ReviewRole::kRating);
  const bool commas = std::ranges::any_of(rows, [rating](const auto& row) {
    return row.size() > rating && !ParseNumber(row[rating]) &&
           RatingOf(row[rating]);
  });
  if (fields_ && delimiter_ != Delimiter::kComma) {
    Say(fmt::format("{}: reads a {} table{}", name_,
                    Auto<Delimiter>(delimiter_).word(),
                    commas ? " with decimal commas" : ""));
  } else if (commas) {
    Say(fmt::format("{}: reads ratings with decimal commas", name_));
  }
}

/// True if the first row has text in a column where all others have numbers.
bool StandsAboveNumbers(const std::vector<std::vector<std::string>>& rows) {
  for (size_t column = 0; column < rows[0].size(); ++column) {
    const auto is_number = [column](const std::vector<std::string>& row) {
      return row.size() > column && ParseNumber(row[column]).has_value();
    };
    if (!is_number(rows[0]) &&
        std::all_of(rows.begin() + 1, rows.end(), is_number)) {
      return true;
    }
  }
  return false;
}

/// True if the first row is a header. Sets the columns.
bool ReviewLines::FindHeader(const std::vector<std::string>& first) {
  const auto usual =
      chosen_ ? std::optional<ReviewPlaces>() : UsualPlaces(first);
  if (usual) {
    places_ = *usual;
  } else {
    for (size_t role = 0; role < columns_.size(); ++role) {
      if (columns_[role].empty()) continue;
      places_[role] = PlaceOfColumn(first, columns_[role]);
      if (!places_[role]) return false;
    }
  }
  names_ = first;
  if (usual) Describe(first);
  return true;
}

void ReviewLines::FindColumns(
    const std::vector<std::vector<std::string>>& rows) {
  if (FindHeader(rows.front())) {
    skips_header_ = true;
    return;
  }
  places_ = {};
  const auto is_rating = [&](const std::vector<std::string>& row) {
    return row.size() >= kNeededRoles && RatingOf(row[2]).has_value();
  };
  if (rows.size() > 1 && !is_rating(rows[0]) &&
      (is_rating(rows[1]) || StandsAboveNumbers(rows))) {
    throw ConfigError(
        "{}:{}: no columns {}; the header names {} (choose with --columns)",
        name_, waiting_.front().number, fmt::join(columns_, ", "),
        fmt::join(rows[0], ", "));
  }
  std::vector<std::string> named = columns_;
  std::erase(named, "");
  if (named.size() == width_ && chosen_) {
    for (size_t role = 0, at = 0; role < columns_.size(); ++role) {
      if (!columns_[role].empty()) places_[role] = at++;
    }
    names_ = named;
    return;
  }
  const auto guessed =
      chosen_ ? std::optional<ReviewPlaces>() : PlacesWithoutHeader(rows);
  if (!guessed) {
    RefuseReviews(
        fmt::format("{}:{}", name_, waiting_.front().number),
        fmt::format(
            "{} fields{}; without a header there are {}: {} (see "
            "columns)",
            width_,
            division_ == Division::kTabs ? " with tabs between them" : "",
            named.size(), fmt::join(named, ", ")));
  }
  places_ = *guessed;
  for (size_t i = 0; i < width_; ++i) {
    names_.push_back(fmt::format("column {}", i + 1));
  }
  const bool usual = width_ == columns_.size() && places_[0] == 0 &&
                     At(places_, ReviewRole::kText);
  if (!usual) Describe(names_);
}

/// Prints which columns are read, unless they have the default names.
void ReviewLines::Describe(const std::vector<std::string>& names) const {
  std::vector<std::string> parts;
  bool other = false;
  for (size_t role = 0; role < kReviewRoles; ++role) {
    if (!places_[role]) continue;
    const std::string& name = names[*places_[role]];
    other = other || role >= columns_.size() || name != columns_[role];
    parts.push_back(fmt::format("{} {}", kRoleNames[role], name));
  }
  if (!At(places_, ReviewRole::kText)) {
    parts.emplace_back("no text");
    other = true;
  }
  if (other) Say(fmt::format("{}: reads {}", name_, fmt::join(parts, ", ")));
}

std::optional<std::vector<std::string>> ReviewLines::FieldsOf(
    std::string_view line, int64_t number) {
  if (table_) return table_->Add(line, number);
  if (fields_) {
    if (!fields_->quoted() && TrimBlanks(line).empty()) return std::nullopt;
    const auto* fields = fields_->Add(line, number);
    return fields ? std::optional(*fields) : std::nullopt;
  }
  if (TrimBlanks(line).empty()) return std::nullopt;
  if (division_ != Division::kBlocks) return Divided(line, division_);
  if (BeginsBlock(line)) {
    block_ = line.substr(0, line.size() - 1);
    return std::nullopt;
  }
  std::vector<std::string> fields = Divided(line, division_);
  fields.insert(fields.begin() + 1, block_);
  return fields;
}

void ReviewLines::Read(std::string_view line, int64_t number) {
  const auto fields = FieldsOf(line, number);
  if (!fields) return;
  std::string place = fmt::format("{}:{}", name_, number);
  if (!table_ && fields->size() != width_) {
    RefuseReviews(place, fmt::format("{} fields; the first line has {}",
                                     fields->size(), width_));
  }
  if (std::exchange(skips_header_, false)) return;
  AddRow(*fields, std::move(place));
}

void ReviewLines::AddRow(const std::vector<std::string>& fields,
                         std::string place) {
  std::vector<std::string> by_role(kReviewRoles);
  for (size_t role = 0; role < kReviewRoles; ++role) {
    if (places_[role]) by_role[role] = fields[*places_[role]];
  }
  const std::string& text = At(by_role, ReviewRole::kText);
  if (!TrimBlanks(text).empty()) {
    ++texts_;
    if (IsNoReviewText(text) && ++no_texts_ == 1) first_no_text_ = text;
  }
  to_->push_back(ReviewOfFields(by_role, std::move(place)));
}

std::string ReviewLines::NamesWithout(ReviewRole without) const {
  std::vector<std::string> names;
  for (size_t role = 0; role < kNeededRoles; ++role) {
    names.push_back(names_[*places_[role]]);
  }
  if (without == ReviewRole::kTime) {
    names.emplace_back();
    names.push_back(names_[*At(places_, ReviewRole::kText)]);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

void ReviewLines::RefuseTexts() const {
  const std::string& column = names_[*At(places_, ReviewRole::kText)];
  RefuseReviews(
      name_,
      fmt::format("'{}' cannot be the text of reviews: it holds only numbers, "
                  "identifiers, times or addresses, such as '{}'; leave it out "
                  "(--columns {}){}",
                  column, first_no_text_.substr(0, 60),
                  NamesWithout(ReviewRole::kText),
                  ReviewTimeOf(first_no_text_)
                      ? fmt::format(", or read it as the time (--columns {})",
                                    NamesWithout(ReviewRole::kTime))
                      : ""));
}

/// Detects a wider scale than the default: half stars, or a scale to 10 of
/// which the upper half is used.
std::optional<RatingScale> WiderScale(std::span<const Review> reviews) {
  constexpr size_t kFewest = 10;
  constexpr double kHalf = 0.5, kFive = 5, kTen = 10;
  double min = 1;
  double max = 1;
  size_t above = 0;
  for (const Review& review : reviews) {
    if (2 * review.rating != std::round(2 * review.rating)) return std::nullopt;
    min = std::min(min, review.rating);
    max = std::max(max, review.rating);
    above += review.rating > kFive ? 1 : 0;
  }
  if (max <= kFive && min == kHalf) return RatingScale{kHalf, kFive};
  if (max <= kTen && min >= 0 && reviews.size() >= kFewest &&
      10 * above >= reviews.size()) {
    return RatingScale{std::min(std::floor(min), 1.0), kTen};
  }
  return std::nullopt;
}

/// Drops ratings of 0 and −1 that mean "not rated". These are outside the given
/// scale, or, for the default scale, all other ratings are positive and some
/// exceed 2. Prints how many were dropped.
void LeaveOutUnrated(std::vector<Review>& reviews, const RatingScale& given,
                     const std::string& name) {
  constexpr double kMin = 0.5;
  constexpr double kMax = 2;
  double min = kMax;
  double max = 0;
  for (const Review& review : reviews) {
    if (review.rating == 0 || review.rating == -1) continue;
    min = std::min(min, review.rating);
    max = std::max(max, review.rating);
  }
  const bool above = min >= kMin && max > kMax;
  for (const double mark : {-1.0, 0.0}) {
    if (given == RatingScale() ? !above : given.Has(mark)) continue;
    const auto count = std::erase_if(reviews, [mark](const Review& review) {
      return review.rating == mark;
    });
    if (count == 0) continue;
    Say(
        fmt::format("{}: {} ratings of {} are left out, as no ratings "
                    "(--least-rating {} keeps them)",
                    name, count, mark, mark));
  }
}

/// Throws: FormatError with the first rating outside the scale.
void CheckScale(std::span<const Review> reviews, const RatingScale& given) {
  const RatingScale scale = ScaleOf(reviews, given);
  for (const Review& review : reviews) {
    if (scale.Has(review.rating)) continue;
    throw FormatError(
        "{}: the rating {} is outside of the scale from {} to {} "
        "(least_rating, most_rating)",
        review.place, review.rating, scale.min, scale.max);
  }
}

}  // namespace

void CheckReviewColumns(const std::vector<std::string>& columns) {
  std::set<std::string> different;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool no_text = i == static_cast<size_t>(ReviewRole::kText);
    if (!columns[i].empty() || no_text) different.insert(columns[i]);
  }
  if (columns.size() < kNeededRoles || columns.size() > kReviewRoles ||
      different.size() != columns.size()) {
    throw ConfigError(
        "columns: name the different columns of user, item and rating, and "
        "optionally of text (empty: none), time and what a review decides; not "
        "'{}'",
        fmt::join(columns, ","));
  }
}

std::vector<Review> ReadReviews(const std::vector<std::string>& paths,
                                const ReviewFormat& format) {
  CheckReviewColumns(format.columns);
  std::vector<Review> reviews;
  for (const std::string& path : paths) {
    const size_t before = reviews.size();
    ReviewLines lines(path, format, &reviews);
    ForEachLine(path, [&](std::string_view line, int64_t number) {
      lines.Add(line, number);
      return true;
    });
    lines.Finish();
    if (reviews.size() == before) RefuseReviews(path, "no reviews");
  }
  LeaveOutUnrated(reviews, format.scale, paths.front());
  CheckScale(reviews, format.scale);
  return reviews;
}

std::vector<Review> ParseReviews(std::string_view text, const std::string& name,
                                 const ReviewFormat& format) {
  CheckReviewColumns(format.columns);
  std::vector<Review> reviews;
  ReviewLines lines(name, format, &reviews);
  int64_t number = 0;
  for (const std::string_view line : SplitLines(text)) {
    lines.Add(line, ++number);
  }
  lines.Finish();
  CheckScale(reviews, format.scale);
  return reviews;
}

RatingScale ScaleOf(std::span<const Review> reviews, const RatingScale& given) {
  if (given != RatingScale()) return given;
  const bool inside = std::ranges::all_of(
      reviews, [&](const Review& review) { return given.Has(review.rating); });
  return inside ? given : WiderScale(reviews).value_or(given);
}

}  // namespace heed
