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

/// Files of a graph and lists of its training and validation nodes.
struct DataConfig {
  GraphFiles files;
  std::string train;
  std::string valid;
  Named<YesNo> normalize_features = YesNo::kYes;

  void Visit(FieldList& v);
};

/// The resolved settings of a node classifier.
struct Config {
  ModelChoice<NodeSettings> model;
  DataConfig data;
};

struct Data {
  NodeGraph graph;
  std::vector<int32_t> train;
  std::vector<int32_t> valid;
};

/// Converts a graph to the input of a network with `features` features.
GraphInput InputOf(const NodeGraph& graph, int64_t features, bool normalize);

/// A network and its training graph. Test labels are not needed; known labels
/// are kept for display.
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
  /// Class probabilities of all nodes. Shapes: result [N, V].
  Tensor Probabilities(const Context& ctx) const;
  /// Accuracy (per cent) and loss on these nodes, which must have labels.
  Metrics Measure(std::span<const int32_t> nodes) const;

  const Config config;
  const Data data;
  const GraphInput input;  // input of the whole graph

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<NodeClassifier> network;
};

struct Prediction {
  bool probabilities = false;
  void Visit(FieldList& v);
};

/// Options of an evaluation: labelled nodes.
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
  /// Sets the training options of the paper.
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
