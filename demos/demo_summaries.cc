// heed demo summaries: long sentences, and what is left of them.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "demos/demos.h"
#include "demos/shown_alignments.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/compressions.h"
#include "heed/io/file.h"
#include "heed/tasks/translate/translation.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr int kValidSentences = 300;
constexpr int kTestSentences = 1000;
constexpr int kShownSentences = 2;
constexpr int kLeadWords = 8;

struct SummariesDemoOptions {
  std::string out = "heed-demo-summaries";
  int sentences = 8000;
  int epochs = 5;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "model folder to write");
    v("sentences", sentences, Range(100, kCompressionLimit),
      "sentences that are learned from");
    v("epochs", epochs, Range(1, 1000), "passes over them");
    v("seed", seed, "random seed of the sentences and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

translate::Config SummariesConfig(const SummariesDemoOptions& demo) {
  translate::Config config;
  SetPreset(FieldsOf(*config.model), "embedding=64 units=96 dropout=0.2");
  config.data.vocabulary = "words";
  config.data.batch_sentences = 64;
  config.optimizer.learning_rate = 3e-3;
  config.optimizer.schedule = Schedule::kCosine;
  config.optimizer.warmup = 100;
  config.optimizer.label_smoothing = 0;
  config.run.out = demo.out;
  config.run.overwrite = true;
  config.run.epochs = demo.epochs;
  config.run.metric = "rouge_l";
  config.run.patience = 0;
  config.run.seed = demo.seed;
  config.run.threads = demo.threads;
  return config;
}

/// An active and a passive sentence of a length that a terminal can show.
std::vector<std::string> ShownSentences(const ParallelText& test) {
  std::vector<std::string> chosen;
  for (const bool passive : {false, true}) {
    for (const std::string& line : test.source) {
      const auto words = std::ssize(SplitWhitespace(line));
      const bool fits = words >= 14 && words <= 18;
      if (fits && passive == (line.find(" by ") != std::string::npos)) {
        chosen.push_back(line);
        break;
      }
    }
  }
  return chosen;
}

void PrintRouge(const char* name, const RougeScores& scores) {
  fmt::print("  {:<28} {:7.2f} {:7.2f} {:7.2f}\n", name, scores.rouge1.f1,
             scores.rouge2.f1, scores.rouge_l.f1);
}

}  // namespace

int RunDemoSummaries(const Arguments& arguments) {
  SummariesDemoOptions demo;
  Options options(
      "demo summaries",
      "Makes up long sentences and learns to say in three words who did what. "
      "Measures ROUGE beside a lead baseline, the first words, and shows "
      "which "
      "words were attended to (about a minute).");
  demo.Visit(options.fields());
  options.Example("heed demo summaries");
  options.Example("heed demo summaries --sentences 20000 --out compressions");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  const CompressionTask task = MakeCompressionTask(
      demo.sentences, kValidSentences, kTestSentences, demo.seed);
  fmt::print("Learning to compress sentences, for example\n");
  for (size_t i = 0; i < kShownSentences; ++i) {
    fmt::print("  {}\n    {}\n", task.train.source[i], task.train.target[i]);
  }
  fmt::print("\n");
  std::fflush(stdout);
  const TrainResult trained = translate::TrainTranslation(
      SummariesConfig(demo), {task.train, task.valid});

  const translate::Model model = translate::ReadTranslationModel(demo.out);
  translate::EvaluationOptions evaluation;
  evaluation.lead_words = kLeadWords;
  const translate::EvaluationResult result =
      Evaluate(model, task.test, evaluation);
  fmt::print(
      "Trained in {}. Of {} other sentences {:.1f} % are compressed without an "
      "error.\n\n  {:<28} {:>7} {:>7} {:>7}\n",
      HumanTime(trained.seconds), result.sentences, result.exact_match,
      "ROUGE, F1 in %", "1", "2", "L");
  PrintRouge("the model", result.rouge.value());
  PrintRouge(fmt::format("the first {} words", kLeadWords).c_str(),
             result.lead.value());
  fmt::print("\n");

  const std::string picture = PathIn(demo.out, "attention.svg");
  ShowAlignments(model, ShownSentences(task.test), picture);
  std::string table;
  for (size_t i = 0; i < task.test.source.size(); ++i) {
    table += task.test.source[i] + '\t' + task.test.target[i] + '\n';
  }
  const std::string test = PathIn(demo.out, "test.tsv");
  WriteFileAtomically(test, table);
  fmt::print(
      "Each row is a word that was written; it is dark where it looked. In a "
      "passive\nsentence who did it comes last, and is written first.\n\n"
      "The picture:        {0}\n"
      "Measure again:      heed evaluate {1} --tsv {2} --rouge --lead-words "
      "{3}\n"
      "Texts of your own:  heed train --tsv TEXT-AND-SUMMARY "
      "\\\n                      --valid-tsv OTHERS --metric rouge_l --out "
      "model\n",
      picture, demo.out, test, kLeadWords);
  return 0;
}

}  // namespace heed
