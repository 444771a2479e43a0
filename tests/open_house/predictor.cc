#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/ops/loss.h"
#include "tests/open_house/task.h"

namespace heed::strips {
namespace {

std::string NameOf(int32_t colour) {
  return kColours.at(static_cast<size_t>(colour));
}

int32_t LikeliestOf(std::span<const float> p) {
  return static_cast<int32_t>(std::ranges::max_element(p) - p.begin());
}

std::span<const float> RowOf(const Tensor& p, int64_t row) {
  return {p.row<float>(row), static_cast<size_t>(kColourCount)};
}

/// Answers with the likeliest colour.
class StripPredictor : public PredictorWith<NoOptions> {
 public:
  explicit StripPredictor(const StripModel& model)
      : PredictorWith(NoOptions()), model_(model) {}

 protected:
  std::vector<Answer> Answers(std::span<const Input> inputs, const NoOptions&,
                              const PredictCall& call) const override;
  ExplainablePrediction ExplanationWith(const Context& given,
                                        const ExplainInput& input,
                                        const NoOptions&) const override;
  bool JoinsWith(const NoOptions&) const override { return true; }

 private:
  const StripModel& model_;
};

std::vector<Answer> StripPredictor::Answers(std::span<const Input> inputs,
                                            const NoOptions&,
                                            const PredictCall& call) const {
  std::vector<Strip> strips;
  for (const Input& input : inputs) {
    strips.push_back(ParseStrip(input.Text(), input.place));
  }
  const Tensor p = model_.Probabilities(call.context(), strips);
  std::vector<Answer> answers;
  for (int64_t i = 0; i < p.dim(0); ++i) {
    const std::span<const float> row = RowOf(p, i);
    const int32_t colour = LikeliestOf(row);
    answers.push_back({NameOf(colour),
                       {{"colour", NameOf(colour)},
                        {"probability", row[static_cast<size_t>(colour)]}}});
  }
  return answers;
}

/// Cells as an axis: items are letters, the payload has the colours.
Axis StripAxis(const Strip& strip) {
  Axis axis = {.id = "source", .kind = kKind, .label = "Strip"};
  nlohmann::ordered_json colours = nlohmann::ordered_json::array();
  for (const int32_t cell : strip) {
    axis.items.push_back(NameOf(cell).substr(0, 1));
    colours.push_back(NameOf(cell));
  }
  axis.payload = {{"colours", std::move(colours)}};
  return axis;
}

ExplainablePrediction StripPredictor::ExplanationWith(const Context& given,
                                                      const ExplainInput& input,
                                                      const NoOptions&) const {
  const Strip strip = ParseStrip(input.Text(), input.given.place);
  const auto log_p = [this, strip](const Context& ctx, int64_t copies) {
    return LogSoftmax(
        model_.network.Scores(ctx, BatchOf({strip}, Repeated(copies))));
  };
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const Var own = log_p(ctx, 1);
  const std::span<const float> row = RowOf(own.value(), 0);
  const int32_t colour = input.answer.empty()
                             ? LikeliestOf(row)
                             : ColourNamed(input.answer, "answer");

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.given.Shown();
  e.answer = NameOf(colour);
  e.axes = {StripAxis(strip), NamesAxis("answer", "Colour", {e.answer})};
  AddMaps(watch, e);
  e.targets.push_back(ChoiceTarget("answer", 0, row, colour, NameOf));
  SetMap(e.targets.back(), e.LastMap("answer", "source"), 0);
  result.scores.push_back(
      SourceScores(e, [log_p, colour](const Context& c, int64_t copies) {
        return ChosenColumns(log_p(c, copies), {colour});
      }));
  if (!input.contrast.empty()) {
    const int32_t other = ColourNamed(input.contrast, "contrast");
    SetChoiceContrast(
        result, 0, colour,
        {NameOf(other), std::exp(row[static_cast<size_t>(other)])}, other,
        log_p);
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace

Tensor StripModel::Probabilities(const Context& ctx,
                                 const std::vector<Strip>& strips) const {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < std::ssize(strips); ++i) all.push_back(i);
  return network.Probabilities(
      network.Scores(ctx, BatchOf(strips, all)).value());
}

std::unique_ptr<Predictor> StripSettings::Predicting(const StripModel& model,
                                                     NoOptions) const {
  return std::make_unique<StripPredictor>(model);
}

}  // namespace heed::strips
