#include "heed/tasks/retrieve/retrieve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "course/data/paraphrases.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/metrics/confidence.h"
#include "heed/models/preset.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/render/view.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"
#include "heed/tasks/translate/translation.h"

namespace heed::retrieve {
namespace {

std::string AsTsv(const TextCollection& texts) {
  std::string tsv;
  for (int64_t i = 0; i < texts.size(); ++i) {
    tsv += texts.Id(i) + "\t" + At(texts.texts(), i) + "\n";
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
  Settings task_;
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
  // The title of a picture has the query and the result with its score.
  EXPECT_THAT(
      TitleOf(explained.segments[0].segment),
      testing::MatchesRegex("a car → red car \\(-?[0-9]\\.[0-9]{3}\\)"));
}

TEST_F(Retrieval, EveryLossAndPoolingLearns) {
  training_.run.epochs = 2;
  task_.data.shared_words = SharedWordMeasures::kNone;
  for (const char* loss : {"margin", "softmax"}) {
    for (const char* pooling : {"last", "attention"}) {
      task_.bi_encoder.match_loss = loss;
      task_.bi_encoder.pooling = pooling;
      Train(task_, training_);
      // Chance level is 18 %.
      EXPECT_GT(Evaluate().at("mrr"), 25) << loss << " " << pooling;
    }
  }
}

TEST_F(Retrieval, EveryMatchFindsWhatBm25DoesNot) {
  training_.run.epochs = 8;
  for (const char* match : {"attention", "attentive_pooling"}) {
    task_.bi_encoder.match = match;
    Train(task_, training_);
    const auto figures = Evaluate();
    EXPECT_GT(figures.at("mrr"), 80) << match;
    EXPECT_LT(figures.at("bm25_mrr"), 40);
  }
}

TEST_F(Retrieval, CandidatesOfAQueryAreRankedWithoutACorpus) {
  training_.run.epochs = 8;
  Train(task_, training_);
  std::filesystem::remove(task_.data.corpus.front());
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto predictor = loaded.MakePredictor();
  const std::string query = "how do i fix a big automobile";
  const std::vector<Input> inputs = {
      {query + "\tcan i buy a wet sofa\twhere can i repair a large car"}};
  const auto answers = predictor->Predict(inputs);
  const auto& hits = answers.at(0).parts.at("hits");
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits.at(0).at("id"), "2");
  EXPECT_EQ(hits.at(0).at("text"), "where can i repair a large car");
  EXPECT_GT(hits.at(0).at("score"), hits.at(1).at("score"));
  EXPECT_EQ(
      MessageOf<FormatError>(
          [&] { predictor->Predict(std::vector<Input>{{query + "\t \t"}}); }),
      "text: no text after the tab, so that there is nothing to choose from");
}

TEST_F(Retrieval, AllCandidatesOfAQueryAreReturned) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  std::string line = "a car";
  for (int i = 1; i <= 30; ++i) line += fmt::format("\ttext {}", i);
  line += "\t \tthe last";  // a blank candidate is skipped but numbered
  const auto hits_with = [&](const OptionTexts& options, const char* text) {
    const auto predictor = loaded.MakePredictor(
        *WithValues(loaded.settings->PredictOptions(), options));
    const std::vector<Input> inputs = {{text}};
    return predictor->Predict(inputs).at(0).parts.at("hits");
  };
  const auto hits = hits_with({}, line.c_str());
  EXPECT_EQ(hits.size(), 31u);
  for (const auto& hit : hits) {
    if (hit.at("text") == "the last") {
      EXPECT_EQ(hit.at("id"), "32");
    }
  }
  EXPECT_EQ(hits_with({{"best", "3"}}, line.c_str()).size(), 3u);
  EXPECT_EQ(hits_with({{"best", "40"}}, line.c_str()).size(), 31u);
  EXPECT_EQ(hits_with({}, "a car").size(), 10u);
}

TEST_F(Retrieval, SettingsWithoutEffectAreReadFromOlderFoldersAndNotWritten) {
  training_.run.epochs = 1;
  Train(task_, training_);
  ModelDescription description = ReadModelConfig(training_.run.out);
  EXPECT_FALSE(description.settings.contains("label_smoothing"));
  EXPECT_TRUE(description.settings.contains("clip"));
  description.settings["label_smoothing"] = 0.1;
  WriteModelConfig(training_.run.out, description);
  EXPECT_NO_THROW(ReadModel(training_.run.out));
  EXPECT_NO_THROW(Resume(training_.run.out, true, {.epochs = 2}));
}

TEST_F(Retrieval, ValidationStandsBesideBm25) {
  const Data texts = task_.Read();
  const auto model = task_.MakeModel(texts, 1);
  const RankingScores bm25 =
      ScoreRankings(RankByBm25(texts, texts.valid), kRankingCutoffs);
  const auto objective = task_.MakeObjective(texts, *model, 1);
  const auto names_of = [&](const char* measure) {
    std::vector<std::string> names;
    for (const auto& [name, value] : objective->Validate(measure)) {
      names.push_back(name);
      if (name == "bm25_mrr") {
        EXPECT_EQ(value, 100 * bm25.mrr);
      }
      if (name == "bm25_p1") {
        EXPECT_EQ(value, 100 * bm25.precision.at(1));
      }
    }
    return names;
  };
  EXPECT_EQ(
      names_of("mrr"),
      (std::vector<std::string>{"loss", "mrr", "bm25_mrr", "map", "p1", "p5"}));
  EXPECT_EQ(names_of("loss"), names_of("mrr"));
  EXPECT_EQ(names_of("p1"), (std::vector<std::string>{"loss", "mrr", "map",
                                                      "p1", "bm25_p1", "p5"}));
}

class AnswerSelection : public Retrieval {
 protected:
  void SetUp() override {
    Retrieval::SetUp();
    task_.data.corpus = task_.data.queries = task_.data.candidates = {};
    task_.data.valid_candidates = {};
    task_.data.answers = {
        folder_.Put("answers.tsv",
                    "who ?\t1\tshe\nwho ?\t0\tthere\nwhere ?\t1\tthere\nwhere "
                    "?\t0\tshe\n")};
    valid_ = folder_.Put("valid.tsv",
                         "who ?\t0\tthere\nwho ?\t1\tshe\nwhere ?\t1\tthere\n"
                         "why ?\t0\tshe\n");
    task_.data.valid_answers = {valid_};
    training_.run.epochs = 40;
  }

  std::string valid_;
};

TEST_F(AnswerSelection, LearnsFromQuestionsWithTheirTexts) {
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto& model = dynamic_cast<const Model&>(*loaded.model);
  // "why" occurs only in validation texts.
  EXPECT_FALSE(model.vocabulary.Serialize().find("who") == std::string::npos);
  EXPECT_TRUE(model.vocabulary.Serialize().find("why") == std::string::npos);
  const Report report = EvaluateWith(loaded, {{"answers", valid_}});
  EXPECT_EQ(report.details.at("queries"), 2);
  EXPECT_EQ(report.details.at("dropped"), 1);
  EXPECT_NEAR(report.details.at("model").at("map").get<double>(), 100, 1e-9);
  // All texts are relevant to "where".
  EXPECT_EQ(report.details.at("with_wrong_texts").at("queries"), 1);
  EXPECT_NE(report.text.find("queries with a text that is not relevant: 1"),
            std::string::npos)
      << report.text;
}

TEST_F(AnswerSelection, SharedWordsCountIfRequested) {
  task_.data.shared_words = SharedWordMeasures::kBm25;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto& model = dynamic_cast<const Model&>(*loaded.model);
  ASSERT_TRUE(model.learned.statistics);
  // Words that training did not contain.
  const Tensor scores =
      model.Scores({}, model.Read({}, {"zebra"}, TextSide::kQuery),
                   model.Read({}, {"mule", "zebra"}, TextSide::kText));
  EXPECT_GT(scores.row<float>(0)[1], scores.row<float>(0)[0] + 0.1F);
  // Older folders have a flag.
  ModelDescription description = ReadModelConfig(training_.run.out);
  description.settings["shared_words"] = true;
  WriteModelConfig(training_.run.out, description);
  const LoadedModel old = ReadModel(training_.run.out);
  const auto& same = dynamic_cast<const Model&>(*old.model);
  EXPECT_EQ(same.Scores({}, same.Read({}, {"zebra"}, TextSide::kQuery),
                        same.Read({}, {"mule", "zebra"}, TextSide::kText))
                .ToVector<float>(),
            scores.ToVector<float>());
  std::filesystem::remove(folder_.Path("model/bm25.tsv"));
  EXPECT_THROW(ReadModel(training_.run.out), Error);
}

/// Questions whose answers have all their words once; other texts repeat one.
/// BM25 prefers the latter, because the answers are long.
std::string RepeatedWords() {
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    lines += fmt::format(
        "a{0} b{0}\t1\ta{0} b{0} of many more words that say no more {1}\n"
        "a{0} b{0}\t0\ta{0} a{0} a{0}\n",
        i, "and so on and on and on and on and on and on");
  }
  return lines;
}

TEST_F(AnswerSelection, AnUntrainedModelRanksByTheOverlapThatWasFitted) {
  task_.data.answers = {folder_.Put("repeated.tsv", RepeatedWords())};
  task_.data.valid_answers = task_.data.answers;
  const Data texts = task_.Read();
  const auto mrr = [](const std::vector<Ranking>& rankings) {
    return ScoreRankings(rankings, kRankingCutoffs).mrr;
  };
  EXPECT_LT(mrr(RankByBm25(texts, texts.valid)), 0.6);
  const auto model = task_.MakeModel(texts, 1);
  EXPECT_EQ(mrr(model->Compare(texts, texts.valid).rankings), 1);
  // The score is that of the weights.
  const auto weights = FitOverlap(texts, *model->learned.statistics, 1);
  const std::vector<std::string> pair = {"a1 b1", "b1 b1 c"};
  const auto counted = model->learned.statistics->Count(pair);
  double expected = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    expected += 0.05 * weights[k] * OverlapFeatures(counted[0], counted[1])[k];
  }
  const Tensor score =
      model->Scores({}, model->Read({}, {pair[0]}, TextSide::kQuery),
                    model->Read({}, {pair[1]}, TextSide::kText));
  EXPECT_NEAR(score.item(), expected, 1e-4);
}

TEST_F(AnswerSelection, TheStartIsKeptUnlessTrainingImprovesIt) {
  task_.data.answers = {folder_.Put("repeated.tsv", RepeatedWords())};
  task_.data.valid_answers = task_.data.answers;
  training_.run.epochs = 2;
  training_.optimizer.learning_rate = 0;  // improves nothing
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.best_step, 0);
  EXPECT_EQ(result.best, 100);
  task_.data.shared_words = SharedWordMeasures::kNone;
  EXPECT_GT(Train(task_, training_).best_step, 0);
}

TEST_F(AnswerSelection, WithoutAnExampleOverlapIsBm25) {
  task_.data.answers = {folder_.Put("equal.tsv", "a b\t1\tx\na b\t0\ty\n")};
  const Data texts = task_.Read();
  const auto weights =
      FitOverlap(texts, Bm25Statistics(texts.corpus.texts()), 1);
  EXPECT_NEAR(weights[0], 20, 1e-9);
  for (size_t k = 1; k < weights.size(); ++k) EXPECT_EQ(weights[k], 0);
}

TEST_F(AnswerSelection, QueriesThatDoNotSelectWeightsAreEvaluated) {
  training_.run.epochs = 1;
  task_.data.valid_queries = ValidQueries::kOdd;  // who, why
  EXPECT_EQ(task_.Read().valid.size(), 2u);
  Train(task_, training_);
  const Report where = EvaluateWith(ReadModel(training_.run.out), {});
  EXPECT_EQ(where.details.at("queries"), 1);
  EXPECT_EQ(where.details.at("dropped"), 0);
  task_.data.valid_queries = ValidQueries::kEven;  // where
  EXPECT_EQ(task_.Read().valid.size(), 1u);
  Train(task_, training_);
  const Report who = EvaluateWith(ReadModel(training_.run.out), {});
  EXPECT_EQ(who.details.at("queries"), 1);
  EXPECT_EQ(who.details.at("dropped"), 1);
  task_.data.valid_queries = ValidQueries::kAll;
  Train(task_, training_);
  EXPECT_EQ(MessageOf<ConfigError>(
                [&] { EvaluateWith(ReadModel(training_.run.out), {}); }),
            "--relevant or --candidates or --answers is needed, unless the "
            "model was trained with --valid-queries odd or even");
}

TEST_F(AnswerSelection, DifferencesFromBm25HaveAPairedTest) {
  Train(task_, training_);
  const std::string path = folder_.Path("each.tsv");
  const Report report = EvaluateWith(
      ReadModel(training_.run.out), {{"answers", valid_}, {"per_query", path}});
  std::vector<double> above;
  std::vector<std::string> ids;
  for (const std::string& line : ReadLines(path)) {
    const std::vector<std::string_view> fields = SplitAt(line, "\t");
    ASSERT_EQ(fields.size(), 5u);
    ids.emplace_back(fields[0]);
    if (ids.size() == 1) continue;
    above.push_back(100 * (std::stod(std::string(fields[2])) -
                           std::stod(std::string(fields[4]))));
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"query", "q1", "q2"}));
  const MeanInterval paired = ConfidenceOfMean(above);
  const auto& map = report.details.at("map_above_bm25");
  EXPECT_NEAR(map.at("mean").get<double>(), paired.mean, 1e-9);
  EXPECT_NEAR(map.at("p_value").get<double>(), paired.p_value, 1e-9);
  EXPECT_NEAR(paired.mean,
              report.details.at("model").at("map").get<double>() -
                  report.details.at("bm25").at("map").get<double>(),
              1e-9);
}

TEST_F(AnswerSelection, TextsOfOneScoreAreRankedByTheirIds) {
  training_.run.epochs = 1;
  Train(task_, training_);
  // No word is shared, so BM25 ranks q1.2 before q1.1, as trec_eval does.
  const std::string first = folder_.Put("first.tsv", "a\t1\tx\na\t0\ty\n");
  const std::string last = folder_.Put("last.tsv", "a\t0\tx\na\t1\ty\n");
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto mrr = [&](const std::string& answers) {
    return EvaluateWith(loaded, {{"answers", answers}})
        .details.at("bm25")
        .at("mrr")
        .get<double>();
  };
  EXPECT_NEAR(mrr(first), 50, 1e-9);
  EXPECT_NEAR(mrr(last), 100, 1e-9);
}

TEST_F(AnswerSelection, UnmeasurableQueriesAreReported) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const std::string none = folder_.Put("none.tsv", "a\t0\tx\na\t0\ty\n");
  EXPECT_EQ(MessageOf<FormatError>([&] {
              EvaluateWith(loaded, {{"answers", none}});
            }),
            "evaluate: no query has a relevant text, and so there is nothing "
            "to find (queries: 1)");
  const std::string all = folder_.Put("all.tsv", "a\t1\tx\na\t1\ty\n");
  const Report report = EvaluateWith(loaded, {{"answers", all}});
  EXPECT_NE(report.text.find("of the others each text is relevant"),
            std::string::npos)
      << report.text;
  EXPECT_EQ(report.text.find(" 0.00"), std::string::npos) << report.text;
}

TEST_F(AnswerSelection, OtherFilesBesideAnswersAreRefused) {
  task_.data.corpus = {valid_};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--answers has its own questions and texts: leave out --corpus");
  task_.data.corpus = {};
  task_.data.valid_relevant = {valid_};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--valid-answers has its own questions and texts: leave out "
            "--valid-relevant");
}

/// A translation model of paraphrases, whose encoder knows the words of both
/// texts.
std::string PretrainedTranslator(const TemporaryFolder& folder) {
  const ParaphraseTask paraphrases = MakeParaphrases(600, 1);
  std::string pairs;
  for (const RetrievalQuery& query : paraphrases.train) {
    const std::string& text = paraphrases.corpus.texts().at(
        static_cast<size_t>(query.positives.at(0)));
    const std::string& query_text =
        paraphrases.queries.texts().at(static_cast<size_t>(query.query));
    pairs += text + "\t" + query_text + "\n" + query_text + "\t" + text + "\n";
  }
  translate::Settings task;
  task.data.train.tsv = {folder.Put("pairs.tsv", pairs)};
  task.data.vocabulary = "words";
  SetPreset(FieldsOf(*task.model), "embedding=12 units=16");
  TrainingConfig training;
  task.SetDefaults(training);
  training.run.out = folder.Path("translator");
  training.run.quiet = true;
  training.run.epochs = 1;
  Train(task, training);
  return training.run.out;
}

TEST_F(Retrieval, StartsFromTheEncoderOfATranslator) {
  task_.pretrained = PretrainedTranslator(folder_);
  training_.run.epochs = 3;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto& model = dynamic_cast<const Model&>(*loaded.model);
  EXPECT_EQ(model.network.output_size(), 32) << "of both directions";
  // Chance level is 18 %.
  EXPECT_GT(Evaluate().at("mrr"), 25);
  EXPECT_NE(MessageOf<FormatError>([&] {
              ReadPretrained(training_.run.out);
            }).find("has no encoder that others can start from"),
            std::string::npos);
}

TEST_F(Retrieval, ReadsPretrainedVectorsOfWordsThatAreNotLearnt) {
  task_.data.shared_words = SharedWordMeasures::kNone;
  task_.data.vectors.word_vectors = folder_.Put(
      "vectors.txt", "fix 1 0\nrepair 1 0\nzebra 0 1\nhorse 0 -1\n");
  training_.run.epochs = 1;
  Train(task_, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto& model = dynamic_cast<const Model&>(*loaded.model);
  const std::vector<std::string> texts = {"zebra", "horse", "mule", "donkey"};
  const EncodedCorpus read = model.Read({}, texts, TextSide::kText);
  const Tensor cosines = model.Scores({}, read, read);
  EXPECT_LT(cosines.row<float>(0)[1], 0.9999F) << "told apart by their vectors";
  EXPECT_NEAR(cosines.row<float>(2)[3], 1, 1e-5) << "both unknown";
  task_.data.vocabulary.vocabulary = "unigram";
  EXPECT_THROW(Train(task_, training_), ConfigError);
}

TEST_F(Retrieval, TextsThatAskForOneAnotherDoNotFindThemselves) {
  Data texts;
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
      dynamic_cast<const Model&>(*loaded.model)
          .Compare(texts, texts.valid)
          .rankings;
  ASSERT_EQ(rankings.size(), 2u);
  EXPECT_EQ(rankings[0].relevant, (std::vector<bool>{true, false}));
  EXPECT_EQ(rankings[1].positives, 0);
}

TEST_F(Retrieval, MissingFilesAreNamed) {
  task_.data.relevant = task_.data.candidates;
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--relevant or --candidates, but not both");
  task_.data.relevant = task_.data.candidates = {};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task_, training_); }),
            "--corpus and --relevant or --corpus and --candidates or --answers "
            "is needed");
  EXPECT_THROW(task_.ChooseModel("bahdanau"), ConfigError);
}

}  // namespace
}  // namespace heed::retrieve
