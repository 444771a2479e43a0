// Execution of a command in several processes, as started by mpirun.
#ifndef HEED_APPS_HEED_PROCESSES_H_
#define HEED_APPS_HEED_PROCESSES_H_

#include <functional>

#include "apps/heed/command.h"
#include "heed/train/processes.h"

namespace heed {

/// Calls body(processes) in this process, or in each process of a launcher, and
/// returns its result. `threads`: threads per process; 0: one per core, shared
/// by the processes of a machine. Errors of all processes are thrown in the
/// leading process.
int RunTogether(int threads, const std::function<int(Processes&)>& body);

/// Calls `start`, whose errors are only reported by the first process. For
/// errors before there are Processes.
int SayOnce(const std::function<int()>& start);

}  // namespace heed

#endif  // HEED_APPS_HEED_PROCESSES_H_
