#include "heed/tasks/nodes/nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "course/data/planted_graph.h"
#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/explain/observed_attention.h"
#include "heed/io/file.h"
#include "heed/models/graph/graph_network.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/nodes/local_graph.h"
#include "heed/tasks/testing.h"
#include "heed/train/in_memory.h"

namespace heed::nodes {
namespace {

using List = std::vector<int32_t>;

/// Split of nodes into training [0, train), validation [train, train + valid)
/// and test nodes; ads are in none.
struct Split {
  explicit Split(const PlantedGraphOptions& options, int32_t train = 40,
                 int32_t valid = 60) {
    data.graph = PlantedGraph(options);
    for (int32_t node = 0; node < options.nodes - options.ads; ++node) {
      (node < train           ? data.train
       : node < train + valid ? data.valid
                              : test)
          .push_back(node);
    }
  }
  Data data;
  List test;
};

Settings SmallSettings(const std::string& model) {
  Settings settings;
  settings.ChooseModel(model);
  auto& config = settings.model.As<GraphNetworkConfig>();
  config.heads = 2;
  config.units = 4;
  settings.Resolve();
  return settings;
}

/// Accuracy on the test nodes.
double TestAccuracy(const Settings& settings, const Split& split) {
  TrainingConfig training;
  settings.SetDefaults(training);
  training.run.epochs = 200;
  training.run.patience = 40;
  const auto trained = settings.MakeModel(split.data, 1);
  const auto objective = settings.MakeObjective(split.data, *trained, 1);
  TrainInMemory(*objective, training);
  return trained->Measure(split.test).front().second;
}

double TestAccuracy(const std::string& model, const Split& split) {
  return TestAccuracy(SmallSettings(model), split);
}

TEST(Nodes, LearnWhatOnlyNeighboursTell) {
  const Split split({.nodes = 400, .edges = 1600, .telling = 0.25});
  const double alone = TestAccuracy("node-mlp", split);
  EXPECT_GT(TestAccuracy("gat", split), 85);
  EXPECT_GT(TestAccuracy("gcn", split), 85);
  EXPECT_GT(TestAccuracy("gcn-mean", split), 85);
  EXPECT_LT(alone, 75);
}

TEST(Nodes, AttentionIgnoresNeighboursThatMislead) {
  const Split split({.nodes = 600, .edges = 800, .ads = 200}, 100, 100);
  const auto accuracy = [&split](const std::string& model) {
    Settings settings = SmallSettings(model);
    settings.data.normalize_features = YesNo::kNo;
    auto& config = settings.model.As<GraphNetworkConfig>();
    config.heads = 4;
    config.units = 8;
    config.dropout = 0.3F;
    config.attention_dropout = 0;
    return TestAccuracy(settings, split);
  };
  const double attention = accuracy("gat");
  EXPECT_GT(attention, accuracy("gcn") + 10);
  EXPECT_GT(attention, accuracy("gcn-mean") + 10);
}

TEST(Nodes, WithoutEdgesAttentionIsAPerceptron) {
  const Split split({.nodes = 200, .edges = 0, .telling = 0.9});
  EXPECT_GT(TestAccuracy("gat", split), 80);
}

/// A model folder of a small graph, trained for some epochs.
class NodesFolder : public testing::Test {
 protected:
  void SetUp() override {
    Settings settings = SmallSettings(network());
    TrainingConfig training;
    settings.SetDefaults(training);
    training.run.out = folder_.Path("model");
    training.run.epochs = 3;
    training.run.quiet = true;
    TrainOn(settings, split_.data, training);
    loaded_ = ReadModel(training.run.out);
  }
  virtual std::string network() const { return "gat"; }
  void ExpectExplanationsOfTheSameAnswers() const;
  void ExpectRowsOfTheWholeRun(const ExplanationSegment& segment) const;
  const Model& model() const {
    return dynamic_cast<const Model&>(*loaded_.model);
  }

  TemporaryFolder folder_;
  Split split_{{.nodes = 120, .edges = 300}, 20, 20};
  LoadedModel loaded_;
};

TEST_F(NodesFolder, HoldsTheGraphAndItsSplits) {
  EXPECT_EQ(model().graph().edges, split_.data.graph.edges);
  EXPECT_EQ(model().graph().labels, split_.data.graph.labels);
  EXPECT_EQ(model().data.train, split_.data.train);
  EXPECT_EQ(model().data.valid, split_.data.valid);
}

TEST_F(NodesFolder, AnswersAreTheMostProbableClasses) {
  const Tensor p = model().Probabilities({});
  std::string expected;
  for (const int32_t node : {3, 77, 119}) {
    const float* row = p.row<float>(node);
    EXPECT_NEAR(std::accumulate(row, row + 4, 0.0), 1, 1e-5);
    expected +=
        At(model().graph().classes, std::max_element(row, row + 4) - row) +
        "\n";
  }
  EXPECT_EQ(PredictLines(loaded_, "3\n 77\n119\n"), expected);
}

TEST_F(NodesFolder, ALineThatIsNoNodeIsRefusedWithItsPlace) {
  for (const auto& [line, problem] :
       std::vector<std::pair<std::string, std::string>>{
           {"120",
            "standard input:2: there is no node 120; nodes are 0 to 119"},
           {"x", "standard input:2: 'x' is not the number of a node"},
           {"-1", "there is no node -1"},
           {"99999999999999999999", "is not the number of a node"}}) {
    const std::string message = MessageOf<FormatError>(
        [&, line = line] { PredictLines(loaded_, "3\n" + line + "\n"); });
    EXPECT_NE(message.find(problem), std::string::npos) << message;
  }
}

TEST_F(NodesFolder, EvaluationComparesWithLabelsOfTheModelOrAFile) {
  const std::string nodes =
      folder_.Put("test.idx", SerializeNodes(split_.test));
  const Report own = EvaluateWith(loaded_, {{"nodes", nodes}});
  EXPECT_EQ(own.figures[0].key, "accuracy");
  EXPECT_NEAR(own.figures[0].value, model().Measure(split_.test)[0].second,
              1e-4);
  // With its own predictions as labels, accuracy is 100 %.
  std::string all;
  for (int i = 0; i < 120; ++i) all += std::to_string(i) + "\n";
  const std::string labels =
      folder_.Put("labels.txt", PredictLines(loaded_, all));
  EXPECT_EQ(EvaluateWith(loaded_, {{"nodes", nodes}, {"labels", labels}})
                .figures[0]
                .value,
            100);
  const std::string few = folder_.Put("few.txt", "A\nB\n");
  EXPECT_EQ(MessageOf<FormatError>([&] {
              EvaluateWith(loaded_, {{"nodes", nodes}, {"labels", few}});
            }),
            few + ": 2 labels, but the model has 120 nodes");
}

TEST_F(NodesFolder, TrainingGoesOnWithItsOwnGraphAlone) {
  Data other = split_.data;
  other.graph.edges.pop_back();
  auto model = loaded_.settings->MakeModel(DatasetOf<Data>(split_.data), 1);
  EXPECT_THROW(loaded_.settings->MakeObjective(
                   std::make_unique<DatasetOf<Data>>(other), *model, 1),
               FormatError);
}

TEST_F(NodesFolder, ADamagedGraphIsNamed) {
  ModelFiles files = model().Files();
  SharedBytes& edges = files["edges.tsv"];
  edges = std::string(edges.view()) + "0\t500\n";
  EXPECT_NE(MessageOf<FormatError>([&] {
              loaded_.settings->OpenModel(files, "folder", kNoSeed);
            }).find("folder/edges.tsv:301: there is no node 500"),
            std::string::npos);
}

void NodesFolder::ExpectRowsOfTheWholeRun(
    const ExplanationSegment& segment) const {
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  model().network->Scores(ctx, model().input);
  const std::vector<AttentionMap> whole = CollectMaps(watch.seen);
  const std::vector<std::string>& names = segment.axis("source").items;
  const int64_t size = model().graph().size();
  for (size_t m = 0; m < whole.size(); ++m) {
    const AttentionMap& map = segment.maps[m];
    for (int64_t h = 0; h < map.heads; ++h) {
      const std::vector<float> all = whole[m].OfHead(h);
      const std::vector<float> shown = map.OfHead(h);
      for (size_t t = 0; t < names.size(); ++t) {
        const auto row = all.begin() + std::stol(names[t]) * size;
        float sum = map.Outside(static_cast<int64_t>(t), h);
        for (size_t s = 0; s < names.size(); ++s) {
          EXPECT_EQ(shown[t * names.size() + s], row[std::stol(names[s])]);
          sum += shown[t * names.size() + s];
        }
        EXPECT_NEAR(sum, std::accumulate(row, row + size, 0.0F), 1e-5);
      }
    }
  }
}

void NodesFolder::ExpectExplanationsOfTheSameAnswers() const {
  const auto predictor = loaded_.MakePredictor();
  const Tensor p = model().Probabilities({});
  for (const int32_t node : {0, 40, 101}) {
    ExplainRequest request;
    request.input.given.content = std::to_string(node);
    const Explanation e = Explain(loaded_, *predictor, request);
    const Target& target = e.segments[0].targets[0];
    const float* row = p.row<float>(node);
    EXPECT_NEAR(*target.probability, *std::max_element(row, row + 4), 1e-5);
    EXPECT_EQ(e.segments[0].axis("source").items[0], std::to_string(node));
    EXPECT_EQ(e.segments[0].maps.size(), 2u);
    ExpectRowsOfTheWholeRun(e.segments[0]);
  }
}

TEST_F(NodesFolder, AnExplanationIsOfTheSameAnswer) {
  ExpectExplanationsOfTheSameAnswers();
}

TEST_F(NodesFolder, NumbersOfAnAttentionAreThoseOfTheNodesNearby) {
  ExplainRequest request;
  request.input.given.content = "40";
  request.panels_of = "layers.1.attention";
  const ExplanationSegment e =
      Explain(loaded_, *loaded_.MakePredictor(), request).segments.at(0);
  const auto nodes = static_cast<size_t>(e.axis("source").size());
  ASSERT_FALSE(e.panels.empty());
  for (const AttentionPanels& panels : e.panels) {
    EXPECT_EQ(e.maps.at(panels.map).name, "layers.1.attention");
    EXPECT_EQ(panels.scores.size(), nodes);
    EXPECT_EQ(panels.scores.at(0).size(), nodes);
    // The row of the target node is equal in both runs.
    const std::vector<float> row = e.maps[panels.map].OfHead(panels.head);
    for (size_t s = 0; s < nodes; ++s) {
      EXPECT_NEAR(panels.weights[0][s], row[s], 1e-5);
    }
  }
}

class ConvolutionFolder : public NodesFolder {
  std::string network() const override { return "gcn"; }
};

TEST_F(ConvolutionFolder, AnExplanationIsOfTheSameAnswer) {
  ExpectExplanationsOfTheSameAnswers();
}

TEST(LocalGraphTest, HasTheNearestNodesAndTheEdgesBetweenThem) {
  // 0 - 1 - 2 - 3 - 4, 1 - 3, and 5 alone.
  const NodeGraph graph = ParseGraph(
      {"0 1\n1 2\n2 3\n3 4\n1 3\n", "0\n1\n2\n3\n4\n5\n", "a\nb\na\nb\na\n?\n"},
      {"e", "f", "l"});
  const RowLists lists = graph.Neighbours();
  const LocalGraph near = AroundNode(graph, lists, 4, 2, 100);
  EXPECT_EQ(near.nodes, (List{4, 3, 1, 2}));
  EXPECT_EQ(near.hops, (List{0, 1, 2, 2}));
  EXPECT_EQ(near.left_out, 0);
  EXPECT_EQ(near.graph.edges, (std::vector<std::pair<int32_t, int32_t>>{
                                  {0, 1}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(near.graph.features.columns, (List{4, 3, 1, 2}));
  EXPECT_EQ(near.graph.labels, (List{0, 1, 1, 0}));
  EXPECT_EQ(near.degrees, (List{2, 4, 4, 3}));

  const LocalGraph cut = AroundNode(graph, lists, 4, 2, 3);
  EXPECT_EQ(cut.nodes, (List{4, 3, 1}));
  EXPECT_EQ(cut.left_out, 1);
  EXPECT_EQ(AroundNode(graph, lists, 5, 2, 3).nodes, (List{5}));
  EXPECT_EQ(AroundNode(graph, lists, 1, 0, 3).nodes, (List{1}));
}

}  // namespace
}  // namespace heed::nodes
