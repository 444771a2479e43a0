// Tests of graph attention networks against an independent implementation (see
// tests/golden/make_golden_graph.py) and of their properties.
#include "heed/models/graph/graph_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/reduce.h"
#include "heed/models/model_testing.h"
#include "heed/models/registry.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"

namespace heed::graph_network_test {
namespace {

using EdgeList = std::vector<std::pair<int32_t, int32_t>>;

/// Adjacency mask of an undirected graph with self-loops.
Mask NeighboursOf(int64_t nodes, const EdgeList& edges) {
  std::vector<std::set<int32_t>> lists(static_cast<size_t>(nodes));
  for (int32_t i = 0; i < nodes; ++i) At(lists, i) = {i};
  for (const auto& [u, v] : edges) {
    At(lists, u).insert(v);
    At(lists, v).insert(u);
  }
  std::vector<int32_t> offsets = {0};
  std::vector<int32_t> keys;
  for (const auto& list : lists) {
    keys.insert(keys.end(), list.begin(), list.end());
    offsets.push_back(static_cast<int32_t>(keys.size()));
  }
  return Adjacency(kernels::MakeNeighbourhood(
      Ids(offsets, {nodes + 1}), Ids(keys, {std::ssize(keys)}), nodes));
}

/// Input with the nonzero elements of a dense matrix.
GraphInput InputOfDense(const Tensor& x, const EdgeList& edges) {
  std::vector<int32_t> offsets = {0};
  std::vector<int32_t> columns;
  std::vector<double> values;
  for (int64_t r = 0; r < x.dim(0); ++r) {
    for (int64_t c = 0; c < x.dim(1); ++c) {
      if (kernels::At(x, r, c) == 0) continue;
      columns.push_back(static_cast<int32_t>(c));
      values.push_back(kernels::At(x, r, c));
    }
    offsets.push_back(static_cast<int32_t>(columns.size()));
  }
  GraphInput input;
  input.features =
      std::make_shared<const kernels::SparsePattern>(kernels::MakeSparsePattern(
          Ids(offsets, {x.dim(0) + 1}), Ids(columns, {std::ssize(columns)}),
          x.dim(1)));
  input.values = Tensor::Of(values, {1, std::ssize(values)}).To(x.dtype());
  input.neighbours = NeighboursOf(x.dim(0), edges);
  return input;
}

GraphNetworkConfig Small() {
  GraphNetworkConfig config;
  config.heads = 3;
  config.units = 4;
  config.output_heads = 2;
  config.dropout = config.attention_dropout = 0;
  return config;
}

GraphNetworkConfig With(const std::string& score,
                        GraphNetworkConfig config = Small()) {
  config.score = score;
  return config;
}

const EdgeList kEdges = {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {3, 4}, {1, 4}};

/// Network over 6 nodes; the last one is isolated.
struct SmallNetwork {
  explicit SmallNetwork(const std::string& score, DType dtype = DType::kF64,
                        const GraphNetworkConfig& config = Small())
      : set(3, dtype, kernels::Precision::kNative),
        network(Scope(set, ""), With(score, config), 5, 3) {}

  ParameterSet set;
  GraphNetwork network;
};

Tensor SmallFeatures(DType dtype = DType::kF64) {
  return RandomTensor({6, 5}, 4, dtype);
}

constexpr const char* kAllScores[] = {"graph(0.2, 1)", "leaky_additive",
                                      "uniform", "symmetric", "none"};

void ExpectGolden(const std::string& file, const std::string& score) {
  const GoldenTensors golden(file);
  EdgeList edges;
  for (int64_t i = 0; i < golden.at("edges").dim(0); ++i) {
    const int32_t* edge = golden.at("edges").row<int32_t>(i);
    edges.emplace_back(edge[0], edge[1]);
  }
  const GraphInput input = InputOfDense(golden.at("x"), edges);
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const GraphNetwork network(Scope(set, ""), With(score), 9, 3);
  golden.ExpectSameParameters(set);
  golden.SetParameters(set);

  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var logits = network.Scores(ctx, input);
  EXPECT_LT(MaxDifference(logits.value(), golden.at("logits")), 1e-12);
  const Tensor& nodes = golden.at("nodes");
  const CrossEntropyLoss loss =
      CrossEntropy(Embed(logits, nodes), golden.at("labels"),
                   {.scale = 1.0 / static_cast<double>(nodes.numel())});
  constexpr double kL2 = 0.05;
  double penalty = 0;
  tape.Backward(loss.loss);
  for (const auto& p : set.all()) {
    penalty += kL2 / 2 * kernels::SumSquares(p->value());
    kernels::AddTo(p->mutable_gradient(), p->value(), kL2);
  }
  EXPECT_NEAR(loss.loss.value().item() + penalty,
              golden.at("loss").ToVector<double>()[0], 1e-12);
  golden.ExpectGradients(set, 1e-12);
}

TEST(GraphGolden, LogitsLossAndGradientsOfGatAreThoseOfPyTorch) {
  ExpectGolden("graph_gat", "graph(0.2, 1)");
}

TEST(GraphGolden, LogitsLossAndGradientsOfGatV2AreThoseOfPyTorch) {
  ExpectGolden("graph_gatv2", "leaky_additive");
}

TEST(GraphGolden, LogitsLossAndGradientsOfGcnAreThoseOfPyTorch) {
  ExpectGolden("graph_gcn", "symmetric");
}

TEST(GraphConvolution, DividesByTheRootsOfBothDegrees) {
  // A star: node 0 has 3 neighbours, the others have one each.
  GraphInput input = InputOfDense(SmallFeatures().Slice(0, 4).Clone(),
                                  {{0, 1}, {0, 2}, {0, 3}});
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const GraphConvolution convolution(Scope(set, "convolution"), 1, 0);
  const Tensor h = Tensor::Of(std::vector<double>{1, 10, 100, 1000}, {4, 1});
  const Tensor y = convolution({}, input, h).value();
  const double root = std::sqrt(4.0 * 2.0);
  EXPECT_NEAR(kernels::At(y, 0, 0), 1.0 / 4 + 1110 / root, 1e-12);
  EXPECT_NEAR(kernels::At(y, 1, 0), 10.0 / 2 + 1 / root, 1e-12);
  // In a subgraph, degrees are those of the whole graph.
  input.degrees = {4, 2, 2, 8};
  const Tensor part = convolution({}, input, h).value();
  EXPECT_NEAR(kernels::At(part, 3, 0), 1000.0 / 8 + 1 / std::sqrt(32.0), 1e-12);
}

TEST(GraphConvolution, ShowsItsWeightsToObservers) {
  const SmallNetwork small("symmetric");
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  (void)small.network.Scores(ctx, InputOfDense(SmallFeatures(), kEdges));
  ASSERT_EQ(watch.seen.size(), 2U);
  ASSERT_TRUE(watch.seen[0].graph);
  // First edges: node 0 with itself, 1 and 4, which have degrees 3, 4 and 4.
  const double* weights = watch.seen[0].weights.value().row<double>(0);
  EXPECT_NEAR(weights[0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(weights[1], 1 / std::sqrt(12.0), 1e-15);
  EXPECT_NEAR(weights[2], 1 / std::sqrt(12.0), 1e-15);
}

TEST(GraphNetwork, HasTheGradientOfDifferences) {
  for (const char* score : kAllScores) {
    SCOPED_TRACE(score);
    const SmallNetwork small(score);
    const GraphInput input = InputOfDense(SmallFeatures(), kEdges);
    ExpectParameterGradients(small.set, [&](Tape* tape) {
      Context ctx;
      ctx.tape = tape;
      return Sum(Tanh(small.network.Scores(ctx, input)));
    });
  }
}

TEST(GraphNetwork, InF32ItIsThatInF64) {
  for (const char* score : kAllScores) {
    const auto scores = [&](DType dtype) {
      return SmallNetwork(score, dtype)
          .network.Scores({}, InputOfDense(SmallFeatures(dtype), kEdges))
          .value();
    };
    EXPECT_LT(MaxDifference(scores(DType::kF32), scores(DType::kF64)), 1e-5)
        << score;
  }
}

TEST(GraphNetwork, PermutedNodesPermuteTheirScores) {
  const std::vector<int32_t> order = {3, 0, 5, 1, 4, 2};  // old of new
  std::vector<int32_t> place(6);
  for (int32_t i = 0; i < 6; ++i) At(place, At(order, i)) = i;
  EdgeList moved;
  for (const auto& [u, v] : kEdges) {
    moved.emplace_back(At(place, u), At(place, v));
  }
  const Tensor ids = Ids(order, {6});
  for (const char* score : kAllScores) {
    const SmallNetwork small(score);
    const Tensor plain =
        small.network.Scores({}, InputOfDense(SmallFeatures(), kEdges)).value();
    const Tensor permuted =
        small.network
            .Scores({},
                    InputOfDense(kernels::Gather(SmallFeatures(), ids), moved))
            .value();
    EXPECT_LT(MaxDifference(permuted, kernels::Gather(plain, ids)), 1e-14)
        << score;
  }
}

TEST(GraphNetwork, ANodeWithoutNeighboursSeesItselfAlone) {
  for (const char* score :
       {"graph(0.2, 1)", "leaky_additive", "uniform", "symmetric"}) {
    const SmallNetwork small(score);
    const Tensor among =
        small.network.Scores({}, InputOfDense(SmallFeatures(), kEdges)).value();
    const Tensor alone =
        small.network
            .Scores({}, InputOfDense(SmallFeatures().Slice(5, 6).Clone(), {}))
            .value();
    EXPECT_LT(MaxDifference(among.Slice(5, 6), alone), 1e-14) << score;
  }
}

TEST(GraphNetwork, WithoutAScoreEdgesDoNotMatter) {
  const SmallNetwork small("none");
  EXPECT_EQ(small.network.hops(), 0);
  EXPECT_EQ(
      MaxDifference(
          small.network.Scores({}, InputOfDense(SmallFeatures(), kEdges))
              .value(),
          small.network.Scores({}, InputOfDense(SmallFeatures(), {})).value()),
      0);
}

TEST(GraphNetwork, AnswersDependOnNodesWithinItsHopsAlone) {
  const SmallNetwork small("graph(0.2, 1)");
  EXPECT_EQ(small.network.hops(), 2);
  const EdgeList path = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
  const auto first = [&](int64_t changed) {
    Tensor x = SmallFeatures().Clone();
    kernels::SetAt(x, changed, 0, 9);
    return small.network.Scores({}, InputOfDense(x, path))
        .value()
        .Slice(0, 1)
        .Clone();
  };
  const Tensor same = first(5);
  EXPECT_EQ(MaxDifference(first(3), same), 0);
  EXPECT_GT(MaxDifference(first(2), same), 1e-6);
  EXPECT_GT(MaxDifference(first(1), same), 1e-6);
}

TEST(GraphNetwork, HasAsManyParametersOnCoraAsItsAuthorsSay) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  ModelChoice<NodeSettings> gat;
  gat.Choose("gat");
  gat->Fill();
  const auto network = gat->Make(Scope(set, ""), 1433, 7);
  EXPECT_EQ(set.elements(), 92391);
}

TEST(GraphNetwork, DropsInputsWeightsAndValuesButNotKeys) {
  GraphNetworkConfig config = Small();
  config.layers = 1;
  config.output_heads = 1;
  config.dropout = 0.5;
  const SmallNetwork small("uniform", DType::kF64, config);
  Rng rng(1);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  const GraphInput input = InputOfDense(SmallFeatures(), kEdges);
  EXPECT_GT(MaxDifference(small.network.Scores(ctx, input).value(),
                          small.network.Scores({}, input).value()),
            1e-3);
  // Without dropout of inputs, only dropout of weights remains.
  config.dropout = 0;
  config.attention_dropout = 0.5;
  const SmallNetwork weights("uniform", DType::kF64, config);
  EXPECT_GT(MaxDifference(weights.network.Scores(ctx, input).value(),
                          weights.network.Scores({}, input).value()),
            1e-3);
}

TEST(GraphNetwork, CopiesAreEqualUnlessAnObserverMakesThemDiffer) {
  const SmallNetwork small("graph(0.2, 1)");
  GraphInput input = InputOfDense(SmallFeatures(), kEdges);
  const Tensor one = small.network.Scores({}, input).value();
  input.copies = 3;
  const Tensor three = small.network.Scores({}, input).value();
  ASSERT_EQ(three.dim(0), 18);
  for (int64_t c = 0; c < 3; ++c) {
    EXPECT_EQ(MaxDifference(three.Slice(6 * c, 6 * c + 6).Clone(), one), 0);
  }
}

TEST(GraphNetwork, RefusesScoresThatDoNotRunAlongEdges) {
  for (const char* score :
       {"location_aware", "location", "learned_query", "mlp"}) {
    ModelChoice<NodeSettings> choice;
    choice.Choose("gat");
    choice.As<GraphNetworkConfig>().score = score;
    EXPECT_NE(MessageOf<ConfigError>([&] { choice->Fill(); }).find(score),
              std::string::npos);
  }
}

}  // namespace
}  // namespace heed::graph_network_test
