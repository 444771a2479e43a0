// A command that several processes run together, as mpirun starts them.
#ifndef HEED_APPS_HEED_PROCESSES_H_
#define HEED_APPS_HEED_PROCESSES_H_

#include <functional>

#include "apps/heed/command.h"
#include "heed/train/processes.h"

namespace heed {

/// Calls body(processes), in this process alone or in each of those that a
/// launcher started, with so many threads (0: one per core, of which each
/// process of a machine has its part), and returns what it returns. The leading
/// process speaks for all: the errors of others reach it, and are thrown there.
int RunTogether(int threads, const std::function<int(Processes&)>& body);

/// What is wrong before there are processes is said by the first alone.
int SayOnce(const std::function<int()>& start);

}  // namespace heed

#endif  // HEED_APPS_HEED_PROCESSES_H_
