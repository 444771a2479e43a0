#include "course/data/planted_graph.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

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

TEST(PlantedGraph, RefusesMoreEdgesThanFit) {
  EXPECT_THROW(PlantedGraph({.nodes = 20, .edges = 200}), ConfigError);
}

}  // namespace
}  // namespace heed
