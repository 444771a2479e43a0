#include "heed/tasks/forecast/forecast.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"
#include "heed/train/model_folder.h"

namespace heed::forecast {
namespace {

constexpr int kRows = 700;

/// A CSV file with times and two columns of value(column, row).
template <typename Value>
std::string Csv(int rows, Value&& value) {
  std::string csv = "date,\"a, b\",c\n";
  for (int i = 0; i < rows; ++i) {
    csv += "day " + std::to_string(i);
    for (int c = 0; c < 2; ++c) csv += "," + std::to_string(value(c, i));
    csv += "\n";
  }
  return csv;
}

double Wave(int column, int row) {
  const double period = column == 0 ? 10 : 16;
  return 100 * (column + 1) +
         20 * std::sin(2 * std::numbers::pi * row / period);
}

std::string RandomWalk(uint64_t seed) {
  Rng rng(seed);
  double level[2] = {50, 50};
  return Csv(kRows,
             [&](int column, int) { return level[column] += rng.Normal(); });
}

class Forecasting : public testing::Test {
 protected:
  void SetUp() override {
    task_.ChooseModel("patchtst");
    task_.forecaster.lookback = 32;
    task_.forecaster.horizon = 8;
    task_.forecaster.patch = 8;
    task_.forecaster.patch_stride = 4;
    task_.model.As<TransformerConfig>().layers = 1;
    task_.model.As<TransformerConfig>().ff = 32;
    task_.model.As<TransformerConfig>().dropout = 0.1;
    task_.data.batch_windows = 32;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.005;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 8;
    training_.run.quiet = true;
    training_.run.overwrite = true;
  }

  Report Evaluate() {
    const LoadedModel loaded = ReadModel(training_.run.out);
    const auto options =
        WithValues(loaded.settings->EvaluateOptions(), {{"ar_order", "4"}});
    FieldList fields;
    options->Visit(fields);
    FindField(fields.fields(), "seasons")->SetText({"10", "80"}, "seasons");
    return loaded.settings->Evaluate(*loaded.model, *options);
  }

  TemporaryFolder folder_;
  Settings task_;
  TrainingConfig training_;
};

TEST_F(Forecasting, TrainsPredictsAndEvaluates) {
  task_.data.series = {folder_.Put("waves.csv", Csv(kRows, Wave))};
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "mse");

  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(loaded.settings->task(), "forecast");
  const Report report = Evaluate();
  EXPECT_EQ(report.details["windows"], 140 - 8 + 1);
  EXPECT_EQ(report.figures[0].key, "mse");
  EXPECT_LT(report.figures[0].value, 0.2);
  EXPECT_EQ(report.details["better_than_naive"], true);
  // The season of 80 rows is a period of both columns.
  EXPECT_EQ(report.details["baselines"][2]["name"], "seasonal naive 80");
  EXPECT_LT(report.details["baselines"][2]["mse"], 1e-6);
  EXPECT_EQ(report.details["baselines"][2]["better"], false);
  EXPECT_EQ(report.details["by_step"].size(), 8u);
  EXPECT_NE(report.text.find("The model is better than naive"),
            std::string::npos);

  const TimeSeries future =
      ParseTimeSeries(PredictLines(loaded, Csv(100, Wave)), "forecast");
  ASSERT_EQ(future.rows(), 8);
  EXPECT_EQ(future.axis.name, "step");
  EXPECT_EQ(future.names, (std::vector<std::string>{"a, b", "c"}));
  for (int step = 0; step < 8; ++step) {
    EXPECT_NEAR(future.values.row<double>(step)[0], Wave(0, 100 + step), 12);
    EXPECT_NEAR(future.values.row<double>(step)[1], Wave(1, 100 + step), 12);
  }
}

TEST_F(Forecasting, AnExplanationShowsTheTimesOfTheForecast) {
  const auto hourly = [](int rows) {
    std::string csv = "time,load\n";
    for (int i = 0; i < rows; ++i) {
      csv += fmt::format("2026-01-{:02} {:02}:00,{}\n", 1 + i / 24, i % 24,
                         Wave(0, i));
    }
    return csv;
  };
  task_.data.series = {folder_.Put("load.csv", hourly(300))};
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  ExplainRequest request;
  request.input.given.content = hourly(72);
  const Explanation e = Explain(loaded, *loaded.MakePredictor(), request);
  const std::vector<std::string>& shown = e.segments[0].axis("target").shown();
  ASSERT_EQ(shown.size(), 8u);
  EXPECT_EQ(shown.front(), "2026-01-04 00:00");
  EXPECT_EQ(shown.back(), "2026-01-04 07:00");
  EXPECT_EQ(e.segments[0].axis("window").shown().back(), "2026-01-03 23:00");
}

TEST_F(Forecasting, AnswersNamedBytesInNumbers) {
  task_.data.series = {folder_.Put("waves.csv", Csv(300, Wave))};
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_TRUE(loaded.task().input.Reads("text/csv; charset=utf-8"));
  const std::vector<Input> inputs = {
      {NamedBytes{"a.csv", "text/csv", Csv(100, Wave)}, "a.csv"}};
  const auto predictor = loaded.MakePredictor();
  const Answer answer = predictor->Predict(inputs).front();
  EXPECT_EQ(answer.parts["columns"],
            (std::vector<std::string>{"step", "a, b", "c"}));
  ASSERT_EQ(answer.parts["rows"].size(), 8u);
  EXPECT_EQ(answer.parts["rows"][7][0], 8);
  EXPECT_NEAR(answer.parts["rows"][7][2].get<double>(), Wave(1, 107), 60);

  const std::vector<Input> two = {
      {NamedBytes{"b.csv", "text/csv", Csv(31, Wave)}, "b.csv"}, inputs[0]};
  const auto each =
      predictor->PredictEach(two, predictor->options(), PredictCall());
  EXPECT_EQ(each[0].error, "b.csv has 31 rows, but the model looks back 32");
  EXPECT_EQ(each[1].line, answer.line);
}

TEST_F(Forecasting, EveryModelLearns) {
  task_.data.series = {folder_.Put("waves.csv", Csv(300, Wave))};
  for (const char* name : {"rnn", "transformer", "patchtst-linear"}) {
    task_.ChooseModel(name);
    task_.forecaster.lookback = 20;
    task_.forecaster.patch = std::min(task_.forecaster.patch, 8);
    task_.forecaster.horizon = 4;
    SetPresetIfKnown(FieldsOf(*task_.model), "units=8");
    SetPresetIfKnown(FieldsOf(*task_.model), "width=16");
    training_.run.epochs = 1;
    Train(task_, training_);
    EXPECT_EQ(Evaluate().details["horizon"], 4) << name;
  }
}

TEST_F(Forecasting, TheUsualModelForecastsWithALinearMap) {
  Settings usual;
  TrainingConfig training;
  usual.SetDefaults(training);
  EXPECT_EQ(usual.forecaster.linear_readout, "yes");
  EXPECT_EQ(usual.forecaster.forecast_loss, "absolute");
  EXPECT_EQ(training.run.ema, 0.99);
  EXPECT_EQ(training.run.metric, "mae");

  task_.data.series = {folder_.Put("waves.csv", Csv(kRows, Wave))};
  task_.ChooseModel("patchtst-linear");
  task_.forecaster.lookback = 32;
  task_.forecaster.patch = task_.forecaster.patch_stride = 8;
  task_.forecaster.horizon = 8;
  for (const char* loss : {"squared", "absolute", "huber"}) {
    task_.forecaster.forecast_loss = loss;
    Train(task_, training_);
    const Report report = Evaluate();
    EXPECT_LT(report.figures[0].value, 0.1) << loss;
    EXPECT_EQ(report.details["better_than_naive"], true) << loss;
  }
}

TEST_F(Forecasting, FoldersFromBeforeTheLinearMapStayWhatTheyAre) {
  task_.data.series = {folder_.Put("waves.csv", Csv(300, Wave))};
  training_.run.epochs = 1;
  Train(task_, training_);
  const std::string before =
      PredictLines(ReadModel(training_.run.out), Csv(100, Wave));
  ModelDescription old = ReadModelConfig(training_.run.out);
  for (const char* key : {"linear_readout", "forecast_loss", "huber_delta"}) {
    EXPECT_EQ(old.settings.erase(key), 1u) << key;
  }
  WriteModelConfig(training_.run.out, old);
  EXPECT_EQ(PredictLines(ReadModel(training_.run.out), Csv(100, Wave)), before);
}

TEST_F(Forecasting, ARandomWalkIsNotReportedAsBeaten) {
  for (const uint64_t seed : {1, 2, 3}) {
    task_.data.series = {folder_.Put("walk.csv", RandomWalk(seed))};
    training_.run.epochs = 4;
    Train(task_, training_);
    const Report report = Evaluate();
    EXPECT_EQ(report.details["better_than_naive"], false) << report.text;
    EXPECT_NE(report.text.find("The model is not better than naive"),
              std::string::npos);
  }
}

TEST_F(Forecasting, NothingIsLearnedFromTheTestPart) {
  training_.run.epochs = 1;
  std::vector<std::string> scales, weights;
  for (const double changed : {0.0, 1000.0}) {
    const auto value = [changed](int column, int row) {
      return Wave(column, row) + (row >= 320 ? changed : 0);
    };
    task_.data.series = {folder_.Put("waves.csv", Csv(400, value))};
    Train(task_, training_);
    scales.push_back(ReadFile(training_.run.out + "/series.json"));
    weights.push_back(ReadFile(training_.run.out + "/model.safetensors"));
  }
  EXPECT_EQ(scales[0], scales[1]);
  EXPECT_EQ(weights[0], weights[1]);
}

TEST_F(Forecasting, WrongInputIsAnError) {
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--series is needed");
  EXPECT_THROW(task_.ChooseModel("bahdanau"), ConfigError);
  task_.data.series = {folder_.Put("short.csv", Csv(50, Wave))};
  EXPECT_THROW(Train(task_, training_), ConfigError);

  task_.data.series = {folder_.Put("waves.csv", Csv(400, Wave))};
  training_.run.epochs = 1;
  Train(task_, training_);
  const auto predict = [this](const std::string& csv) {
    return MessageOf<FormatError>(
        [&] { PredictLines(ReadModel(training_.run.out), csv); });
  };
  EXPECT_EQ(predict(Csv(31, Wave)),
            "standard input has 31 rows, but the model looks back 32");
  EXPECT_EQ(predict("x,y\n1,2\n"),
            "standard input has the columns x, y, but the model forecasts a, "
            "b, c");
}

}  // namespace
}  // namespace heed::forecast
