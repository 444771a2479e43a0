// heed bench nodes: accuracy of node classification over seeds, and its cost.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/benches.h"
#include "bench/nodes_bench.h"
#include "heed/base/errors.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

void PrintJson(const NodesBenchResult& r) {
  Json runs = Json::array();
  for (const NodesBenchRun& run : r.runs) {
    runs.push_back({{"seed", run.seed},
                    {"epochs", run.epochs},
                    {"best_epoch", run.best_epoch},
                    {"valid_accuracy", run.valid},
                    {"test_accuracy", run.test}});
  }
  fmt::print("{}\n", Json{{"mean", r.mean},
                          {"deviation", r.deviation},
                          {"seconds", r.seconds},
                          {"threads", r.threads},
                          {"parameters", r.parameters},
                          {"epoch_ms", r.epoch_ms},
                          {"product_floor_ms", r.product_floor_ms},
                          {"memory_floor_ms", r.memory_floor_ms},
                          {"peak_bytes", r.peak_bytes},
                          {"runs", std::move(runs)}}
                         .dump());
}

void PrintLines(const std::string& model, const NodesBenchResult& r) {
  if (!r.runs.empty()) {
    const auto count = static_cast<double>(r.runs.size());
    fmt::print(
        "{}: test accuracy {:.2f} ± {:.2f} % ({}, standard error {:.2f}) in "
        "{}\n",
        model, r.mean, r.deviation, Counted(std::ssize(r.runs), "seed"),
        r.deviation / std::sqrt(count), HumanTime(r.seconds));
  }
  fmt::print(
      "{} parameters on {}: {:.2f} ms an epoch, forward, backward and update\n"
      "floors: {:.2f} ms at the rate of products ({:.0f} %), {:.2f} ms at that "
      "of memory ({:.0f} %)\n"
      "{:.1f} MB of tensors at most\n",
      r.parameters, Counted(r.threads, "thread"), r.epoch_ms,
      r.product_floor_ms, 100 * r.product_floor_ms / r.epoch_ms,
      r.memory_floor_ms, 100 * r.memory_floor_ms / r.epoch_ms,
      static_cast<double>(r.peak_bytes) / 1e6);
}

/// Options of a run that writes no files.
void VisitRun(FieldList& v, RunConfig& run) {
  v.Section("Run");
  v("epochs", run.epochs, Range(1, 1000000), "epochs at most");
  v("patience", run.patience, Range(0, 1000000),
    "early stopping: stop after N validations without improvement; 0: never");
  v("patience_metric", run.patience_metric,
    "improvement that resets early stopping (see heed train)");
  v("seed", run.seed, "the first seed");
  v("threads", run.threads, Range(0, 1024), "threads; 0: one per core");
}

}  // namespace

int RunBenchNodes(const Arguments& arguments) {
  bool json = false;
  NodesBenchOptions bench;
  nodes::Settings settings;
  if (const std::string model = PeekOption(arguments, "model");
      !model.empty()) {
    settings.ChooseModel(model);
  }
  TrainingConfig training;
  settings.SetDefaults(training);
  Options options(
      "bench nodes",
      "Trains a classifier of nodes with many seeds, in memory, one on each "
      "thread, and gives mean and deviation of its accuracy on nodes that "
      "neither taught it nor chose its weights; and times its epochs, beside "
      "what they need at the rates of products and of memory.");
  bench.Visit(options.fields());
  settings.Visit(options.fields());
  training.optimizer.Visit(options.fields());
  VisitRun(options.fields(), training.run);
  options.fields()("json", json, "one JSON object on standard output");
  options.Excuse("planted_nodes");
  options.Example(
      "heed bench nodes --edges edges.tsv --features features.txt --labels "
      "labels.txt --train train.idx --valid val.idx --test test.idx --seeds "
      "100");
  options.Example(
      "heed bench nodes --planted-nodes 100000 --planted-edges 1000000 --seeds "
      "0 --timed-epochs 5");
  if (!options.Parse(arguments)) return 0;
  if (bench.planted_nodes == 0 && bench.test.empty() && bench.seeds > 0) {
    throw ConfigError("--test is needed");
  }
  settings.Resolve();
  training.Resolve();
  const NodesBenchResult result = BenchNodes(bench, settings, training);
  if (json) {
    PrintJson(result);
  } else {
    PrintLines(settings.model.name(), result);
  }
  return 0;
}

}  // namespace heed
