

#include "heed/tasks/forecast/forecast.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::forecast {

TaskRow Task() {
  TaskRow row;
  row.name = "forecast";
  row.description = "forecasts of time series, compared with naive ones";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"series", InputKind::Line::kPart, {"text/csv"}};
  row.input_label = "Window";
  row.answer_label = "Forecast";
  row.prompt =
      "Paste a CSV file, its header and at least a window of rows, and press "
      "Enter";
  row.training = {"--series series.csv --horizon 96"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("series", series, Any{"FILE"},
    "CSV file: names of columns, then a row of numbers for each time, "
    "optionally with a column of times (.gz too); several files are "
    "concatenated")
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

void Settings::ChooseModel(const std::string& name) {
  model.Choose(name);
  forecaster = model->forecaster();
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v,
                  "architecture: patches of each column separately (patchtst), "
                  "or all columns row by row (rnn, transformer)");
  forecaster.Visit(v);
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = model->learning_rate();
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 50;
  training.run.epochs = 10;
  if (forecaster.linear_readout == YesNo::kYes) {
    // It learns fast, so averaging reduces the noise of the last batches.
    training.run.ema = 0.99;
    training.run.epochs = 4;
  }
  if (forecaster.forecast_loss == ForecastLoss::kAbsolute) {
    training.run.metric = "mae";
  }
}

void Settings::Resolve() {
  forecaster.Resolve();
  model->Fill(static_cast<int>(forecaster.steps()));
}

std::unique_ptr<Model> Settings::MakeModel(const TimeSeries& series,
                                           uint64_t seed) const {
  return std::make_unique<Model>(
      *this, series.Known(),
      Standardizer(series.values, Split(series.rows()).train), seed);
}
}  // namespace heed::forecast
