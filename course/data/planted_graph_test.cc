#include "course/data/planted_graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

std::vector<int32_t> FeaturesOf(const NodeGraph& graph, size_t node) {
  const RowLists& all = graph.features;
  return {all.columns.begin() + all.offsets.at(node),
          all.columns.begin() + all.offsets.at(node + 1)};
}

TEST(PlantedGraph, HasTheRequestedSizes) {
  const NodeGraph graph = PlantedGraph({.nodes = 101, .edges = 300});
  EXPECT_EQ(graph.size(), 101);
  EXPECT_EQ(graph.edges.size(), 300u);
  EXPECT_EQ(graph.values.size(), 101u * 12);
  EXPECT_EQ(graph.feature_count, 120);
  EXPECT_EQ(graph.classes, (std::vector<std::string>{"A", "B", "C", "D"}));
  const GraphFiles files = SerializeGraph(graph);
  EXPECT_EQ(SerializeGraph(ParseGraph(files, {"e", "f", "l"})).edges,
            files.edges);
}

TEST(PlantedGraph, MostEdgesStayInAClass) {
  const NodeGraph graph = PlantedGraph({.within = 0.9});
  int64_t within = 0;
  for (const auto& [u, v] : graph.edges) within += (u - v) % 4 == 0 ? 1 : 0;
  EXPECT_GT(static_cast<double>(within),
            0.88 * static_cast<double>(graph.edges.size()));
}

TEST(PlantedGraph, DependsOnItsSeedAlone) {
  const auto edges = [](uint64_t seed) {
    return PlantedGraph({.seed = seed}).edges;
  };
  EXPECT_EQ(edges(3), edges(3));
  EXPECT_NE(edges(3), edges(4));
}

TEST(PlantedGraph, AdsAreMarkedAndHaveTheWordsOfOneClass) {
  const NodeGraph graph =
      PlantedGraph({.nodes = 300, .edges = 300, .ads = 100, .ads_of_node = 5});
  EXPECT_EQ(graph.classes,
            (std::vector<std::string>{"A", "B", "C", "D", "ad"}));
  EXPECT_EQ(graph.feature_count, 120 + kAdMarks);
  for (size_t node = 0; node < 300; ++node) {
    const std::vector<int32_t> own = FeaturesOf(graph, node);
    EXPECT_EQ(own.size(), 12u);
    EXPECT_EQ(graph.labels[node], node < 200 ? node % 4 : 4);
    if (node < 200) {
      EXPECT_LT(own.back(), 120);
      continue;
    }
    for (size_t i = 0; i < 9; ++i) EXPECT_EQ(own[i] % 4, own[0] % 4);
    for (int32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(own[9 + static_cast<size_t>(i)], 120 + i);
    }
  }
}

TEST(PlantedGraph, NodesLinkToAdsOfAnyClass) {
  const NodeGraph graph =
      PlantedGraph({.nodes = 1200, .edges = 300, .ads = 400, .ads_of_node = 5});
  std::vector<int> linked(1200, 0);
  int64_t of_own_class = 0;
  for (const auto& [u, v] : graph.edges) {
    if (v < 800) continue;
    ASSERT_LT(u, 800);
    ++linked.at(static_cast<size_t>(u));
    of_own_class +=
        FeaturesOf(graph, static_cast<size_t>(v))[0] % 4 == u % 4 ? 1 : 0;
  }
  for (size_t node = 0; node < 1200; ++node) {
    EXPECT_EQ(linked[node], node < 800 ? 5 : 0);
  }
  EXPECT_NEAR(static_cast<double>(of_own_class) / 4000, 0.25, 0.03);
}

TEST(PlantedGraph, RefusesMoreEdgesThanFit) {
  EXPECT_THROW(PlantedGraph({.nodes = 20, .edges = 200}), ConfigError);
  EXPECT_THROW(
      PlantedGraph({.nodes = 40, .edges = 20, .ads = 8, .ads_of_node = 5}),
      ConfigError);
}

}  // namespace
}  // namespace heed
