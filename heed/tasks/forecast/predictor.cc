#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/explain/payloads.h"
#include "heed/kernels/gather.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/forecast/forecast.h"

namespace heed::forecast {
namespace {

using Json = nlohmann::ordered_json;

/// A CSV field, quoted if necessary.
std::string CsvField(const std::string& text) {
  if (TrimBlanks(text) == text && text.find_first_of(",\"\n\r") == text.npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

constexpr int64_t kMaxSteps = 12;

/// Up to kMaxSteps evenly spaced steps ahead, including the first and the
/// last.
std::vector<int32_t> StepsOf(int64_t horizon) {
  const int64_t count = std::min(horizon, kMaxSteps);
  std::vector<int32_t> steps;
  for (int64_t i = 0; i < count; ++i) {
    steps.push_back(
        static_cast<int32_t>(count == 1 ? 0 : i * (horizon - 1) / (count - 1)));
  }
  return steps;
}

/// The rows of a series [1, T, C] in the units of its columns.
SeriesPayload SeriesOf(const Tensor& series,
                       const std::vector<std::string>& columns,
                       const std::string& column) {
  SeriesPayload payload = {columns, {}, column};
  for (int64_t c = 0; c < std::ssize(columns); ++c) {
    std::vector<double>& own = payload.values.emplace_back();
    for (int64_t t = 0; t < series.dim(1); ++t) {
      // Shortest decimal that round-trips the f32 value.
      own.push_back(std::stod(ExactNumber(series.row<float>(t)[c])));
    }
  }
  return payload;
}

/// Reads CSV with the training columns and predicts the next rows as CSV, in
/// the units of the columns.
class ForecastPredictor : public PredictorWith<SeriesFormat> {
 public:
  ForecastPredictor(const Model& model, SeriesFormat format)
      : PredictorWith(std::move(format)), model_(model) {}

  double Targets(double /*bytes*/) const override { return kMaxSteps; }

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const SeriesFormat& format,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const SeriesFormat& format) const override;

 private:
  Answer ForecastOf(const Input& input, const SeriesFormat& format,
                    const PredictCall& call) const;
  int64_t ColumnOf(const std::string& name) const;
  const std::string& NameOf(int64_t column) const {
    return At(model_.columns, column);
  }
  std::vector<Axis> WindowAxes(const TimeSeries& series, const Tensor& past,
                               int64_t column) const;
  Axis AheadAxis(const TimeSeries& series, const Tensor& future,
                 int64_t column) const;
  std::string AnswerOf(const Tensor& future, int64_t column) const;

  const Model& model_;
};

Answer ForecastPredictor::ForecastOf(const Input& input,
                                     const SeriesFormat& format,
                                     const PredictCall& call) const {
  const TimeSeries series =
      ParseTimeSeries(input.Text(), input.place, format, &model_.known);
  const Tensor window = model_.LastWindow(series, input.place);
  const Tensor future =
      model_.standardizer.Invert(model_.Forecast(call.context(), window));
  const int64_t horizon = model_.config.forecaster.horizon;
  const std::vector<std::string> times = series.axis.Behind(horizon);
  Answer answer = {"step", {{"columns", {"step"}}, {"rows", Json::array()}}};
  std::vector<std::string> columns = model_.columns;
  if (!times.empty()) columns.insert(columns.begin(), series.axis.name);
  for (const std::string& column : columns) {
    answer.line += ',' + CsvField(column);
    answer.parts["columns"].push_back(column);
  }
  for (int64_t step = 0; step < horizon; ++step) {
    const float* row = future.row<float>(step);
    answer.line += fmt::format("\n{}", step + 1);
    Json cells = {step + 1};
    if (!times.empty()) {
      const std::string& time = At(times, step);
      answer.line += ',' + CsvField(time);
      cells.push_back(time);
    }
    for (int64_t c = 0; c < series.columns(); ++c) {
      answer.line += ',' + ExactNumber(row[c]);
      cells.push_back(row[c]);
    }
    answer.parts["rows"].push_back(std::move(cells));
  }
  if (!series.notes.empty()) answer.parts["notes"] = series.notes;
  if (call.warns) {
    for (const std::string& note : series.notes) Say(note);
  }
  return answer;
}

std::vector<Answer> ForecastPredictor::Predict(std::span<const Input> inputs,
                                               const SeriesFormat& format,
                                               const PredictCall& call) const {
  const Context ctx = call.context();
  std::vector<Answer> answers;
  for (const Input& input : inputs) {
    ctx.CheckCancelled();
    answers.push_back(ForecastOf(input, format, call));
  }
  return answers;
}

/// Index of a column among those of the model.
int64_t ForecastPredictor::ColumnOf(const std::string& name) const {
  const auto found = std::ranges::find(model_.columns, name);
  if (found == model_.columns.end()) {
    throw FormatError("explain: there is no column '{}'{}", name,
                      DidYouMean(name, model_.columns));
  }
  return found - model_.columns.begin();
}

/// Axes of the patches and of the rows of the window that they cover.
std::vector<Axis> ForecastPredictor::WindowAxes(const TimeSeries& series,
                                                const Tensor& past,
                                                int64_t column) const {
  const ForecasterConfig& forecaster = model_.config.forecaster;
  const int64_t L = forecaster.lookback;
  Axis rows = {.id = "window", .kind = "series", .label = "Window"};
  for (int64_t i = series.rows() - L; i < series.rows(); ++i) {
    rows.items.push_back(series.times.empty()
                             ? fmt::format("{}", i - series.rows())
                             : At(series.times, i));
  }
  rows.payload = SeriesOf(past, model_.columns, NameOf(column));
  Axis patches = {.id = "source", .kind = "series", .label = "Patches"};
  patches.of = rows.id;
  for (int64_t i = 0; i < forecaster.steps(); ++i) {
    // A patch beyond the end of the window repeats the last row.
    const int64_t begin =
        std::min(forecaster.first_row() + i * forecaster.patch_stride, L - 1);
    patches.spans.push_back({begin, std::min(begin + forecaster.patch, L)});
    patches.items.push_back(At(rows.items, begin));
  }
  return {std::move(patches), std::move(rows)};
}

/// Axis of the forecast rows.
Axis ForecastPredictor::AheadAxis(const TimeSeries& series,
                                  const Tensor& future, int64_t column) const {
  const int64_t horizon = model_.config.forecaster.horizon;
  Axis ahead = {.id = "target", .kind = "series", .label = "Forecast"};
  for (int64_t h = 1; h <= horizon; ++h) {
    ahead.items.push_back(fmt::format("+{}", h));
  }
  ahead.labels = series.axis.Behind(horizon);
  ahead.payload = SeriesOf(future, model_.columns, NameOf(column));
  return ahead;
}

/// Text of a forecast: "load: +1 0.5, +2 0.7".
std::string ForecastPredictor::AnswerOf(const Tensor& future,
                                        int64_t column) const {
  std::vector<std::string> step_texts;
  for (int64_t h = 0; h < model_.config.forecaster.horizon; ++h) {
    step_texts.push_back(fmt::format(
        "+{} {}", h + 1, ExactNumber(future.row<float>(h)[column])));
  }
  return fmt::format("{}: {}", NameOf(column), fmt::join(step_texts, ", "));
}

/// Selects steps of one column of forecasts. Shapes: result [copies, steps].
RunOfCopies ColumnAt(RunOfCopies forecast, int64_t column,
                     std::vector<int32_t> steps) {
  return [forecast = std::move(forecast), column, steps = std::move(steps)](
             const Context& c, int64_t copies) {
    const Var all = forecast(c, copies);
    const Tensor own = Tensor::Full({copies, all.dim(1)},
                                    static_cast<double>(column), DType::kI32);
    return ChosenColumns(Pick(all, own), steps);
  };
}

/// Adds a target for each step. A forecast is computed from the state of the
/// last patch, or of all patches.
void AddTargets(const ForecasterConfig& forecaster,
                const std::vector<int32_t>& steps, ExplanationSegment& e) {
  const auto map = e.LastMap("source", "source");
  for (const int32_t step : steps) {
    e.targets.push_back({.axis = "target", .item = step});
    if (forecaster.forecast_from != ForecastFrom::kLast) continue;
    SetMap(e.targets.back(), map, forecaster.steps() - 1);
  }
}

/// Explains a forecast of one column by the patches of its window.
ExplainablePrediction ForecastPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const SeriesFormat& format) const {
  if (!input.contrast.empty()) {
    throw FormatError("explain: a forecast has no contrast");
  }
  const ForecasterConfig& forecaster = model_.config.forecaster;
  const TimeSeries series =
      ParseTimeSeries(input.Text(), "the text", format, &model_.known);
  const Tensor window = model_.LastWindow(series, "the text");
  const int64_t column = input.answer.empty() ? std::ssize(model_.columns) - 1
                                              : ColumnOf(input.answer);
  const auto forecast = [this, window](const Context& c, int64_t copies) {
    return model_.network(
        c, kernels::Gather(window, Tensor::Zeros({copies}, DType::kI32)));
  };
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  const Tensor future =
      model_.standardizer.Invert(forecast(ctx, 1).value().Contiguous());
  const Tensor past = model_.standardizer.Invert(window.Contiguous());

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.Text();
  e.axes = WindowAxes(series, past, column);
  e.axes.push_back(AheadAxis(series, future, column));
  e.answer = AnswerOf(future, column);
  // Each step needs separate attributions, so only some are explained.
  const std::vector<int32_t> steps = StepsOf(forecaster.horizon);
  const bool independent = forecaster.independent_columns == YesNo::kYes;
  AddMaps(watch, e, independent ? column : 0);
  AddTargets(forecaster, steps, e);
  result.scores.push_back(SourceScores(e, ColumnAt(forecast, column, steps)));
  Explainable& scores = result.scores.back();
  scores.log_probability = false;
  scores.rows_of_copy = independent ? std::ssize(model_.columns) : 1;
  scores.row = independent ? column : 0;
  return {e.answer, {std::move(result)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& forecast,
                                                   SeriesFormat format) const {
  return std::make_unique<ForecastPredictor>(forecast, std::move(format));
}

}  // namespace heed::forecast
