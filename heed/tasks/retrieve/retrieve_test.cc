#include "heed/tasks/retrieve/retrieve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/rnn_config.h"
#include "heed/tasks/retrieve/paraphrases_testing.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed {
namespace {

std::string AsTsv(const TextCollection& texts) {
  std::string tsv;
  for (int64_t i = 0; i < texts.size(); ++i) {
    tsv += texts.Id(i) + "\t" + texts.texts()[static_cast<size_t>(i)] + "\n";
  }
  return tsv;
}

std::string IdsOf(const TextCollection& texts,
                  const std::vector<int64_t>& places) {
  std::vector<std::string> ids;
  for (const int64_t place : places) ids.push_back(texts.Id(place));
  return fmt::format("{}", fmt::join(ids, " "));
}

std::string AsLists(const ParaphraseTask& task,
                    const std::vector<RetrievalQuery>& queries) {
  std::string lists;
  for (const RetrievalQuery& query : queries) {
    lists += task.queries.Id(query.query) + "\t" +
             IdsOf(task.corpus, query.positives) + "\t" +
             IdsOf(task.corpus, query.candidates) + "\n";
  }
  return lists;
}

class Retrieval : public testing::Test {
 protected:
  void SetUp() override {
    const ParaphraseTask paraphrases = MakeParaphrases(600, 1);
    task_.encoder.As<RnnConfig>().units = 32;
    task_.data.corpus = {folder_.Put("corpus.tsv", AsTsv(paraphrases.corpus))};
    task_.data.queries = {
        folder_.Put("queries.tsv", AsTsv(paraphrases.queries))};
    task_.data.candidates = {
        folder_.Put("train.tsv", AsLists(paraphrases, paraphrases.train))};
    task_.data.valid_candidates = {
        folder_.Put("valid.tsv", AsLists(paraphrases, paraphrases.valid))};
    test_ = folder_.Put("test.tsv", AsLists(paraphrases, paraphrases.test));
    training_.run.out = folder_.Path("model");
    training_.run.quiet = true;
    training_.run.overwrite = true;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.01;
  }

  std::map<std::string, double> Evaluate() {
    std::map<std::string, double> figures;
    for (const Figure& figure :
         EvaluateWith(ReadModel(training_.run.out), {{"candidates", test_}})
             .figures) {
      figures[figure.key] = figure.value;
    }
    return figures;
  }

  TemporaryFolder folder_;
  std::string test_;
  RetrievalSettings task_;
  TrainingConfig training_;
};

TEST_F(Retrieval, FindsWhatBm25DoesNot) {
  training_.run.epochs = 8;
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "mrr");
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto figures = Evaluate();
  EXPECT_GT(figures.at("mrr"), 90);
  EXPECT_GT(figures.at("p1"), 85);
  EXPECT_LT(figures.at("bm25_mrr"), 40);

  const std::string lines =
      PredictLines(loaded, "how do i fix a big automobile\n");
  const std::string best = lines.substr(0, lines.find('\n'));
  for (const char* word : {"1\t1\t", "repair", "large", "car"}) {
    EXPECT_NE(best.find(word), std::string::npos) << best;
  }
}

TEST_F(Retrieval, ReadsItsCorpusOnceWhenItIsMade) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const std::string corpus = folder_.Put("other.tsv", "x\tred car\ny\tdog\n");
  const auto predictor = loaded.MakePredictor(
      *WithValues(loaded.settings->PredictOptions(), {{"corpus", corpus}}));
  std::filesystem::remove(corpus);
  const std::vector<Input> inputs = {{"a car", "text", 4}, {"a dog"}};
  for (int time = 0; time < 2; ++time) {
    const auto answers = predictor->Predict(inputs);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_TRUE(answers[0].line.starts_with("5\t1\t"));
    const auto& hits = answers[0].parts["hits"];
    ASSERT_EQ(hits.size(), 2u);
    EXPECT_EQ(hits[0]["id"], "x");
    EXPECT_EQ(hits[0]["text"], "red car");
    EXPECT_GE(hits[0]["score"].get<double>(), hits[1]["score"].get<double>());
  }
  EXPECT_THROW(loaded.MakePredictor(*WithValues(
                   loaded.settings->PredictOptions(), {{"corpus", corpus}})),
               IoError);
}

TEST_F(Retrieval, WithoutTheCorpusOfTrainingPairsAreStillExplained) {
  training_.run.epochs = 1;
  Train(task_, training_);
  std::filesystem::remove(task_.data.corpus.front());
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto predictor = loaded.MakePredictor();
  EXPECT_THROW(predictor->Predict(std::vector<Input>{{"a car"}}), IoError);
  const ExplainablePrediction explained = predictor->PrepareExplanation(
      {}, {.given = {"a car\tred car"}}, predictor->options());
  EXPECT_EQ(explained.segments.at(0).segment.targets.size(), 2u);
}

TEST_F(Retrieval, EveryLossAndPoolingLearns) {
  training_.run.epochs = 2;
  for (const char* loss : {"margin", "softmax"}) {
    for (const char* pooling : {"last", "attention"}) {
      task_.bi_encoder.match_loss = loss;
      task_.bi_encoder.pooling = pooling;
      Train(task_, training_);
      // By chance it is 18 %.
      EXPECT_GT(Evaluate().at("mrr"), 25) << loss << " " << pooling;
    }
  }
}

TEST_F(Retrieval, TextsThatAskForOneAnotherDoNotFindThemselves) {
  RetrievalTexts texts;
  texts.corpus.Add("a", "x y");
  texts.corpus.Add("b", "x y");
  texts.corpus.Add("c", "z");
  texts.train = {{0, {1}, {}}, {2, {}, {}}};
  texts.valid = texts.train;
  task_.data.queries.clear();
  training_.run.epochs = 1;
  TrainOn(task_, texts, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const std::vector<Ranking> rankings =
      dynamic_cast<const RetrievalModel&>(*loaded.model)
          .Compare(texts, texts.valid)
          .rankings;
  ASSERT_EQ(rankings.size(), 2u);
  EXPECT_EQ(rankings[0].relevant, (std::vector<bool>{true, false}));
  EXPECT_EQ(rankings[1].positives, 0);
}

TEST_F(Retrieval, MissingFilesAreTold) {
  task_.data.relevant = task_.data.candidates;
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--relevant or --candidates, but not both");
  task_.data.relevant = task_.data.candidates = {};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--relevant or --candidates is needed");
  task_.data.corpus = {};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--corpus is needed");
  EXPECT_THROW(task_.ChooseModel("bahdanau"), ConfigError);
}

}  // namespace
}  // namespace heed
