// Reviews as TSV, JSON lines and CSV, questions, and reviews stored with a
// model, separated by lines "====".
#include <cmath>
#include <string>
#include <vector>

#include "heed/data/review_files.h"
#include "heed/data/reviews.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

void ParseReviewsOf(std::string_view text, const char* name) {
  ReviewFormat format;
  if (text.size() % 2 == 1) {
    format.columns.insert(format.columns.end(), {"time", "decides"});
  }
  const std::vector<Review> reviews = ParseReviews(text, name, format);
  const RatingScale scale = ScaleOf(reviews, format.scale);
  for (const Review& review : reviews) {
    Require(!review.user.empty() && !review.item.empty(), "both have a name");
    Require(review.user.find('\t') == std::string::npos, "a field of its own");
    Require(scale.Has(review.rating), "a rating of the scale");
    Require(std::isfinite(review.time), "a time is a number");
  }
  if (reviews.empty()) return;
  const ReviewSplit split = SplitByUser(reviews);
  Require(split.train.size() + split.valid.size() + split.test.size() ==
              reviews.size(),
          "each review in one part");
  const ReviewMemory memory(reviews);
  const std::string kept = memory.Serialize();
  Require(ReviewMemory::Parse(kept, "kept").Serialize() == kept,
          "read as it was written");
  const RatingBiasFit fit = FitBiases(memory, 1);
  for (const double bias : fit.users) {
    Require(std::abs(bias) <= 2 * (scale.max - scale.min),
            "a bias within the scale");
  }
}

void ParseQuestion(std::string_view text) {
  const RatingQuestion question = ParseRatingQuestion(text, "question");
  Require(!question.user.empty() || question.user_reviews, "a user");
  Require(!question.item.empty() || question.item_reviews, "an item");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parts = heed::fuzz::Parts(text, 5);
  for (size_t i = 0; i < 3; ++i) {
    constexpr const char* kNames[] = {"a.tsv", "a.jsonl", "a.csv"};
    heed::fuzz::MayRefuse(
        [&] { heed::fuzz::ParseReviewsOf(parts[i], kNames[i]); });
  }
  heed::fuzz::MayRefuse([&] { heed::fuzz::ParseQuestion(parts[3]); });
  heed::fuzz::MayRefuse([&] { heed::ReviewMemory::Parse(parts[4], "kept"); });
  return 0;
}
