// The sub-command `heed bench` and its parts.
#ifndef HEED_BENCH_BENCHES_H_
#define HEED_BENCH_BENCHES_H_

#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/options.h"

namespace heed {

int RunBench(const Arguments& arguments);
int RunBenchDecode(const Arguments& arguments);
int RunBenchNodes(const Arguments& arguments);
int RunBenchScaling(const Arguments& arguments);

/// Sub-commands of `heed bench`.
const std::vector<Command>& Benches();

}  // namespace heed

#endif  // HEED_BENCH_BENCHES_H_
