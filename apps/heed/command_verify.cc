// heed verify: repeats a training run and compares the results.
#include <fmt/format.h>

#include <filesystem>

#include "apps/heed/commands.h"
#include "apps/heed/options.h"
#include "apps/heed/processes.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/kernels/instructions.h"
#include "heed/tasks/run.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

/// Possible reasons of a difference: version and processor.
std::string Circumstances(const RunRecord& record) {
  std::string text;
  const std::string here = kernels::InstructionSet();
  if (record.version != HEED_VERSION) {
    text += fmt::format("; the run was of heed {}, this is {}", record.version,
                        HEED_VERSION);
  }
  if (record.instructions != here) {
    text += fmt::format("; the run was on {}, this is {}", record.instructions,
                        here);
  }
  return text;
}

std::string Verdict(const Verification& result, const RunRecord& record) {
  if (result.differs > 0) {
    return fmt::format("differs first at step {}{}", result.differs,
                       Circumstances(record));
  }
  if (!result.parameter.empty()) {
    return fmt::format("differs in the weights of step {}: {}{}", result.steps,
                       result.parameter, Circumstances(record));
  }
  return fmt::format("equal: {}, of which {} compared{}",
                     Counted(result.steps, "step"), result.compared,
                     result.weights ? ", and all weights" : "");
}

int StartVerification(const Arguments& arguments) {
  std::string path;
  int64_t steps = 0;
  int threads = 0;
  bool quiet = false;
  Options options(
      "verify",
      "Repeats the training of run.json in a model folder and reports whether "
      "losses, gradients and weights are bit-identical, or where they first "
      "differ. Writes nothing. Exits with 1 if they differ.");
  options.Positional("RUN", path, "run.json of a model folder, or the folder");
  FieldList& v = options.fields();
  v.Section("Verification");
  v("steps", steps, Range(0, 1e12),
    "updates to repeat; 0: all, up to the last checkpoint, whose weights are "
    "then compared");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  v("quiet", quiet, "print no progress line");
  options.Example("heed verify model/run.json --steps 100");
  options.Example("mpirun -n 4 heed verify model");
  if (!options.Parse(arguments)) return 0;
  if (std::filesystem::path(path).filename() == kRunFile) {
    path = std::filesystem::path(path).parent_path().string();
    if (path.empty()) path = ".";
  }
  return RunTogether(threads, [&](Processes& processes) {
    const RunRecord record = RunRecord::Read(PathIn(path, kRunFile));
    const Verification result =
        VerifyRun(path, record, steps, quiet, processes);
    if (processes.leads()) Print("{}\n", Verdict(result, record));
    const bool equal = result.differs == 0 && result.parameter.empty();
    return equal ? 0 : kExitFailure;
  });
}

}  // namespace

int RunVerify(const Arguments& arguments) {
  return SayOnce([&] { return StartVerification(arguments); });
}

}  // namespace heed
