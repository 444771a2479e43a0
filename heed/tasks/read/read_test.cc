#include "heed/tasks/read/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "course/data/facts.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/preset.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/testing.h"
#include "heed/train/in_memory.h"

namespace heed::read {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTinyReader = "embedding=8 units=8 dropout=0";

std::vector<PassageQuestion> SomeQuestions() {
  return {{"Ann ate.\nBob ran home.", "Who ran?", "Bob", {}, "a:1"},
          {"Ann ate. Carl sat.", "Who sat?", "Carl", {"Ann", "Carl"}, "a:2"},
          {"Ann ate.", "Who left?", "Dan", {}, "a:3"}};
}

LoadedModel ReaderOf(const std::vector<PassageQuestion>& train,
                     const std::string& preset = kTinyReader) {
  auto settings = std::make_unique<Settings>();
  SetPreset(FieldsOf(*settings), preset);
  settings->Resolve();
  LoadedModel loaded;
  loaded.model = settings->MakeModel({train, {}}, 1);
  loaded.settings = std::move(settings);
  return loaded;
}

const Model& ModelIn(const LoadedModel& loaded) {
  return dynamic_cast<const Model&>(*loaded.model);
}

std::vector<std::string> LinesOfAnswers(const LoadedModel& loaded,
                                        const std::vector<std::string>& lines) {
  std::vector<Input> inputs;
  for (const std::string& line : lines) inputs.push_back({line});
  std::vector<std::string> answers;
  for (const Answer& one : loaded.MakePredictor()->Predict(inputs)) {
    answers.push_back(one.line);
  }
  return answers;
}

TEST(PassageObjective, LeavesOutQuestionsWhoseAnswerIsNotInThePassage) {
  LoadedModel loaded = ReaderOf(SomeQuestions());
  auto& model = dynamic_cast<Model&>(*loaded.model);
  const auto& settings = dynamic_cast<const Settings&>(*loaded.settings);
  const auto objective =
      settings.MakeObjective({SomeQuestions(), SomeQuestions()}, model, 1);
  EXPECT_THAT(objective->Summary(),
              HasSubstr("2 questions (1 left out, whose answer is not one "
                        "word of the passage), 3 for validation"));
  const Metrics found = objective->Validate("accuracy");
  EXPECT_LE(found.at(0).second, 200.0 / 3 + 1e-9);
  EXPECT_TRUE(std::isfinite(found.at(1).second));
  EXPECT_THROW(settings.MakeObjective({{SomeQuestions()[2]}, {}}, model, 1),
               ConfigError);
  auto other = SomeQuestions();
  other[0].answer = "Ann";
  EXPECT_NE(settings.MakeObjective({other, {}}, model, 1)->Checksum(),
            objective->Checksum());
}

TEST(ReadScores, CountWhatIsRightFrequentAndMissing) {
  const LoadedModel loaded = ReaderOf(SomeQuestions());
  auto questions = SomeQuestions();
  questions[1].passage = "Ann ate. Carl sat. Carl ate.";
  const PassageCorpus corpus = ModelIn(loaded).Encode(questions);
  std::vector<std::vector<float>> log_p;
  for (const PassageText& text : corpus.texts) {
    log_p.emplace_back(text.candidates.size(), -9.0f);
  }
  log_p[0][3] = -0.25f;  // Ann ate . Bob
  log_p[1][0] = -0.5f;   // Ann, a wrong answer
  const PassageScore score = ScoreAnswers(corpus, log_p);
  EXPECT_EQ(score.questions, 3);
  EXPECT_EQ(score.right, 1);
  EXPECT_EQ(score.frequent, 1);
  EXPECT_EQ(score.missing, 1);
  EXPECT_NEAR(score.accuracy(), 100.0 / 3, 1e-9);
  EXPECT_NEAR(score.loss(), (0.25 + 9) / 2, 1e-6);
}

TEST(ReadEvaluation, WithoutCandidatesNoneIsNamedMost) {
  const LoadedModel loaded = ReaderOf(SomeQuestions());
  const TemporaryFolder folder;
  const auto most_named = [&](const char* name, const std::string& content) {
    const Report report =
        EvaluateWith(loaded, {{"passages", folder.Put(name, content)}});
    const auto found =
        std::ranges::find(report.figures, "most_named", &Figure::key);
    return found->value;
  };
  const std::string question =
      R"({"passage": "Bob ran. Bob sat.", "question": "Who?", "answer": "Bob")";
  EXPECT_TRUE(std::isnan(most_named("none.jsonl", question + "}\n")));
  EXPECT_EQ(
      most_named("some.jsonl", question + R"(, "candidates": ["Bob", "ran"]})"
                                          "\n"),
      100);
}

TEST(MostFrequentAnswer, IsTheAnswerOfMostQuestions) {
  std::vector<PassageQuestion> questions(5);
  const char* answers[] = {"barn", "Hall ", "yard", "hall", "barn"};
  for (size_t i = 0; i < questions.size(); ++i) {
    questions[i].answer = answers[i];
    questions[i].passage =
        "yard yard yard";  // words of passages are not counted
  }
  const CommonAnswer cased = MostFrequentAnswer(questions, false);
  EXPECT_EQ(cased.answer, "barn");
  EXPECT_EQ(cased.questions, 2);
  questions[4].answer = "HALL";
  const CommonAnswer lower = MostFrequentAnswer(questions, true);
  EXPECT_EQ(lower.answer, "hall");
  EXPECT_EQ(lower.questions, 3);
  EXPECT_EQ(MostFrequentAnswer({}, true).questions, 0);
}

TEST(PassagePredictor, AnswersAreWordsOfThePassageAndItsCandidates) {
  const LoadedModel loaded = ReaderOf(SomeQuestions());
  const auto predictor = loaded.MakePredictor();
  const Answer one = predictor->Predict(std::vector<Input>{
      {R"({"passage": "Ann met Zoe .", "question": "Who?", "candidates": )"
       R"(["zoe", "Bob", "ann"]})"}})[0];
  EXPECT_EQ(one.parts.at("answers").size(), 2u);
  double sum = 0;
  for (const auto& answer : one.parts.at("answers")) {
    sum += answer.at("probability").get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_TRUE(one.line == "Ann" || one.line == "Zoe") << one.line;
  // Unknown words are separate candidates.
  const Answer unknown =
      predictor->Predict(std::vector<Input>{{"Yan saw Zoe\tWho?"}})[0];
  EXPECT_EQ(unknown.parts.at("answers").size(), 3u);
  for (const char* line : {"Ann ate.", "{}"}) {
    EXPECT_THROW(predictor->Predict(std::vector<Input>{{line}}), FormatError);
  }
  EXPECT_THROW(
      predictor->Predict(std::vector<Input>{
          {R"({"passage": "a", "question": "q", "candidates": ["b"]})"}}),
      FormatError);
}

TEST(PassagePredictor, BatchesAnswerAsQuestionsAlone) {
  const LoadedModel loaded = ReaderOf(SomeQuestions());
  const std::vector<std::string> lines = {
      "Ann ate. Bob ran home. Ann sat.\tWho sat?", "Bob ran\tWho?",
      "Ann ate. Ann sat.\tWho ate of them?"};
  std::vector<std::string> alone;
  for (const std::string& line : lines) {
    alone.push_back(LinesOfAnswers(loaded, {line})[0]);
  }
  EXPECT_EQ(LinesOfAnswers(loaded, lines), alone);
}

TEST(Model, OfALongPassageTheFirstWordsAreRead) {
  const LoadedModel loaded =
      ReaderOf(SomeQuestions(), "units=8 embedding=8 max_length=4");
  const PassageCorpus corpus = ModelIn(loaded).Encode(SomeQuestions());
  EXPECT_EQ(corpus.cut, 2);
  EXPECT_THAT(corpus.texts[0].words, ElementsAre("Ann", "ate", ".", "Bob"));
  EXPECT_THAT(corpus.texts[0].sentences, ElementsAre(0, 3));
  EXPECT_EQ(corpus.texts[0].answer, 3);
  EXPECT_EQ(corpus.texts[1].candidates.size(), 2u);
}

TEST(PassagePredictor, WarnsOfAPassageOfWhichNotAllIsRead) {
  const LoadedModel loaded =
      ReaderOf(SomeQuestions(), "units=8 embedding=8 max_length=4");
  const auto warned = [](auto&& call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
  };
  constexpr const char* kWarning = "only the first 4 words are read";
  const std::string longer = "Ann ate. Bob ran.\tWho ran?";
  EXPECT_THAT(warned([&] { LinesOfAnswers(loaded, {longer}); }),
              HasSubstr(kWarning));
  EXPECT_EQ(warned([&] { LinesOfAnswers(loaded, {"Bob ran\tWho?"}); }), "");
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {longer};
  EXPECT_THAT(warned([&] { Explain(loaded, *predictor, request); }),
              HasSubstr(kWarning));
  const TemporaryFolder folder;
  Evaluation evaluation;
  evaluation.passages = {folder.Put(
      "some.jsonl", R"({"passage": "Ann ate. Bob ran.", "question": "Who?", )"
                    R"("answer": "Ann"})")};
  EXPECT_THAT(warned([&] {
                loaded.settings->Evaluate(*loaded.model,
                                          OptionsOf<Evaluation>(evaluation));
              }),
              HasSubstr(kWarning));
}

TEST(Model, IsOpenedAsItWasWritten) {
  const LoadedModel loaded = ReaderOf(SomeQuestions());
  const auto& settings = dynamic_cast<const Settings&>(*loaded.settings);
  ModelFiles files = loaded.model->Files();
  const auto again = settings.Open(files, "folder", 1);
  EXPECT_EQ(again->Files(), files);
  files.clear();
  EXPECT_THROW(settings.Open(files, "folder", 1), FormatError);
}

TEST(Model, ReadsPretrainedVectorsOfWordsThatAreNotLearnt) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Put("vectors.txt", "zebra 2 0 1\nhorse -2 1 0\n");
  const LoadedModel loaded = ReaderOf(
      SomeQuestions(), std::string(kTinyReader) + " word_vectors=" + path);
  EXPECT_EQ(loaded.model->Files().count(kWordVectorsFile), 1u);
  const auto& settings = dynamic_cast<const Settings&>(*loaded.settings);
  const auto opened = settings.Open(loaded.model->Files(), "folder", 1);
  const auto scores = [&](const std::string& word) {
    PassageCorpus corpus = opened->Encode(std::vector<PassageQuestion>{
        {word + " ate . Ann sat", "Who sat?", "", {}, "a:1"}});
    return opened->LogProbabilities({}, corpus).at(0);
  };
  EXPECT_NE(scores("zebra"), scores("horse")) << "told apart by their vectors";
  EXPECT_EQ(scores("mule"), scores("donkey")) << "both unknown";
}

TEST(ReadExplanation, HasThePassageItsQuestionAndEachHop) {
  const LoadedModel loaded =
      ReaderOf(SomeQuestions(), std::string(kTinyReader) + " hops=2");
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {"Ann ate.\nBob ran home.\tWho ran?"};
  request.input.answer = "bob";
  request.input.contrast = "Ann";
  request.attribution.methods = {"saliency", "occlusion"};
  const Explanation e = Explain(loaded, *predictor, request);
  CheckExplanation(e);
  const ExplanationSegment& segment = e.segments.at(0);
  EXPECT_EQ(segment.answer, "Bob");
  EXPECT_EQ(segment.axis("sentences").spans,
            (std::vector<ItemRange>{{0, 3}, {3, 7}}));
  EXPECT_THAT(segment.axis("question").items, ElementsAre("Who", "ran", "?"));
  ASSERT_EQ(segment.maps.size(), 2u);
  EXPECT_EQ(segment.targets.at(0).map, 1u);
  EXPECT_EQ(segment.targets[0].contrast->label, "Ann");
  EXPECT_EQ(segment.attributions.size(), 2u);
  // Without candidates the probability is the attention to the word.
  EXPECT_NEAR(*segment.targets[0].probability,
              RowOf(segment, segment.targets[0])[3], 1e-5);
  request.input.answer = "home";
  request.input.contrast = "home";
  EXPECT_THROW(Explain(loaded, *predictor, request), FormatError);
  request.input.contrast = "nobody";
  EXPECT_THROW(Explain(loaded, *predictor, request), FormatError);
}

PassageScore TrainedOnFacts(const std::string& preset, int epochs) {
  const FactOptions one = {.max_sentences = 8};
  const Data data = {MakeFactQuestions(one, 5, 0, 2000),
                     MakeFactQuestions(one, 5, 4000, 300)};
  Settings settings;
  SetPreset(FieldsOf(settings), preset);
  settings.Resolve();
  TrainingConfig training;
  settings.SetDefaults(training);
  training.run.epochs = epochs;
  training.optimizer.learning_rate = 5e-3;
  const auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  TrainInMemory(*objective, training);
  const PassageCorpus corpus =
      model->Encode(MakeFactQuestions(one, 5, 5000, 400));
  return ScoreAnswers(corpus, model->LogProbabilities({}, corpus));
}

TEST(ReadFacts, OneFactIsLearntAndNotWithoutTheQuestion) {
  const PassageScore reads = TrainedOnFacts("embedding=32 units=32", 10);
  EXPECT_GE(reads.accuracy(), 97);
  const PassageScore blind =
      TrainedOnFacts("embedding=32 units=32 query=blind", 10);
  EXPECT_LT(blind.accuracy(), 60);
  EXPECT_GT(blind.accuracy(), 15);
}

}  // namespace
}  // namespace heed::read
