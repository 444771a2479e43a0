// Forecasting: the next rows of several columns of numbers.
#ifndef HEED_TASKS_FORECAST_FORECAST_H_
#define HEED_TASKS_FORECAST_FORECAST_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/series.h"
#include "heed/data/series_file.h"
#include "heed/metrics/forecast.h"
#include "heed/models/forecaster.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"

namespace heed::forecast {

/// Files of series, their splits and batches.
struct DataConfig {
  std::vector<std::string> series;
  SeriesFormat format;
  std::string split = "0.7,0.1,0.2";
  int batch_windows = 128;

  void Visit(FieldList& v);
};

/// The resolved settings of a forecaster.
struct Config {
  ModelChoice<ForecastSettings> model;
  ForecasterConfig forecaster = model->forecaster();
  DataConfig data;

  WindowShape Windows() const {
    return {forecaster.lookback, forecaster.horizon};
  }
  /// Splits rows into training, validation and test parts. Throws: ConfigError.
  SeriesSplit Split(int64_t rows) const { return SplitRows(data.split, rows); }
};

/// A forecaster. It reads patches of each column separately, or all columns row
/// by row (causal). Columns are standardised by the training rows alone, and a
/// forecast uses only the rows before its origin.
class Model : public TaskModel {
 public:
  /// `known`: the columns of training and the format of their times.
  Model(Config settings, KnownSeries known, Standardizer scales, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"columns", std::ssize(columns)}};
  }

  /// Throws: FormatError that names the series `name` if its columns differ.
  void CheckColumns(const TimeSeries& series, const std::string& name) const;
  /// The last window of a series, standardised: [1, L, C]. Throws: FormatError
  /// that names the series `name` if columns differ or rows are too few.
  Tensor LastWindow(const TimeSeries& series, const std::string& name) const;
  /// Forecasts the rows after windows. Shapes: windows f32 [B, L, C],
  /// standardised; result [B, H, C].
  Tensor Forecast(const Context& ctx, const Tensor& windows) const;
  /// Errors of the forecasts from these origins of standardised values.
  ForecastErrors ErrorsOf(const Tensor& values,
                          std::span<const int64_t> origins) const;

  const Config config;
  const KnownSeries known;
  const std::vector<std::string>& columns;
  const Standardizer standardizer;

 private:
  ParameterSet parameters_;

 public:
  const Forecaster network;
};

/// Part of a series to forecast, and baselines for comparison.
struct Evaluation {
  std::vector<std::string> series;
  SeriesFormat format;
  std::string split;
  std::string part = "test";
  int stride = 1;
  std::vector<std::string> seasons = {"24"};
  int ar_order = 24;
  std::string by_length;

  void Visit(FieldList& v);
};

class Settings
    : public TaskSettingsOf<TimeSeries, Model, SeriesFormat, Evaluation>,
      public Config {
 public:
  std::string task() const override { return "forecast"; }
  void ChooseModel(const std::string& name) override;
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    VisitWithoutSmoothing(v, training);
  }
  void Resolve() override;
  bool in_files() const override { return !data.series.empty(); }

  TimeSeries Read() const override {
    return ReadTimeSeries(data.series, data.format);
  }
  std::unique_ptr<Model> MakeModel(const TimeSeries& series,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(
      const TimeSeries& /*series*/) const override {
    return {{"mse", false}, {"mae", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(TimeSeries series, Model& forecast,
                                           uint64_t seed) const override;
  InputReading Reading(const SeriesFormat&) const override {
    InputReading reading;
    reading.defaults.long_lines = LongLines::kStructured;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& forecast,
                                           SeriesFormat format) const override;
  /// Walk-forward evaluation of a part: a forecast from every `stride`-th row,
  /// compared with naive baselines.
  Report Evaluate(const Model& forecast,
                  const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::forecast

#endif  // HEED_TASKS_FORECAST_FORECAST_H_
