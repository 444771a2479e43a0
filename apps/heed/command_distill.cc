// heed distill: makes a small translation model from a large one.
#include <algorithm>
#include <filesystem>

#include "apps/heed/commands.h"
#include "apps/heed/completion.h"
#include "apps/heed/distillation.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/tasks/input_files.h"
#include "heed/train/folder_lock.h"
#include "heed/train/mpi.h"

namespace heed {

void DistillOptions::Visit(FieldList& v) {
  v.Section("Text");
  pairs.Visit(v, "", "text to translate", true);
  v("mono", mono, Any{"FILE"},
    "further text to translate, without references (.gz too)");
  v.Require({{"source"}, {"tsv"}, {"mono"}});
  valid.Visit(v, "valid_", "validation text");
  v.Require({{"valid_source", "valid_target"}, {"valid_tsv"}});
  v.Section("Translation");
  v("to", to, "code of the target language of a multilingual teacher");
  v("beam", beam, Range(1, 100), "beam size of the teacher");
  v("nbest", nbest, Range(1, 100),
    "translations of each sentence with a reference; the one with the highest "
    "sentence BLEU is kept");
  v("chunk", chunk, Range(1, 1000000),
    "sentences in each file of translations; a stop loses at most these");
  v.Section("Filter");
  filter.Visit(v);
  v("reverse", reverse, Any{"DIR"},
    "model of the opposite direction, to drop pairs whose source is "
    "improbable given the translation");
  v("drop", drop, Range(0, 1), "share of pairs that --reverse drops")
      .If(!reverse.empty(), "--reverse");
  v.Section("Student");
  v("student", student, Any{"NAME"},
    "model to train (see heed list models); options of heed train may follow "
    "after --");
  v("fine_tune_steps", fine_tune_steps, Range(0, 1e9),
    "updates that adapt the weights to int8 (heed train --quantize-bits 8); 0: "
    "none");
  v("fine_tune_learning_rate", fine_tune_learning_rate, Range(0, 1000),
    "learning rate of these updates")
      .If(fine_tune_steps > 0, "--fine-tune-steps");
  v.Section("Run");
  v("out", out, Any{"DIR"}, "folder for the models and all intermediate files")
      .Main();
  v.Require({{"out"}});
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

int RunDistill(const Arguments& arguments) {
  DistillOptions chosen;
  Options options(
      "distill",
      "Makes a small and fast translation model (student) from a large one "
      "(teacher): translates text with the teacher, keeps good pairs, aligns "
      "their words, trains the student on them, adapts it to int8, quantises "
      "it and measures all models. After a stop, run the command again to go "
      "on. "
      "Options after -- are those of heed train for the student.");
  options.ModelFolders(chosen.teachers,
                       "translation model (teacher); several: an ensemble");
  chosen.Visit(options.fields());
  options.Example(
      "heed distill teacher --source train.en --target train.de "
      "--valid-source val.en --valid-target val.de --out small");
  options.Example(
      "heed distill teacher --mono news.en --valid-tsv val.tsv --out small "
      "--reverse de-en -- --width 128 --epochs 30 --noise-typos 0.05");
  options.Example("heed translate small/int8 --shortlist model < test.en");
  // Completion sees all words.
  auto end = CommandLineToComplete::From(arguments)
                 ? arguments.end()
                 : std::ranges::find(arguments, "--");
  if (!options.Parse({arguments.begin(), end})) return 0;
  if (end != arguments.end()) chosen.training.assign(end + 1, arguments.end());
  FieldList fields;
  chosen.Visit(fields);
  options.RefuseIdle(fields);
  ExpandPatterns(fields);
  if (LaunchedWithOthers()) {
    throw ConfigError(
        "heed distill runs in one process; start it without mpirun");
  }
  Distillation distillation(chosen);
  std::error_code error;
  std::filesystem::create_directories(chosen.out, error);
  if (error) {
    throw IoError("{}: cannot be created: {}", chosen.out, error.message());
  }
  const FolderLock lock(chosen.out);
  if (!distillation.PrepareTraining()) return 0;
  RunSteps(chosen.out, distillation.Steps());
  distillation.PrintReport();
  return 0;
}

}  // namespace heed
