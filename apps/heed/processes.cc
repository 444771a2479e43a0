#include "apps/heed/processes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/train/mpi.h"

namespace heed {
namespace {

int ThreadsOf(int given, const Processes& processes) {
  if (given > 0 || processes.alone()) return given;
  const int share = CoreCount() / processes.on_this_host();
  return std::max(1, std::min(ThreadCount(), share));
}

}  // namespace

int RunTogether(int threads, const std::function<int(Processes&)>& body) {
  if (!LaunchedWithOthers()) {
    const ThreadLimit limit(threads);
    Processes alone;
    return body(alone);
  }
  Processes processes(OpenMpi);
  // Launchers kill all processes when one exits with an error, so errors are
  // reported before.
  try {
    int status = kExitInterrupted;
    try {
      processes.CheckSame("programs", HEED_VERSION);
      const ThreadLimit limit(ThreadsOf(threads, processes));
      status = body(processes);
    } catch (const Interrupted& error) {
      if (processes.leads()) Fail(error.what(), kExitInterrupted);
    }
    FlushOutput();
    processes.Finish();
    return status;
  } catch (const std::exception& error) {
    processes.Fail(error.what());
    if (processes.speaks()) throw;
    processes.AwaitEnd();
    return kExitFailure;
  }
}

int SayOnce(const std::function<int()>& start) {
  if (RankByLauncher() == 0) return start();
  try {
    return start();
  } catch (const ProcessError&) {
    throw;
  } catch (const std::exception&) {
    // Launchers kill all processes when one exits, so give the first one time
    // to report.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return kExitFailure;
  }
}

}  // namespace heed
