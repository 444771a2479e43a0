#include "course/data/planted_reviews.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

// Keys of the random streams.
constexpr uint64_t kOfWorld = 1;
constexpr uint64_t kOfReviews = uint64_t{1} << 40;
constexpr uint64_t kOfOtherPairs = uint64_t{1} << 50;

std::string PlantedName(char kind, int64_t number) {
  return fmt::format("{}{:04}", kind, number);
}

/// Inserts a word after another one.
void InsertWord(const std::string& word, Rng& rng, std::string& text) {
  size_t at = rng.Below(text.size() + 1);
  at = std::min(text.find(' ', at), text.size());
  text.insert(at, " " + word);
}

}  // namespace

PlantedReviews::PlantedReviews(const PlantedReviewOptions& options,
                               uint64_t seed)
    : options_(options), seed_(seed) {
  const bool fits = options.users >= 2 && options.reviews >= 1 &&
                    2 * options.reviews <= options.users &&
                    options.topics >= 2 && options.topics % 2 == 0 &&
                    options.fillers >= 1 && options.min_words >= 1 &&
                    options.max_words >= options.min_words;
  if (!fits) {
    throw ConfigError(
        "planted reviews: {} users with {} reviews each, {} topics and {} "
        "fillers do not make a world (at most half of the items are reviewed "
        "by a user, topics are even)",
        options.users, options.reviews, options.topics, options.fillers);
  }
  Rng rng(seed, kOfWorld << 32);
  for (int64_t i = 0; i < options.users; ++i) {
    tastes_.push_back(
        static_cast<int64_t>(rng.Below(static_cast<uint64_t>(options.topics))));
    traits_.push_back(
        static_cast<int64_t>(rng.Below(static_cast<uint64_t>(options.topics))));
  }
  // Items stand on a circle in random order. A user reviews the items at
  // `reviews` fixed distances from its own place, so each item has as many
  // reviews.
  std::vector<int64_t> users(static_cast<size_t>(options.users));
  std::iota(users.begin(), users.end(), int64_t{0});
  std::vector<int64_t> items = users, steps = users;
  Shuffle(users, rng);
  Shuffle(items, rng);
  Shuffle(steps, rng);
  items_of_.resize(users.size());
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t place = 0; place < options.users; ++place) {
    const int64_t user = At(users, place);
    for (int64_t k = 0; k < options.reviews; ++k) {
      const int64_t at = (place + At(steps, k)) % options.users;
      const int64_t item = At(items, at);
      At(items_of_, user).push_back(item);
      pairs.emplace_back(user, item);
    }
  }
  for (auto& own : items_of_) std::ranges::sort(own);
  Shuffle(pairs, rng);

  // One review of each user and one of each item gets the deciding word.
  std::vector<std::vector<size_t>> of_user(users.size()), of_item(users.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto [user, item] = pairs[i];
    reviews_.push_back(MakeReview(user, item, kOfReviews + i));
    reviews_.back().time = static_cast<double>(i);
    At(of_user, user).push_back(i);
    At(of_item, item).push_back(i);
  }
  const auto plant = [&](const std::vector<size_t>& own, std::string word,
                         bool Review::*decides, std::string Review::*deciding) {
    Review& review = reviews_[own[rng.Below(own.size())]];
    InsertWord(word, rng, review.text);
    review.*decides = true;
    review.*deciding = std::move(word);
  };
  for (size_t k = 0; k < users.size(); ++k) {
    plant(of_user[k], fmt::format("taste{}", tastes_[k]), &Review::decides_user,
          &Review::user_word);
    plant(of_item[k], fmt::format("trait{}", traits_[k]), &Review::decides_item,
          &Review::item_word);
  }
}

double PlantedReviews::RatingOf(int64_t user, int64_t item,
                                uint64_t key) const {
  const int64_t apart =
      (At(traits_, item) - At(tastes_, user) + options_.topics) %
      options_.topics;
  const auto sign = [this](int64_t topic) {
    return 2 * topic < options_.topics ? 1 : -1;
  };
  const int leans = sign(At(tastes_, user)) + sign(At(traits_, item));
  const double noise = Rng(Rng(seed_, key).Next()).Normal();
  const double rating = 3 + sign(apart) * options_.match +
                        leans * options_.lean + options_.noise * noise;
  return std::clamp(std::round(100 * rating) / 100, 1.0, 5.0);
}

Review PlantedReviews::MakeReview(int64_t user, int64_t item,
                                  uint64_t key) const {
  Review review;
  review.user = PlantedName('u', user);
  review.item = PlantedName('i', item);
  review.rating = RatingOf(user, item, key);
  Rng rng(Rng(seed_, key).Next(), /*position=*/100);
  const auto more =
      static_cast<uint64_t>(options_.max_words - options_.min_words + 1);
  const int64_t words =
      options_.min_words + static_cast<int64_t>(rng.Below(more));
  for (int64_t w = 0; w < words; ++w) {
    if (w > 0) review.text += ' ';
    review.text += fmt::format(
        "filler{:03}", rng.Below(static_cast<uint64_t>(options_.fillers)));
  }
  return review;
}

std::vector<Review> PlantedReviews::OtherPairs(int64_t count,
                                               uint64_t number) const {
  const uint64_t first = kOfOtherPairs + (number << 32);
  Rng rng(Rng(seed_, first).Next());
  std::set<std::pair<int64_t, int64_t>> seen;
  const int64_t max = options_.users * (options_.users - options_.reviews) / 2;
  if (count > max) {
    throw ConfigError("planted reviews: there are not {} other pairs", count);
  }
  std::vector<Review> others;
  while (std::ssize(others) < count) {
    const auto draw = [&] {
      return static_cast<int64_t>(
          rng.Below(static_cast<uint64_t>(options_.users)));
    };
    const int64_t user = draw(), item = draw();
    if (std::ranges::binary_search(At(items_of_, user), item) ||
        !seen.emplace(user, item).second) {
      continue;
    }
    others.push_back(MakeReview(user, item, first + others.size() + 1));
    others.back().time = static_cast<double>(reviews_.size() + others.size());
  }
  return others;
}

}  // namespace heed
