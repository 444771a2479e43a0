#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/tasks/forecast/forecast.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::forecast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kScalesFile = "series.json";

Json TimeJson(const KnownSeries& known) {
  return {{"name", known.time_name},
          {"dates", known.dates.word()},
          {"microseconds", known.step.microseconds},
          {"months", known.step.months},
          {"business_days", known.step.business_days},
          {"month_ends", known.step.month_ends}};
}

void TakeTime(const Json& json, KnownSeries& known) {
  json.at("name").get_to(known.time_name);
  const auto dates = json.at("dates").get<std::string>();
  if (dates != known.dates.word()) known.dates = dates;
  json.at("microseconds").get_to(known.step.microseconds);
  json.at("months").get_to(known.step.months);
  json.at("business_days").get_to(known.step.business_days);
  json.at("month_ends").get_to(known.step.month_ends);
  if (known.step.microseconds < 0 || known.step.months < 0) {
    throw ShapeError("a step back in time");
  }
}

/// Batch size of windows without gradients.
constexpr size_t kWindowsAtOnce = 128;

std::span<const float> Elements(const Tensor& x) {
  return {x.data<float>(), static_cast<size_t>(x.numel())};
}

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const std::string path = PathIn(folder, kScalesFile);
  const Json json = ParseJson(FindFile(files, folder, kScalesFile), path);
  try {
    KnownSeries known;
    known.names = json.at("columns").get<std::vector<std::string>>();
    if (json.contains("time")) TakeTime(json["time"], known);
    Standardizer standardizer(json.at("means").get<std::vector<double>>(),
                              json.at("deviations").get<std::vector<double>>());
    if (known.names.size() != standardizer.means().size() ||
        known.names.empty()) {
      throw ShapeError("not one mean for each column");
    }
    return std::make_unique<Model>(*this, std::move(known),
                                   std::move(standardizer), seed);
  } catch (const std::exception& error) {
    throw FormatError("{}: {}", path, error.what());
  }
}

Model::Model(Config settings, KnownSeries known_series, Standardizer scales,
             uint64_t seed)
    : config(std::move(settings)),
      known(std::move(known_series)),
      columns(known.names),
      standardizer(std::move(scales)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(Scope(parameters_, ""), config.forecaster, std::ssize(columns),
              config.model->Make(Scope(parameters_, "encoder"),
                                 Forecaster::EncoderInputs(
                                     config.forecaster, std::ssize(columns)))) {
}

ModelFiles Model::Files() const {
  Json json = {{"columns", columns},
               {"means", standardizer.means()},
               {"deviations", standardizer.deviations()}};
  if (!known.time_name.empty()) json["time"] = TimeJson(known);
  return {{kScalesFile, json.dump(1) + "\n"}};
}

void Model::CheckColumns(const TimeSeries& series,
                         const std::string& name) const {
  if (series.names == columns) return;
  throw FormatError("{} has the columns {}, but the model forecasts {}", name,
                    fmt::join(series.names, ", "), fmt::join(columns, ", "));
}

Tensor Model::LastWindow(const TimeSeries& series,
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

Tensor Model::Forecast(const Context& ctx, const Tensor& windows) const {
  return network(ctx, windows).value().Contiguous();
}

ForecastErrors Model::ErrorsOf(const Tensor& values,
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

}  // namespace heed::forecast
