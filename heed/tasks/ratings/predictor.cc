#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"
#include "heed/explain/payloads.h"
#include "heed/ops/shape.h"
#include "heed/tasks/ratings/ratings.h"

namespace heed::ratings {
namespace {

using Json = nlohmann::ordered_json;

/// Known properties of a document's reviews: the other side's name and the
/// rating.
ReviewsPayload ReviewsOf(const Model& model, const RatingDocument& document,
                         std::string Review::*other) {
  ReviewsPayload payload;
  for (const int32_t place : document.places) {
    payload.reviews.emplace_back();
    if (place < 0) continue;
    const Review& review = At(model.memory.reviews(), place);
    payload.reviews.back() = {review.*other, review.rating};
  }
  return payload;
}

Json PartsOfRating(const RatingParts& parts) {
  return {{"mean", parts.mean},
          {"user", parts.user},
          {"item", parts.item},
          {"reviews", parts.reviews}};
}

/// Name of each review: "item B7 (5)".
std::vector<std::string> ReviewNames(const ReviewsPayload& payload) {
  std::vector<std::string> names;
  for (const auto& known : payload.reviews) {
    names.push_back(known ? fmt::format("{} ({})", known->name, known->rating)
                          : fmt::format("given {}", names.size() + 1));
  }
  return names;
}

/// Adds two axes, of reviews and of their words; none for an empty document.
void AddDocument(const Model& model, const RatingDocument& document,
                 const std::string& side, const std::string& label,
                 std::string Review::*other, std::vector<Axis>& axes) {
  if (document.reviews.empty()) return;
  Axis reviews = {.id = side + "_reviews", .kind = "reviews", .label = label};
  Axis words = {.id = side + "_words", .label = "Words of " + side};
  reviews.of = words.id;
  ReviewsPayload known = ReviewsOf(model, document, other);
  reviews.items = ReviewNames(known);
  reviews.payload = std::move(known);
  int64_t at = 0;
  for (const auto& review : document.reviews) {
    reviews.spans.push_back({at, at + std::ssize(review)});
    at += std::ssize(review);
  }
  words.items = document.words;
  axes.push_back(std::move(reviews));
  axes.push_back(std::move(words));
}

void AddGates(const RatingParts::Side& side, const std::string& axis,
              ExplanationSegment& segment) {
  if (side.gates.empty()) return;
  Attribution gates = {.method = "gates",
                       .scores = {},
                       .differences = {},
                       .axis = axis,
                       .targets = {0}};
  for (const double gate : side.gates) {
    gates.scores.push_back(static_cast<float>(gate));
  }
  segment.attributions.push_back(std::move(gates));
}

/// Predicts a rating.
class ReviewPredictor : public PredictorWith<NoOptions> {
 public:
  explicit ReviewPredictor(const Model& model)
      : PredictorWith(NoOptions()), model_(model) {}

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const NoOptions& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const NoOptions& options) const override;
  bool joins_inputs(const NoOptions&) const override { return true; }

 private:
  Json DetailsOf(const RatingPair& pair, double rating) const;
  RunOfCopies RatingOf(const RatingPair& pair) const;
  ExplainableSegment SegmentOf(const Context& given, const ExplainInput& input,
                               const std::string& line,
                               const RatingPair& pair) const;

  const Model& model_;
};

std::vector<Answer> ReviewPredictor::Predict(std::span<const Input> inputs,
                                             const NoOptions& /*options*/,
                                             const PredictCall& call) const {
  std::vector<RatingPair> pairs;
  for (const Input& input : inputs) {
    pairs.push_back(
        model_.PairOf(ParseRatingQuestion(input.Text(), input.place)));
  }
  const std::vector<double> ratings = model_.Ratings(call.context(), pairs);
  std::vector<Answer> answers;
  for (size_t i = 0; i < pairs.size(); ++i) {
    answers.push_back({ExactNumber(ratings[i]), {{"rating", ratings[i]}}});
    if (call.parts) answers.back().parts = DetailsOf(pairs[i], ratings[i]);
  }
  return answers;
}

Json ReviewPredictor::DetailsOf(const RatingPair& pair, double rating) const {
  const RatingSource source = model_.SourceOf(pair);
  Json details = {{"rating", rating},
                  {"from", At(WordsOf(source), source)},
                  {"user_known", pair.user >= 0},
                  {"item_known", pair.item >= 0},
                  {"user_reviews", pair.of_user.reviews.size()},
                  {"item_reviews", pair.of_item.reviews.size()}};
  if (source != RatingSource::kModel) return details;
  const RatingParts parts =
      model_.network->Parts(model_.BatchOf(std::span(&pair, 1)));
  details["parts"] = PartsOfRating(parts);
  return details;
}

/// Recomputes the rating for attributions to the words of an axis.
Explainable ScoresOf(const Axis& axis, const RunOfCopies& rating) {
  Explainable scores;
  scores.tokens = axis.size();
  scores.targets = 1;
  scores.input = scores.axis = axis.id;
  scores.of_targets = {0};
  scores.log_probability = false;
  scores.scores = rating;
  return scores;
}

/// The rating of copies of a pair. Shapes: result [copies, 1].
RunOfCopies ReviewPredictor::RatingOf(const RatingPair& pair) const {
  return [this, pair](const Context& ctx, int64_t copies) {
    const std::vector<RatingPair> all(static_cast<size_t>(copies), pair);
    return Reshape(model_.network->Ratings(ctx, model_.BatchOf(all)),
                   {copies, 1});
  };
}

ExplainableSegment ReviewPredictor::SegmentOf(const Context& given,
                                              const ExplainInput& input,
                                              const std::string& line,
                                              const RatingPair& pair) const {
  const RunOfCopies rating = RatingOf(pair);
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = line;
  e.answer = ExactNumber(model_.Ratings(given, std::span(&pair, 1))[0]);
  AddDocument(model_, pair.of_user, "user", "Reviews by the user",
              &Review::item, e.axes);
  AddDocument(model_, pair.of_item, "item", "Reviews of the item",
              &Review::user, e.axes);
  e.axes.push_back(NamesAxis("answer", "Rating", {e.answer}));
  const RatingSource source = model_.SourceOf(pair);
  RatingPayload about = {
      At(WordsOf(source), source), pair.user_name, pair.item_name, {}};
  e.targets.push_back({.axis = "answer", .item = 0});
  if (source == RatingSource::kModel) {
    AttentionWatch watch(input.watch);
    const Context ctx = ObservedBy(watch, given);
    rating(ctx, 1);
    const RatingParts parts =
        model_.network->Parts(model_.BatchOf(std::span(&pair, 1)));
    about.parts = {parts.mean, parts.user, parts.item, parts.reviews};
    // Attention needs words on both sides.
    if (!pair.of_user.reviews.empty() && !pair.of_item.reviews.empty()) {
      AddMaps(watch, e);
      for (const char* axis : {"item_reviews", "user_reviews"}) {
        if (const auto map = e.LastMap("answer", axis)) {
          SetMap(e.targets.back(), map, 0);
        }
      }
      AddGates(parts.user_side, "user_words", e);
      AddGates(parts.item_side, "item_words", e);
      for (const char* axis : {"user_words", "item_words"}) {
        result.scores.push_back(ScoresOf(e.axis(axis), rating));
      }
    }
  }
  e.axes.back().payload = std::move(about);
  return result;
}

ExplainablePrediction ReviewPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const NoOptions& /*options*/) const {
  if (!input.answer.empty() || !input.contrast.empty()) {
    throw FormatError(
        "explain: a predicted rating has no alternatives; leave out the answer "
        "and the contrast");
  }
  const std::string text = input.Text();
  const RatingPair pair =
      model_.PairOf(ParseRatingQuestion(text, input.given.place));
  ExplainableSegment segment = SegmentOf(given, input, text, pair);
  std::string answer = segment.segment.answer;
  return {std::move(answer), {std::move(segment)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(
    const Model& made, NoOptions /*options*/) const {
  return std::make_unique<ReviewPredictor>(made);
}

}  // namespace heed::ratings
