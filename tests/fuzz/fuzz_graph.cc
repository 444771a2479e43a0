// Graphs: edges, features, labels and a list of nodes, separated by lines
// "====".
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/data/graph.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

void ReadGraphOf(std::string_view text) {
  const std::vector<std::string_view> views = Parts(text, 4);
  const std::vector<std::string> parts(views.begin(), views.end());
  const GraphFiles names = {"edges", "features", "labels"};
  const NodeGraph graph = ParseGraph({parts[0], parts[1], parts[2]}, names);
  const RowLists lists = graph.Neighbours();
  Require(lists.rows() == graph.size(), "a list for each node");
  for (size_t i = 0; i + 1 < lists.offsets.size(); ++i) {
    bool itself = false;
    for (int32_t e = lists.offsets[i]; e < lists.offsets[i + 1]; ++e) {
      const int32_t other = At(lists.columns, e);
      Require(other >= 0 && other < graph.size(), "a node of the graph");
      itself = itself || other == static_cast<int32_t>(i);
    }
    Require(itself, "a node sees itself");
  }
  for (const float value : graph.NormalizedValues()) {
    Require(value >= -1 && value <= 1, "a share of the features");
  }
  const GraphFiles written = SerializeGraph(graph);
  const GraphFiles again = SerializeGraph(ParseGraph(written, names));
  Require(again.edges == written.edges && again.features == written.features &&
              again.labels == written.labels,
          "read as it was written");
  const std::vector<int32_t> nodes = ParseNodes(parts[3], "nodes", graph);
  Require(ParseNodes(SerializeNodes(nodes), "nodes", graph) == nodes,
          "the same nodes");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heed::fuzz::MayRefuse([&] { heed::fuzz::ReadGraphOf(text); });
  return 0;
}
