#include "heed/tasks/autocomplete/autocomplete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "course/data/stories.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/nn/recurrent.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed::autocomplete {
namespace {

using Strings = std::vector<std::string>;

/// Sequences of three words whose last word repeats the first. It can be
/// predicted at its space only with memory of the first word; all first letters
/// are equal.
Strings Echoes(int count, uint64_t seed) {
  const Strings echoed = {"bat", "bet", "bit", "but"};
  const Strings between = {"cap", "cat"};
  Rng rng(seed);
  Strings lines;
  for (int i = 0; i < count; ++i) {
    const std::string& first = echoed[rng.Below(4)];
    lines.push_back(first + " " + between[rng.Below(2)] + " " + first);
  }
  return lines;
}

class AutocompleteTasks : public testing::Test {
 protected:
  void SetUp() override {
    task_.encoder.As<RnnConfig>().units = 24;
    task_.data.batch_texts = 16;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.01;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 12;
    training_.run.patience = 0;
    training_.run.quiet = true;
  }
  TrainResult TrainOnFiles() {
    task_.data.texts = {folder_.Put("train", AsLines(Echoes(400, 1)))};
    task_.data.valid_texts = {folder_.Put("valid", AsLines(Echoes(60, 2)))};
    return Train(task_, training_);
  }
  static const Model& ModelOf(const LoadedModel& loaded) {
    return dynamic_cast<const Model&>(*loaded.model);
  }

  TemporaryFolder folder_;
  Settings task_;
  TrainingConfig training_;
};

/// Expects the accuracy of the optimal predictor at each character.
void ExpectBest(const TypingScore& score) {
  // First words: 1/4 at the space, 1/4 at b, then all; second: 1/2 up to ca;
  // third: all.
  EXPECT_NEAR(score.seen[0].First(), (0.25 + 0.5 + 1) / 3, 0.1);
  EXPECT_NEAR(score.seen[1].First(), (0.25 + 0.5 + 1) / 3, 0.1);
  EXPECT_NEAR(score.seen[2].First(), (1 + 0.5 + 1) / 3, 0.08);
  EXPECT_GT(score.seen[3].First(), 0.995);
  EXPECT_NEAR(score.seen[0].Third(), (0.75 + 1 + 1) / 3, 0.08);
  EXPECT_NEAR(score.seen[0].Loss(), (std::log(4) + std::log(2)) / 3, 0.1);
  EXPECT_EQ(score.seen[4].characters, 0);
  EXPECT_EQ(score.unknown, 0);
}

TEST_F(AutocompleteTasks, LearnsWhatCanBeKnown) {
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  const Model& model = ModelOf(loaded);
  ExpectBest(model.Score(Echoes(300, 3)));

  EXPECT_TRUE(PredictLines(loaded, "bit cat b\n").starts_with("bit\t0.9"))
      << PredictLines(loaded, "bit cat b\n");
  // After a space the next word is predicted.
  const std::string lines = PredictLines(loaded, "Bet Cap \nbet\n\n");
  EXPECT_TRUE(lines.starts_with("bet\t0.9")) << lines;
  EXPECT_EQ(Count(lines, "\n"), 3U);
  EXPECT_EQ(model.Suggest({}, {"but cat"}, 2).front().size(), 2U);
  EXPECT_EQ(model.Suggest({}, {"but cat"}, 1).front().front().word, "cat");
}

TEST_F(AutocompleteTasks, AnswersHaveTheirParts) {
  training_.run.epochs = 1;
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  const std::vector<Input> inputs = {{"bit cat b"}, {"bet "}};
  const auto answers = loaded.MakePredictor()->Predict(inputs);
  ASSERT_EQ(answers.size(), 2U);
  for (const Answer& answer : answers) {
    const auto& completions = answer.parts["completions"];
    ASSERT_EQ(completions.size(), 3U);
    EXPECT_TRUE(
        answer.line.starts_with(completions[0]["word"].get<std::string>()));
    EXPECT_GE(completions[0]["probability"].get<double>(),
              completions[1]["probability"].get<double>());
  }
}

TEST_F(AutocompleteTasks, EveryCellLearns) {
  for (const std::string& cell : CellNames()) {
    SCOPED_TRACE(cell);
    Settings task;
    task.encoder.As<RnnConfig>().cell = cell;
    task.encoder.As<RnnConfig>().units = 24;
    task.data.batch_texts = 16;
    TrainingConfig training = training_;
    training.run.out = folder_.Path(cell);
    TrainOn(task, task.Typed({Echoes(400, 1), Echoes(60, 2)}), training);
    ExpectBest(ModelOf(ReadModel(training.run.out)).Score(Echoes(300, 3)));
  }
}

/// Changes one feature of character s by a little.
class MovedCharacter : public Observer {
 public:
  MovedCharacter(int64_t s, int64_t feature, float by)
      : s_(s), feature_(feature), by_(by) {}
  bool WantsInput(const std::string& name) override { return name == "source"; }
  Var OnInput(const std::string& /*name*/, const Var& x) override {
    Tensor moved = x.value().Clone();
    moved[0][s_].data<float>()[feature_] += by_;
    return moved;
  }

 private:
  int64_t s_, feature_;
  float by_;
};

TEST_F(AutocompleteTasks, RememberIsTheGradientOfTheWordsLogit) {
  task_.embedding = 5;
  training_.run.epochs = 2;
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  const Model& model = ModelOf(loaded);
  const std::string text = "bit cat b";
  const Connectivity c = model.Remember(text, "GRU");
  CheckConnectivity(c);
  ASSERT_EQ(c.size(), 10);
  EXPECT_EQ(c.words[0], "bit");
  EXPECT_EQ(c.words[5], "cat");
  EXPECT_EQ(c.words[9], "");  // b is no word
  EXPECT_EQ(c.suggestions[9].size(), 3U);

  const std::vector<int32_t> ids = model.codec.Characters(" " + text);
  const Tensor row = Tensor::Of(ids, {1, 10});
  const auto logit = [&](int64_t t, int64_t word, int64_t s, int64_t feature,
                         float by) {
    MovedCharacter moved(s, feature, by);
    Context ctx;
    ctx.observer = &moved;
    const Tensor states =
        model.network.States(ctx, row, Tensor::Of<int32_t>({10}, {1})).value();
    const Tensor scores = model.network.Scores({}, states).value()[0];
    return static_cast<double>(scores.row<float>(t)[word]);
  };
  const int64_t t = 5;
  int64_t word = 0;
  while (model.codec.Word(word) != "cat") ++word;
  for (int64_t s = 0; s < c.size(); ++s) {
    constexpr float kStep = 0.01F;
    double squares = 0;
    for (int64_t feature = 0; feature < 5; ++feature) {
      const double slope = (logit(t, word, s, feature, kStep) -
                            logit(t, word, s, feature, -kStep)) /
                           (2 * kStep);
      squares += slope * slope;
    }
    EXPECT_NEAR(c.value(t, s), std::sqrt(squares), 2e-3) << s;
    EXPECT_TRUE(s <= t || c.value(t, s) == 0) << s;
  }
}

TEST_F(AutocompleteTasks, WhatDecidesIsRemembered) {
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  for (const char* text : {"bit cat bit", "but cap but", "bet cat bet"}) {
    const Connectivity c = ModelOf(loaded).Remember(text, "GRU");
    // At the last space the prediction depends on the vowel of the first word,
    // character 2.
    const int64_t t = 8;
    EXPECT_EQ(c.suggestions[8].front().word, c.words[8]) << text;
    const float vowel = c.value(t, 2);
    // Nearby characters always matter; in the first word the vowel does.
    for (const int64_t s : {0, 1, 3}) EXPECT_GT(vowel, c.value(t, s)) << text;
  }
}

TEST_F(AutocompleteTasks, RememberReadsAsMuchAsASequenceHolds) {
  task_.data.length = 9;
  training_.run.epochs = 1;
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(ModelOf(loaded).Remember("bit cat bit", "GRU").size(), 9);
  // Only the last characters are read, starting at a word.
  EXPECT_EQ(PredictLines(loaded, "bat bat cat\n"),
            PredictLines(loaded, "bat cat\n"));
  EXPECT_NO_THROW(PredictLines(loaded, "batbatbatbatbat\n"));
}

TEST_F(AutocompleteTasks, EvaluatesByCharactersTyped) {
  training_.run.epochs = 2;
  TrainOnFiles();
  const Report report =
      EvaluateWith(ReadModel(training_.run.out),
                   {{"texts", folder_.Put("test", "bat cap bat\nbat caps\n")}});
  EXPECT_EQ(report.details["characters"], 16);
  EXPECT_EQ(report.details["unknown"], 5);  // " caps"
  ASSERT_EQ(report.details["typed"].size(), 5U);
  EXPECT_EQ(report.details["typed"][0]["characters"], 4);
  // Per cent of 4 predictions: a multiple of 25.
  const auto first = report.details["typed"][0]["first"].get<double>();
  EXPECT_DOUBLE_EQ(first / 25, std::round(first / 25));
  EXPECT_EQ(report.details["typed"][4]["characters"], 0);
  EXPECT_FALSE(report.curve.has_value());
}

TEST_F(AutocompleteTasks, MissingTextIsAConfigError) {
  EXPECT_THROW(Train(task_, training_), ConfigError);
  EXPECT_THROW(TrainOn(task_, task_.Typed({{"1 2 3"}, {}}), training_),
               ConfigError);
  training_.run.epochs = 1;
  TrainOnFiles();
  EXPECT_THROW(ModelOf(ReadModel(training_.run.out)).Score({"..."}),
               ConfigError);
  EXPECT_NE(MessageOf<ConfigError>([&] {
              task_.ChooseModel("bahdanau");
            }).find("is no encoder"),
            std::string::npos);
}

TEST_F(AutocompleteTasks, ATransformerIsChosenByItsName) {
  task_.ChooseModel("transformer");
  task_.encoder.As<TransformerConfig>().layers = 1;
  task_.encoder.As<TransformerConfig>().width = 16;
  task_.encoder.As<TransformerConfig>().heads = 2;
  task_.encoder.As<TransformerConfig>().dropout = 0;
  training_.run.epochs = 2;
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_TRUE(PredictLines(loaded, "bit cat bi\n").starts_with("bit\t"));
}

}  // namespace
}  // namespace heed::autocomplete
