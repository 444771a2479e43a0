// Documents, which are read sentence by sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "course/data/planted_documents.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/document_view.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/testing.h"

namespace heed::classify {
namespace {

constexpr PlantedOptions kPlanted = {.sentences = 6, .words = 7};

class Documents : public testing::Test {
 protected:
  void SetUp() override {
    task_.ChooseModel("han");
    SetPreset(FieldsOf(*task_.encoder), "embedding=16 units=12 dropout=0");
    task_.data.batch_texts = 16;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.01;
    training_.optimizer.warmup = 0;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 5;
    training_.run.patience = 0;
    training_.run.quiet = true;
  }
  void LearnPlanted(int64_t documents = 600) {
    TrainOn(task_,
            {PlantedText(kPlanted, 1, 0, documents),
             PlantedText(kPlanted, 1, 100000, 40)},
            training_);
  }

  TemporaryFolder folder_;
  Settings task_;
  TrainingConfig training_;
};

TEST_F(Documents, HaveDefaultsOfTheirOwn) {
  EXPECT_EQ(task_.data.vocabulary.vocabulary, "words");
  EXPECT_TRUE(task_.data.vocabulary.lowercase);
  EXPECT_EQ(task_.data.max_length, 20000);
  EXPECT_EQ(task_.input_kind().name, "document");
  task_.ChooseModel("rnn");
  EXPECT_EQ(task_.data.vocabulary.vocabulary, "unigram");
  EXPECT_EQ(task_.data.max_length, 256);
  EXPECT_EQ(task_.input_kind().name, "text");
}

TEST_F(Documents, ThePlantedWordIsLearntAndFoundAtBothLevels) {
  LearnPlanted();
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto predictor = loaded.MakePredictor();
  int right = 0, planted = 0, sentences = 0, words = 0;
  constexpr int kTested = 60;
  for (int i = 0; i < kTested; ++i) {
    const PlantedDocument d = MakePlantedDocument(kPlanted, 1, 200000 + i);
    const Explanation e =
        Explain(loaded, *predictor, {.input = {.given = {d.text()}}});
    right += e.answer == d.label ? 1 : 0;
    if (d.sentence < 0) continue;
    ++planted;
    const ExplanationSegment& segment = e.segments.at(0);
    const auto weights = DocumentWeightsOf(segment);
    ASSERT_TRUE(weights);
    const auto largest = std::ranges::max_element(weights->of_sentences) -
                         weights->of_sentences.begin();
    sentences += largest == d.sentence ? 1 : 0;
    // Attention over the whole document, composed of both levels.
    const std::vector<float> row = RowOf(segment, segment.targets.at(0));
    const auto word = std::ranges::max_element(row) - row.begin();
    const int64_t place =
        At(weights->sentences->spans, d.sentence).begin + d.word;
    words += word == place ? 1 : 0;
  }
  EXPECT_GT(planted, 30);
  EXPECT_GE(right, 0.95 * kTested);
  EXPECT_GE(sentences, 0.95 * planted);
  EXPECT_GE(words, 0.95 * planted);
}

TEST_F(Documents, KeepTheSentencesOfTheirFile) {
  task_.data.format.format = "docs";
  task_.data.vocabulary.min_count = 1;
  task_.data.train.texts = {folder_.Put(
      "docs", "#doc a pos\nit is . good .\nyes\n\n#doc b neg\nbad . No!\n")};
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto& model = dynamic_cast<const Model&>(*loaded.model);
  const LabelledCorpus corpus =
      model.Encode(ReadLabelled(task_.data.train, task_.data.format), true);
  EXPECT_EQ(corpus.sentences, (std::vector<std::vector<int32_t>>{{5, 1}, {4}}));
}

TEST_F(Documents, OneEmptyOrVeryLongHasAnAnswer) {
  task_.data.max_length = 300;
  LearnPlanted(32);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_NE(loaded.model->Prompt().find("a document"), std::string::npos);
  std::string longest;
  for (int i = 0; i < 100000; ++i) longest += "It rains. ";
  const std::string answers =
      PredictLines(loaded, "word\n\n" + longest + "\n.\n");
  EXPECT_EQ(std::ranges::count(answers, '\n'), 4);
  EXPECT_EQ(answers.find("nan"), std::string::npos);
  // Explanations cover the text that was read.
  const auto predictor = loaded.MakePredictor();
  for (const std::string& text :
       {std::string(), std::string("word"), longest}) {
    const Explanation e =
        Explain(loaded, *predictor, {.input = {.given = {text}}});
    CheckExplanation(e);
    EXPECT_LE(e.segments.at(0).axis("source").items.size(), 300u);
  }
}

TEST_F(Documents, AnswersDoNotDependOnTheBatch) {
  LearnPlanted(64);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const OptionTexts options = {{"probabilities", "true"}};
  const std::string lines = "it was witty. no\nlong night\na. b. c. d\n";
  std::string alone;
  for (const char* line : {"it was witty. no", "long night", "a. b. c. d"}) {
    alone += PredictLines(loaded, std::string(line) + "\n", options);
  }
  EXPECT_EQ(PredictLines(loaded, lines, options), alone);
}

TEST_F(Documents, ReadPretrainedVectorsOfWordsThatAreNotLearnt) {
  std::string vectors;
  for (const char* word : {"splendid", "moving", "superb"}) {
    vectors += std::string(word) + " 1 0 1\n";
  }
  for (const char* word : {"tedious", "clumsy", "awful"}) {
    vectors += std::string(word) + " -1 0 1\n";
  }
  task_.data.vectors.word_vectors = folder_.Put("vectors.txt", vectors);
  LabelledText text;
  for (int i = 0; i < 60; ++i) {
    const bool good = i % 2 == 0;
    text.text.push_back(std::string("the film was ") +
                        (good ? (i % 4 == 0 ? "splendid" : "moving")
                              : (i % 4 == 1 ? "tedious" : "clumsy")) +
                        ". it ends.");
    text.labels.push_back({good ? "pos" : "neg"});
  }
  task_.data.vocabulary.min_count = 20;  // all four are unknown
  TrainOn(task_, {text, {}}, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(PredictLines(loaded,
                         "the film was superb. it ends.\n"
                         "the film was awful. it ends.\n"),
            "pos\nneg\n");
  task_.data.vocabulary.vocabulary = "bpe";
  EXPECT_THROW(task_.Resolve(), ConfigError);
}

TEST_F(Documents, OfAPairAreRefused) {
  task_.data.format.second_column = 3;
  task_.data.train.texts = {
      folder_.Put("pairs.tsv", "same\ta b\ta b\nother\ta b\tc d\n")};
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Train(task_, training_);
            }).find("'han' reads single texts, not pairs"),
            std::string::npos);
}

TEST_F(Documents, EveryMethodAttributesToTokens) {
  LearnPlanted(64);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {"it was a splendid film.\nthe plot was long"};
  request.attribution.methods = AttributionMethods();
  request.attribution.steps = 200;
  const Explanation e = Explain(loaded, *predictor, request);
  CheckExplanation(e);
  const ExplanationSegment& segment = e.segments.at(0);
  ASSERT_EQ(segment.attributions.size(), AttributionMethods().size());
  for (const Attribution& a : segment.attributions) {
    ASSERT_EQ(std::ssize(a.scores), segment.axis("source").size()) << a.method;
    if (a.differences.empty()) continue;
    double sum = 0;
    for (const float score : a.scores) sum += double{score};
    EXPECT_NEAR(sum, a.differences[0], 0.02 * std::abs(a.differences[0]) + 1e-3)
        << a.method;
  }
  EXPECT_EQ(segment.agreements.size(), segment.attributions.size());
}

}  // namespace
}  // namespace heed::classify
