// heed demo nodes: what neighbours say, and what attention to them adds.
#include <fmt/format.h>

#include <filesystem>

#include "apps/heed/views.h"
#include "demos/demos.h"
#include "demos/trained_in_memory.h"
#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/data/planted_graph.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/render/explanation_file.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/nodes/nodes.h"

namespace heed {
namespace {

constexpr int kTaughtOfClass = 10;
constexpr size_t kValidNodes = 100;

struct NodesDemoOptions {
  std::string out = "heed-demo-nodes";
  int nodes = 600;
  int edges = 1800;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for the graph and its picture");
    v("nodes", nodes, Range(200, 4000), "nodes of the generated graph");
    v("edges", edges, Range(0, 100000), "edges of it");
    v("seed", seed, "random seed of the graph and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

struct DemoGraph {
  nodes::Data data;
  std::vector<int32_t> test;
};

DemoGraph MakeDemoGraph(const NodesDemoOptions& demo) {
  DemoGraph made;
  NodeGraph& graph = made.data.graph;
  graph = PlantedGraph(
      {.nodes = demo.nodes, .edges = demo.edges, .seed = demo.seed});
  std::vector<int32_t> order;
  for (int32_t i = 0; i < demo.nodes; ++i) order.push_back(i);
  Rng rng(demo.seed + 1);
  Shuffle(order, rng);
  std::vector<int> taught(graph.classes.size(), 0);
  for (const int32_t node : order) {
    const auto of_class = static_cast<size_t>(At(graph.labels, node));
    if (taught[of_class] < kTaughtOfClass) {
      ++taught[of_class];
      made.data.train.push_back(node);
    } else if (made.data.valid.size() < kValidNodes) {
      made.data.valid.push_back(node);
    } else {
      made.test.push_back(node);
    }
  }
  return made;
}

void WriteGraph(const NodesDemoOptions& demo, const DemoGraph& graph) {
  std::filesystem::create_directories(demo.out);
  const GraphFiles files = SerializeGraph(graph.data.graph);
  for (const auto& [name, bytes] :
       {std::pair<const char*, std::string>{"edges.tsv", files.edges},
        {"features.txt", files.features},
        {"labels.txt", files.labels},
        {"train.idx", SerializeNodes(graph.data.train)},
        {"valid.idx", SerializeNodes(graph.data.valid)},
        {"test.idx", SerializeNodes(graph.test)}}) {
    WriteFileAtomically(PathIn(demo.out, name), bytes);
  }
}

}  // namespace

int RunDemoNodes(const Arguments& arguments) {
  NodesDemoOptions demo;
  Options options(
      "demo nodes",
      "Makes up a graph whose nodes say little of their class by themselves, "
      "and teaches a network 10 nodes of each class: with attention to the "
      "neighbours, with a graph convolution, with their mean, and without "
      "them. "
      "Draws the graph and what a node attends to.");
  demo.Visit(options.fields());
  options.Example("heed demo nodes");
  options.Example("heed demo nodes --edges 0");
  if (!options.Parse(arguments)) return 0;
  const ThreadLimit limit(demo.threads);
  const DemoGraph graph = MakeDemoGraph(demo);
  fmt::print(
      "{} nodes of {} classes, {} edges; {} nodes teach, {} choose the "
      "weights, {} are tested.\n\n",
      demo.nodes, graph.data.graph.classes.size(), demo.edges,
      graph.data.train.size(), graph.data.valid.size(), graph.test.size());
  WriteGraph(demo, graph);
  std::vector<LoadedModel> trained;
  for (const std::string& name : ModelNames<NodeSettings>()) {
    trained.push_back(TrainedInMemory<nodes::Settings>(
        name, graph.data, /*epochs=*/400, /*patience=*/50, demo.seed));
    const auto& model =
        dynamic_cast<const nodes::Model&>(*trained.back().model);
    fmt::print("{:<10} {:5.1f} % of the test nodes are right  ({})\n", name,
               model.Measure(graph.test).front().second,
               FindModel(name).variants.front().description);
    std::fflush(stdout);
  }

  const LoadedModel& loaded = trained.front();
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given.content = std::to_string(graph.test.front());
  const Explanation explanation = Explain(loaded, *predictor, request);
  fmt::print("\n{}", TerminalExplanation(explanation, {}, DetectTerminal()));
  const std::string picture = WritePicture(
      demo.out, "graph", ExplanationSvg(std::vector{explanation}, {}));
  fmt::print(
      "\nNear nodes are alike to the first layer (t-SNE); edges are as wide as "
      "the attention\nalong them. The picture: {0}\nThe graph is in {1}; to "
      "train on it:\n  heed train --task {2} --edges {1}/edges.tsv --features "
      "{1}/features.txt \\\n    --labels {1}/labels.txt --train {1}/train.idx "
      "--valid {1}/valid.idx --out model\n",
      picture, demo.out, loaded.settings->task());
  return 0;
}

}  // namespace heed
