#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/metrics/confidence.h"
#include "heed/tasks/ratings/ratings.h"
#include "heed/train/progress.h"

namespace heed::ratings {
namespace {

double MeanOfNumbers(std::span<const double> numbers) {
  return RatioOf(std::accumulate(numbers.begin(), numbers.end(), 0.0),
                 std::ssize(numbers));
}

/// Predictions by mean and biases of the known ratings alone (baseline).
std::vector<double> BiasRatingsOf(const Model& model,
                                  std::span<const RatingPair> pairs) {
  const RatingBiasFit fit =
      FitBiases(model.memory, model.config.data.shrinkage);
  std::vector<double> ratings;
  for (const RatingPair& pair : pairs) {
    double rating = fit.mean;
    if (pair.user >= 0) rating += At(fit.users, pair.user);
    if (pair.item >= 0) rating += At(fit.items, pair.item);
    ratings.push_back(model.Clipped(rating));
  }
  return ratings;
}

/// Index of the review with the largest sum of pointer weights.
size_t MostPointedAt(const std::vector<std::vector<double>>& pointers) {
  std::vector<double> sums(pointers.front().size());
  for (const auto& pointer : pointers) {
    for (size_t r = 0; r < sums.size(); ++r) sums[r] += pointer[r];
  }
  return static_cast<size_t>(std::ranges::max_element(sums) - sums.begin());
}

/// Counts how often attention on one side selects what determines the rating.
class DecisionHits {
 public:
  DecisionHits(bool Review::*decides, std::string Review::*word)
      : decides_(decides), word_(word) {}

  void Add(const Model& model, const RatingDocument& document,
           const ReviewDocuments& read, const RatingParts::Side& side) {
    const auto is_decisive = [&](int32_t place) {
      return place >= 0 && At(model.memory.reviews(), place).*decides_;
    };
    const auto found = std::ranges::find_if(document.places, is_decisive);
    if (found == document.places.end()) return;
    if (!side.pointers.empty()) {
      const size_t chosen = MostPointedAt(side.pointers);
      reviews_.Add(is_decisive(document.places[chosen]));
    }
    const std::string& word = At(model.memory.reviews(), *found).*word_;
    if (side.gates.empty() || word.empty()) return;
    const auto most = std::ranges::max_element(side.gates);
    const int32_t id = read.ids.data<int32_t>()[most - side.gates.begin()];
    words_.Add(model.vocabulary.Encode(word) == std::vector{id});
  }
  void Report(const std::string& side, std::vector<Figure>& figures) const {
    const auto add = [&](const char* what, const char* where,
                         const Share& share) {
      if (share.of == 0) return;
      figures.push_back({fmt::format("{}_{}", side, what),
                         fmt::format("{} at {}s", what, side),
                         100 * RatioOf(share.hits, share.of), 1, "%",
                         fmt::format("{}, of {}", where, share.of)});
    };
    add("pointer", "at the review that decides", reviews_);
    add("gate", "largest at the word that decides", words_);
  }

 private:
  struct Share {
    double hits = 0;
    int64_t of = 0;
    void Add(bool hit) {
      hits += hit ? 1 : 0;
      ++of;
    }
  };

  bool Review::*decides_;
  std::string Review::*word_;
  Share reviews_;
  Share words_;
};

void AddDecisionHits(const Model& model, std::span<const RatingPair> pairs,
                     Report& report) {
  const bool known = std::ranges::any_of(
      model.memory.reviews(),
      [](const Review& r) { return r.decides_user || r.decides_item; });
  if (!known) return;
  DecisionHits user(&Review::decides_user, &Review::user_word);
  DecisionHits item(&Review::decides_item, &Review::item_word);
  for (const RatingPair& pair : pairs) {
    if (pair.of_user.reviews.empty() || pair.of_item.reviews.empty()) continue;
    const RatingBatch batch = model.BatchOf(std::span(&pair, 1));
    const RatingParts parts = model.network->Parts(batch);
    user.Add(model, pair.of_user, batch.user, parts.user_side);
    item.Add(model, pair.of_item, batch.item, parts.item_side);
  }
  user.Report("user", report.figures);
  item.Report("item", report.figures);
}

std::vector<Review> PartOfReviews(std::vector<Review> all, ReviewPart part) {
  if (part == ReviewPart::kAll) return all;
  ReviewSplit split = SplitByUser(std::move(all));
  return std::move(part == ReviewPart::kValid ? split.valid : split.test);
}

}  // namespace

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  ReviewFormat format = options.files.Format();
  if (format.scale == RatingScale()) format.scale = made.scale;
  const std::vector<Review> reviews =
      PartOfReviews(ReadReviews(options.reviews, format), options.part);
  if (reviews.empty()) {
    throw FormatError(
        "{}: no user has three reviews, of which one is kept "
        "back for this part",
        options.reviews.front());
  }
  std::vector<RatingPair> pairs;
  for (const Review& review : reviews) {
    pairs.push_back(made.PairOf(review.user, review.item));
  }
  const auto cold = std::ranges::count_if(pairs, [&](const RatingPair& pair) {
    return made.SourceOf(pair) != RatingSource::kModel;
  });
  const std::vector<double> errors =
      SquaredErrors(made.Ratings({}, pairs), reviews);
  const std::vector<double> of_biases =
      SquaredErrors(BiasRatingsOf(made, pairs), reviews);
  const std::vector<double> of_mean = SquaredErrors(
      std::vector<double>(pairs.size(), made.Clipped(made.memory.mean())),
      reviews);
  std::vector<double> differences, magnitudes;
  for (size_t i = 0; i < errors.size(); ++i) {
    differences.push_back(errors[i] - of_biases[i]);
    magnitudes.push_back(std::sqrt(errors[i]));
  }
  const MeanInterval apart = ConfidenceOfMean(differences);
  const double mse = MeanOfNumbers(errors);
  Report report;
  report.heading =
      fmt::format("{}, {} of them with a user or an item that is not known",
                  Counted(std::ssize(pairs), "pair"), cold);
  report.figures = {
      {"mse", "MSE", mse, 4, "", "mean of squared errors"},
      {"rmse", "RMSE", std::sqrt(mse), 4, "", ""},
      {"mae", "MAE", MeanOfNumbers(magnitudes), 4, "", ""},
      {"mean_mse", "MSE of the mean", MeanOfNumbers(of_mean), 4, "",
       "of the ratings that were learnt from"},
      {"bias_mse", "MSE of biases", MeanOfNumbers(of_biases), 4, "",
       "mean, user and item, by least squares with shrinkage"},
      {"above_biases", "above biases", apart.mean, 4, "",
       std::isfinite(apart.half_width)
           ? fmt::format("± {:.4f}, 95 % confidence of the paired difference",
                         apart.half_width)
           : "of one pair, so without a confidence"}};
  report.details = {{"pairs", pairs.size()}, {"unknown", cold}};
  if (std::isfinite(apart.half_width)) {
    report.details["above_biases_interval"] = apart.half_width;
  }
  AddDecisionHits(made, pairs, report);
  return report;
}

}  // namespace heed::ratings
