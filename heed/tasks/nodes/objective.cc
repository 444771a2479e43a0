#include <fmt/format.h>

#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/kernels/gather.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/train/progress.h"

namespace heed::nodes {
namespace {

const std::vector<MeasureInfo> kNodeMeasures = {{"accuracy", true},
                                                {"loss", false}};

Tensor IdsOf(std::span<const int32_t> nodes) {
  return Tensor::Of(std::vector<int32_t>(nodes.begin(), nodes.end()),
                    {std::ssize(nodes)});
}

Tensor LabelsOf(const NodeGraph& graph, std::span<const int32_t> nodes) {
  std::vector<int32_t> labels;
  for (const int32_t node : nodes) {
    labels.push_back(At(graph.labels, node));
  }
  return IdsOf(labels);
}

bool SameGraph(const NodeGraph& a, const NodeGraph& b) {
  return a.edges == b.edges && a.features.offsets == b.features.offsets &&
         a.features.columns == b.features.columns && a.values == b.values &&
         a.labels == b.labels && a.classes == b.classes;
}

/// Cross entropy of the labelled nodes. Each step computes all nodes.
class NodesObjective : public ObjectiveOf<Model> {
 public:
  NodesObjective(Data data, Model& model)
      : ObjectiveOf(model, kNodeMeasures),
        train_(std::move(data.train)),
        valid_(std::move(data.valid)) {
    if (!SameGraph(data.graph, model.graph())) {
      throw FormatError(
          "the graph differs from that of the model, which cannot use another; "
          "train a new model on it");
    }
    std::string bytes;
    for (const auto& [name, file] : model.Files())
      bytes += std::string(file.view()) + name;
    checksum_ = fmt::format("{:08x}", Crc32(bytes));
  }

  std::string unit() const override { return "node"; }
  std::string Summary() const override {
    return fmt::format("{}, {}; {} for training, {} for validation",
                       Counted(model_.graph().size(), "node"),
                       Counted(std::ssize(model_.graph().edges), "edge"),
                       train_.size(), valid_.size());
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t /*seed*/, int /*epoch*/) const override {
    std::vector<int64_t> all(train_.size());
    std::iota(all.begin(), all.end(), int64_t{0});
    return BatchList{std::move(all)};
  }
  int64_t Parts(std::span<const int64_t> /*examples*/) const override {
    return 1;  // each part would compute the whole graph
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    std::vector<int32_t> nodes;
    for (const int64_t i : examples) {
      nodes.push_back(At(train_, i));
    }
    const Var scores =
        Embed(model_.network->Scores(ctx, model_.input), IdsOf(nodes));
    CrossEntropyLoss loss =
        CrossEntropy(scores, LabelsOf(model_.graph(), nodes),
                     {.smoothing = options.smoothing, .scale = options.scale});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return !valid_.empty(); }
  Metrics Validate(const std::string& /*measure*/) const override {
    return model_.Measure(valid_);
  }

 private:
  std::vector<int32_t> train_;
  std::vector<int32_t> valid_;
  std::string checksum_;
};

}  // namespace

std::vector<MeasureInfo> Settings::Measures(const Data& /*read*/) const {
  return kNodeMeasures;
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& nodes,
                                                   uint64_t /*seed*/) const {
  return std::make_unique<NodesObjective>(std::move(read), nodes);
}

Metrics Model::Measure(std::span<const int32_t> nodes) const {
  const Tensor scores = network->Scores({}, input).value();
  const CrossEntropyLoss loss = CrossEntropy(
      kernels::Gather(scores, IdsOf(nodes)), LabelsOf(graph(), nodes), {});
  const auto count = static_cast<double>(nodes.size());
  return {{"accuracy", 100.0 * static_cast<double>(loss.correct) / count},
          {"loss", loss.nll / count}};
}

}  // namespace heed::nodes
