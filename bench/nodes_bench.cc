#include "bench/nodes_bench.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "course/data/planted_graph.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/memory_rate.h"
#include "heed/metrics/spread.h"
#include "heed/models/graph/graph_network.h"
#include "heed/tensor/pool.h"
#include "heed/train/in_memory.h"
#include "heed/train/optimizer.h"
#include "heed/train/update.h"

namespace heed {
namespace {

/// A graph with its splits.
struct BenchGraph {
  nodes::Data data;
  std::vector<int32_t> test;
};

BenchGraph PlantedBench(const NodesBenchOptions& o) {
  BenchGraph planted;
  planted.data.graph =
      PlantedGraph({.nodes = o.planted_nodes,
                    .edges = o.planted_edges,
                    .features = o.planted_features,
                    .features_of_node = o.planted_features_of_node});
  // Uses a twentieth each for training and validation.
  for (int32_t node = 0; node < o.planted_nodes; ++node) {
    const int part = node / 4 % 20;
    (part == 0   ? planted.data.train
     : part == 1 ? planted.data.valid
                 : planted.test)
        .push_back(node);
  }
  return planted;
}

BenchGraph Read(const NodesBenchOptions& o, const nodes::Settings& settings) {
  if (o.planted_nodes > 0) return PlantedBench(o);
  BenchGraph read{settings.Read(), {}};
  if (read.data.valid.empty()) {
    throw ConfigError("bench nodes: --valid is needed: it chooses the weights");
  }
  read.test = ReadNodes(o.test, read.data.graph);
  CheckApart(read.data.train, settings.data.train, read.test, o.test);
  CheckApart(read.data.valid, settings.data.valid, read.test, o.test);
  return read;
}

/// Operations and bytes of an epoch; see NodesBenchResult.
struct EpochCost {
  double operations = 0;
  double bytes = 0;
};

EpochCost CostOf(const GraphNetworkConfig& config, const nodes::Model& model) {
  const auto nodes = static_cast<double>(model.graph().size());
  const auto entries = static_cast<double>(model.graph().values.size());
  const double edges =
      2 * static_cast<double>(model.graph().edges.size()) + nodes;
  EpochCost cost;
  double inputs = 0;  // input features of the layer
  for (int i = 0; i < config.layers; ++i) {
    const bool last = i + 1 == config.layers;
    const double heads = last ? config.output_heads : config.heads;
    const double width =
        heads * static_cast<double>(last ? model.classes() : config.units);
    // Counts the layer's product and its gradients; products with weights and
    // values along edges (one forward, two backward); and f32 tensors:
    // projections, output, a key and a value per edge.
    cost.operations +=
        i == 0 ? 4 * entries * width : 6 * nodes * inputs * width;
    cost.operations += 6 * edges * width + 12 * edges * heads;
    cost.bytes += i == 0 ? 3 * 8 * entries : 3 * 4 * nodes * inputs;
    cost.bytes += 3 * 4 * (3 * nodes * width + 2 * edges * heads);
    inputs = width;
  }
  // The optimizer reads weights, gradients and two moments, and writes three of
  // them.
  cost.bytes += 7 * 4 * static_cast<double>(model.parameters().elements());
  return cost;
}

void TimeEpochs(const NodesBenchOptions& o, const nodes::Settings& settings,
                const nodes::Data& data, const TrainingConfig& training,
                NodesBenchResult& result) {
  const auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  result.parameters = model->parameters().elements();
  Optimizer optimizer(model->parameters(), training.optimizer);
  Rng rng(1);
  Processes alone;
  Updater updater(*objective, training.optimizer, optimizer, rng, alone);
  const BatchList plan = objective->PlanEpoch(1, 0).All();
  std::vector<double> times;
  const Tensor large = Tensor::Zeros({int64_t{16} << 20});
  double products = 0;
  double reads = 0;
  pool::ResetPeak();
  for (int step = 1; step <= o.timed_epochs; ++step) {
    const auto start = Clock::now();
    updater.Update(plan, step, o.timed_epochs);
    times.push_back(SecondsSince(start));
    // Measured at the start, in the middle and at the end.
    if (step != 1 && step % ((o.timed_epochs + 1) / 2) != 0) continue;
    products = std::max(products, kernels::MeasureProductRate(
                                      kernels::Precision::kNative, 0.03));
    reads = std::max(reads, kernels::MeasureReadRate(large));
  }
  result.peak_bytes = pool::Stats().peak - large.bytes();
  std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
  result.epoch_ms = 1000 * times[times.size() / 2];
  if (const auto* config = settings.model.Find<GraphNetworkConfig>()) {
    const EpochCost cost = CostOf(*config, *model);
    result.product_floor_ms = 1000 * cost.operations / products;
    result.memory_floor_ms = 1000 * cost.bytes / reads;
  }
}

}  // namespace

void NodesBenchOptions::Visit(FieldList& v) {
  v.Section("Measurement");
  v("test", test, Any{"FILE"}, "test nodes to measure, a number on each line")
      .Main();
  v("seeds", seeds, Range(0, 100000),
    "number of runs, with seeds --seed, --seed + 1, ...; 0: only time epochs")
      .Main();
  v("timed_epochs", timed_epochs, Range(1, 100000),
    "epochs that are timed, with all threads");
  v("planted_nodes", planted_nodes, Range(0, 10000000),
    "generate a graph of N nodes instead of reading files; 0: read files");
  v("planted_edges", planted_edges, Range(0, 100000000), "its edges");
  v("planted_features", planted_features, Range(4, 1000000),
    "generated graph: number of features");
  v("planted_features_of_node", planted_features_of_node, Range(1, 500000),
    "generated graph: features of each node");
}

NodesBenchResult BenchNodes(const NodesBenchOptions& o,
                            const nodes::Settings& settings,
                            const TrainingConfig& training) {
  const ThreadLimit limit(training.run.threads);
  const BenchGraph graph = Read(o, settings);
  NodesBenchResult result;
  result.threads = ThreadCount();
  TimeEpochs(o, settings, graph.data, training, result);
  result.runs.resize(static_cast<size_t>(o.seeds));
  const auto start = Clock::now();
  ParallelTasks(o.seeds, [&](int64_t i) {
    NodesBenchRun& run = At(result.runs, i);
    TrainingConfig own = training;
    own.run.seed = training.run.seed + static_cast<uint64_t>(i);
    run.seed = own.run.seed;
    const auto model = settings.MakeModel(graph.data, own.run.seed);
    const auto objective =
        settings.MakeObjective(graph.data, *model, own.run.seed);
    const InMemoryResult trained = TrainInMemory(*objective, own);
    run.epochs = trained.steps;
    run.best_epoch = trained.valid.best_step;
    run.valid = model->Measure(graph.data.valid).front().second;
    run.test = model->Measure(graph.test).front().second;
  });
  result.seconds = SecondsSince(start);
  std::vector<double> figures;
  for (const NodesBenchRun& run : result.runs) figures.push_back(run.test);
  const Spread spread = ComputeSpread(figures);
  result.mean = spread.mean;
  result.deviation = spread.deviation;
  return result;
}

}  // namespace heed
