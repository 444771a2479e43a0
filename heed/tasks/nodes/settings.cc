
#include "heed/attention/mask.h"
#include "heed/kernels/sparse.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::nodes {

TaskRow Task() {
  TaskRow row;
  row.name = "nodes";
  row.description = "the class of a node of a graph, by its neighbours";
  row.settings = [] { return std::make_unique<Settings>(); };
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

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("edges", files.edges, Any{"FILE"},
    "edges of the graph: a line is two nodes, numbers from 0, with a blank or "
    "tab between them (.gz too)")
      .Main();
  v("features", files.features, Any{"FILE"},
    "features: line i lists those of node i - 1, as NUMBER (value 1) or "
    "NUMBER:VALUE")
      .Main();
  v("labels", files.labels, Any{"FILE"},
    "labels: line i is the class of node i - 1, or ? if unknown")
      .Main();
  v("train", train, Any{"FILE"}, "nodes to learn from, a number on each line")
      .Main();
  v.Require({{"edges"}});
  v.Require({{"features"}});
  v.Require({{"labels"}});
  v.Require({{"train"}});
  v("valid", valid, Any{"FILE"}, "nodes for validation, a number on each line")
      .Main();
  v("normalize_features", normalize_features,
    "divide the features of a node by the sum of their magnitudes");
}

void Prediction::Visit(FieldList& v) {
  v.Section("Answers");
  v("probabilities", probabilities,
    "write all classes with their probabilities, instead of the most probable "
    "one");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("nodes", nodes, Any{"FILE"},
    "nodes to compare with their labels, a number on each line");
  v.Require({{"nodes"}});
  v("labels", labels, Any{"FILE"},
    "labels, in the format of training (default: those of training)");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 0.005;
  training.optimizer.l2 = 5e-4;
  training.optimizer.clip = 0;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 100000;
  training.run.patience = 100;
  training.run.patience_metric = PatienceMetric::kMetricOrLoss;
}

Data Settings::Read() const {
  Data read{ReadGraph(data.files), {}, {}};
  read.train = ReadNodes(data.train, read.graph);
  if (!data.valid.empty()) {
    read.valid = ReadNodes(data.valid, read.graph);
    CheckApart(read.train, data.train, read.valid, data.valid);
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, read, seed);
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
}  // namespace heed::nodes
