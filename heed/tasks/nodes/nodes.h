// Classification of the nodes of a graph.
#ifndef HEED_TASKS_NODES_NODES_H_
#define HEED_TASKS_NODES_NODES_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/graph.h"
#include "heed/metrics/metrics.h"
#include "heed/models/node_classifier.h"
#include "heed/models/registry.h"
#include "heed/models/settings.h"
#include "heed/tasks/nodes/local_graph.h"
#include "heed/tasks/task.h"

namespace heed::nodes {

/// Where a graph comes from, and which of its nodes teach.
struct DataConfig {
  GraphFiles files;
  std::string train;
  std::string valid;
  Named<YesNo> normalize_features = YesNo::kYes;

  void Visit(FieldList& v);
};

/// The resolved settings of a classifier of nodes.
struct Config {
  ModelChoice<NodeSettings> model;
  DataConfig data;
};

struct Data {
  NodeGraph graph;
  std::vector<int32_t> train;
  std::vector<int32_t> valid;
};

/// What a network reads of a graph, which has at most so many features.
GraphInput InputOf(const NodeGraph& graph, int64_t features, bool normalize);

/// A network and the graph that it was trained on. The test labels of a graph
/// are not needed; what is known of labels is kept to be shown.
class Model : public TaskModel {
 public:
  Model(Config settings, Data graph_and_splits, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"nodes", graph().size()},
            {"edges", std::ssize(graph().edges)},
            {"features", graph().feature_count},
            {"classes", classes()}};
  }

  const NodeGraph& graph() const { return data.graph; }
  int64_t classes() const { return std::ssize(data.graph.classes); }
  GraphInput Input(const NodeGraph& graph) const {
    return InputOf(graph, data.graph.feature_count,
                   config.data.normalize_features == YesNo::kYes);
  }
  GraphInput Input(const LocalGraph& near) const {
    GraphInput part = Input(near.graph);
    part.degrees = near.degrees;
    return part;
  }
  /// Of all nodes. Shapes: result [N, V].
  Tensor Probabilities(const Context& ctx) const;
  /// accuracy (percent) and loss of these nodes, whose labels are known.
  Metrics Measure(std::span<const int32_t> nodes) const;

  const Config config;
  const Data data;
  const GraphInput input;  // of the graph

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<NodeClassifier> network;
};

struct Prediction {
  bool probabilities = false;
  void Visit(FieldList& v);
};

/// Which nodes are compared with their labels.
struct Evaluation {
  std::string nodes;
  std::string labels;
  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "nodes"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  /// Those of the paper.
  void SetDefaults(TrainingConfig& training) const override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    training.Visit(v);
    v.Remove("accumulate", "an epoch is one batch of all nodes");
  }
  void Resolve() override { model->Fill(); }

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& read) const override;
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& nodes,
                                           uint64_t seed) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& nodes,
                                           Prediction options) const override;
  Report Evaluate(const Model& nodes, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::nodes

#endif  // HEED_TASKS_NODES_NODES_H_
