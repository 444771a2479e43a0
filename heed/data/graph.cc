#include "heed/data/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <system_error>
#include <tuple>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr std::string_view kUnknownLabel = "?";
constexpr size_t kNamedClasses = 20;

using LineBody = std::function<bool(std::string_view line, int64_t number)>;

/// True for an empty regular file.
bool IsEmptyFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::is_empty(path, error);
}

/// A source of lines with its name for error messages.
struct GraphSource {
  std::string name;
  std::function<void(const LineBody& body)> lines;

  static GraphSource File(const std::string& path) {
    return {path, [path](const LineBody& body) { ForEachLine(path, body); }};
  }
  static GraphSource Bytes(std::string_view bytes, std::string name) {
    return {std::move(name), [bytes](const LineBody& body) {
              int64_t number = 0;
              for (const std::string_view line : SplitLines(bytes)) {
                if (!body(line, ++number)) return;
              }
            }};
  }
  std::string Place(int64_t line) const {
    return fmt::format("{}:{}", name, line);
  }
};

struct GraphSources {
  GraphSource edges, features, labels;
};

void CheckCount(int64_t count, int64_t max, const char* what,
                const std::string& place) {
  if (count < max) return;
  throw FormatError("{}: a graph may have {} {}", place, max, what);
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20; }

/// Parses "17" or "17:0.5".
void AddFeature(std::string_view text, const std::string& place,
                std::vector<std::pair<int32_t, float>>& row) {
  const auto [number, value] = SplitOnce(text, ":");
  const auto feature = ParseInteger<int64_t>(number);
  const std::optional<double> given =
      text.find(':') == text.npos ? 1.0 : ParseNumber(value);
  if (!feature || *feature < 0 || !given ||
      !std::isfinite(static_cast<float>(*given))) {
    throw FormatError(
        "{}: '{}' is not a feature, such as 17 or 17:0.5 (number:value)", place,
        text);
  }
  if (*feature >= kMaxFeatures) {
    throw FormatError("{}: feature {} is too high; the highest is {}", place,
                      *feature, kMaxFeatures - 1);
  }
  row.emplace_back(static_cast<int32_t>(*feature), static_cast<float>(*given));
}

void AddFeatures(const GraphSource& source, NodeGraph& graph) {
  std::vector<std::pair<int32_t, float>> row;
  source.lines([&](std::string_view line, int64_t number) {
    const std::string place = source.Place(number);
    CheckCount(graph.size(), kMaxNodes, "nodes at most", place);
    row.clear();
    for (const std::string_view text : SplitWhitespace(line)) {
      AddFeature(text, place, row);
    }
    std::ranges::sort(row);
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0 && row[i].first == row[i - 1].first) {
        throw FormatError("{}: feature {} stands twice", place, row[i].first);
      }
      graph.features.columns.push_back(row[i].first);
      graph.values.push_back(row[i].second);
    }
    CheckCount(std::ssize(graph.values), kMaxEntries,
               "features of nodes at most", place);
    if (!row.empty()) {
      graph.feature_count =
          std::max<int64_t>(graph.feature_count, int64_t{row.back().first} + 1);
    }
    graph.features.EndRow();
    return true;
  });
  if (graph.values.empty()) {
    throw FormatError("{}: no node has a feature", source.name);
  }
}

void AddEdges(const GraphSource& source, NodeGraph& graph) {
  struct Given {
    std::pair<int32_t, int32_t> edge;
    bool turned;
    int64_t line;

    std::tuple<int32_t, int32_t, bool, int64_t> order() const {
      return {edge.first, edge.second, turned, line};
    }
  };
  std::vector<Given> all;
  source.lines([&](std::string_view line, int64_t number) {
    const std::vector<std::string_view> ends = SplitWhitespace(line);
    const std::string place = source.Place(number);
    if (ends.size() != 2) {
      throw FormatError("{}: expected two nodes separated by a blank", place);
    }
    CheckCount(std::ssize(all), kMaxEntries / 2, "edges at most", place);
    const int32_t u = NodeNamed(ends[0], graph.size(), place);
    const int32_t v = NodeNamed(ends[1], graph.size(), place);
    all.push_back({std::minmax(u, v), u > v, number});
    return true;
  });
  std::ranges::sort(all, std::less(), &Given::order);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [edge, turned, line] = all[i];
    if (i > 0 && all[i - 1].edge == edge) {
      if (all[i - 1].turned == turned) {
        throw FormatError("{}: the edge {} {} stands in line {} already",
                          source.Place(line), turned ? edge.second : edge.first,
                          turned ? edge.first : edge.second, all[i - 1].line);
      }
      continue;
    }
    graph.edges.push_back(edge);
  }
}

void AddLabels(const GraphSource& source, NodeGraph& graph) {
  std::map<std::string, int32_t, std::less<>> ids;
  std::vector<const std::string*> names;  // null: unknown
  source.lines([&](std::string_view line, int64_t number) {
    const std::string_view name = TrimBlanks(line);
    if (number > graph.size()) {
      throw FormatError(
          "{}: a label without a node: there are features of only {} nodes; "
          "line i of both files is node i - 1",
          source.Place(number), graph.size());
    }
    if (name.empty()) {
      throw FormatError("{}: label is missing; write ? if it is unknown",
                        source.Place(number));
    }
    if (!IsValidUtf8(name) || std::ranges::any_of(name, IsControl)) {
      throw FormatError("{}: the label has control characters or is not UTF-8",
                        source.Place(number));
    }
    names.push_back(name == kUnknownLabel
                        ? nullptr
                        : &ids.try_emplace(std::string(name), 0).first->first);
    return true;
  });
  if (std::ssize(names) != graph.size()) {
    throw FormatError(
        "{}: {} labels, but the features are of {} nodes; line i of both is of "
        "node i - 1",
        source.name, names.size(), graph.size());
  }
  if (ids.size() < 2) {
    throw FormatError("{}: labels of {}; there must be two classes at least",
                      source.name, ids.empty() ? "no class" : "one class");
  }
  for (auto& [name, id] : ids) {
    id = static_cast<int32_t>(graph.classes.size());
    graph.classes.push_back(name);
  }
  for (const std::string* name : names) {
    graph.labels.push_back(name == nullptr ? -1 : ids.find(*name)->second);
  }
}

NodeGraph GraphOf(const GraphSources& sources) {
  NodeGraph graph;
  AddFeatures(sources.features, graph);
  AddEdges(sources.edges, graph);
  AddLabels(sources.labels, graph);
  return graph;
}

std::vector<int32_t> NodesOf(const GraphSource& source,
                             const NodeGraph& graph) {
  std::vector<int32_t> nodes;
  std::map<int32_t, int64_t> lines;
  source.lines([&](std::string_view line, int64_t number) {
    const std::string place = source.Place(number);
    const int32_t node = NodeNamed(line, graph.size(), place);
    const auto [known, fresh] = lines.emplace(node, number);
    if (!fresh) {
      throw FormatError("{}: node {} stands in line {} already", place, node,
                        known->second);
    }
    if (At(graph.labels, node) < 0) {
      throw FormatError("{}: the label of node {} is not known", place, node);
    }
    nodes.push_back(node);
    return true;
  });
  if (nodes.empty()) throw FormatError("{}: no nodes", source.name);
  return nodes;
}

}  // namespace

Tensor RowLists::OffsetTensor() const {
  return Tensor::Of(offsets, {std::ssize(offsets)});
}

Tensor RowLists::ColumnTensor() const {
  return Tensor::Of(columns, {std::ssize(columns)});
}

RowLists NodeGraph::Neighbours() const {
  const auto nodes = static_cast<size_t>(size());
  RowLists lists;
  lists.offsets.assign(nodes + 1, 0);
  const auto for_pairs = [this](const auto& add) {
    for (const auto& [u, v] : edges) {
      if (u == v) continue;
      add(static_cast<size_t>(u), v);
      add(static_cast<size_t>(v), u);
    }
  };
  for (size_t i = 0; i < nodes; ++i) lists.offsets[i + 1] = 1;
  for_pairs([&](size_t u, int32_t) { ++lists.offsets[u + 1]; });
  std::partial_sum(lists.offsets.begin(), lists.offsets.end(),
                   lists.offsets.begin());
  lists.columns.resize(static_cast<size_t>(lists.offsets.back()));
  std::vector<int32_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
  for (size_t i = 0; i < nodes; ++i) {
    At(lists.columns, next[i]++) = static_cast<int32_t>(i);
  }
  for_pairs([&](size_t u, int32_t v) { At(lists.columns, next[u]++) = v; });
  for (size_t i = 0; i < nodes; ++i) {
    std::sort(lists.columns.begin() + lists.offsets[i],
              lists.columns.begin() + lists.offsets[i + 1]);
  }
  return lists;
}

std::vector<float> NodeGraph::NormalizedValues() const {
  std::vector<float> all = values;
  for (int64_t i = 0; i < size(); ++i) {
    const auto begin = all.begin() + At(features.offsets, i);
    const auto end = all.begin() + features.offsets[static_cast<size_t>(i) + 1];
    double sum = 0;
    for (auto value = begin; value != end; ++value) sum += std::abs(*value);
    if (sum == 0) continue;
    for (auto value = begin; value != end; ++value) {
      *value = static_cast<float>(*value / sum);
    }
  }
  return all;
}

int32_t NodeGraph::ClassNamed(std::string_view name,
                              const std::string& place) const {
  const auto found = std::ranges::find(classes, name);
  if (found == classes.end()) {
    throw FormatError(
        "{}: '{}' is not a class (valid: {}{})", place, name,
        fmt::join(classes.begin(),
                  classes.begin() + static_cast<int64_t>(std::min(
                                        kNamedClasses, classes.size())),
                  ", "),
        classes.size() > kNamedClasses ? ", ..." : "");
  }
  return static_cast<int32_t>(found - classes.begin());
}

NodeGraph ReadGraph(const GraphFiles& files) {
  // A graph may have no edges, but empty features or labels are an error.
  return GraphOf({IsEmptyFile(files.edges) ? GraphSource::Bytes("", files.edges)
                                           : GraphSource::File(files.edges),
                  GraphSource::File(files.features),
                  GraphSource::File(files.labels)});
}

NodeGraph ParseGraph(const GraphFiles& bytes, const GraphFiles& names) {
  return GraphOf({GraphSource::Bytes(bytes.edges, names.edges),
                  GraphSource::Bytes(bytes.features, names.features),
                  GraphSource::Bytes(bytes.labels, names.labels)});
}

GraphFiles SerializeGraph(const NodeGraph& graph) {
  GraphFiles files;
  for (const auto& [u, v] : graph.edges) {
    files.edges += fmt::format("{}\t{}\n", u, v);
  }
  for (size_t i = 0; i < graph.labels.size(); ++i) {
    const int32_t begin = graph.features.offsets[i];
    const int32_t end = graph.features.offsets[i + 1];
    for (int32_t e = begin; e < end; ++e) {
      const auto at = static_cast<size_t>(e);
      files.features += fmt::format("{}{}", e == begin ? "" : " ",
                                    graph.features.columns[at]);
      if (graph.values[at] != 1) {
        files.features += fmt::format(":{}", graph.values[at]);
      }
    }
    files.features += '\n';
    files.labels += graph.labels[i] < 0 ? std::string(kUnknownLabel)
                                        : At(graph.classes, graph.labels[i]);
    files.labels += '\n';
  }
  return files;
}

int32_t NodeNamed(std::string_view number, int64_t nodes,
                  const std::string& place) {
  const std::string_view text = TrimBlanks(number);
  const auto node = ParseInteger<int64_t>(text);
  if (!node) {
    throw FormatError("{}: '{}' is not the number of a node", place, text);
  }
  if (*node < 0 || *node >= nodes) {
    throw FormatError("{}: there is no node {}; nodes are 0 to {}", place,
                      *node, nodes - 1);
  }
  return static_cast<int32_t>(*node);
}

std::vector<int32_t> ReadNodes(const std::string& path,
                               const NodeGraph& graph) {
  return NodesOf(GraphSource::File(path), graph);
}

std::vector<int32_t> ParseNodes(std::string_view bytes, const std::string& name,
                                const NodeGraph& graph) {
  return NodesOf(GraphSource::Bytes(bytes, name), graph);
}

std::string SerializeNodes(const std::vector<int32_t>& nodes) {
  return nodes.empty() ? "" : fmt::format("{}\n", fmt::join(nodes, "\n"));
}

void CheckApart(const std::vector<int32_t>& a, const std::string& a_name,
                const std::vector<int32_t>& b, const std::string& b_name) {
  std::vector<int32_t> sorted = a;
  std::ranges::sort(sorted);
  for (const int32_t node : b) {
    if (!std::ranges::binary_search(sorted, node)) continue;
    throw FormatError("{}: node {} is also in {}; splits must not overlap",
                      b_name, node, a_name);
  }
}

}  // namespace heed
