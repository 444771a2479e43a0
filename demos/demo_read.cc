// heed demo read: questions about made-up stories, and what answers them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "apps/heed/program.h"
#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/training_in.h"
#include "heed/base/threads.h"
#include "heed/data/facts.h"
#include "heed/io/file.h"
#include "heed/models/preset.h"
#include "heed/tasks/read/read.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

constexpr int64_t kOtherStories = 1000;  // for validation, and for the test

struct ReadDemo {
  std::string out = "heed-demo-read";
  int facts = 2;
  int stories = 6000;
  int epochs = 8;
  bool write_only = false;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"},
      "folder for the stories, the models and the picture");
    v("facts", facts, Range(1, 3),
      "sentences that an answer follows from, and hops of the reader");
    v("stories", stories, Range(100, 1000000),
      "stories that are learned from; 1000 others are for validation and 1000 "
      "for the test");
    v("epochs", epochs, Range(1, 1000), "passes over them");
    v("write_only", write_only,
      "write the stories, as heed train --task read reads them, and train "
      "nothing");
    v("seed", seed, "random seed of the stories and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
  FactOptions HowMade() const { return {.facts = facts}; }
  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// Stories of one seed in three parts.
struct PartOfStories {
  const char* file;
  int64_t first;
  int64_t count;
};

std::array<PartOfStories, 3> PartsOf(const ReadDemo& demo) {
  return {{{"train.jsonl", 0, demo.stories},
           {"valid.jsonl", demo.stories, kOtherStories},
           {"test.jsonl", demo.stories + kOtherStories, kOtherStories}}};
}

void WriteStories(const ReadDemo& demo) {
  std::filesystem::create_directories(demo.out);
  for (const PartOfStories& part : PartsOf(demo)) {
    WriteFileAtomically(
        demo.Path(part.file),
        FactFile(demo.HowMade(), demo.seed, part.first, part.count));
  }
}

std::vector<PassageQuestion> QuestionsOf(const ReadDemo& demo, size_t part) {
  const PartOfStories own = PartsOf(demo).at(part);
  return MakeFactQuestions(demo.HowMade(), demo.seed, own.first, own.count);
}

/// A model in the folder of its name, with its score in the test.
std::pair<LoadedModel, read::PassageScore> TrainedReader(
    const ReadDemo& demo, const std::string& name, const std::string& preset) {
  read::Settings task;
  task.ChooseModel(ModelNames<PassageReaderSettings>().front());
  SetPreset(FieldsOf(task), fmt::format("hops={} {}", demo.facts, preset));
  task.data.passages = {demo.Path(PartsOf(demo)[0].file)};
  task.data.valid_passages = {demo.Path(PartsOf(demo)[1].file)};
  TrainingConfig training =
      TrainingIn(demo.Path(name), task, demo.epochs, demo.seed);
  training.run.patience = 0;
  Train(task, training);
  LoadedModel loaded = ReadModel(training.run.out);
  const auto& model = dynamic_cast<const read::Model&>(*loaded.model);
  const read::PassageCorpus test = model.Encode(QuestionsOf(demo, 2));
  const read::PassageScore score =
      read::ScoreAnswers(test, model.LogProbabilities({}, test));
  return {std::move(loaded), score};
}

/// As a shell's printf takes it.
std::string ForPrintf(const PassageQuestion& one) {
  std::string line = one.passage;
  std::ranges::replace(line, '\n', ' ');
  return line + "\\t" + one.question;
}

}  // namespace

int RunDemoRead(const Arguments& arguments) {
  ReadDemo demo;
  Options options(
      "demo read",
      "Makes up stories of who goes where and has what, learns to answer "
      "questions about them with a word of the story, and shows what the "
      "answer attends to, beside a reader that is not shown the question "
      "(about a minute).");
  demo.Visit(options.fields());
  options.Example("heed demo read");
  options.Example("heed demo read --facts 1 --stories 2000");
  options.Example("heed demo read --write-only --stories 10000 --out stories");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  WriteStories(demo);
  if (demo.write_only) {
    fmt::print(
        "{0}/train.jsonl: {1} stories; {0}/valid.jsonl and {0}/test.jsonl: {2} "
        "others each\n",
        demo.out, demo.stories, kOtherStories);
    return 0;
  }
  const PassageQuestion first = QuestionsOf(demo, 2).front();
  fmt::print("Learning from {} stories, as\n\n{}\n{}  {}\n\n", demo.stories,
             first.passage, first.question, first.answer);
  std::fflush(stdout);
  const auto [reader, score] = TrainedReader(demo, "model", "");
  const read::CommonAnswer common =
      read::MostFrequentAnswer(QuestionsOf(demo, 2), /*lowercase=*/true);
  const auto [blind, guessed] = TrainedReader(demo, "blind", "query=blind");
  fmt::print(
      "Right answers in {} other stories:\n"
      "  with attention by the question     {:5.1f} %\n"
      "  without the question               {:5.1f} %\n"
      "  the most frequent answer ({:<10} {:5.1f} %\n"
      "  the place that is named most often {:5.1f} %\n",
      score.questions, score.accuracy(), guessed.accuracy(),
      common.answer + "):",
      100.0 * static_cast<double>(common.questions) /
          static_cast<double>(score.questions),
      100.0 * static_cast<double>(score.frequent) /
          static_cast<double>(score.questions));
  const std::string picture =
      ShowExplained(reader, Input{first.passage + "\t" + first.question},
                    demo.out, "passage");
  fmt::print(
      "\nThe picture:     {0}\n"
      "The stories:     {1}/train.jsonl, {1}/valid.jsonl, {1}/test.jsonl\n"
      "Try your own:    printf '{3}\\n' \\\n"
      "                     | {2} predict {1}/model\n"
      "Train another:   {2} train --task read --passages {1}/train.jsonl \\\n"
      "                     --valid-passages {1}/valid.jsonl --hops {4} "
      "--epochs {5} \\\n"
      "                     --out model\n",
      picture, demo.out, ProgramName(), ForPrintf(first), demo.facts,
      demo.epochs);
  return 0;
}

}  // namespace heed
