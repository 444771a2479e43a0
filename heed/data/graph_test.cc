#include "heed/data/graph.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using List = std::vector<int32_t>;

const GraphFiles kNames = {"edges", "features", "labels"};

NodeGraph Parse(const std::string& edges, const std::string& features,
                const std::string& labels) {
  return ParseGraph({edges, features, labels}, kNames);
}

/// Path 0 - 1 - 2, and the isolated node 3.
NodeGraph Path() {
  return Parse("0\t1\n2 1\n", "2 0\n1:0.5 0:-1.5\n\n7\n", "b\na\n?\nb\n");
}

std::string ErrorOf(const std::string& edges, const std::string& features,
                    const std::string& labels) {
  return MessageOf<FormatError>([&] { Parse(edges, features, labels); });
}

TEST(NodeGraph, IsWhatTheFilesSay) {
  const NodeGraph graph = Path();
  EXPECT_EQ(graph.size(), 4);
  EXPECT_EQ(graph.feature_count, 8);
  EXPECT_EQ(graph.features.offsets, (List{0, 2, 4, 4, 5}));
  EXPECT_EQ(graph.features.columns, (List{0, 2, 0, 1, 7}));
  EXPECT_EQ(graph.values, (std::vector<float>{1, 1, -1.5, 0.5, 1}));
  EXPECT_EQ(graph.labels, (List{1, 0, -1, 1}));
  EXPECT_EQ(graph.classes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(graph.edges,
            (std::vector<std::pair<int32_t, int32_t>>{{0, 1}, {1, 2}}));
}

TEST(NodeGraph, NodesSeeTheirNeighboursAndThemselves) {
  const RowLists lists = Path().Neighbours();
  EXPECT_EQ(lists.offsets, (List{0, 2, 5, 7, 8}));
  EXPECT_EQ(lists.columns, (List{0, 1, 0, 1, 2, 1, 2, 3}));
}

TEST(NodeGraph, ASelfLoopChangesNothing) {
  const NodeGraph graph = Parse("0 1\n1 1\n", "0\n1\n", "a\nb\n");
  EXPECT_EQ(graph.Neighbours().columns, (List{0, 1, 0, 1}));
}

TEST(NodeGraph, AnEdgeInBothOrdersIsOne) {
  EXPECT_EQ(Parse("0 1\n1 0\n", "0\n1\n", "a\nb\n").edges.size(), 1u);
}

TEST(NodeGraph, NormalizedRowsSumToOneInMagnitude) {
  EXPECT_EQ(Path().NormalizedValues(),
            (std::vector<float>{0.5, 0.5, -0.75, 0.25, 1}));
}

TEST(NodeGraph, IsReadAsItWasWritten) {
  const GraphFiles files = SerializeGraph(Path());
  EXPECT_EQ(files.edges, "0\t1\n1\t2\n");
  EXPECT_EQ(files.features, "0 2\n0:-1.5 1:0.5\n\n7\n");
  EXPECT_EQ(files.labels, "b\na\n?\nb\n");
  EXPECT_EQ(SerializeGraph(ParseGraph(files, kNames)).features, files.features);
}

TEST(NodeGraph, FilesAreReadAsBytesAre) {
  const TemporaryFolder folder;
  const GraphFiles bytes = SerializeGraph(Path());
  WriteFileAtomically(folder.Path("e"), bytes.edges);
  WriteFileAtomically(folder.Path("f"), bytes.features);
  WriteFileAtomically(folder.Path("l"), bytes.labels);
  const NodeGraph graph =
      ReadGraph({folder.Path("e"), folder.Path("f"), folder.Path("l")});
  EXPECT_EQ(SerializeGraph(graph).features, bytes.features);
}

TEST(NodeGraph, OfItsFilesThatOfEdgesAloneMayBeEmpty) {
  const TemporaryFolder folder;
  WriteFileAtomically(folder.Path("e"), "");
  WriteFileAtomically(folder.Path("f"), "0\n1\n");
  WriteFileAtomically(folder.Path("l"), "a\nb\n");
  const GraphFiles files = {folder.Path("e"), folder.Path("f"),
                            folder.Path("l")};
  EXPECT_EQ(ReadGraph(files).Neighbours().columns, (List{0, 1}));
  WriteFileAtomically(folder.Path("l"), "");
  EXPECT_NE(MessageOf<FormatError>([&] { ReadGraph(files); }).find("is empty"),
            std::string::npos);
}

TEST(NodeGraph, BadFilesAreNamedWithTheirLine) {
  const std::string f = "0\n1\n";
  const std::string l = "a\nb\n";
  EXPECT_EQ(ErrorOf("0 1\n0 2\n", f, l),
            "edges:2: there is no node 2; nodes are 0 to 1");
  EXPECT_EQ(ErrorOf("0 99999999999999999999\n", f, l),
            "edges:1: '99999999999999999999' is not the number of a node");
  EXPECT_EQ(ErrorOf("0 4000000000\n", f, l),
            "edges:1: there is no node 4000000000; nodes are 0 to 1");
  EXPECT_EQ(ErrorOf("0 -1\n", f, l),
            "edges:1: there is no node -1; nodes are 0 to 1");
  EXPECT_EQ(ErrorOf("1 1\n0 1\n1 1\n", f, l),
            "edges:3: the edge 1 1 stands in line 1 already");
  EXPECT_EQ(ErrorOf("1 0\n1 0\n", f, l),
            "edges:2: the edge 1 0 stands in line 1 already");
  EXPECT_EQ(ErrorOf("0 1 2\n", f, l),
            "edges:1: expected two nodes separated by a blank");
  EXPECT_EQ(ErrorOf("0 1\n", "0\n1 1\n", l),
            "features:2: feature 1 stands twice");
  EXPECT_EQ(ErrorOf("0 1\n", "0\nx\n", l),
            "features:2: 'x' is not a feature, such as 17 or 17:0.5 "
            "(number:value)");
  EXPECT_NE(ErrorOf("0 1\n", "0\n1:nan\n", l).find("'1:nan'"),
            std::string::npos);
  EXPECT_NE(ErrorOf("0 1\n", "0\n1:1e300\n", l).find("'1:1e300'"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("0 1\n", "0\n4000000000\n", l),
            "features:2: feature 4000000000 is too high; the highest is "
            "99999999");
  EXPECT_EQ(ErrorOf("0 1\n", "\n\n", l), "features: no node has a feature");
  EXPECT_EQ(ErrorOf("0 1\n", f, "a\n"),
            "labels: 1 labels, but the features are of 2 nodes; line i of both "
            "is of node i - 1");
  EXPECT_EQ(ErrorOf("0 1\n", f, "a\nb\nc\n"),
            "labels:3: a label without a node: there are features of only 2 "
            "nodes; line i of both files is node i - 1");
  EXPECT_EQ(ErrorOf("0 1\n", f, "a\n\n"),
            "labels:2: label is missing; write ? if it is unknown");
  EXPECT_EQ(ErrorOf("0 1\n", f, "a\nb\r\t\n"),
            "labels:2: the label has control characters or is not UTF-8");
  EXPECT_EQ(ErrorOf("0 1\n", f, "a\n\xff\n"),
            "labels:2: the label has control characters or is not UTF-8");
  EXPECT_EQ(ErrorOf("0 1\n", f, "a\n?\n"),
            "labels: labels of one class; there must be two classes at least");
}

TEST(NodeGraph, AGraphMayHaveNoEdges) {
  EXPECT_EQ(Parse("", "0\n1\n", "a\nb\n").Neighbours().columns, (List{0, 1}));
}

TEST(NodeGraph, NodesAreListedOnceAndHaveLabels) {
  const NodeGraph graph = Path();
  EXPECT_EQ(ParseNodes("3\n0\n", "list", graph), (List{3, 0}));
  const auto error = [&](const std::string& bytes) {
    return MessageOf<FormatError>([&] { ParseNodes(bytes, "list", graph); });
  };
  EXPECT_EQ(error("0\n1\n0\n"), "list:3: node 0 stands in line 1 already");
  EXPECT_EQ(error("2\n"), "list:1: the label of node 2 is not known");
  EXPECT_EQ(error("4\n"), "list:1: there is no node 4; nodes are 0 to 3");
  EXPECT_EQ(error(""), "list: no nodes");
  EXPECT_EQ(SerializeNodes({3, 0}), "3\n0\n");
}

TEST(NodeGraph, SplitsMustNotOverlap) {
  CheckApart({0, 3}, "train.idx", {1}, "valid.idx");
  EXPECT_EQ(MessageOf<FormatError>([] {
              CheckApart({0, 3}, "train.idx", {1, 3}, "valid.idx");
            }),
            "valid.idx: node 3 is also in train.idx; splits must not overlap");
}

TEST(NodeGraph, ClassesAreNamed) {
  EXPECT_EQ(Path().ClassNamed("b", "answer"), 1);
  EXPECT_EQ(MessageOf<FormatError>([] { Path().ClassNamed("c", "answer"); }),
            "answer: 'c' is not a class (valid: a, b)");
}

}  // namespace
}  // namespace heed
