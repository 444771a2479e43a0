#include "heed/tasks/retrieve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/paraphrases.h"
#include "heed/models/rnn_config.h"

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

  std::map<std::string, double> Evaluate(Task& task) {
    FieldList fields;
    task.VisitEvaluate(fields);
    for (const Field& field : fields.fields()) {
      if (field.key == "candidates") field.SetText({test_}, field.key);
    }
    std::map<std::string, double> figures;
    for (const Figure& figure : task.Evaluate().figures) {
      figures[figure.key] = figure.value;
    }
    return figures;
  }

  TemporaryFolder folder_;
  std::string test_;
  RetrievalTask task_;
  TrainingConfig training_;
};

TEST_F(Retrieval, FindsWhatBm25DoesNot) {
  training_.run.epochs = 8;
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "mrr");
  const LoadedTask loaded = ReadTask(training_.run.out);
  const auto figures = Evaluate(*loaded.task);
  EXPECT_GT(figures.at("mrr"), 90);
  EXPECT_GT(figures.at("p1"), 85);
  EXPECT_LT(figures.at("bm25_mrr"), 40);

  std::istringstream in("how do i fix a big automobile\n");
  std::ostringstream out;
  PredictStream(*loaded.task, {}, in, out);
  const std::string best = out.str().substr(0, out.str().find('\n'));
  for (const char* word : {"1\t1\t", "repair", "large", "car"}) {
    EXPECT_NE(best.find(word), std::string::npos) << best;
  }
}

TEST_F(Retrieval, EveryLossAndPoolingLearns) {
  training_.run.epochs = 2;
  for (const char* loss : {"margin", "softmax"}) {
    for (const char* pooling : {"last", "attention"}) {
      task_.bi_encoder.match_loss = loss;
      task_.bi_encoder.pooling = pooling;
      Train(task_, training_);
      // By chance it is 18 %.
      EXPECT_GT(Evaluate(task_).at("mrr"), 25) << loss << " " << pooling;
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
  task_.SetTexts(texts);
  training_.run.epochs = 1;
  TrainOnExamples(task_, training_);
  const std::vector<Ranking> rankings = task_.Rank(texts, texts.valid);
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
