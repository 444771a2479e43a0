// heed demo memory: a network with a memory that it writes and one without
// learn to copy; what the memory was for, and what happens if one changes it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/heed/program.h"
#include "course/demos.h"
#include "course/training_in.h"
#include "heed/base/at.h"
#include "heed/render/explanation_file.h"
#include "heed/render/line_plot.h"
#include "heed/tasks/algorithm/algorithm.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

struct CopyCommand : DemoOptions {
  CopyCommand() {
    out = "heed-copy";
    seed = 3;
  }
  int sequences = 10000;

  void VisitOwn(FieldList& v) override {
    v("sequences", sequences, Range(1, 1e7),
      "sequences of 1 to 20 vectors that each model learns from");
  }
};

/// A machine that has learned to copy.
struct CopyModel {
  std::string name;
  std::string folder;
  LoadedModel loaded;

  const algorithm::Model& model() const {
    return dynamic_cast<const algorithm::Model&>(*loaded.model);
  }
};

CopyModel TrainCopy(const CopyCommand& command, const std::string& name) {
  algorithm::Settings task;
  task.ChooseModel(name);
  task.batch_sequences = 1;
  task.epoch_sequences = std::max(command.sequences / 10, 1);
  TrainingConfig training =
      TrainingIn(command.out + "/" + name, task, 10, command.seed);
  training.run.threads = command.threads;
  fmt::print(stderr, "{}\n", name);
  TrainOn(task, algorithm::Data(), training);
  return {name, training.run.out, ReadModel(training.run.out)};
}

/// Bit errors per sequence by length, also of lengths never trained.
void CompareCopies(const CopyCommand& command,
                   const std::vector<CopyModel>& models) {
  const std::vector<std::string> lengths = {"5", "10", "20", "30", "50"};
  fmt::print("\nbit errors per sequence, by length (trained: 1 to 20)\n{:<8}",
             "");
  for (const std::string& length : lengths) fmt::print(" {:>8}", length);
  fmt::print("\n");
  std::vector<Series> curves;
  for (const CopyModel& copy : models) {
    algorithm::Evaluation options;
    options.lengths = lengths;
    options.sequences = 20;
    options.by_length = "curve";
    Report report = copy.loaded.settings->Evaluate(
        *copy.loaded.model, OptionsOf<algorithm::Evaluation>(options));
    report.curve->name = copy.name;
    fmt::print("{:<8}", copy.name);
    for (const double errors : report.curve->y) fmt::print(" {:>8.2f}", errors);
    fmt::print("\n");
    curves.push_back(std::move(*report.curve));
  }
  WritePicture(command.out, "errors",
               LinePlotSvg(curves, {.title = "Copying what is longer than any "
                                             "training sequence",
                                    .x_label = "vectors",
                                    .y_label = "bit errors"}));
}

std::string VectorText(const Tensor& logits, int64_t b) {
  std::string text;
  const Tensor own = logits[b];
  for (const float z : own.ToVector<float>()) text += z > 0 ? '1' : '0';
  return text;
}

/// Reads two sequences side by side, puts into the slot of the first one's
/// third vector what the second one wrote there, and lets both be recalled.
void ChangeAMemory(const CopyModel& copy) {
  constexpr int64_t kVectors = 6;
  constexpr int64_t kThird = 2;
  const algorithm::Model& model = copy.model();
  const ProblemShape shape = model.config.Shape();
  std::vector<BitSequence> both;
  for (int64_t i = 0; i < 2; ++i) {
    both.push_back(DrawSequence(shape, {kVectors, kVectors, 1, 1}, 7, i, 0));
  }
  const algorithm::SequenceGroup group = algorithm::GroupOf(shape, both);
  MachineState state = model.network->Start({}, 2);
  std::vector<MemoryStep> trace;
  state.trace = &trace;
  model.network->Run({}, group.inputs.Slice(0, group.begin), state);
  if (trace.empty()) return;
  const Tensor weights = trace[kThird].write_weights[0];
  const float* w = weights.data<float>();
  const int64_t slot = std::max_element(w, w + weights.cols()) - w;
  MachineState changed = state;
  changed.memory.Overwrite(0, slot, state.memory.Slot(1, slot));
  const auto recall = [&](MachineState from) {
    from.trace = nullptr;
    return model.network
        ->Run({}, group.inputs.Slice(group.begin, group.end), from)
        .value();
  };
  const Tensor before = recall(state);
  const Tensor after = recall(changed);
  fmt::print(
      "\n{0} read {1} vectors. Vector {2} went to slot {3} of its memory. What "
      "another\nsequence wrote there ({4}) is put into that slot, then both "
      "are recalled:\n\n  read      recalled  with another slot {3}\n",
      copy.name, kVectors, kThird + 1, slot, VectorText(before[kThird], 1));
  for (int64_t t = 0; t < kVectors; ++t) {
    std::string read;
    for (const uint8_t bit : At(both[0].vectors, t)) {
      read += bit != 0 ? '1' : '0';
    }
    const std::string old = VectorText(before[t], 0);
    const std::string now = VectorText(after[t], 0);
    fmt::print("  {}  {}  {}{}\n", read, old, now,
               old == now ? "" : "  <- the other's");
  }
}

void ShowMemoryOf(const CopyCommand& command, const CopyModel& copy) {
  const auto predictor = copy.loaded.MakePredictor();
  ExplainRequest request;
  request.input.given.content = "random 20";
  const Explanation e = Explain(copy.loaded, *predictor, request);
  const PictureChoice choice = {.view = "memory"};
  fmt::print("\nWhat it does with its memory for 20 vectors:\n\n{}",
             TerminalExplanation(e, choice, DetectTerminal()));
  WritePicture(command.out, "memory", ExplanationSvg({&e, 1}, choice));
}

}  // namespace

int RunDemoMemory(const Arguments& arguments) {
  CopyCommand command;
  const auto limit = ParseDemo(
      command, arguments, "memory",
      "Trains a Neural Turing Machine and an LSTM to copy sequences of bits, "
      "compares them on lengths that neither has seen, shows what the first "
      "one writes and reads, and changes a slot of its memory while it "
      "recalls. Needs no data and takes about a minute and a half.",
      {"", " --sequences 50000 --seed 1"});
  if (!limit) return 0;

  fmt::print(
      "Learning to copy: 1 to 20 vectors of 8 bits are read, then asked "
      "for.\n");
  std::fflush(stdout);
  std::vector<CopyModel> models;
  for (const std::string& name : ModelNames<MachineSettings>()) {
    models.push_back(TrainCopy(command, name));
  }
  CompareCopies(command, models);
  const CopyModel* with_memory = nullptr;
  for (const CopyModel& copy : models) {
    if (copy.model().network->memory().slots == 0) continue;
    with_memory = &copy;
    break;
  }
  if (with_memory != nullptr) {
    ShowMemoryOf(command, *with_memory);
    ChangeAMemory(*with_memory);
  }
  fmt::print(
      "\nThe pictures:   {0}/memory.svg, {0}/errors.svg\n"
      "Try your own:   echo '10110010 01100101' | {1} predict {2}\n",
      command.out, ProgramName(), models.front().folder);
  return 0;
}

}  // namespace heed
