#include "heed/train/learning_curves.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

class LearningCurves : public testing::Test {
 protected:
  /// Record of a run folder with these lines, and settings if not empty.
  TrainingRecord Record(const std::string& name, const std::string& lines,
                        const std::string& settings = "") {
    std::filesystem::create_directory(folder_.Path(name));
    folder_.Put(name + "/metrics.jsonl", lines);
    if (!settings.empty()) folder_.Put(name + "/config.json", settings);
    return ReadTrainingRecord(folder_.Path(name));
  }

  TemporaryFolder folder_;
};

TEST_F(LearningCurves, HaveTheValuesOfEachMeasure) {
  const TrainingRecord record =
      Record("m",
             "{\"step\":1,\"time\":100,\"epoch\":0.5,\"nll\":4}\n"
             "{\"step\":2,\"time\":136,\"epoch\":1,\"valid_loss\":3}\n"
             "{\"step\":2,\"time\":136,\"epoch\":1,\"nll\":2}\n");
  const LearningCurve& nll = record.curves.at("nll");
  EXPECT_EQ(nll.updates, (std::vector<double>{1, 2}));
  EXPECT_EQ(nll.epochs, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(nll.hours, (std::vector<double>{0, 0.01}));
  EXPECT_EQ(nll.values, (std::vector<double>{4, 2}));
  EXPECT_EQ(record.curves.at("valid_loss").values, std::vector<double>{3});
  EXPECT_TRUE(record.problems.empty());
}

TEST_F(LearningCurves, OfAResumedRunHaveNoStepTwice) {
  const TrainingRecord record =
      Record("m",
             "{\"step\":10,\"nll\":4}\n{\"step\":20,\"nll\":3}\n"
             "{\"step\":30,\"nll\":9}\n"
             "{\"step\":20,\"nll\":2}\n{\"step\":40,\"nll\":1}\n");
  EXPECT_EQ(record.curves.at("nll").updates, (std::vector<double>{10, 20, 40}));
  EXPECT_EQ(record.curves.at("nll").values, (std::vector<double>{4, 2, 1}));
}

TEST_F(LearningCurves, TimeLeavesOutTheBreakBeforeAResume) {
  std::string lines;
  for (int i = 0; i < 10; ++i) {
    lines += fmt::format("{{\"step\":{},\"time\":{},\"nll\":1}}\n", i,
                         1000 + 36 * i + (i < 5 ? 0 : 86400));
  }
  const auto hours = Record("m", lines).curves.at("nll").hours;
  EXPECT_NEAR(hours.back(), 0.09, 1e-9);
}

TEST_F(LearningCurves, DamagedLinesAreNamedAndLeftOut) {
  const TrainingRecord record =
      Record("m",
             "{\"step\":1,\"nll\":4}\nnonsense\n[1]\n{\"nll\":1}\n\n"
             "{\"step\":\"2\",\"nll\":1}\n{\"step\":2,\"nll\":\"x\"}\n" +
                 std::string(100000, '[') +
                 "\n{\"step\":3,\"nll\":2}\n{\"step\":4,\"nl");
  EXPECT_EQ(record.curves.at("nll").values, (std::vector<double>{4, 2}));
  ASSERT_EQ(record.problems.size(), 7U);
  EXPECT_EQ(record.problems[0],
            folder_.Path("m") +
                "/metrics.jsonl:2: no record of a step (damaged?), left out");
  EXPECT_NE(record.problems[6].find(":10:"), std::string::npos);
}

TEST_F(LearningCurves, ValuesThatWereNotFiniteLeaveAGap) {
  const TrainingRecord record =
      Record("m", "{\"step\":1,\"nll\":4}\n{\"step\":2,\"nll\":null}\n");
  EXPECT_TRUE(std::isnan(record.curves.at("nll").values[1]));
}

TEST_F(LearningCurves, AFolderWithoutARecordIsNamed) {
  std::filesystem::create_directory(folder_.Path("other"));
  EXPECT_NE(MessageOf<IoError>([&] {
              ReadTrainingRecord(folder_.Path("other"));
            }).find("other/metrics.jsonl: missing"),
            std::string::npos);
}

TEST_F(LearningCurves, RunsAreNamedByWhatDiffers) {
  const std::vector<TrainingRecord> records = {
      Record("a", "",
             R"({"out": "a", "units": 8, "ff": 8, "seed": 1, "tie": "all"})"),
      Record("b", "", R"({"out": "b", "units": 16, "ff": 16, "seed": 1})")};
  EXPECT_EQ(NameRuns(records),
            (std::vector<std::string>{"a: units 8, tie all",
                                      "b: units 16, tie none"}));
  EXPECT_EQ(NameRuns(std::span(records).first(1)),
            std::vector<std::string>{"a"});
}

TEST_F(LearningCurves, RunsOfOtherModelsAreNamedByModelAndWhatAllHave) {
  const std::vector<TrainingRecord> records = {
      Record("a", "",
             R"({"model": "luong", "cell": "lstm", "layers": 2, "lr": 1})"),
      Record("b", "", R"({"model": "tiny", "heads": 4, "layers": 4, "lr": 1})"),
      Record("c", "", R"({"model": "tiny", "heads": 4, "layers": 4, "lr": 2})"),
      Record("old", "")};
  EXPECT_EQ(NameRuns(records),
            (std::vector<std::string>{"a: model luong, lr 1, layers 2",
                                      "b: model tiny, lr 1, layers 4",
                                      "c: model tiny, lr 2, layers 4", "old"}));
}

TEST_F(LearningCurves, RunsOnOtherFilesAreNamedByTheirNames) {
  const std::vector<TrainingRecord> records = {
      Record("a", "", R"({"source": ["/data/a.en", "/data/b.en"]})"),
      Record("b", "", R"({"source": ["/data/c.en"]})")};
  EXPECT_EQ(NameRuns(records), (std::vector<std::string>{"a: source a.en+b.en",
                                                         "b: source c.en"}));
}

TEST_F(LearningCurves, AllPlotsShareTheirXAxis) {
  const std::vector<TrainingRecord> records = {
      Record("a", "{\"step\":10,\"nll\":4}\n{\"step\":20,\"valid_loss\":3}\n")};
  const auto panels = PlotLearningCurves(records, NameRuns(records), {});
  ASSERT_EQ(panels.size(), 2U);
  for (const LinePlotPanel& panel : panels) {
    EXPECT_EQ(panel.options.x_holds, (std::vector<double>{0, 20}));
  }
}

TEST_F(LearningCurves, UsualMeasuresAreThoseThatChoseTheWeights) {
  const std::vector<TrainingRecord> records = {
      Record("a",
             "{\"step\":1,\"nll\":4,\"gradient_norm\":1,\"learning_rate\":1}\n"
             "{\"step\":2,\"valid_bleu\":10,\"valid_chrf\":3}\n",
             R"({"metric": "bleu"})"),
      Record("empty", "")};
  const std::vector<std::string> names = {"a", "empty"};
  const auto panels = PlotLearningCurves(records, names, {});
  ASSERT_EQ(panels.size(), 3U);
  EXPECT_EQ(panels[0].options.title, "training loss");
  EXPECT_EQ(panels[1].options.title, "validation BLEU");
  EXPECT_EQ(panels[2].options.title, "learning rate");
  ASSERT_EQ(panels[0].series.size(), 2U);  // colour i belongs to run i
  EXPECT_TRUE(panels[0].series[1].x.empty());
}

TEST_F(LearningCurves, WhatIsNotRecordedIsNamed) {
  const std::vector<std::string> names = {"a"};
  const std::vector<TrainingRecord> empty = {Record("a", "")};
  EXPECT_NE(MessageOf<ConfigError>([&] {
              PlotLearningCurves(empty, names, {});
            }).find("a/metrics.jsonl: nothing to draw yet"),
            std::string::npos);
  const std::vector<TrainingRecord> records = {
      Record("b", "{\"step\":1,\"nll\":4}\n")};
  EXPECT_EQ(MessageOf<ConfigError>([&] {
              PlotLearningCurves(records, names, {"updates", {"bleu"}});
            }),
            "measures: no run recorded 'bleu' (there are: nll)");
  EXPECT_NE(MessageOf<ConfigError>([&] {
              PlotLearningCurves(records, names, {"epochs", {}});
            }).find("has no epochs"),
            std::string::npos);
}

TEST_F(LearningCurves, LongOnesAreAveraged) {
  std::string lines;
  for (int i = 1; i <= 4000; ++i) {
    lines += fmt::format("{{\"step\":{},\"nll\":{}}}\n", i, i % 2);
  }
  const std::vector<TrainingRecord> records = {Record("a", lines)};
  const std::vector<std::string> names = {"a"};
  const auto panels = PlotLearningCurves(records, names, {});
  const Series& series = panels[0].series[0];
  ASSERT_EQ(series.x.size(), 400U);
  EXPECT_EQ(series.x[0], 5.5);
  EXPECT_EQ(series.y[399], 0.5);
}

}  // namespace
}  // namespace heed
