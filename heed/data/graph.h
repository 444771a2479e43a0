// Graphs whose nodes have features and labels: what node classification learns
// from.
#ifndef HEED_DATA_GRAPH_H_
#define HEED_DATA_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// What a graph may have: more is not read.
inline constexpr int64_t kMostNodes = 100'000'000;
inline constexpr int64_t kMostFeatures = 100'000'000;
inline constexpr int64_t kMostEntries = 1'000'000'000;  // edges, features

/// Lists, one for each row, behind one another: that of row r is
/// [offsets[r], offsets[r + 1]).
struct RowLists {
  std::vector<int32_t> offsets = {0};
  std::vector<int32_t> columns;

  int64_t rows() const { return std::ssize(offsets) - 1; }
  void EndRow() { offsets.push_back(static_cast<int32_t>(columns.size())); }
  Tensor OffsetTensor() const;
  Tensor ColumnTensor() const;
};

/// Nodes are numbered from 0.
struct NodeGraph {
  /// Pairs of neighbours, each once, (u, v) with u <= v, in ascending order.
  std::vector<std::pair<int32_t, int32_t>> edges;
  RowLists features;          // in ascending order
  std::vector<float> values;  // of each feature
  int64_t feature_count = 0;  // the highest feature and one
  /// Of each node; -1: not known.
  std::vector<int32_t> labels;
  std::vector<std::string> classes;  // names of labels, in their order

  int64_t size() const { return features.rows(); }
  /// Of each node its neighbours and, even if it has none, itself.
  RowLists Neighbours() const;
  /// values, those of each node divided by the sum of their magnitudes.
  std::vector<float> NormalizedValues() const;
  /// Throws: FormatError that begins with `place` and names the classes.
  int32_t ClassNamed(std::string_view name, const std::string& place) const;
};

/// The files of a graph, plain or gzip:
///   features  line i: the features of node i, each as its number (of value 1)
///             or number:value, between blanks; an empty line: none
///   edges     a line: two nodes that are neighbours of each other, between
///             blanks; either order, in both orders it is the same edge
///   labels    line i: the class of node i; ?: not known
struct GraphFiles {
  std::string edges;
  std::string features;
  std::string labels;
};

/// Throws: IoError; FormatError that names file and line: for an edge to a node
/// that is not there, one that stands twice, a feature that stands twice or is
/// no number, labels of another length, fewer than two classes.
NodeGraph ReadGraph(const GraphFiles& files);

/// The same of the bytes of such files; errors call them by `names`.
NodeGraph ParseGraph(const GraphFiles& bytes, const GraphFiles& names);
/// What ParseGraph reads as this graph.
GraphFiles SerializeGraph(const NodeGraph& graph);

/// A node by its number, with blanks around it. Throws: FormatError that begins
/// with `place` for what is no node of the graph.
int32_t NodeNamed(std::string_view number, int64_t nodes,
                  const std::string& place);

/// A list of nodes: a number on each line. Throws: IoError; FormatError that
/// names file and line: for one that is not there, that stands twice or whose
/// label is not known.
std::vector<int32_t> ReadNodes(const std::string& path, const NodeGraph& graph);
std::vector<int32_t> ParseNodes(std::string_view bytes, const std::string& name,
                                const NodeGraph& graph);
std::string SerializeNodes(const std::vector<int32_t>& nodes);

/// Throws: FormatError that names both files and a node that is in both.
void CheckApart(const std::vector<int32_t>& a, const std::string& a_name,
                const std::vector<int32_t>& b, const std::string& b_name);

}  // namespace heed

#endif  // HEED_DATA_GRAPH_H_
