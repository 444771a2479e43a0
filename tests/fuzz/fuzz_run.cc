// Files of training runs: checkpoints, metrics and event files. Their checksums
// are corrected; otherwise most inputs would be rejected at once. The first
// byte selects the kind.
#include <bit>
#include <cstring>

#include "heed/io/safetensors.h"
#include "heed/train/checkpoint.h"
#include "heed/train/event_file.h"
#include "heed/train/learning_curves.h"
#include "heed/train/metrics_log.h"
#include "heed/train/model_folder.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

constexpr int64_t kLastStep = 2;

const std::string& FolderPath() {
  static const Folder folder;
  folder.Clear();
  return folder.path();
}

void ReadCheckpointOf(std::string_view bytes) {
  const std::string path = PathIn(FolderPath(), "training.safetensors");
  const SafetensorsFile file = ParseSafetensors(bytes, "input");
  WriteTensors(path, file.tensors, file.metadata);
  ParameterSet parameters(1, DType::kF32, {});
  parameters.Add("w", {2, 3}, {});
  parameters.Add("b", {3}, {});
  Optimizer optimizer(parameters, OptimizerConfig());
  WeightAverage average(parameters, 0.5);
  (void)ReadCheckpoint(path, parameters, optimizer, &average);
}

std::string Summed(std::string_view bytes) {
  const uint32_t sum = std::rotr(Crc32c(bytes), 15) + 0xA282EAD8u;
  std::string text(bytes);
  return text.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
}

// Makes a record of each part.
std::string Records(std::string_view bytes) {
  std::string file;
  for (const std::string_view part : Parts(bytes, 1)) {
    const uint64_t size = part.size();
    file += Summed({reinterpret_cast<const char*>(&size), sizeof(size)});
    file += Summed(part);
  }
  return file;
}

void ReadEvents(std::string_view file) {
  const std::string_view kept = EventsUpTo(file, kLastStep);
  Require(file.starts_with(kept), "the beginning is kept");
  Require(EventsUpTo(kept, kLastStep) == kept, "what is kept stays");
}

// Resumes a metrics log: a step is appended to the entries kept, and a second
// resume leaves the file unchanged.
void ResumeLog(const std::string& name, std::string_view bytes) {
  const std::string folder = FolderPath();
  const std::string path = PathIn(folder, name);
  WriteFileAtomically(path, bytes);
  MetricsLog(folder, kLastStep).Add(kLastStep + 1, {{"loss", 0.5}});
  const std::string once = ReadFile(path);
  Require(!once.empty(), "a step was added");
  MetricsLog(folder, kLastStep + 1);
  Require(ReadFile(path) == once, "and is kept");
}

// Reads and plots learning curves.
void Plot(std::string_view bytes) {
  const std::string folder = FolderPath();
  const std::vector<std::string_view> parts = Parts(bytes, 2);
  WriteFileAtomically(PathIn(folder, "metrics.jsonl"), parts[0]);
  if (!parts[1].empty()) {
    WriteFileAtomically(PathIn(folder, kConfigFile), parts[1]);
  }
  const std::vector<TrainingRecord> records(2, ReadTrainingRecord(folder));
  const std::vector<std::string> names = NameRuns(records);
  Require(names.size() == 2, "a name for each run");
  for (const char* x : {"updates", "epochs", "time"}) {
    MayRefuse([&] {
      const auto panels = PlotLearningCurves(records, names, {.x = x});
      for (const LinePlotPanel& panel : panels) {
        (void)TerminalLinePlot(panel.series, panel.options, {});
      }
      const std::string svg = LinePlotsSvg(panels, names, "runs");
      Require(svg.find("nan") == std::string::npos, "numbers in the picture");
      Require(svg.find("inf") == std::string::npos, "numbers in the picture");
    });
  }
}

void Read(uint8_t what, std::string_view bytes) {
  switch (what) {
    case 'c':
      return ReadCheckpointOf(bytes);
    case 'e':
      return ReadEvents(bytes);
    case 'r':
      return ReadEvents(Records(bytes));
    case 'l':
      return Plot(bytes);
    case 'E':
      return ResumeLog("events.out.tfevents.1.h", Records(bytes));
    default:
      return ResumeLog("metrics.jsonl", bytes);
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
