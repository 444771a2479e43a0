#include <utility>

#include "heed/attention/mask.h"
#include "heed/base/errors.h"
#include "heed/kernels/sparse.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {
namespace {

constexpr const char* kEdgesFile = "edges.tsv";
constexpr const char* kFeaturesFile = "features.txt";
constexpr const char* kNodeLabelsFile = "labels.txt";
constexpr const char* kTrainFile = "train.idx";
constexpr const char* kValidFile = "valid.idx";

}  // namespace

TaskRow NodesTask() {
  TaskRow row;
  row.name = "nodes";
  row.description = "the class of a node of a graph, by its neighbours";
  row.settings = [] { return std::make_unique<NodesSettings>(); };
  row.input = {"graph"};
  row.input_label = "Node";
  row.answer_label = "Class";
  row.prompt = "Type the number of a node and press Enter";
  row.examples = {{"0"}};
  row.training = {
      "--edges edges.tsv --features features.txt --labels labels.txt --train "
      "train.txt --valid valid.txt"};
  return row;
}

void NodesDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("edges", files.edges, Any{"FILE"},
    "edges of the graph: a line is two nodes, numbers from 0, with a blank or "
    "tab between them (.gz too)")
      .Main();
  v("features", files.features, Any{"FILE"},
    "features: line i has those of node i - 1, as numbers (of value 1) or "
    "number:value")
      .Main();
  v("labels", files.labels, Any{"FILE"},
    "labels: line i is the class of node i - 1, or ? where it is not known")
      .Main();
  v("train", train, Any{"FILE"}, "nodes to learn from, a number on each line")
      .Main();
  v.Require({{"edges"}});
  v.Require({{"features"}});
  v.Require({{"labels"}});
  v.Require({{"train"}});
  v("valid", valid, Any{"FILE"}, "nodes for validation, likewise").Main();
  v("normalize_features", normalize_features,
    "divide the features of a node by the sum of their magnitudes");
}

void NodesPrediction::Visit(FieldList& v) {
  v.Section("Answers");
  v("probabilities", probabilities,
    "all classes with their probabilities, in the place of the likeliest");
}

void NodesEvaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("nodes", nodes, Any{"FILE"},
    "nodes to compare with their labels, a number on each line");
  v.Require({{"nodes"}});
  v("labels", labels, Any{"FILE"},
    "labels, as those of training; left out: those that the model was given");
}

void NodesSettings::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
}

void NodesSettings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 0.005;
  training.optimizer.l2 = 5e-4;
  training.optimizer.clip = 0;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 100000;
  training.run.patience = 100;
  training.run.patience_metric = PatienceMetric::kMetricOrLoss;
}

NodesData NodesSettings::ReadData() const {
  NodesData read{ReadGraph(data.files), {}, {}};
  read.train = ReadNodes(data.train, read.graph);
  if (!data.valid.empty()) {
    read.valid = ReadNodes(data.valid, read.graph);
    CheckApart(read.train, data.train, read.valid, data.valid);
  }
  return read;
}

std::unique_ptr<NodesModel> NodesSettings::Learn(const NodesData& read,
                                                 uint64_t seed) const {
  return std::make_unique<NodesModel>(*this, read, seed);
}

std::unique_ptr<NodesModel> NodesSettings::Open(const ModelFiles& files,
                                                const std::string& folder,
                                                uint64_t seed) const {
  const auto bytes = [&](const char* name) {
    return FindFile(files, folder, name);
  };
  const auto path = [&](const char* name) { return PathIn(folder, name); };
  NodesData read;
  read.graph = ParseGraph(
      {bytes(kEdgesFile), bytes(kFeaturesFile), bytes(kNodeLabelsFile)},
      {path(kEdgesFile), path(kFeaturesFile), path(kNodeLabelsFile)});
  read.train = ParseNodes(bytes(kTrainFile), path(kTrainFile), read.graph);
  const std::string valid = bytes(kValidFile);
  if (!valid.empty()) {
    read.valid = ParseNodes(valid, path(kValidFile), read.graph);
    CheckApart(read.train, path(kTrainFile), read.valid, path(kValidFile));
  }
  return std::make_unique<NodesModel>(*this, std::move(read), seed);
}

GraphInput InputOf(const NodeGraph& graph, int64_t features, bool normalize) {
  const RowLists neighbours = graph.Neighbours();
  GraphInput input;
  input.features = std::make_shared<const kernels::SparsePattern>(
      kernels::MakeSparsePattern(graph.features.OffsetTensor(),
                                 graph.features.ColumnTensor(), features));
  const std::vector<float> values =
      normalize ? graph.NormalizedValues() : graph.values;
  input.values = Tensor::Of(values, {1, std::ssize(values)});
  input.neighbours = Adjacency(kernels::MakeNeighbourhood(
      neighbours.OffsetTensor(), neighbours.ColumnTensor(), graph.size()));
  return input;
}

NodesModel::NodesModel(NodesConfig settings, NodesData graph_and_splits,
                       uint64_t seed)
    : config(std::move(settings)),
      data(std::move(graph_and_splits)),
      input(Input(data.graph)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""),
                                 data.graph.feature_count, classes())) {}

ModelFiles NodesModel::Files() const {
  GraphFiles files = SerializeGraph(graph());
  return {{kEdgesFile, std::move(files.edges)},
          {kFeaturesFile, std::move(files.features)},
          {kNodeLabelsFile, std::move(files.labels)},
          {kTrainFile, SerializeNodes(data.train)},
          {kValidFile, SerializeNodes(data.valid)}};
}

}  // namespace heed
