#include "heed/tasks/pretrain/pretrain.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed::pretrain {
namespace {

using Strings = std::vector<std::string>;

/// Documents that each repeat one word.
std::string Documents(int count, uint64_t seed) {
  const Strings all = {"sun",  "moon", "star", "sky",
                       "fish", "sea",  "wave", "salt"};
  Rng rng(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const std::string& word = all[rng.Below(all.size())];
    for (uint64_t s = 3 + rng.Below(3); s > 0; --s) {
      lines += word;
      for (uint64_t w = 1 + rng.Below(3); w > 0; --w) lines += " " + word;
      lines += "\n";
    }
    lines += "\n";
  }
  return lines;
}

class Pretrain : public testing::Test {
 protected:
  void SetUp() override {
    task_.ChooseModel("bert-tiny");
    task_.model.As<TransformerConfig>().width = 32;
    task_.model.As<TransformerConfig>().ff = 64;
    task_.model.As<TransformerConfig>().layers = 1;
    task_.model.As<TransformerConfig>().max_positions = 40;
    task_.model.As<TransformerConfig>().dropout =
        task_.model.As<TransformerConfig>().attention_dropout = 0;
    task_.data.instances.max_length = 24;
    task_.data.instances.duplicates = 4;
    task_.data.vocabulary.vocabulary_size = 100;
    task_.data.batch_tokens = 500;
    task_.data.texts = {folder_.Put("a.txt", Documents(60, 1)),
                        folder_.Put("b.txt", Documents(60, 2))};
    task_.data.valid_texts = {folder_.Put("valid.txt", Documents(30, 3))};
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.002;
    training_.optimizer.warmup = 20;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 20;
    training_.run.patience = 0;
    training_.run.quiet = true;
  }

  TemporaryFolder folder_;
  Settings task_;
  TrainingConfig training_;
};

TEST_F(Pretrain, TrainsPredictsAndEvaluates) {
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "loss");

  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(loaded.settings->task(), "pretrain");
  EXPECT_THROW(EvaluateWith(loaded, {}), ConfigError);
  const Report report = EvaluateWith(
      loaded, {{"texts", folder_.Put("test.txt", Documents(40, 9))}});
  std::map<std::string, double> figures;
  for (const Figure& figure : report.figures) {
    figures[figure.key] = figure.value;
  }
  EXPECT_GT(figures.at("word_accuracy"), 95);
  EXPECT_GT(figures.at("next_accuracy"), 80);
  EXPECT_GT(report.details["words"], 100);

  const std::string words = PredictLines(
      loaded, "moon [MASK] moon [MASK]\nnothing\n", {{"candidates", "2"}});
  EXPECT_TRUE(words.starts_with("moon\t")) << words;
  EXPECT_NE(words.find(" ||| moon\t"), std::string::npos) << words;
  EXPECT_TRUE(words.ends_with("\n\n")) << words;

  std::istringstream numbers(
      PredictLines(loaded, "sea sea sea\tsea sea\r\nsea sea sea\tmoon moon\n",
                   {{"mode", "next"}}));
  double same = 0;
  double other = 0;
  numbers >> same >> other;
  EXPECT_GT(same, 0.5);
  EXPECT_LT(other, 0.1);
  EXPECT_EQ(MessageOf<FormatError>([&] {
              PredictLines(loaded, "a\tb\nno tab\n", {{"mode", "next"}});
            }),
            "standard input:2: no tab between the two texts; --on-error empty "
            "answers it with an empty line");
}

TEST_F(Pretrain, AnswersHaveTheBestWordsOfEachMaskWithTheirProbabilities) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto predictor = loaded.MakePredictor();
  const std::vector<Input> inputs = {{"sun [MASK] sea [MASK]"}, {"sun"}};
  const std::vector<Answer> answers = predictor->Predict(inputs);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[1].parts["masks"].size(), 0U);
  ASSERT_EQ(answers[0].parts["masks"].size(), 2U);
  for (const auto& best : answers[0].parts["masks"]) {
    ASSERT_EQ(best.size(), 5U);
    double last = 1;
    for (const auto& word : best) {
      EXPECT_LE(word["probability"], last);
      last = word["probability"];
      const auto shown = word["word"].get<std::string>();
      EXPECT_NE(answers[0].line.find(shown), std::string::npos);
      EXPECT_TRUE(word["token"].get<std::string>().ends_with(shown));
      EXPECT_FALSE(shown.starts_with("##"));
    }
    EXPECT_GT(last, 0);
  }
}

TEST_F(Pretrain, RunIsResumedWithTheSameTextAlone) {
  training_.run.epochs = 1;
  Train(task_, training_);
  Resume(training_.run.out, true);
  folder_.Put("a.txt", Documents(60, 7));
  EXPECT_THROW(Resume(training_.run.out, true), FormatError);
}

TEST_F(Pretrain, EncoderGoesOnInAnotherModel) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const PretrainedEncoder pretrained = ReadPretrained(training_.run.out);
  EXPECT_EQ(pretrained.model.name(), "bert-tiny");
  EXPECT_EQ(pretrained.model.As<TransformerConfig>().width, 32);

  ParameterSet parameters(5, DType::kF32, kernels::Precision::kNative);
  const Scope scope(parameters, "");
  const auto encoder = pretrained.model->MakeText(
      scope / "encoder", {.vocabulary = pretrained.vocabulary.size()});
  const Linear head(scope / "output", 32, 3, Init());
  const auto fresh = head.weight().value().ToVector<float>();
  CopyPretrained(pretrained, parameters);
  EXPECT_EQ(head.weight().value().ToVector<float>(), fresh);
  const Tensor ids = Tensor::Of(std::vector<int32_t>{2, 7, 8, 3}, {1, 4});
  const Tensor lengths = Tensor::Of(std::vector<int32_t>{4}, {1});
  const auto trained =
      dynamic_cast<const PretrainingSettings&>(*pretrained.model)
          .MakePretraining(pretrained.vocabulary.size(), 9);
  CopyPretrained(pretrained, trained->parameters());
  EXPECT_EQ(
      (*encoder)(Context(), {ids, lengths, {}}).value().ToVector<float>(),
      trained->States(Context(), {ids, lengths, {}}).value().ToVector<float>());
}

TEST_F(Pretrain, EncoderOfAnotherShapeIsAFormatErrorThatNamesIt) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const PretrainedEncoder pretrained = ReadPretrained(training_.run.out);
  ModelChoice<PretrainingSettings> wider = task_.model;
  wider.As<TransformerConfig>().ff = 48;
  const auto other = wider->MakePretraining(pretrained.vocabulary.size(), 1);
  try {
    CopyPretrained(pretrained, other->parameters());
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("feed_forward"), std::string::npos)
        << error.what();
  }
  ParameterSet headless(1, DType::kF32, kernels::Precision::kNative);
  EXPECT_THROW(CopyPretrained(pretrained, headless), FormatError);
}

TEST_F(Pretrain, SettingsThatDoNotFitAreConfigErrors) {
  EXPECT_THROW(task_.ChooseModel("transformer-tiny"), ConfigError);
  task_.data.instances.max_length = 41;
  EXPECT_THROW(task_.Resolve(), ConfigError);
  task_.data.instances.max_length = 40;
  task_.model.As<TransformerConfig>().segments = 3;
  EXPECT_THROW(task_.Resolve(), ConfigError);
}

TEST_F(Pretrain, TextWithoutBlankLinesIsAConfigError) {
  task_.data.texts = {folder_.Put("one.txt", "a b\nc d\n")};
  EXPECT_THROW(Train(task_, training_), ConfigError);
}

}  // namespace
}  // namespace heed::pretrain
