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

namespace heed {

/// Where a graph comes from, and which of its nodes teach.
struct NodesDataConfig {
  GraphFiles files;
  std::string train;
  std::string valid;
  Named<YesNo> normalize_features = YesNo::kYes;

  void Visit(FieldList& v);
};

/// The resolved settings of a classifier of nodes.
struct NodesConfig {
  ModelChoice<NodeSettings> model;
  NodesDataConfig data;
};

struct NodesData {
  NodeGraph graph;
  std::vector<int32_t> train;
  std::vector<int32_t> valid;
};

/// What a network reads of a graph, which has at most so many features.
GraphInput InputOf(const NodeGraph& graph, int64_t features, bool normalize);

/// A network and the graph that it was trained on. The test labels of a graph
/// are not needed; what is known of labels is kept to be shown.
class NodesModel : public TaskModel {
 public:
  NodesModel(NodesConfig settings, NodesData graph_and_splits, uint64_t seed);

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

  const NodesConfig config;
  const NodesData data;
  const GraphInput input;  // of the graph

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<NodeClassifier> network;
};

struct NodesPrediction {
  bool probabilities = false;
  void Visit(FieldList& v);
};

/// Which nodes are compared with their labels.
struct NodesEvaluation {
  std::string nodes;
  std::string labels;
  void Visit(FieldList& v);
};

class NodesSettings : public TaskSettingsOf<NodesData, NodesModel,
                                            NodesPrediction, NodesEvaluation>,
                      public NodesConfig {
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

  NodesData ReadData() const override;
  std::unique_ptr<NodesModel> Learn(const NodesData& read,
                                    uint64_t seed) const override;
  std::unique_ptr<NodesModel> Open(const ModelFiles& files,
                                   const std::string& folder,
                                   uint64_t seed) const override;
  std::vector<MeasureInfo> MeasuresOf(const NodesData& read) const override;
  std::unique_ptr<Trainable> Objective(NodesData read, NodesModel& nodes,
                                       uint64_t seed) const override;
  std::unique_ptr<Predictor> Predicting(const NodesModel& nodes,
                                        NodesPrediction options) const override;
  Report Measure(const NodesModel& nodes,
                 const NodesEvaluation& options) const override;
};

TaskRow NodesTask();

}  // namespace heed

#endif  // HEED_TASKS_NODES_NODES_H_
