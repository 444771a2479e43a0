#include "heed/tasks/pretrain/pretrain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "heed/base/at.h"
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

/// Documents of letters, each before or after its capital.
std::string DocumentsOfPairs(int count, uint64_t seed) {
  Rng rng(seed);
  std::string lines;
  for (int line = 0; line < 12 * count; ++line) {
    for (int pair = 0; pair < 5; ++pair) {
      const auto letter = static_cast<char>('a' + rng.Below(16));
      lines += {letter, ' ', static_cast<char>(letter - 'a' + 'A'), ' '};
    }
    lines += line % 12 == 11 ? "\n\n" : "\n";
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

TEST_F(Pretrain, RunStartsWithBatchesOfShorterPairs) {
  const auto plans = [&](int length, double epochs) {
    task_.data.start_length = length;
    task_.data.start_epochs = epochs;
    task_.Resolve();
    const PlainText read = task_.Read();
    const auto model = task_.MakeModel(read, 1);
    const auto objective = task_.MakeObjective(read, *model, 1);
    return std::array{objective->PlanEpoch(1, 0).All(),
                      objective->PlanEpoch(1, 1).All()};
  };
  const auto [whole, next] = plans(0, 0);
  int64_t examples = 0;
  for (const auto& batch : whole) examples += std::ssize(batch);
  const auto [first, second] = plans(8, 1.5);
  ASSERT_EQ(first.size(), whole.size());
  ASSERT_EQ(second.size(), next.size());
  const auto is_short = [&](const std::vector<int64_t>& batch) {
    return *std::ranges::min_element(batch) >= examples;
  };
  EXPECT_TRUE(std::ranges::all_of(first, is_short));
  const auto half = (std::ssize(second) + 1) / 2;
  for (int64_t i = 0; i < std::ssize(second); ++i) {
    EXPECT_EQ(is_short(At(second, i)), i < half) << i;
    if (i >= half) {
      EXPECT_EQ(At(second, i), At(next, i));
    }
  }
  // More pairs of 8 tokens than pairs of 24 fit into a batch.
  EXPECT_GT(first.front().size(), 2 * whole.front().size());
  EXPECT_EQ(plans(24, 1.5)[0], whole);
}

TEST_F(Pretrain, ANeighbourIsLearnedSoonerFromShorterPairs) {
  task_.model.As<TransformerConfig>().heads = 1;
  task_.model.As<TransformerConfig>().max_positions = 96;
  task_.data.instances.max_length = 96;
  task_.data.instances.next_sentence = false;
  task_.data.vocabulary.vocabulary = "wordpiece_cased";
  task_.data.batch_tokens = 1024;
  task_.data.start_length = 8;
  task_.data.texts = {folder_.Put("pairs.txt", DocumentsOfPairs(300, 1))};
  task_.data.valid_texts = {folder_.Put("others.txt", DocumentsOfPairs(40, 2))};
  training_.optimizer.learning_rate = 0.004;
  training_.optimizer.warmup = 200;
  training_.run.steps = 1000;
  training_.run.overwrite = true;
  const auto accuracy = [&](double epochs) {
    task_.data.start_epochs = epochs;
    Train(task_, training_);
    const LoadedModel loaded = ReadModel(training_.run.out);
    return EvaluateWith(loaded, {{"texts", task_.data.valid_texts[0]}})
        .figures.front()
        .value;
  };
  const double sooner = accuracy(2);
  EXPECT_GT(sooner, 40);
  EXPECT_LT(accuracy(0), sooner - 15);
}

TEST_F(Pretrain, OnlyNewLearnedPositionsStartWithShorterPairs) {
  task_.data.instances.max_length = 40;
  task_.Resolve();
  EXPECT_EQ(task_.StartLength(), 32);
  task_.data.start_length = 16;
  EXPECT_EQ(task_.StartLength(), 16);
  task_.data.start_length = 0;
  task_.pretrained = "model";
  EXPECT_EQ(task_.StartLength(), 0);
  task_.pretrained.clear();
  task_.model.As<TransformerConfig>().position = Position::kRotary;
  EXPECT_EQ(task_.StartLength(), 0);
  task_.data.start_length = 16;
  task_.data.start_epochs = 0;
  EXPECT_EQ(task_.StartLength(), 0);
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
