#include <fmt/format.h>

#include <utility>

#include "heed/base/at.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/tasks/forecast/forecast.h"

namespace heed::forecast {
namespace {

/// Mean error of the forecasts of each window.
class ForecastObjective : public ObjectiveOf<Model> {
 public:
  ForecastObjective(const Settings& settings, TimeSeries series, Model& model)
      : ObjectiveOf(model, settings.Measures(series)),
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
  std::string Checksum() const override {
    const std::string_view bytes(static_cast<const char*>(series_.values.raw()),
                                 static_cast<size_t>(series_.values.bytes()));
    return fmt::format("{:08x}", Crc32(bytes));
  }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(std::ssize(train_), model_.config.data.batch_windows,
                           seed, epoch);
  }
  /// scale · Σ of the mean error of each window, by forecast_loss.
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
    origins.push_back(At(train_, i));
  }
  const WindowShape windows = model_.config.Windows();
  const SeriesBatch batch = MakeSeriesBatch(values_, origins, windows);
  const auto numbers = static_cast<double>(windows.horizon * series_.columns());
  const Var loss = model_.network.Loss(ctx, batch.inputs, batch.targets,
                                       options.scale / numbers);
  return {loss, loss.value().item()};
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(TimeSeries series,
                                                   Model& forecast,
                                                   uint64_t) const {
  return std::make_unique<ForecastObjective>(*this, std::move(series),
                                             forecast);
}
}  // namespace heed::forecast
