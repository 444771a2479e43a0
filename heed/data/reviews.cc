#include "heed/data/reviews.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/data/bm25.h"
#include "heed/data/review_columns.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxBytesOfQuestion = size_t{1} << 22;
constexpr JsonLimits kQuestionLimits = {.bytes = kMaxBytesOfQuestion,
                                        .values = 4 * kMaxGivenReviews,
                                        .names = 16,
                                        .depth = 4};
constexpr size_t kTextColumn = 3;
constexpr size_t kTimeColumn = 4;
constexpr size_t kDecidesColumn = 5;

[[noreturn]] void RefuseReview(const std::string& place,
                               const std::string& why) {
  throw FormatError("{}: {}", place, why);
}

/// Normalises a name to NFC. Throws: FormatError if it cannot be stored in a
/// tab-separated file.
void CheckReviewName(std::string& name, const char* what,
                     const std::string& place) {
  name = Nfc(name);
  if (name.empty()) RefuseReview(place, fmt::format("there is no {}", what));
  if (name.size() > kMaxNameBytes) {
    RefuseReview(place, fmt::format("the name of the {} has {} bytes; at most "
                                    "{} are read",
                                    what, name.size(), kMaxNameBytes));
  }
  const bool printable = std::ranges::all_of(name, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
  });
  if (!printable) {
    RefuseReview(place, fmt::format("the {} has a control character", what));
  }
}

/// Text with tabs and line ends replaced by spaces.
std::string InOneField(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::optional<std::vector<std::string>> GivenReviews(const Json& json,
                                                     const char* name,
                                                     const std::string& place) {
  if (!json.contains(name)) return std::nullopt;
  const Json& list = json.at(name);
  const bool texts = list.is_array() &&
                     std::ranges::all_of(
                         list, [](const Json& one) { return one.is_string(); });
  if (!texts) {
    RefuseReview(place, fmt::format("\"{}\" is not a list of texts", name));
  }
  if (list.size() > kMaxGivenReviews) {
    RefuseReview(place, fmt::format("\"{}\" has {} reviews; at most {} are "
                                    "read",
                                    name, list.size(), kMaxGivenReviews));
  }
  return list.get<std::vector<std::string>>();
}

std::string NameOfQuestion(const Json& json, const char* what, bool has_reviews,
                           const std::string& place) {
  std::string name;
  if (json.contains(what)) {
    const Json& value = json.at(what);
    if (value.is_string()) {
      name = value.get<std::string>();
    } else if (value.is_number()) {
      name = value.dump();
    } else {
      RefuseReview(place, fmt::format("\"{}\" is not a name: {}", what,
                                      Abridged(value)));
    }
  }
  if (!name.empty() || !has_reviews) CheckReviewName(name, what, place);
  return name;
}

/// Parses "user", "item" or "both", or with the deciding word "user:taste2".
void ReadDecision(std::string_view part, const std::string& place,
                  Review& review) {
  const size_t colon = std::min(part.find(':'), part.size());
  const std::string_view role = part.substr(0, colon);
  const std::string word(part.substr(std::min(colon + 1, part.size())));
  const bool both = role == "both";
  if (!both && role != "user" && role != "item") {
    RefuseReview(place, fmt::format("what the review decides is '{}'; write "
                                    "user, item, both or nothing, or with the "
                                    "word user:WORD",
                                    part.substr(0, 40)));
  }
  if (both || role == "user") {
    review.decides_user = true;
    review.user_word = word;
  }
  if (both || role == "item") {
    review.decides_item = true;
    review.item_word = word;
  }
}

}  // namespace

Review ReviewOfFields(const std::vector<std::string>& fields,
                      std::string place) {
  Review review;
  review.user = fields[0];
  review.item = fields[1];
  CheckReviewName(review.user, "user", place);
  CheckReviewName(review.item, "item", place);
  const auto rating = RatingOf(fields[2]);
  if (!rating) {
    RefuseReview(place, fmt::format("the rating is not a number: '{}'",
                                    fields[2].substr(0, 40)));
  }
  review.rating = *rating;
  review.text = fields[kTextColumn];
  if (const std::string& text = fields[kTimeColumn]; !text.empty()) {
    const auto time = ReviewTimeOf(text);
    if (!time) {
      RefuseReview(place,
                   fmt::format("the time is neither a number nor a date: '{}'",
                               text.substr(0, 40)));
    }
    review.time = *time;
  }
  for (const std::string_view part : SplitWhitespace(fields[kDecidesColumn])) {
    ReadDecision(part, place, review);
  }
  review.place = std::move(place);
  return review;
}

std::string ReviewLine(const Review& review) {
  std::string decides;
  const auto add = [&](const char* role, const std::string& word) {
    if (!decides.empty()) decides += ' ';
    decides += word.empty() ? role : fmt::format("{}:{}", role, word);
  };
  if (review.decides_user) add("user", review.user_word);
  if (review.decides_item) add("item", review.item_word);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", review.user, review.item,
                     review.rating, InOneField(review.text), review.time,
                     decides);
}

ReviewSplit SplitByUser(std::vector<Review> reviews) {
  constexpr size_t kMinReviews = 3;
  std::map<std::string_view, std::vector<size_t>> of_user;
  for (size_t i = 0; i < reviews.size(); ++i) {
    of_user[reviews[i].user].push_back(i);
  }
  enum class Part : uint8_t { kTrain, kValid, kTest };
  std::vector<Part> parts(reviews.size(), Part::kTrain);
  for (auto& [user, own] : of_user) {
    if (own.size() < kMinReviews) continue;
    std::ranges::stable_sort(own, std::less<>(),
                             [&](size_t i) { return reviews[i].time; });
    parts[own[own.size() - 1]] = Part::kTest;
    parts[own[own.size() - 2]] = Part::kValid;
  }
  ReviewSplit split;
  for (size_t i = 0; i < reviews.size(); ++i) {
    std::vector<Review>& to = parts[i] == Part::kTrain   ? split.train
                              : parts[i] == Part::kValid ? split.valid
                                                         : split.test;
    to.push_back(std::move(reviews[i]));
  }
  return split;
}

RatingQuestion ParseRatingQuestion(std::string_view line,
                                   const std::string& place) {
  RatingQuestion question;
  const std::string_view trimmed = TrimBlanks(line);
  if (!trimmed.starts_with('{')) {
    const std::vector<std::string_view> names = SplitAt(line, "\t");
    if (names.size() != 2) {
      RefuseReview(place,
                   "is not a pair; write user, a tab and item, or {\"user\": "
                   "\"A1\", \"item\": \"B7\"}");
    }
    question.user = TrimBlanks(names[0]);
    question.item = TrimBlanks(names[1]);
    CheckReviewName(question.user, "user", place);
    CheckReviewName(question.item, "item", place);
    return question;
  }
  if (trimmed.size() > kMaxBytesOfQuestion) {
    RefuseReview(place, fmt::format("over {} bytes", kMaxBytesOfQuestion));
  }
  const Json json = ParseJson(trimmed, place, kQuestionLimits);
  for (const auto& [name, value] : json.items()) {
    if (name == "user" || name == "item" || name == "user_reviews" ||
        name == "item_reviews") {
      continue;
    }
    RefuseReview(place, fmt::format("unknown member {} (there are user, item, "
                                    "user_reviews, item_reviews)",
                                    Abridged(Json(name))));
  }
  question.user_reviews = GivenReviews(json, "user_reviews", place);
  question.item_reviews = GivenReviews(json, "item_reviews", place);
  question.user =
      NameOfQuestion(json, "user", question.user_reviews.has_value(), place);
  question.item =
      NameOfQuestion(json, "item", question.item_reviews.has_value(), place);
  return question;
}

NameTable::NameTable(std::vector<std::string> names)
    : names_(std::move(names)) {
  std::ranges::sort(names_);
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

int32_t NameTable::Find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(names_, name);
  if (at == names_.end() || *at != name) return -1;
  return static_cast<int32_t>(at - names_.begin());
}

std::vector<std::string> WordsOfReviews(std::span<const std::string> texts) {
  std::vector<std::string> lines;
  for (const auto& words : SplitWords(texts)) {
    lines.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return lines;
}

ReviewMemory::ReviewMemory(std::vector<Review> reviews)
    : reviews_(std::move(reviews)) {
  std::vector<std::string> texts;
  for (Review& review : reviews_) texts.push_back(std::move(review.text));
  texts = WordsOfReviews(texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    reviews_[i].text = std::move(texts[i]);
  }
  Index();
}

ReviewMemory ReviewMemory::Parse(std::string_view text,
                                 const std::string& name) {
  ReviewMemory memory;
  constexpr size_t kFields = kDecidesColumn + 1;
  int64_t number = 0;
  for (const std::string_view line : SplitLines(text)) {
    const std::string place = fmt::format("{}:{}", name, ++number);
    const std::vector<std::string_view> fields = SplitAt(line, "\t");
    if (fields.size() != kFields) {
      RefuseReview(place,
                   fmt::format("{} fields, not {}", fields.size(), kFields));
    }
    memory.reviews_.push_back(
        ReviewOfFields({fields.begin(), fields.end()}, place));
  }
  if (memory.reviews_.empty()) RefuseReview(name, "no reviews");
  memory.Index();
  return memory;
}

std::string ReviewMemory::Serialize() const {
  std::string text;
  for (const Review& review : reviews_) text += ReviewLine(review) + '\n';
  return text;
}

void ReviewMemory::Index() {
  std::vector<std::string> users, items;
  double sum = 0;
  for (const Review& review : reviews_) {
    users.push_back(review.user);
    items.push_back(review.item);
    sum += review.rating;
  }
  if (!reviews_.empty()) mean_ = sum / static_cast<double>(reviews_.size());
  users_ = NameTable(std::move(users));
  items_ = NameTable(std::move(items));
  of_user_.resize(static_cast<size_t>(users_.size()));
  of_item_.resize(static_cast<size_t>(items_.size()));
  for (size_t i = 0; i < reviews_.size(); ++i) {
    user_ids_.push_back(users_.Find(reviews_[i].user));
    item_ids_.push_back(items_.Find(reviews_[i].item));
    At(of_user_, user_ids_[i]).push_back(static_cast<int32_t>(i));
    At(of_item_, item_ids_[i]).push_back(static_cast<int32_t>(i));
  }
  const auto time = [this](int32_t i) { return At(reviews_, i).time; };
  for (auto* lists : {&of_user_, &of_item_}) {
    for (auto& own : *lists) {
      std::ranges::stable_sort(own, std::less<>(), time);
    }
  }
}

double ReviewMemory::MeanOf(const std::vector<int32_t>& some) const {
  double sum = 0;
  for (const int32_t i : some) sum += At(reviews_, i).rating;
  return sum / static_cast<double>(some.size());
}

RatingBiasFit FitBiases(const ReviewMemory& memory, double shrinkage) {
  constexpr int kMaxSweeps = 500;
  constexpr double kStill = 1e-10;
  RatingBiasFit fit;
  fit.mean = memory.mean();
  fit.users.resize(static_cast<size_t>(memory.users().size()));
  fit.items.resize(static_cast<size_t>(memory.items().size()));
  // Minimises over the biases of one side while the others are fixed.
  const auto sweep = [&](std::vector<double>& own, const auto& reviews_of,
                         const std::vector<double>& others,
                         const std::vector<int32_t>& other_ids) {
    double moved = 0;
    for (size_t k = 0; k < own.size(); ++k) {
      const std::vector<int32_t>& mine = reviews_of(static_cast<int32_t>(k));
      double sum = 0;
      for (const int32_t i : mine) {
        const auto at = static_cast<size_t>(i);
        sum +=
            memory.reviews()[at].rating - fit.mean - At(others, other_ids[at]);
      }
      const double now = sum / (static_cast<double>(mine.size()) + shrinkage);
      moved = std::max(moved, std::abs(now - own[k]));
      own[k] = now;
    }
    return moved;
  };
  for (int i = 0; i < kMaxSweeps; ++i) {
    const double items = sweep(
        fit.items, [&](int32_t k) -> const auto& { return memory.OfItem(k); },
        fit.users, memory.user_ids());
    const double users = sweep(
        fit.users, [&](int32_t k) -> const auto& { return memory.OfUser(k); },
        fit.items, memory.item_ids());
    if (std::max(items, users) < kStill) break;
  }
  return fit;
}

}  // namespace heed
