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

/// Counts how often pointers select the reviews that determine the rating.
struct PointerHits {
  int64_t sides = 0;
  int64_t hits = 0;

  void Add(const Model& model, const RatingDocument& document,
           const RatingParts::Side& side, bool Review::*decides) {
    if (side.pointers.empty()) return;
    const auto is_decisive = [&](int32_t place) {
      return place >= 0 && At(model.memory.reviews(), place).*decides;
    };
    if (std::ranges::none_of(document.places, is_decisive)) return;
    ++sides;
    hits += is_decisive(document.places[MostPointedAt(side.pointers)]) ? 1 : 0;
  }
};

void AddPointerHits(const Model& model, std::span<const RatingPair> pairs,
                    Report& report) {
  const bool known = std::ranges::any_of(
      model.memory.reviews(),
      [](const Review& r) { return r.decides_user || r.decides_item; });
  if (!known) return;
  PointerHits user, item;
  for (const RatingPair& pair : pairs) {
    if (pair.of_user.reviews.empty() || pair.of_item.reviews.empty()) continue;
    const RatingParts parts =
        model.network->Parts(model.BatchOf(std::span(&pair, 1)));
    if (parts.user_side.pointers.empty()) return;
    user.Add(model, pair.of_user, parts.user_side, &Review::decides_user);
    item.Add(model, pair.of_item, parts.item_side, &Review::decides_item);
  }
  for (const auto& [key, label, hits] :
       {std::tuple("user_pointer", "pointer at users", user),
        std::tuple("item_pointer", "pointer at items", item)}) {
    if (hits.sides == 0) continue;
    report.figures.push_back(
        {key, label,
         100.0 * static_cast<double>(hits.hits) /
             static_cast<double>(hits.sides),
         1, "%", fmt::format("at the review that decides, of {}", hits.sides)});
  }
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
  AddPointerHits(made, pairs, report);
  return report;
}

}  // namespace heed::ratings
