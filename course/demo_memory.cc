// heed demo memory: a network with a memory that it writes and one without
// learn to copy; what the memory was for, and what happens if one changes it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/base/at.h"
#include "heed/models/registry.h"
#include "heed/render/line_plot.h"
#include "heed/tasks/algorithm/algorithm.h"

namespace heed {
namespace {

const algorithm::Model& MachineOf(const DemoResult& result) {
  return dynamic_cast<const algorithm::Model&>(*result.loaded.model);
}

/// Index of the first model that writes a memory.
size_t WithMemory(const TaskDemo::Results& results) {
  return static_cast<size_t>(
      std::ranges::find_if(results,
                           [](const DemoResult& result) {
                             return MachineOf(result).network->memory().slots >
                                    0;
                           }) -
      results.begin());
}

std::string VectorText(const Tensor& logits, int64_t b) {
  std::string text;
  const Tensor own = logits[b];
  for (const float z : own.ToVector<float>()) text += z > 0 ? '1' : '0';
  return text;
}

/// Reads two sequences in one batch and overwrites the slot of the first one's
/// third vector with that of the second. Then it recalls both.
void ChangeAMemory(const std::string& name, const algorithm::Model& model) {
  constexpr int64_t kVectors = 6;
  constexpr int64_t kThird = 2;
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
      name, kVectors, kThird + 1, slot, VectorText(before[kThird], 1));
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

std::vector<DemoEntry> MachineEntries(const TaskDemo& demo) {
  std::vector<DemoEntry> entries;
  for (const std::string& model : ModelNames<MachineSettings>()) {
    entries.push_back(
        {model,
         fmt::format(
             "model={} batch_sequences=1 epoch_sequences={}", model,
             std::max<int64_t>(demo.data.sizes.train / demo.epochs, 1))});
  }
  return entries;
}

/// Bit errors per sequence by length, also of lengths never trained.
std::string DrawErrors(const TaskDemo& demo, const TaskDemo::Results& results) {
  std::vector<Series> curves;
  for (const DemoResult& result : results) {
    curves.push_back(result.reports[0].curve.value());
    curves.back().name = result.entry.name;
  }
  return WritePicture(
      demo.out, "errors",
      LinePlotSvg(curves,
                  {.title = "Copying what is longer than any training sequence",
                   .x_label = "vectors",
                   .y_label = "bit errors"}));
}

}  // namespace

int RunDemoMemory(const Arguments& arguments) {
  TaskDemo demo = {
      .name = "memory",
      .purpose =
          "Trains a Neural Turing Machine and an LSTM to copy sequences of "
          "bits, compares them on lengths that neither has seen, shows what "
          "the first one writes and reads, and changes a slot of its memory "
          "while it recalls. Needs no files and takes about a minute and a "
          "half.",
      .examples = {"", " --sequences 50000 --seed 1"},
      .data = {.unit = "sequences",
               .task = algorithm::Task().name,
               .sizes = {10000, 0, 0},
               .write = [](const Generator&, const WriteFunction&) {},
               .seed = 3},
      .epochs = 10,
      .out = "heed-copy",
      .tests = {{"", "lengths=5,10,20,30,50 sequences=20 by_length=curve"}},
      .remark =
          "Bit errors per sequence, by length. Trained: 1 to 20 vectors "
          "of 8 bits are read, then\nasked for.\n"};
  for (const char* length : {"5", "10", "20", "30", "50"}) {
    demo.columns.push_back({length, length, 2, ""});
  }
  demo.entries = [&] { return MachineEntries(demo); };
  demo.measure = [&](DemoResult& result) {
    Report& report = result.reports[0];
    for (size_t i = 0; i < demo.columns.size(); ++i) {
      report.figures.push_back(
          {demo.columns[i].figure, "", report.curve->y.at(i), 2, "", ""});
    }
  };
  demo.inputs = [](const TaskDemo::Results& results) {
    std::vector<DemoInput> inputs;
    const size_t writes = WithMemory(results);
    if (writes == results.size()) return inputs;
    inputs.push_back({"memory",
                      Input{"random 20"},
                      "What it does with its memory for 20 vectors:",
                      writes,
                      {.view = "memory"}});
    return inputs;
  };
  demo.show = [&](const TaskDemo::Results& results) {
    const size_t writes = WithMemory(results);
    if (writes < results.size()) {
      ChangeAMemory(results[writes].entry.name, MachineOf(results[writes]));
    }
    return std::vector<std::string>{DrawErrors(demo, results)};
  };
  demo.typed = [](const auto&) { return "echo '10110010 01100101'"; };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
