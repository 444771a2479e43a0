#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"
#include "heed/explain/payloads.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/tasks/visits/visits.h"

namespace heed::visits {
namespace {

using Json = nlohmann::ordered_json;

/// Maximum number of bands of features that a picture shows per visit.
constexpr size_t kMaxBands = 16;

/// Names of visits: "visit 3", or with times "day 41".
std::vector<std::string> VisitNames(const Patient& patient) {
  std::vector<std::string> names;
  for (int64_t j = 0; j < patient.visits(); ++j) {
    names.push_back(fmt::format("visit {}", j + 1));
  }
  return names;
}

/// Means over neighbouring features, in at most kMaxBands bands.
std::vector<double> BandsOf(const std::vector<double>& features) {
  const size_t bands = std::min(kMaxBands, features.size());
  std::vector<double> means(bands);
  for (size_t i = 0; i < bands; ++i) {
    const size_t begin = i * features.size() / bands;
    const size_t end = (i + 1) * features.size() / bands;
    double sum = 0;
    for (size_t m = begin; m < end; ++m) sum += features[m];
    // Four digits suffice for a shade.
    means[i] = std::stod(
        fmt::format("{:.4g}", sum / static_cast<double>(end - begin)));
  }
  return means;
}

/// Two axes: visits, and the codes that they span. `sign`: −1 if the other
/// label is explained.
std::vector<Axis> TimelineAxes(const Model& model, const Patient& patient,
                               const std::optional<VisitParts>& parts,
                               double sign) {
  Axis visits = {.id = "source", .kind = "timeline", .label = "Visits"};
  visits.items = VisitNames(patient);
  visits.of = "codes";
  Axis codes = {.id = "codes", .kind = "timeline", .label = "Codes"};
  for (int64_t j = 0; j < patient.visits(); ++j) {
    const auto own = patient.CodesOf(j);
    visits.spans.push_back(
        {std::ssize(codes.items), std::ssize(codes.items) + std::ssize(own)});
    for (const int32_t code : own) {
      codes.items.push_back(At(model.codes.codes(), code));
    }
  }
  TimelinePayload payload = {patient.times, {}, {}};
  if (parts) {
    payload.bias = sign * parts->bias;
    for (const auto& beta : parts->beta) payload.beta.push_back(BandsOf(beta));
  }
  visits.payload = std::move(payload);
  return {std::move(visits), std::move(codes)};
}

/// Predicts the probability of the outcome.
class VisitPredictor : public PredictorWith<Prediction> {
 public:
  VisitPredictor(const Model& model, const Prediction& options)
      : PredictorWith(options), model_(model) {}

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  Answer AnswerOf(const Patient& patient, double log_odds,
                  const Prediction& options, const PredictCall& call) const;
  ExplainableSegment SegmentOf(const Context& given, const ExplainInput& input,
                               const std::string& line, const Patient& patient,
                               double sign) const;

  const Model& model_;
};

std::vector<Answer> VisitPredictor::Predict(std::span<const Input> inputs,
                                            const Prediction& options,
                                            const PredictCall& call) const {
  std::vector<Patient> patients;
  for (const Input& input : inputs) {
    patients.push_back(model_.Encode(ParseVisits(input.Text(), input.place),
                                     options.unknown_codes, input.place));
  }
  const std::vector<double> log_odds = model_.LogOdds(call.context(), patients);
  std::vector<Answer> answers;
  for (size_t i = 0; i < patients.size(); ++i) {
    answers.push_back(AnswerOf(patients[i], log_odds[i], options, call));
  }
  return answers;
}

Answer VisitPredictor::AnswerOf(const Patient& patient, double log_odds,
                                const Prediction& options,
                                const PredictCall& call) const {
  const double p = ProbabilityOf(log_odds);
  Answer answer = {ExactNumber(p),
                   {{"probability", p}, {"log_odds", log_odds}}};
  if (options.every_visit) {
    std::vector<double> all =
        model_.LogOddsAtEachVisit(call.context(), patient);
    std::vector<std::string> texts;
    for (double& one : all) {
      one = ProbabilityOf(one);
      texts.push_back(ExactNumber(one));
    }
    answer.line = fmt::format("{}", fmt::join(texts, "\t"));
    answer.parts["every_visit"] = all;
  }
  if (!call.parts) return answer;
  const auto parts = model_.PartsOf(patient);
  if (!parts) return answer;
  answer.parts["bias"] = parts->bias;
  Json& list = answer.parts["contributions"] = Json::array();
  for (int64_t j = 0; j < patient.visits(); ++j) {
    for (const int32_t code : patient.CodesOf(j)) {
      list.push_back({{"visit", j + 1},
                      {"code", At(model_.codes.codes(), code)},
                      {"contribution", parts->contributions[list.size()]}});
    }
  }
  return answer;
}

/// Contribution of each code to the log-odds. The reference difference excludes
/// the bias.
Attribution ContributionsOf(const VisitParts& parts, double log_odds,
                            double sign) {
  Attribution contributions = {.method = "contributions",
                               .scores = {},
                               .differences = {log_odds - sign * parts.bias},
                               .axis = "codes",
                               .targets = {0}};
  for (const double one : parts.contributions) {
    contributions.scores.push_back(static_cast<float>(sign * one));
  }
  return contributions;
}

/// Explains the probability after the last visit by visits and by their codes.
ExplainableSegment VisitPredictor::SegmentOf(const Context& given,
                                             const ExplainInput& input,
                                             const std::string& line,
                                             const Patient& patient,
                                             double sign) const {
  const auto log_odds = [this, patient, sign](const Context& ctx,
                                              int64_t copies) {
    const std::vector<Patient> all = {patient};
    return Reshape(Scale(model_.network->Logits(
                             ctx, model_.BatchOf(all, Repeated(copies))),
                         sign),
                   {copies, 1});
  };
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  const double own = log_odds(ctx, 1).value().item();
  const auto parts = model_.PartsOf(patient);

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = line;
  const double p = ProbabilityOf(own);
  e.answer = ExactNumber(p);
  e.axes = TimelineAxes(model_, patient, parts, sign);
  const std::string label = sign < 0 ? "0" : "1";
  const Alternative other = {sign < 0 ? "1" : "0", 1 - p};
  e.axes.push_back(NamesAxis("answer", "Probability of", {label}));
  e.axes.back().labels = {"label " + label};
  AddMaps(watch, e);
  e.targets.push_back(
      {.axis = "answer", .item = 0, .probability = p, .alternatives = {other}});
  SetMap(e.targets.back(), e.LastMap("answer", "source"), 0);
  if (parts) e.attributions.push_back(ContributionsOf(*parts, own, sign));
  result.scores.push_back(SourceScores(e, log_odds));
  result.scores.back().log_probability = false;
  // The log-odds equal the difference of the two log-probabilities.
  if (!input.contrast.empty()) SetContrast(result, 0, other, log_odds);
  return result;
}

ExplainablePrediction VisitPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const std::string requested = input.answer.empty() ? "1" : input.answer;
  if (requested != "0" && requested != "1") {
    throw FormatError("explain: the answer '{}' is neither 0 nor 1", requested);
  }
  const std::string other = requested == "1" ? "0" : "1";
  if (!input.contrast.empty() && input.contrast != other) {
    throw FormatError("explain: the contrast '{}' of {} is not {}",
                      input.contrast, requested, other);
  }
  const std::string text = input.Text();
  const std::string& place = input.given.place;
  const Patient patient =
      model_.Encode(ParseVisits(text, place), options.unknown_codes, place);
  ExplainableSegment segment =
      SegmentOf(given, input, text, patient, requested == "0" ? -1 : 1);
  std::string answer = segment.segment.answer;
  return {std::move(answer), {std::move(segment)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& made,
                                                   Prediction options) const {
  return std::make_unique<VisitPredictor>(made, options);
}

}  // namespace heed::visits
