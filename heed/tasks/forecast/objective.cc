#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/tasks/forecast/forecast.h"

namespace heed {
namespace {

/// Windows that are forecast at once where nothing is learned.
constexpr size_t kWindowsAtOnce = 128;

std::span<const float> Elements(const Tensor& x) {
  return {x.data<float>(), static_cast<size_t>(x.numel())};
}

/// The error of forecasts, in the mean of each window.
class ForecastObjective : public ObjectiveOf<ForecastModel> {
 public:
  ForecastObjective(const ForecastTaskSettings& settings, TimeSeries series,
                    ForecastModel& model)
      : ObjectiveOf(model, settings.MeasuresOf(series)),
        series_(std::move(series)) {
    const auto& files = settings.data.series;
    model.CheckColumns(series_, files.empty() ? "the series" : files.front());
    const SeriesSplit split = settings.Split(series_.rows());
    values_ = model.standardizer.Apply(series_.values);
    train_ = WindowOrigins(split.train, settings.Windows(), 1, false);
    valid_ = WindowOrigins(split.valid, settings.Windows(), 1, true);
  }

  std::string unit() const override { return "win"; }
  std::string Summary() const override {
    const ForecasterConfig& windows = model_.config.forecaster;
    return fmt::format(
        "{} rows of {} columns; windows of {} rows that forecast {}: {} for "
        "training, {} for validation",
        series_.rows(), series_.columns(), windows.lookback, windows.horizon,
        train_.size(), valid_.size());
  }
  std::string CheckSum() const override {
    const std::string_view bytes(static_cast<const char*>(series_.values.raw()),
                                 static_cast<size_t>(series_.values.bytes()));
    return fmt::format("{:08x}", Crc32(bytes));
  }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(std::ssize(train_), model_.config.data.batch_windows,
                           seed, epoch);
  }
  /// scale · Σ of the mean error of each window, as forecast_loss takes it.
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override {
    switch (model_.config.forecaster.forecast_loss) {
      case ForecastLoss::kAbsolute:
        return "mae";
      case ForecastLoss::kHuber:
        return "huber";
      case ForecastLoss::kSquared:
        break;
    }
    return "mse";
  }
  bool has_valid() const override { return true; }
  Metrics Validate(const std::string& /*measure*/) const override {
    const ForecastError error = model_.ErrorsOf(values_, valid_).Total();
    return {{"mse", error.mse}, {"mae", error.mae}};
  }

 private:
  TimeSeries series_;
  Tensor values_;  // standardised
  std::vector<int64_t> train_;
  std::vector<int64_t> valid_;
};

BatchLoss ForecastObjective::Loss(const Context& ctx,
                                  std::span<const int64_t> examples,
                                  const LossOptions& options) const {
  std::vector<int64_t> origins;
  for (const int64_t i : examples) {
    origins.push_back(train_[static_cast<size_t>(i)]);
  }
  const WindowShape windows = model_.config.Windows();
  const SeriesBatch batch = MakeSeriesBatch(values_, origins, windows);
  const auto numbers = static_cast<double>(windows.horizon * series_.columns());
  const Var loss = model_.network.Loss(ctx, batch.inputs, batch.targets,
                                       options.scale / numbers);
  return {loss, loss.value().item()};
}

}  // namespace

std::unique_ptr<Trainable> ForecastTaskSettings::Objective(
    TimeSeries series, ForecastModel& forecast, uint64_t) const {
  return std::make_unique<ForecastObjective>(*this, std::move(series),
                                             forecast);
}

void ForecastModel::CheckColumns(const TimeSeries& series,
                                 const std::string& name) const {
  if (series.names == columns) return;
  throw FormatError("{} has the columns {}, but the model forecasts {}", name,
                    fmt::join(series.names, ", "), fmt::join(columns, ", "));
}

Tensor ForecastModel::LastWindow(const TimeSeries& series,
                                 const std::string& name) const {
  CheckColumns(series, name);
  const int64_t rows = series.rows();
  const int64_t lookback = config.forecaster.lookback;
  if (rows < lookback) {
    throw FormatError("{} has {} rows, but the model looks back {}", name, rows,
                      lookback);
  }
  return standardizer.Apply(series.values.Slice(rows - lookback, rows))
      .To(DType::kF32)
      .Reshape({1, lookback, series.columns()});
}

Tensor ForecastModel::Forecast(const Context& ctx,
                               const Tensor& windows) const {
  return network(ctx, windows).value().Contiguous();
}

ForecastErrors ForecastModel::ErrorsOf(const Tensor& values,
                                       std::span<const int64_t> origins) const {
  ForecastErrors errors(config.forecaster.horizon, std::ssize(columns),
                        standardizer.deviations());
  while (!origins.empty()) {
    const auto some = origins.first(std::min(kWindowsAtOnce, origins.size()));
    origins = origins.subspan(some.size());
    const SeriesBatch batch = MakeSeriesBatch(values, some, config.Windows());
    errors.Add(Elements(Forecast({}, batch.inputs)), Elements(batch.targets));
  }
  return errors;
}

}  // namespace heed
