#include "heed/tasks/forecast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kScalesFile = "series.json";

/// Windows that are forecast at once where nothing is learned.
constexpr size_t kWindowsAtOnce = 128;

/// A field of a line of CSV, quoted where it must be.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\" \t") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::span<const float> Elements(const Tensor& x) {
  return {x.data<float>(), static_cast<size_t>(x.numel())};
}

RowRange PartOf(const SeriesSplit& split, const std::string& part) {
  if (part == "train") return split.train;
  return part == "valid" ? split.valid : split.test;
}

}  // namespace

void ForecastDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("series", series, Any{"FILE"},
    "CSV file: names of columns, then a row of numbers for each point of time, "
    "which may stand in the first column (.gz too); rows of several files "
    "follow one another")
      .Main();
  v.Require({{"series"}});
  v("split", split, Any{"TRAIN,VALID,TEST"},
    "rows, or shares of them, for training, validation and test; ett: "
    "8640,2880,2880")
      .Main();
  v("batch_windows", batch_windows, Range(1, 1000000), "windows per batch")
      .Alias("batch_size")
      .Alias("bs");
}

void ForecastTask::ChooseModel(const std::string& name) {
  model.Choose(name);
  forecaster = model->forecaster();
}

void ForecastTask::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(
      v, "patches of each column by itself, or all columns row by row");
  forecaster.Visit(v);
  model->Visit(v);
}

void ForecastTask::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = model->learning_rate();
  training.optimizer.schedule = "cosine";
  training.optimizer.warmup = 50;
  training.run.epochs = 10;
}

void ForecastTask::Resolve() {
  forecaster.Resolve();
  model->Fill(static_cast<int>(forecaster.steps()));
}

void ForecastTask::ReadExamples() { SetSeries(ReadTimeSeries(data.series)); }

void ForecastTask::SetSeries(TimeSeries series) {
  split_ = SplitRows(data.split, series.rows());
  series_ = std::move(series);
}

void ForecastTask::LearnVocabularies() {
  names_ = series_.names;
  standardizer_.emplace(series_.values, split_.train);
}

ModelFiles ForecastTask::Files() const {
  const Json json = {{"columns", names_},
                     {"means", standardizer_->means()},
                     {"deviations", standardizer_->deviations()}};
  return {{kScalesFile, json.dump(1) + "\n"}};
}

void ForecastTask::SetFiles(const ModelFiles& files,
                            const std::string& folder) {
  const std::string path = PathIn(folder, kScalesFile);
  const Json json = ParseJson(FindFile(files, folder, kScalesFile), path);
  try {
    names_ = json.at("columns").get<std::vector<std::string>>();
    standardizer_.emplace(json.at("means").get<std::vector<double>>(),
                          json.at("deviations").get<std::vector<double>>());
    if (names_.size() != standardizer_->means().size() || names_.empty()) {
      throw ShapeError("not one mean for each column");
    }
  } catch (const std::exception& error) {
    throw FormatError(fmt::format("{}: {}", path, error.what()));
  }
}

void ForecastTask::MakeModel(uint64_t seed) {
  const auto columns = std::ssize(names_);
  parameters_ =
      std::make_unique<ParameterSet>(seed, DType::kF32, model->precision());
  model_ = std::make_unique<Forecaster>(
      Scope(*parameters_, ""), forecaster, columns,
      model->Make(Scope(*parameters_, "encoder"),
                  Forecaster::EncoderInputs(forecaster, columns)));
}

void ForecastTask::EncodeExamples() {
  CheckColumns(series_,
               data.series.empty() ? "the series" : data.series.front());
  values_ = standardizer_->Apply(series_.values);
  train_ = WindowOrigins(split_.train, Windows(), 1, false);
  valid_ = WindowOrigins(split_.valid, Windows(), 1, true);
}

void ForecastTask::CheckColumns(const TimeSeries& series,
                                const std::string& name) const {
  if (series.names == names_) return;
  throw FormatError(
      fmt::format("{} has the columns {}, but the model forecasts {}", name,
                  fmt::join(series.names, ", "), fmt::join(names_, ", ")));
}

std::string ForecastTask::Summary() const {
  return fmt::format(
      "{} rows of {} columns; windows of {} rows that forecast {}: {} for "
      "training, {} for validation",
      series_.rows(), series_.columns(), forecaster.lookback,
      forecaster.horizon, train_.size(), valid_.size());
}

std::string ForecastTask::CheckSum() const {
  const std::string_view bytes(static_cast<const char*>(series_.values.raw()),
                               static_cast<size_t>(series_.values.bytes()));
  return fmt::format("{:08x}", Crc32(bytes));
}

std::vector<std::vector<int64_t>> ForecastTask::PlanEpoch(uint64_t seed,
                                                          int epoch) const {
  return ShuffledBatches(std::ssize(train_), data.batch_windows, seed, epoch);
}

BatchLoss ForecastTask::Loss(const Context& ctx,
                             std::span<const int64_t> examples,
                             const LossOptions& options) const {
  std::vector<int64_t> origins;
  for (const int64_t i : examples) {
    origins.push_back(train_[static_cast<size_t>(i)]);
  }
  const SeriesBatch batch = MakeSeriesBatch(values_, origins, Windows());
  const auto numbers =
      static_cast<double>(forecaster.horizon * std::ssize(names_));
  const Var loss =
      model_->Loss(ctx, batch.inputs, batch.targets, options.scale / numbers);
  return {loss, loss.value().item()};
}

Tensor ForecastTask::Forecast(const Context& ctx, const Tensor& windows) const {
  return (*model_)(ctx, windows).value().Contiguous();
}

ForecastErrors ForecastTask::ErrorsOf(const Tensor& values,
                                      std::span<const int64_t> origins) const {
  ForecastErrors errors(forecaster.horizon, std::ssize(names_),
                        standardizer_->deviations());
  while (!origins.empty()) {
    const auto some = origins.first(std::min(kWindowsAtOnce, origins.size()));
    origins = origins.subspan(some.size());
    const SeriesBatch batch = MakeSeriesBatch(values, some, Windows());
    errors.Add(Elements(Forecast({}, batch.inputs)), Elements(batch.targets));
  }
  return errors;
}

Metrics ForecastTask::Validate(const std::string& /*measure*/) const {
  const ForecastError error = ErrorsOf(values_, valid_).Total();
  return {{"mse", error.mse}, {"mae", error.mae}};
}

/// What is read of a series of the columns of training, standardised: [1, L,
/// C]. Throws: FormatError that calls it `name`.
Tensor ForecastTask::LastWindow(const TimeSeries& series,
                                const std::string& name) const {
  CheckColumns(series, name);
  const int64_t rows = series.rows();
  if (rows < forecaster.lookback) {
    throw FormatError(fmt::format("{} has {} rows, but the model looks back {}",
                                  name, rows, forecaster.lookback));
  }
  return standardizer_
      ->Apply(series.values.Slice(rows - forecaster.lookback, rows))
      .To(DType::kF32)
      .Reshape({1, forecaster.lookback, series.columns()});
}

InputReading ForecastTask::reading() const {
  InputReading reading;
  reading.defaults.long_lines = LongLines::kWhole;
  reading.whole = true;
  return reading;
}

ModelAnswer ForecastTask::ForecastOf(const Context& ctx,
                                     const std::string& text) const {
  const std::string input = "standard input";
  std::vector<std::string> lines;
  for (const std::string_view line : SplitAt(text, "\n")) {
    lines.emplace_back(line);
  }
  if (text.empty()) lines.clear();
  const TimeSeries series = ParseTimeSeries(std::move(lines), input);
  const Tensor window = LastWindow(series, input);
  const Tensor future = standardizer_->Invert(Forecast(ctx, window));
  ModelAnswer answer = {"step",
                        {{"columns", {"step"}}, {"rows", Json::array()}}};
  for (const std::string& column : names_) {
    answer.line += ',' + CsvField(column);
    answer.parts["columns"].push_back(column);
  }
  for (int64_t step = 0; step < forecaster.horizon; ++step) {
    const float* row = future.row<float>(step);
    answer.line += fmt::format("\n{},{:.6g}", step + 1,
                               fmt::join(row, row + series.columns(), ","));
    Json numbers = {step + 1};
    for (int64_t c = 0; c < series.columns(); ++c) numbers.push_back(row[c]);
    answer.parts["rows"].push_back(std::move(numbers));
  }
  return answer;
}

Predictor ForecastTask::MakePredictor(const Context& ctx, bool /*with_parts*/,
                                      const InputOptions& /*options*/) const {
  return [this, ctx](std::span<const std::string> tables, int64_t /*first*/) {
    std::vector<ModelAnswer> answers;
    for (const std::string& text : tables)
      answers.push_back(ForecastOf(ctx, text));
    return answers;
  };
}

Report ForecastTask::Evaluate() const {
  const std::vector<std::string>& paths =
      evaluation.series.empty() ? data.series : evaluation.series;
  const TimeSeries series = ReadTimeSeries(paths);
  CheckColumns(series, paths.front());
  const SeriesSplit split = SplitRows(
      evaluation.split.empty() ? data.split : evaluation.split, series.rows());
  const Tensor values = standardizer_->Apply(series.values);
  const std::vector<int64_t> origins = WindowOrigins(
      PartOf(split, evaluation.part), Windows(), evaluation.stride, true);

  const ForecastErrors errors = ErrorsOf(values, origins);
  Report report =
      ForecastReport(errors,
                     MeasureBaselines(values, split.train, origins, Windows(),
                                      evaluation, errors),
                     names_);
  if (evaluation.by_length.empty()) report.curve.reset();
  return report;
}

}  // namespace heed
