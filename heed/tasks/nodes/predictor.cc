#include <fmt/format.h>

#include <mutex>
#include <numeric>

#include "heed/base/at.h"
#include "heed/explain/observed_attention.h"
#include "heed/explain/payloads.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/nodes/local_graph.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/tasks/nodes/picture.h"

namespace heed::nodes {
namespace {

/// Maximum number of nodes that an explanation shows and attributes the answer
/// to.
constexpr int64_t kMaxNear = 400;
/// Maximum graph size with a layout of all nodes; larger graphs show only the
/// nodes near the target.
constexpr int64_t kMaxDrawn = 4000;

int32_t PredictedClass(const Tensor& p, int64_t row) {
  return LargestOf({p.row<float>(row), static_cast<size_t>(p.dim(1))});
}

/// Predicts the class of a node. The network runs once, for all nodes.
class NodesPredictor : public PredictorWith<Prediction> {
 public:
  NodesPredictor(const Model& model, Prediction options)
      : PredictorWith(options),
        model_(model),
        neighbours_(model.graph().Neighbours()),
        probabilities_(model.Probabilities({})) {}

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(const Context& given,
                                           const ExplainInput& input,
                                           const Prediction&) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  int32_t NodeOf(const Input& input) const {
    return NodeNamed(input.Text(), model_.graph().size(), input.place);
  }
  const std::string& NameOf(int32_t id) const {
    return At(model_.graph().classes, id);
  }
  Axis NearAxis(const LocalGraph& near, const Context& ctx) const;
  const NodesPicture& WholePicture(const Context& ctx) const;

  const Model& model_;
  const RowLists neighbours_;
  const Tensor probabilities_;  // [N, V]
  mutable std::once_flag drawn_;
  mutable NodesPicture whole_;
};

std::vector<Answer> NodesPredictor::Predict(std::span<const Input> inputs,
                                            const Prediction& options,
                                            const PredictCall& call) const {
  std::vector<Answer> answers;
  for (const Input& input : inputs) {
    call.context().CheckCancelled();
    const int32_t node = NodeOf(input);
    const float* p = probabilities_.row<float>(node);
    CandidateList candidates("classes", "class");
    if (options.probabilities) {
      for (int32_t c = 0; c < model_.classes(); ++c) {
        candidates.Add(NameOf(c), p[c]);
      }
      answers.push_back(candidates.answer());
      continue;
    }
    const int32_t chosen = PredictedClass(probabilities_, node);
    candidates.Add(NameOf(chosen), p[chosen]);
    answers.push_back(candidates.answer());
    answers.back().line = NameOf(chosen);
  }
  return answers;
}

/// Layout of the whole graph, computed at the first call.
const NodesPicture& NodesPredictor::WholePicture(const Context& ctx) const {
  std::call_once(drawn_, [&] {
    whole_ = PictureOf(*model_.network, model_.input, model_.graph(),
                       ctx.cancellation);
  });
  return whole_;
}

/// Axis of the nodes near the target. Its payload has their known properties
/// and a layout: of the whole graph, or of these nodes if the graph is too
/// large.
Axis NodesPredictor::NearAxis(const LocalGraph& near,
                              const Context& ctx) const {
  Axis axis = {.id = "source", .kind = "graph", .label = "Nodes"};
  for (const int32_t node : near.nodes) {
    axis.items.push_back(std::to_string(node));
  }
  const bool whole = model_.graph().size() <= kMaxDrawn;
  std::vector<int32_t> drawn = near.nodes;
  std::vector<int32_t> places = near.nodes;
  NodesPicture local;
  if (whole) {
    drawn.resize(static_cast<size_t>(model_.graph().size()));
    std::iota(drawn.begin(), drawn.end(), 0);
  } else {
    std::iota(places.begin(), places.end(), 0);
    local = PictureOf(*model_.network, model_.Input(near), near.graph,
                      ctx.cancellation);
  }
  std::vector<int32_t> predicted;
  for (const int32_t node : drawn) {
    predicted.push_back(PredictedClass(probabilities_, node));
  }
  const NodesPicture& picture = whole ? WholePicture(ctx) : local;
  axis.payload = GraphPayload{
      near.graph.classes, places,    near.graph.labels, near.hops,
      near.left_out,      predicted, picture.places,    picture.edges};
  return axis;
}

/// Queries, keys and scores of all pairs of nodes near the target.
std::vector<AttentionPanels> PanelsOf(const Context& given,
                                      const ExplainInput& input,
                                      const RunOfCopies& run,
                                      const std::vector<AttentionMap>& maps) {
  AttentionWatch parts(input.watch);
  const Context ctx = ObservedBy(parts, given);
  run(ctx, 1);
  return CollectPanels(parts.seen, maps);
}

ExplainablePrediction NodesPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input, const Prediction&) const {
  const int32_t node = NodeOf(input.given);
  const auto near = std::make_shared<const LocalGraph>(AroundNode(
      model_.graph(), neighbours_, node, model_.network->hops(), kMaxNear));
  const GraphInput graph = model_.Input(*near);
  // The target is the first node.
  const auto log_p = [this, graph](const Context& c, int64_t copies) {
    GraphInput several = graph;
    several.copies = copies;
    const Var all = model_.network->Scores(c, several);
    const Var first = Reshape(all, {copies, graph.nodes() * all.dim(1)});
    return LogSoftmax(Columns(first, 0, all.dim(1)));
  };
  // The answer and its attention come from the run over the whole graph.
  const auto whole = [this, node](const Context& c) {
    const Tensor all =
        LogSoftmax(model_.network->Scores(c, model_.input)).value();
    return all.Slice(node, node + 1);
  };
  bool wants_parts = false;
  ExplainInput watched = input;
  watched.watch = [&](const AttentionInfo& info) {
    wants_parts |= input.watch && input.watch(info).parts;
    return AttentionRequest{.weights = true};
  };
  ExplainableSegment result =
      ExplainChoice(given, watched, {NearAxis(*near, given)},
                    {"Class", [this](int32_t id) { return NameOf(id); },
                     [this](const std::string& name, const char* place) {
                       return model_.graph().ClassNamed(name, place);
                     },
                     log_p, whole});
  ExplanationSegment& e = result.segment;
  // The label names the node too, so that a class is not taken for a node
  // number.
  e.axes.back().labels = {fmt::format("{} → {}", node, e.answer)};
  for (AttentionMap& map : e.maps) KeepNodes(near->nodes, map);
  if (wants_parts) e.panels = PanelsOf(given, input, log_p, e.maps);
  SetMap(e.targets.back(), e.LastMap("source", "source"), 0);
  std::string answer = e.answer;
  return {std::move(answer), {std::move(result)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& nodes,
                                                   Prediction options) const {
  return std::make_unique<NodesPredictor>(nodes, options);
}
}  // namespace heed::nodes
