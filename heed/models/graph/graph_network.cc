#include "heed/models/graph/graph_network.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/models/settings.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"
#include "heed/ops/sparse.h"

namespace heed {
namespace {

constexpr const char* kSymmetric = "symmetric";

AttentionSpec SpecOf(const Choice<Score>& score, double dropout, int64_t heads,
                     int64_t units) {
  AttentionSpec spec;
  spec.score = score;
  spec.heads = heads;
  spec.query = spec.key = spec.value = heads * units;
  spec.units = units;
  spec.dropout = dropout;
  spec.query_axis = spec.key_axis = "source";
  return spec;
}

Var AsBatch(const Var& x) { return Reshape(x, {1, x.dim(0), x.dim(1)}); }

/// Mean over heads: [N, K D] to [N, D].
Var MeanOfHeads(const Var& x, int64_t heads) {
  const int64_t units = x.dim(1) / heads;
  if (heads == 1) return x;
  Var sum = Columns(x, 0, units);
  for (int64_t h = 1; h < heads; ++h) {
    sum = Add(sum, Columns(x, h * units, (h + 1) * units));
  }
  return Scale(sum, 1.0 / static_cast<double>(heads));
}

}  // namespace

void GraphNetworkConfig::Visit(FieldList& v) {
  v("score", score, Any{"SCORE"},
    "score of a neighbour, such as graph(0.2, 1), leaky_additive (GATv2) or "
    "uniform; symmetric: fixed weights 1/√(dᵢ dⱼ) of the numbers of "
    "neighbours; none: each node attends only to itself; auto: the model's "
    "own");
  v("layers", layers, Range(1, 64), "layers").Main();
  v("heads", heads, Range(1, 1024), "heads of each layer but the last").Main();
  v("units", units, Range(1, 65536), "features of a head").Main();
  v("output_heads", output_heads, Range(1, 1024),
    "heads of the last layer, which are averaged");
  v("dropout", dropout, UpToBelow(0, 1),
    "dropout of the inputs of layers and of the values");
  v("attention_dropout", attention_dropout, UpToBelow(0, 1),
    "dropout of attention weights");
}

void GraphNetworkConfig::Check() const {
  if (score == "none" || score == "auto" || score == kSymmetric) return;
  const Choice<Score> choice =
      OfSetting("score", [&] { return ChooseScore(score); });
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  AttentionSizes sizes;
  sizes.query = sizes.key = sizes.units = sizes.positions = 1;
  const auto made = choice.Make(Scope(set, ""), sizes);
  Require(made->fused() && made->takes_query() && !made->uses_history(),
          fmt::format("score: '{}' is not computed along the edges of a graph; "
                      "choose graph, leaky_additive, additive, dot, uniform "
                      "or symmetric",
                      choice.info.name));
}

GraphNetwork::GraphNetwork(const Scope& scope, const GraphNetworkConfig& config,
                           int64_t features, int64_t classes)
    : config_(config) {
  int64_t inputs = features;
  for (int i = 0; i < config.layers; ++i) {
    const bool last = i + 1 == config.layers;
    const int64_t heads = last ? config.output_heads : config.heads;
    const int64_t units = last ? classes : config.units;
    const Scope own = scope / "layers" / std::to_string(i);
    Parameter& weight =
        own.Add("weight", {inputs, heads * units}, kGlorotInit,
                i == 0 ? ParameterUse::kOther : ParameterUse::kMatrix);
    Parameter& bias = own.Add("bias", {heads * units}, kZeroInit);
    Layer& layer = layers_.emplace_back(Layer{weight, bias});
    if (config.score == kSymmetric) {
      layer.convolution.emplace(own / "convolution", heads,
                                config.attention_dropout);
    } else if (config.score != "none") {
      layer.attention = std::make_unique<Attention>(
          own / "attention", SpecOf(ChooseScore(config.score),
                                    config.attention_dropout, heads, units));
    }
    inputs = heads * units;
  }
}

const AttentionInfo* GraphNetwork::Layer::info() const {
  if (convolution) return &convolution->info();
  return attention == nullptr ? nullptr : &attention->info();
}

Var GraphNetwork::ProjectFeatures(const Context& ctx,
                                  const GraphInput& graph) const {
  return SparseMatMul(graph.features,
                      Dropout(ctx, graph.values, config_.dropout),
                      ctx.Use(layers_[0].weight));
}

Var GraphNetwork::Project(const Context& ctx, size_t layer,
                          const Var& x) const {
  return MatMul(Dropout(ctx, x, config_.dropout),
                ctx.Use(layers_[layer].weight));
}

Var GraphNetwork::Attend(const Context& ctx, const GraphInput& graph,
                         size_t layer, const Var& h) const {
  ctx.CheckCancelled();
  const Layer& own = layers_[layer];
  Var values = Dropout(ctx, h, config_.dropout);
  if (own.convolution) {
    values = (*own.convolution)(ctx, graph, values);
  } else if (own.attention != nullptr) {
    const Var keys = AsBatch(h);
    const Memory memory =
        own.attention->Prepare(ctx, keys, AsBatch(values), graph.neighbours);
    values =
        Reshape(own.attention->Attend(ctx, keys, memory).context, h.shape());
  }
  return AddRow(values, ctx.Use(own.bias));
}

Var GraphNetwork::ScoresOf(const Context& ctx, const GraphInput& graph,
                           Var h) const {
  for (size_t layer = 0; layer + 1 < layers_.size(); ++layer) {
    h = Project(ctx, layer + 1, Elu(Attend(ctx, graph, layer, h)));
  }
  return MeanOfHeads(Attend(ctx, graph, layers_.size() - 1, h),
                     config_.output_heads);
}

Var GraphNetwork::Scores(const Context& ctx, const GraphInput& graph) const {
  const Var h = ProjectFeatures(ctx, graph);
  if (graph.copies == 1 && !ctx.ObservesInput("source")) {
    return ScoresOf(ctx, graph, h);
  }
  const Var all = ctx.Input(
      "source", Stack(std::vector<Var>(static_cast<size_t>(graph.copies), h)));
  std::vector<Var> scores;
  for (int64_t c = 0; c < graph.copies; ++c) {
    scores.push_back(ScoresOf(ctx, graph, Select(all, c)));
  }
  const Var stacked = Stack(scores);
  return Reshape(stacked, {stacked.dim(0) * stacked.dim(1), stacked.dim(2)});
}

Var GraphNetwork::FirstLayer(const Context& ctx,
                             const GraphInput& graph) const {
  const Var x = Attend(ctx, graph, 0, ProjectFeatures(ctx, graph));
  return layers_.size() == 1 ? MeanOfHeads(x, config_.output_heads) : Elu(x);
}

ModelOutline GraphNetwork::Outline() const {
  using Kind = OutlinePart::Kind;
  OutlineSequence nodes = {.name = "nodes of the graph", .axis = "source"};
  for (size_t i = 0; i < layers_.size(); ++i) {
    const bool last = i + 1 == layers_.size();
    const Layer& layer = layers_[i];
    const Shape& shape = layer.weight.value().shape();
    const int64_t heads = last ? config_.output_heads : config_.heads;
    OutlineBlock block = {{{Kind::kEach, "linear", shape[1],
                            fmt::format("of {} features", shape[0])}},
                          1};
    if (const AttentionInfo* info = layer.info()) {
      block.parts.push_back(AttentionOutline(*info, Kind::kEdges, shape[1]));
    }
    std::string& detail = block.parts.back().detail;
    if (!last) detail += ", ELU";
    if (last && heads > 1) detail += ", mean of heads";
    nodes.blocks.push_back(std::move(block));
  }
  const int64_t classes =
      layers_.back().weight.value().dim(1) / config_.output_heads;
  nodes.blocks.push_back(OutputOutline("softmax", classes));
  return {{}, {std::move(nodes)}};
}

int64_t GraphNetwork::hops() const {
  return layers_[0].info() == nullptr ? 0 : std::ssize(layers_);
}

}  // namespace heed
