
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/tasks/forecast/forecast.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {
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

}  // namespace

TaskRow ForecastTask() {
  TaskRow row;
  row.name = "forecast";
  row.description = "forecasts of time series, compared with naive ones";
  row.settings = [] { return std::make_unique<ForecastTaskSettings>(); };
  row.input = {"series", InputKind::Line::kPart, {"text/csv"}};
  row.input_label = "Window";
  row.answer_label = "Forecast";
  row.prompt =
      "Paste a CSV file, its header and at least a window of rows, and press "
      "Enter";
  row.training = {"--series series.csv --horizon 96"};
  return row;
}

void ForecastDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("series", series, Any{"FILE"},
    "CSV file: names of columns, then a row of numbers for each point of time, "
    "which may stand in a column of its own (.gz too); rows of several files "
    "follow one another")
      .Main();
  v.Require({{"series"}});
  format.Visit(v);
  v("split", split, Any{"TRAIN,VALID,TEST"},
    "rows, or shares of them, for training, validation and test; ett: "
    "8640,2880,2880")
      .Main();
  v("batch_windows", batch_windows, Range(1, 1000000), "windows per batch")
      .Alias("batch_size")
      .Alias("bs");
}

void ForecastTaskSettings::ChooseModel(const std::string& name) {
  model.Choose(name);
  forecaster = model->forecaster();
}

void ForecastTaskSettings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(
      v, "patches of each column by itself, or all columns row by row");
  forecaster.Visit(v);
  model->Visit(v);
}

void ForecastTaskSettings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = model->learning_rate();
  training.optimizer.schedule = "cosine";
  training.optimizer.warmup = 50;
  training.run.epochs = 10;
  if (forecaster.linear_readout == YesNo::kYes) {
    // It learns fast, so its last weights depend on the last batches.
    training.run.ema = 0.99;
    training.run.epochs = 4;
  }
  if (forecaster.forecast_loss == ForecastLoss::kAbsolute) {
    training.run.metric = "mae";
  }
}

void ForecastTaskSettings::Resolve() {
  forecaster.Resolve();
  model->Fill(static_cast<int>(forecaster.steps()));
}

std::unique_ptr<ForecastModel> ForecastTaskSettings::Learn(
    const TimeSeries& series, uint64_t seed) const {
  return std::make_unique<ForecastModel>(
      *this, series.Known(),
      Standardizer(series.values, Split(series.rows()).train), seed);
}

std::unique_ptr<ForecastModel> ForecastTaskSettings::Open(
    const ModelFiles& files, const std::string& folder, uint64_t seed) const {
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
    return std::make_unique<ForecastModel>(*this, std::move(known),
                                           std::move(standardizer), seed);
  } catch (const std::exception& error) {
    throw FormatError("{}: {}", path, error.what());
  }
}

ForecastModel::ForecastModel(ForecastConfig settings, KnownSeries known_series,
                             Standardizer scales, uint64_t seed)
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

ModelFiles ForecastModel::Files() const {
  Json json = {{"columns", columns},
               {"means", standardizer.means()},
               {"deviations", standardizer.deviations()}};
  if (!known.time_name.empty()) json["time"] = TimeJson(known);
  return {{kScalesFile, json.dump(1) + "\n"}};
}

}  // namespace heed
