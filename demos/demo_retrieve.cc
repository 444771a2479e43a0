// heed demo retrieve: which of twenty texts says the same as a question, in
// other words.
#include <fmt/format.h>

#include <filesystem>

#include "apps/heed/program.h"
#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/training_in.h"
#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/data/paraphrases.h"
#include "heed/io/file.h"
#include "heed/models/preset.h"
#include "heed/tasks/retrieve/retrieve.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

struct AnswerDemo {
  std::string out = "heed-retrieve";
  int questions = 1000;
  int remarks = 4;
  int epochs = 10;
  bool write_only = false;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for questions, models and pictures");
    v("questions", questions, Range(10, 1728),
      "questions with twenty texts each; a tenth is for validation and a tenth "
      "for the test");
    v("remarks", remarks, Range(0, 100),
      "further sentences of a text, around what it asks");
    v("epochs", epochs, Range(1, 1000), "passes over the questions");
    v("write_only", write_only,
      "write the questions, as heed train --answers reads them, and train "
      "nothing");
    v("seed", seed, "of the questions and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// A way to compare a question with a text.
struct AnswerEntry {
  std::string name;  // and its folder
  std::string preset;
};

const AnswerEntry kAnswerEntries[] = {
    {"last", "match=separate pooling=last"},
    {"mean", "match=separate pooling=mean"},
    {"pooled", "match=separate pooling=attention"},
    {"attention", "match=attention pooling=mean"},
    {"attentive_pooling", "match=attentive_pooling"},
};

struct AnswerResult {
  LoadedModel loaded;
  Report report;
};

AnswerResult TrainAnswers(const AnswerDemo& demo, const AnswerEntry& entry) {
  retrieve::Settings task;
  SetPreset(FieldsOf(*task.encoder), "units=32");
  SetPreset(FieldsOf(task.bi_encoder), entry.preset);
  task.data.answers = {demo.Path("train.tsv")};
  task.data.valid_answers = {demo.Path("valid.tsv")};
  TrainingConfig training =
      TrainingIn(demo.Path(entry.name), task, demo.epochs, demo.seed);
  training.optimizer.learning_rate = 0.01;
  training.run.patience = 0;
  fmt::print(stderr, "{}\n", entry.name);
  Train(task, training);
  AnswerResult result = {ReadModel(training.run.out), {}};
  retrieve::Evaluation evaluation;
  evaluation.answers = {demo.Path("test.tsv")};
  result.report = result.loaded.settings->Evaluate(
      *result.loaded.model, OptionsOf<retrieve::Evaluation>(evaluation));
  return result;
}

void ShowAnswerScores(const std::string& name, const Report& report,
                      const char* whose) {
  const auto& scores = report.details.at(whose);
  fmt::print("{:<20} {:>7.2f} {:>7.2f} {:>7.2f}\n", name,
             scores.at("mrr").get<double>(), scores.at("map").get<double>(),
             scores.at("p1").get<double>());
}

/// A question of the test with its right text, and why they are near.
void ShowAnswer(const AnswerDemo& demo, const ParaphraseTask& questions,
                const AnswerEntry& entry, const AnswerResult& result) {
  const RetrievalQuery& query = questions.test.front();
  fmt::print("\nA question of the test and its answer, by {}\n", entry.name);
  const std::string question =
      At(questions.queries.texts(), query.query) + "\t" +
      At(questions.corpus.texts(), query.positives.front());
  const std::string shown =
      ShowExplainedWithPage(result.loaded, Input{question}, demo.out, "answer",
                            {.map = "match.words"});
  fmt::print(
      "\nThe picture:     {1}\n"
      "The questions:   {0}/train.tsv, {0}/valid.tsv, {0}/test.tsv\n"
      "Try your own:    printf 'how do i fix a big automobile\\tcan i buy a "
      "wet sofa\\twhere can i repair a large car\\n' | {2} predict {3}\n",
      demo.out, shown, ProgramName(), demo.Path(entry.name));
}

}  // namespace

int RunDemoRetrieve(const Arguments& arguments) {
  AnswerDemo demo;
  Options options(
      "demo retrieve",
      "Makes up questions with twenty texts each, one of which says the same "
      "in other words; trains models that pool the words of each text, that "
      "attend to the text with the question (Tan et al. 2015), and of both "
      "with both (dos Santos et al. 2016), and compares their rankings with "
      "BM25's, which sees shared words alone.");
  demo.Visit(options.fields());
  options.Example("heed demo retrieve");
  options.Example("heed demo retrieve --write-only --out questions");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  const ParaphraseTask questions =
      MakeParaphrases(demo.questions, demo.seed, demo.remarks);
  std::filesystem::create_directories(demo.out);
  const auto write = [&](const char* file,
                         const std::vector<RetrievalQuery>& queries) {
    WriteFileAtomically(demo.Path(file), AnswerLines(questions, queries));
  };
  write("train.tsv", questions.train);
  write("valid.tsv", questions.valid);
  write("test.tsv", questions.test);
  if (demo.write_only) {
    fmt::print(
        "{0}/train.tsv: {1} questions; {0}/valid.tsv and {0}/test.tsv: {2} "
        "each\n",
        demo.out, questions.train.size(), questions.test.size());
    return 0;
  }
  std::vector<AnswerResult> results;
  for (const AnswerEntry& entry : kAnswerEntries) {
    results.push_back(TrainAnswers(demo, entry));
  }
  fmt::print("\n{:<20} {:>7} {:>7} {:>7}\n", "test, %", "MRR", "MAP", "P@1");
  for (size_t i = 0; i < results.size(); ++i) {
    ShowAnswerScores(kAnswerEntries[i].name, results[i].report, "model");
  }
  ShowAnswerScores("BM25", results.front().report, "bm25");
  ShowAnswer(demo, questions, kAnswerEntries[4], results.back());
  return 0;
}

}  // namespace heed
