// Graphs with node features and labels, for node classification.
#ifndef HEED_DATA_GRAPH_H_
#define HEED_DATA_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// Limits of a graph. Larger ones are refused.
inline constexpr int64_t kMaxNodes = 100'000'000;
inline constexpr int64_t kMaxFeatures = 100'000'000;
inline constexpr int64_t kMaxEntries = 1'000'000'000;  // edges, features

/// Ragged rows in one array: row r is [offsets[r], offsets[r + 1]).
struct RowLists {
  std::vector<int32_t> offsets = {0};
  std::vector<int32_t> columns;

  int64_t rows() const { return std::ssize(offsets) - 1; }
  void EndRow() { offsets.push_back(static_cast<int32_t>(columns.size())); }
  Tensor OffsetTensor() const;
  Tensor ColumnTensor() const;
};

/// A graph whose nodes are numbered from 0.
struct NodeGraph {
  /// Undirected edges (u, v) with u <= v, unique and in ascending order.
  std::vector<std::pair<int32_t, int32_t>> edges;
  RowLists features;          // in ascending order
  std::vector<float> values;  // of each feature
  int64_t feature_count = 0;  // largest feature number plus 1
  /// Label of each node; −1: unknown.
  std::vector<int32_t> labels;
  std::vector<std::string> classes;  // names of the labels

  int64_t size() const { return features.rows(); }
  /// Neighbours of each node, including the node itself.
  RowLists Neighbours() const;
  /// Values divided by the sum of magnitudes of their node.
  std::vector<float> NormalizedValues() const;
  /// Label with this name. Throws: FormatError that begins with `place` and
  /// lists the classes.
  int32_t ClassNamed(std::string_view name, const std::string& place) const;
};

/// Files of a graph, plain or gzip:
///   features  line i: the features of node i as NUMBER (value 1) or
///             NUMBER:VALUE, separated by blanks; an empty line: none
///   edges     a line: two adjacent nodes, separated by blanks; edges are
///             undirected, so that their order does not matter
///   labels    line i: the class of node i; ?: unknown
struct GraphFiles {
  std::string edges;
  std::string features;
  std::string labels;
};

/// Reads a graph. Throws: IoError; FormatError with file and line, for an edge
/// to a missing node, a duplicate edge, a duplicate or malformed feature, a
/// wrong number of labels, or fewer than two classes.
NodeGraph ReadGraph(const GraphFiles& files);

/// Parses the contents of a graph's files. `names`: names for error messages.
/// Throws: as ReadGraph.
NodeGraph ParseGraph(const GraphFiles& bytes, const GraphFiles& names);
/// Contents of files that ParseGraph parses as this graph.
GraphFiles SerializeGraph(const NodeGraph& graph);

/// Parses a node's number, ignoring blanks. Throws: FormatError that begins
/// with `place` for anything else.
int32_t NodeNamed(std::string_view number, int64_t nodes,
                  const std::string& place);

/// Reads a list of nodes, one number per line. Throws: IoError; FormatError
/// with file and line, for a node that is missing, duplicate or without a
/// label.
std::vector<int32_t> ReadNodes(const std::string& path, const NodeGraph& graph);
std::vector<int32_t> ParseNodes(std::string_view bytes, const std::string& name,
                                const NodeGraph& graph);
std::string SerializeNodes(const std::vector<int32_t>& nodes);

/// Throws: FormatError with both files and a node that is in both.
void CheckApart(const std::vector<int32_t>& a, const std::string& a_name,
                const std::vector<int32_t>& b, const std::string& b_name);

}  // namespace heed

#endif  // HEED_DATA_GRAPH_H_
