// heed demo: trains a date translator in about a minute and shows its
// attention.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "apps/heed/commands.h"
#include "course/data/dates.h"
#include "course/demos.h"
#include "course/shown_alignments.h"
#include "heed/attention/normalizer.h"
#include "heed/attention/score.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/tasks/translate/translation.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr int kTrainDates = 20000;
constexpr int kValidDates = 500;
constexpr int kTestDates = 2000;
constexpr size_t kShown = 3;

struct DatesDemo {
  std::string out = "heed-demo";
  std::string score = "additive";
  std::string normalizer = "softmax";
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "model folder to write");
    v("score", score, OneOf(NamesOf(Scores())),
      "score function of the attention");
    v("normalizer", normalizer, OneOf(NamesOf(Normalizers())),
      "function that turns scores into weights; hard: attend to one character "
      "per step, learned by reward");
    v("seed", seed, "random seed of the dates and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

translate::Config ConfigOf(const DatesDemo& demo) {
  translate::Config config;
  SetPreset(FieldsOf(*config.model),
            "embedding=64 units=128 dropout=0.1 cell=gru score=" + demo.score +
                " normalizer=" + demo.normalizer);
  config.data.vocabulary = "characters";
  config.data.lowercase = true;
  config.data.batch_sentences = 64;
  config.optimizer.learning_rate = 3e-3;
  config.optimizer.schedule = Schedule::kCosine;
  config.optimizer.warmup = 100;
  config.optimizer.label_smoothing = 0;
  config.run.out = demo.out;
  config.run.overwrite = true;
  config.run.epochs = 6;
  config.run.metric = "loss";
  config.run.patience = 0;
  config.run.seed = demo.seed;
  config.run.threads = demo.threads;
  return config;
}

/// Returns one instructive example per first character.
std::vector<std::string> ChooseExamples(const ParallelText& test) {
  std::vector<std::string> chosen;
  for (const char* begin : {"t", "m", "1"}) {
    for (const std::string& text : test.source) {
      const bool fits = text.size() >= 16 && text.size() <= 26;
      if (fits && text.starts_with(begin)) {
        chosen.push_back(text);
        break;
      }
    }
  }
  return chosen;
}

/// Returns the command that calls this program: its name if it is in PATH.
std::string CommandPath() {
  namespace fs = std::filesystem;
  constexpr const char* kSelf = "/proc/self/exe";
  std::error_code error;
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  for (const std::string_view folder : SplitAt(path ? path : "", ":")) {
    if (fs::equivalent(fs::path(folder) / "heed", kSelf, error)) return "heed";
  }
  const fs::path self = fs::read_symlink(kSelf, error);
  return error ? "heed" : fs::proximate(self).string();
}

}  // namespace

int RunDemoDates(const Arguments& arguments) {
  DatesDemo demo;
  Options options("demo",
                  "Learns to write dates of many human formats as YYYY-MM-DD, "
                  "character by character, and shows which characters each "
                  "digit attended to. Needs no data.");
  options.Parts("Other demonstrations, by the question that they answer",
                PartsOf("demo", Demos()));
  demo.Visit(options.fields());
  options.Example("heed demo");
  options.Example("heed demo --score dot --out dates-dot");
  options.Example("heed demo gallery --help");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  DateTask task = MakeDateTask(kTrainDates, kValidDates, kTestDates, demo.seed);
  translate::LowercaseText(task.test);
  fmt::print("Learning to read dates, for example\n");
  for (size_t i = 0; i < kShown; ++i) {
    fmt::print("  {:<36} {}\n", task.train.source[i], task.train.target[i]);
  }
  fmt::print(
      "with attention as in Bahdanau et al. 2014, character by character.\n\n");
  std::fflush(stdout);

  translate::Config config = ConfigOf(demo);
  translate::TrainingText text = {task.train, task.valid};
  translate::LowercaseText(text.train);
  translate::LowercaseText(text.valid);
  const TrainResult trained =
      translate::TrainTranslation(config, std::move(text));

  const translate::Model model = translate::ReadTranslationModel(demo.out);
  translate::EvaluationOptions evaluation;
  evaluation.decode.beam = 1;
  const translate::EvaluationResult result =
      Evaluate(model, task.test, evaluation);
  fmt::print("Trained in {}. Of {} unseen dates {:.2f} % are right.\n\n",
             HumanTime(trained.seconds), result.sentences, result.exact_match);

  const std::string picture = demo.out + "/attention.svg";
  ShowAlignments(model, ChooseExamples(task.test), picture);
  fmt::print(
      "Each row is a character that was written; it is dark where it looked. "
      "The year\n"
      "comes first in the output and last in most inputs, so the path "
      "jumps.\n\n"
      "The pictures:   {0}\n"
      "Try your own:   echo 'the 3rd of october 1990' | {2} translate {1} "
      "--show-attention\n"
      "Your own text:  {2} train --source train.en --target train.de "
      "\\\n"
      "                  --valid-source valid.en --valid-target valid.de --out "
      "model\n",
      picture, demo.out, CommandPath());
  return 0;
}

}  // namespace heed
