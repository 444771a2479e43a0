#include "heed/tasks/lm/language.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed::lm {
namespace {

using Strings = std::vector<std::string>;

/// Sentences "X likes Y" or "X liked Y" with a few names; Y is never X.
Strings Sentences(int count, uint64_t seed) {
  const Strings names = {"anna", "anton", "bert"};
  Rng rng(seed);
  Strings lines;
  for (int i = 0; i < count; ++i) {
    const uint64_t first = rng.Below(3);
    const uint64_t second = (first + 1 + rng.Below(2)) % 3;
    lines.push_back(names[first] + (rng.Below(4) == 0 ? " liked " : " likes ") +
                    names[second]);
  }
  return lines;
}
// Entropy of three names, a tense (1/4, 3/4), and two other names.
const double kEntropy =
    std::log(3) + std::log(2) - 0.25 * std::log(0.25) - 0.75 * std::log(0.75);

class Language : public testing::Test {
 protected:
  void SetUp() override {
    task_.data.vocabulary.vocabulary = "words";
    task_.data.batch_texts = 16;
    task_.model.As<RecurrentLanguageConfig>().rnn.cell = "gru";
    task_.model.As<RecurrentLanguageConfig>().rnn.units = 24;
    task_.model.As<RecurrentLanguageConfig>().rnn.dropout = 0;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.01;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 16;
    training_.run.patience = 0;
    training_.run.quiet = true;
  }
  TrainResult TrainOnFiles() {
    task_.data.texts = {folder_.Put("train", AsLines(Sentences(300, 1)))};
    task_.data.valid_texts = {folder_.Put("valid", AsLines(Sentences(60, 2)))};
    return Train(task_, training_);
  }

  TemporaryFolder folder_;
  Settings task_;
  TrainingConfig training_;
};

TEST_F(Language, LearnsTextsCompletesAndContinuesThem) {
  const TrainResult result = TrainOnFiles();
  EXPECT_EQ(result.metric, "perplexity");
  // Four tokens: three words and the end.
  EXPECT_NEAR(4 * std::log(result.best), kEntropy, 0.15);

  const LoadedModel loaded = ReadModel(training_.run.out);
  // The completed name differs from the first name.
  const std::string line = PredictLines(loaded, "anna likes a\n");
  EXPECT_TRUE(line.starts_with("anton\t0.9")) << line;
  EXPECT_TRUE(PredictLines(loaded, "bert lik\n").starts_with("likes\t0."))
      << line;

  const std::string samples = PredictLines(
      loaded, "\nanna likes\n", {{"mode", "sample"}, {"samples", "3"}});
  std::istringstream lines(samples);
  int count = 0;
  for (std::string text; std::getline(lines, text); ++count) {
    EXPECT_TRUE(count < 3 || text.starts_with("anna likes ")) << text;
    EXPECT_NE(text.find("like"), std::string::npos) << text;
  }
  EXPECT_EQ(count, 6);

  const std::string scores = PredictLines(
      loaded, "anna likes bert\n\nbert bert bert\n", {{"mode", "score"}});
  double good = 0, bad = 0;
  ASSERT_EQ(
      std::sscanf(scores.c_str(), "%lf\t4\t%*f\n0\t0\tnan\n%lf", &good, &bad),
      2)
      << scores;
  EXPECT_NEAR(good, std::log(0.75) - std::log(6), 0.4);
  EXPECT_LT(bad, good - 3);
}

TEST_F(Language, AnswersHaveTheirPartsWithProbabilities) {
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto parts = [&](const OptionTexts& values,
                         const std::string& text = "anna likes ") {
    const auto predictor = loaded.MakePredictor(
        *WithValues(loaded.settings->PredictOptions(), values));
    return predictor->Predict(std::vector<Input>{{text}}).front().parts;
  };
  // The final space requests the next word.
  const auto completions = parts({})["completions"];
  ASSERT_GE(completions.size(), 2u);
  double sum = 0;
  for (const auto& completion : completions) {
    EXPECT_TRUE(completion["word"].is_string());
    sum += completion["probability"].get<double>();
  }
  EXPECT_GT(sum, 0.95);
  EXPECT_LT(sum, 1.001);

  const auto samples = parts({{"mode", "sample"}, {"samples", "2"}});
  EXPECT_EQ(samples["samples"].size(), 2u);
  EXPECT_LT(samples["log_probabilities"][0].get<double>(), 0);

  const auto one = parts({{"mode", "score"}}, "anna likes bert");
  EXPECT_EQ(one["tokens"], 4);
  EXPECT_LT(one["log_probability"].get<double>(), 0);
  // Each line of a text is followed by </s>.
  const auto two =
      parts({{"mode", "score"}}, "anna likes bert\nanna likes bert");
  EXPECT_EQ(two["tokens"], 8);
  EXPECT_NEAR(two["log_probability"].get<double>(),
              2 * one["log_probability"].get<double>(), 1e-4);
}

TEST_F(Language, SamplesDependOnTheNumberOfTheirInput) {
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto predictor =
      loaded.MakePredictor(*WithValues(loaded.settings->PredictOptions(),
                                       {{"mode", "sample"}, {"samples", "5"}}));
  const auto line = [&](int64_t number) {
    return predictor->Predict(std::vector<Input>{{"", "text", number}})
        .front()
        .line;
  };
  EXPECT_EQ(line(1), line(1));
  EXPECT_NE(line(1), line(2));
}

TEST_F(Language, EvaluatesPerTokenWordAndCharacter) {
  TrainOnFiles();
  const Report report =
      EvaluateWith(ReadModel(training_.run.out),
                   {{"texts", folder_.Put("test", AsLines(Sentences(50, 3)))},
                    {"complete", "20"}});
  std::map<std::string, double> figures;
  for (const Figure& figure : report.figures)
    figures[figure.key] = figure.value;
  // With a word vocabulary, tokens are words and line ends.
  EXPECT_NEAR(figures.at("perplexity"), figures.at("word_perplexity"), 1e-9);
  const double characters = report.details["characters"];
  EXPECT_NEAR(figures.at("bits_per_character") * characters * std::log(2),
              figures.at("loss") * 4 * 50, 1e-6);
  ASSERT_EQ(report.details["completion"].size(), 4u);
  const auto& max = report.details["completion"][3];
  EXPECT_EQ(max["letters"], 3);
  EXPECT_GE(max["third"], 99);  // determined by "ann", "ant", "ber" and "lik"
}

TEST_F(Language, StreamsLearnWhatFollowsALine) {
  Strings lines;
  for (int i = 0; i < 200; ++i) lines.push_back(i % 2 == 0 ? "tick" : "tock");
  task_.data.unit = TextUnit::kStream;
  task_.data.length = 10;
  training_.run.epochs = 30;
  const TrainResult result = TrainOn(task_, {lines, lines}, training_);
  // Only the order of the two lines is random.
  EXPECT_LT(result.best, 1.1);
}

TEST_F(Language, ATransformerIsChosenByItsName) {
  task_.ChooseModel("transformer");
  task_.model.As<TransformerConfig>().layers = 1;
  task_.model.As<TransformerConfig>().width = 16;
  task_.model.As<TransformerConfig>().heads = 2;
  training_.run.epochs = 1;
  TrainOnFiles();
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_TRUE(PredictLines(loaded, "anna likes b\n").starts_with("bert\t0.9"));
  EXPECT_NE(MessageOf<ConfigError>([&] {
              task_.ChooseModel("bahdanau");
            }).find("no language model"),
            std::string::npos);
}

TEST_F(Language, MissingTextIsAConfigError) {
  EXPECT_THROW(Train(task_, training_), ConfigError);
  EXPECT_THROW(TrainOn(task_, {{" "}, {}}, training_), ConfigError);
}

}  // namespace
}  // namespace heed::lm
