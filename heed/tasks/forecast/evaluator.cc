#include <fmt/format.h>

#include <optional>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/tasks/forecast/forecast.h"
#include "heed/train/progress.h"

namespace heed::forecast {
namespace {

using Json = nlohmann::ordered_json;

/// A baseline forecast of the same windows with little or no training.
struct ForecastBaseline {
  std::string name;
  ForecastErrors errors;
  ForecastComparison comparison;  // of the model with the baseline
};

int64_t ParsePeriod(const std::string& text) {
  const auto period = ParseInteger<int64_t>(text);
  if (!period || *period < 2) {
    throw ConfigError("seasons: '{}' is not a number of rows of at least 2",
                      text);
  }
  return *period;
}

/// Rows [begin, end) of C numbers.
std::span<const float> Rows(std::span<const float> rows, int64_t columns,
                            int64_t begin, int64_t end) {
  return rows.subspan(static_cast<size_t>(begin * columns),
                      static_cast<size_t>((end - begin) * columns));
}

Json ToJson(const ForecastError& error) {
  return {{"mse", error.mse}, {"mae", error.mae}};
}

Json ToJson(const std::vector<ForecastError>& errors) {
  Json json = Json::array();
  for (const ForecastError& error : errors) json.push_back(ToJson(error));
  return json;
}

Json ToJson(const ForecastBaseline& baseline) {
  Json json = {{"name", baseline.name}};
  json.update(ToJson(baseline.errors.Total()));
  json["skill"] = baseline.comparison.skill;
  json["p_value"] = baseline.comparison.p_value;
  json["better"] = baseline.comparison.better;
  return json;
}

std::string TableOf(const ForecastErrors& errors,
                    const std::vector<ForecastBaseline>& baselines) {
  std::string table = fmt::format("{:<22} {:>9} {:>9}\n", "", "MSE", "MAE");
  const auto line = [&table](const std::string& name, const ForecastError& e) {
    table += fmt::format("{:<22} {:>9.4f} {:>9.4f}\n", name, e.mse, e.mae);
  };
  line("model", errors.Total());
  for (const ForecastBaseline& b : baselines) line(b.name, b.errors.Total());
  for (const ForecastBaseline& b : baselines) {
    table += fmt::format("The model is {}.\n", b.comparison.Verdict(b.name));
  }
  return table;
}

Series CurveOf(const ForecastErrors& errors) {
  Series curve;
  for (const ForecastError& error : errors.BySteps()) {
    curve.x.push_back(static_cast<double>(curve.x.size() + 1));
    curve.y.push_back(error.mse);
  }
  return curve;
}

/// Measures the baselines: naive, seasonal naive, and the autoregression of the
/// config. They use all rows before each origin. `errors`: errors of the model
/// at `origins`, which are `stride` rows apart.
/// Throws: ConfigError for a season that is not a number or is too long.
std::vector<ForecastBaseline> MeasureBaselines(const Tensor& values,
                                               RowRange fitted,
                                               std::span<const int64_t> origins,
                                               const WindowShape& window,
                                               const Evaluation& config,
                                               const ForecastErrors& errors) {
  const int64_t columns = values.dim(1);
  const std::vector<float> rows = values.ToVector<float>();
  const ForecastErrors none(window.horizon, columns);
  std::vector<int64_t> periods = {1};
  std::vector<ForecastBaseline> baselines = {{"naive", none, {}}};
  for (const std::string& season : config.seasons) {
    periods.push_back(ParsePeriod(season));
    baselines.push_back({"seasonal naive " + season, none, {}});
  }
  std::optional<Autoregression> autoregression;
  if (config.ar_order > 0) {
    autoregression.emplace(Rows(rows, columns, fitted.begin, fitted.end),
                           columns, config.ar_order);
    baselines.push_back({fmt::format("AR({})", config.ar_order), none, {}});
  }

  for (const int64_t origin : origins) {
    const auto past = Rows(rows, columns, 0, origin);
    const auto actual = Rows(rows, columns, origin, origin + window.horizon);
    for (size_t i = 0; i < periods.size(); ++i) {
      baselines[i].errors.Add(
          NaiveForecast(past, columns, periods[i], window.horizon), actual);
    }
    if (autoregression) {
      baselines.back().errors.Add(
          autoregression->Forecast(past, window.horizon), actual);
    }
  }
  const int64_t overlap = (window.horizon + config.stride - 1) / config.stride;
  for (ForecastBaseline& baseline : baselines) {
    baseline.comparison = CompareForecasts(
        errors.window_losses(), baseline.errors.window_losses(), overlap);
  }
  return baselines;
}

/// Makes the report; the first of `baselines` is the naive forecast.
Report ForecastReport(const ForecastErrors& errors,
                      const std::vector<ForecastBaseline>& baselines,
                      const std::vector<std::string>& columns) {
  const ForecastError total = errors.Total();
  const ForecastError own = errors.TotalInOwnUnits();
  const ForecastError naive = baselines[0].errors.Total();
  const ForecastComparison& comparison = baselines[0].comparison;
  const std::vector<ForecastError> by_step = errors.BySteps();

  Report report;
  report.heading =
      fmt::format("{} of {}", Counted(errors.windows(), "forecast"),
                  Counted(std::ssize(by_step), "row"));
  report.figures = {
      {"mse", "MSE", total.mse, 4, "", "of standardised columns"},
      {"mae", "MAE", total.mae, 4, "", "of standardised columns"},
      {"own_mse", "MSE, own units", own.mse, 4, "", "mean of the columns"},
      {"own_mae", "MAE, own units", own.mae, 4, "", "mean of the columns"},
      {"naive_mse", "naive MSE", naive.mse, 4, "", "repeats the last row"},
      {"skill", "skill", comparison.skill, 3, "", "1 - MSE / naive MSE"},
      {"p_value", "p", comparison.p_value, 4, "", comparison.Verdict("naive"),
       false, PValueText(comparison.p_value)}};
  report.details = {
      {"windows", errors.windows()},
      {"horizon", by_step.size()},
      {"better_than_naive", comparison.better},
      {"baselines", Json::array()},
      {"columns", columns},
      {"by_column", ToJson(errors.ByColumns())},
      {"by_column_own_units", ToJson(errors.ByColumnsInOwnUnits())},
      {"by_step", ToJson(by_step)}};
  for (const ForecastBaseline& baseline : baselines) {
    report.details["baselines"].push_back(ToJson(baseline));
  }
  report.text = TableOf(errors, baselines);
  report.curve = CurveOf(errors);
  report.axes = {"Error by rows ahead", "rows ahead", "MSE"};
  return report;
}

RowRange PartOf(const SeriesSplit& split, const std::string& part) {
  if (part == "train") return split.train;
  return part == "valid" ? split.valid : split.test;
}

}  // namespace

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("series", series, Any{"FILE"}, "CSV file (default: that of training)");
  format.Visit(v);
  v("split", split, Any{"TRAIN,VALID,TEST"}, "default: that of training");
  v("part", part, OneOf{"train", "valid", "test"}, "part to forecast");
  v("stride", stride, Range(1, 1000000), "rows from one forecast to the next");
  v.Section("Comparison");
  v("seasons", seasons, Any{"ROWS"}, "period of the seasonal naive forecasts");
  v("ar_order", ar_order, Range(0, 1000),
    "order of the autoregression of each column; 0: none");
  v("by_length", by_length, Any{"FILE.svg"},
    "plot MSE by rows ahead; .svg or .png");
}

Report Settings::Evaluate(const Model& forecast,
                          const Evaluation& options) const {
  const std::vector<std::string>& paths =
      options.series.empty() ? data.series : options.series;
  const TimeSeries series = ReadTimeSeries(
      paths, options.series.empty() ? data.format : options.format,
      &forecast.known);
  forecast.CheckColumns(series, paths.front());
  const SeriesSplit split = SplitRows(
      options.split.empty() ? data.split : options.split, series.rows());
  const Tensor values = forecast.standardizer.Apply(series.values);
  const std::vector<int64_t> origins = WindowOrigins(
      PartOf(split, options.part), Windows(), options.stride, true);

  const ForecastErrors errors = forecast.ErrorsOf(values, origins);
  Report report = ForecastReport(errors,
                                 MeasureBaselines(values, split.train, origins,
                                                  Windows(), options, errors),
                                 forecast.columns);
  if (options.by_length.empty()) report.curve.reset();
  return report;
}

}  // namespace heed::forecast
