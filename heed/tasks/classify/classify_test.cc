#include "heed/tasks/classify/classify.h"

#include <gtest/gtest.h>

#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"
#include "heed/train/model_folder.h"

namespace heed::classify {
namespace {

using Strings = std::vector<std::string>;

/// Lines of six words. "good" or "bad" determines the label; "new" and "old"
/// are further labels.
std::string Reviews(int count, uint64_t seed, bool multi_label) {
  const Strings filler = {"the", "film", "plot", "cast", "was", "and"};
  Rng rng(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    Strings words;
    for (int w = 0; w < 6; ++w) words.push_back(filler[rng.Below(6)]);
    const bool good = rng.Below(2) == 1;
    words[rng.Below(3)] = good ? "good" : "bad";
    std::string label = good ? "pos" : "neg";
    if (multi_label && rng.Below(2) == 1) {
      words[3 + rng.Below(3)] = "new";
      label += ",fresh";
    }
    lines += label + "\t";
    for (const std::string& word : words) lines += word + " ";
    lines.back() = '\n';
  }
  return lines;
}

class Classify : public testing::Test {
 protected:
  void SetUp() override {
    task_.ChooseModel("rnn");
    task_.encoder.As<RnnConfig>().cell = "gru";
    task_.encoder.As<RnnConfig>().units = 12;
    task_.encoder.As<RnnConfig>().dropout = 0.1;
    task_.data.vocabulary.vocabulary = "words";
    task_.data.batch_texts = 16;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.01;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 6;
    training_.run.quiet = true;
  }
  void Files(bool multi_label) {
    task_.data.format.multi_label = multi_label;
    task_.data.train.texts = {
        folder_.Put("a.tsv", Reviews(100, 1, multi_label)),
        folder_.Put("b.tsv", Reviews(92, 2, multi_label))};
    task_.data.valid.texts = {
        folder_.Put("valid.tsv", Reviews(40, 3, multi_label))};
  }
  Report Evaluate(const LoadedModel& loaded, const std::string& path) {
    return EvaluateWith(loaded, {{"texts", path}});
  }

  TemporaryFolder folder_;
  Settings task_;
  TrainingConfig training_;
};

TEST_F(Classify, TrainsPredictsAndEvaluates) {
  Files(false);
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "accuracy");
  EXPECT_GT(result.best, 97);

  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(loaded.settings->task(), "classify");
  EXPECT_EQ(PredictLines(loaded, "the bad film was\r\na good plot\n"),
            "neg\npos\n");
  const Report report =
      Evaluate(loaded, folder_.Put("test.tsv", Reviews(60, 9, false)));
  std::map<std::string, double> figures;
  for (const Figure& figure : report.figures)
    figures[figure.key] = figure.value;
  EXPECT_GT(figures.at("accuracy"), 97);
  EXPECT_GT(figures.at("macro_f1"), 97);
  EXPECT_GT(figures.at("auc"), 99);
  EXPECT_EQ(report.details["texts"], 60);
  EXPECT_EQ(report.details["labels"].size(), 2u);
  EXPECT_NE(report.text.find("pos"), std::string::npos);

  const std::string line =
      PredictLines(loaded, "the good film", {{"probabilities", "true"}});
  double neg = 0, pos = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "neg\t%lf\tpos\t%lf\n", &neg, &pos), 2)
      << line;
  EXPECT_NEAR(neg + pos, 1, 1e-5);
  EXPECT_GT(pos, 0.9);
}

TEST_F(Classify, GivesSeveralLabels) {
  Files(true);
  task_.classifier.pooling = PoolingKind::kMax;
  training_.run.epochs = 10;
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "micro_f1");
  EXPECT_GT(result.best, 97);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(PredictLines(loaded, "good cast and the new plot\nthe bad film\n"),
            "fresh,pos\nneg\n");
}

TEST_F(Classify, ReadsPairsAndWantsThemInPrediction) {
  task_.ChooseModel("transformer");
  task_.encoder.As<TransformerConfig>().layers = 1;
  task_.encoder.As<TransformerConfig>().width = 16;
  task_.encoder.As<TransformerConfig>().heads = 2;
  task_.data.format.second_column = 3;
  task_.data.train.texts = {folder_.Put("train.tsv",
                                        "same\ta b\ta b\nother\ta b\tc d\n"
                                        "same\tc\tc\nother\td\ta\n")};
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_NE(loaded.model->parameters().Find("encoder.segments.weight"),
            nullptr);
  const std::string answer = PredictLines(loaded, "a\tb\n");
  EXPECT_TRUE(answer == "same\n" || answer == "other\n") << answer;
  EXPECT_EQ(
      MessageOf<FormatError>([&] { PredictLines(loaded, "a\tb\na b\n"); }),
      "standard input:2: no tab between the texts of a pair; --on-error empty "
      "answers it with an empty line");
}

TEST_F(Classify, FoldersWithUnknownSettingsAreRefused) {
  task_.ChooseModel("transformer");
  SetPreset(FieldsOf(*task_.encoder), "layers=1 width=16 heads=2");
  task_.data.train.texts = {folder_.Put("train.tsv", "yes\ta b\nno\tc d\n")};
  training_.run.epochs = 1;
  Train(task_, training_);
  const std::string& out = training_.run.out;
  const ModelDescription written = ReadModelConfig(out);
  const auto refusal = [&](const char* key) {
    ModelDescription other = written;
    other.settings[key] = 1;
    WriteModelConfig(out, other);
    return MessageOf<FormatError>([&] { ReadModel(out); });
  };
  EXPECT_NE(refusal("decoder_width").find("unknown key \"decoder_width\""),
            std::string::npos);
  EXPECT_NE(refusal("decoder_layers").find("unknown key \"decoder_layers\""),
            std::string::npos)
      << "an encoder has no decoder";
}

TEST_F(Classify, ALabelThatTrainingDidNotHaveIsAnError) {
  Files(false);
  task_.data.valid.texts = {folder_.Put("odd.tsv", "neutral\tthe film\n")};
  EXPECT_NE(MessageOf<FormatError>([&] {
              Train(task_, training_);
            }).find("'neutral' was not in the training text"),
            std::string::npos);
}

TEST_F(Classify, MissingAndWrongSettingsAreConfigErrors) {
  EXPECT_THROW(Train(task_, training_), ConfigError);
  EXPECT_NE(MessageOf<ConfigError>([&] {
              task_.ChooseModel("bahdanau");
            }).find("is no encoder"),
            std::string::npos);
  Files(false);
  training_.run.metric = "bleu";
  EXPECT_THROW(Train(task_, training_), ConfigError);
}

TEST_F(Classify, AnswersTheLinesBeforeOneThatIsNotText) {
  Files(false);
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  std::istringstream in("the film\n\xFF\n");
  std::ostringstream out;
  EXPECT_EQ(
      MessageOf<FormatError>([&] {
        const auto predictor = loaded.MakePredictor();
        PredictStream(*predictor, loaded.input(), loaded.ReadingOf(*predictor),
                      in, out);
      }),
      "standard input:2: not valid UTF-8; --on-error empty answers it with an "
      "empty line");
  EXPECT_EQ(out.str().size(), 4u);  // "pos\n" or "neg\n"
}

}  // namespace
}  // namespace heed::classify
