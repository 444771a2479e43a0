// Forecasting: the next rows of several columns of numbers.
#ifndef HEED_TASKS_FORECAST_H_
#define HEED_TASKS_FORECAST_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/series.h"
#include "heed/metrics/forecast.h"
#include "heed/models/forecaster.h"
#include "heed/models/registry.h"
#include "heed/tasks/forecast_report.h"
#include "heed/tasks/task.h"

namespace heed {

/// Where rows come from and how they become batches.
struct ForecastDataConfig {
  std::vector<std::string> series;
  std::string split = "0.7,0.1,0.2";
  int batch_windows = 128;

  void Visit(FieldList& v);
};

/// Models read patches of each column by itself, or all columns row by row,
/// causally. Columns are standardised with the training rows alone, and a
/// forecast sees nothing but the rows before its origin.
class ForecastTask : public Task {
 public:
  ModelChoice<ForecastSettings> model;
  ForecasterConfig forecaster = model->forecaster();
  ForecastDataConfig data;
  ForecastEvaluationConfig evaluation;

  std::string name() const override { return "forecast"; }
  void ChooseModel(const std::string& name) override;
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  void ReadExamples() override;
  /// A series that is in memory, instead of ReadExamples.
  void SetSeries(TimeSeries series);
  bool in_files() const override { return !data.series.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"columns", std::ssize(names_)}};
  }
  void MakeModel(uint64_t seed) override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return *parameters_; }
  std::string unit() const override { return "win"; }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override {
    return std::ssize(examples);
  }
  /// scale · Σ of the mean squared error of each window.
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override {
    return {{"mse", false}, {"mae", false}};
  }
  std::string loss_measure() const override { return "mse"; }
  bool has_valid() const override { return true; }
  Metrics Validate(const std::string& measure) const override;

  /// Reads a CSV file with the columns of training, writes the rows that follow
  /// as CSV, in the units of the columns.
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override { evaluation.Visit(v); }
  /// Walks forward over a part, a forecast from every `stride`-th row on, and
  /// compares it with naive ones.
  Report Evaluate() const override;

  /// Shapes: windows f32 [B, L, C], standardised; result [B, H, C].
  Tensor Forecast(const Context& ctx, const Tensor& windows) const;

 private:
  WindowShape Windows() const {
    return {forecaster.lookback, forecaster.horizon};
  }
  void CheckColumns(const TimeSeries& series, const std::string& name) const;
  ModelAnswer ForecastOf(const Context& ctx, const std::string& text) const;
  Tensor LastWindow(const TimeSeries& series, const std::string& name) const;
  int64_t ColumnOf(const std::string& name) const;
  ForecastErrors ErrorsOf(const Tensor& values,
                          std::span<const int64_t> origins) const;

  TimeSeries series_;
  SeriesSplit split_;
  std::vector<std::string> names_;
  std::optional<Standardizer> standardizer_;
  std::unique_ptr<ParameterSet> parameters_;
  std::unique_ptr<Forecaster> model_;

  Tensor values_;  // standardised
  std::vector<int64_t> train_;
  std::vector<int64_t> valid_;
};

}  // namespace heed

#endif  // HEED_TASKS_FORECAST_H_
