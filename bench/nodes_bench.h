// Node classification: accuracy over seeds, and cost of an epoch.
#ifndef HEED_BENCH_NODES_BENCH_H_
#define HEED_BENCH_NODES_BENCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/train/config.h"

namespace heed {

struct NodesBenchOptions {
  std::string test;
  int seeds = 10;
  int timed_epochs = 40;
  int planted_nodes = 0;
  int planted_edges = 0;
  int planted_features = 128;
  int planted_features_of_node = 64;

  void Visit(FieldList& v);
};

/// Result of one seed.
struct NodesBenchRun {
  uint64_t seed = 0;
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  double valid = 0;  // accuracy. Units: percent
  double test = 0;
};

struct NodesBenchResult {
  std::vector<NodesBenchRun> runs;
  double mean = 0;  // of the test accuracies
  double deviation = 0;
  double seconds = 0;  // of all runs
  int64_t parameters = 0;
  int threads = 0;

  /// Median time of forward pass, backward pass and update for all nodes, on
  /// all threads, without validation. Units: milliseconds
  double epoch_ms = 0;
  /// Lower bounds of epoch_ms. The first is all operations of an epoch at the
  /// rate of large products. The second is all bytes of its tensors, written
  /// once and read once in forward and backward each, at the measured read
  /// rate.
  double product_floor_ms = 0;
  double memory_floor_ms = 0;
  int64_t peak_bytes = 0;  // of tensors
};

/// Trains without files, with one seed per thread in parallel. `settings` must
/// be resolved. Throws: ConfigError, IoError, FormatError.
NodesBenchResult BenchNodes(const NodesBenchOptions& options,
                            const nodes::Settings& settings,
                            const TrainingConfig& training);

}  // namespace heed

#endif  // HEED_BENCH_NODES_BENCH_H_
