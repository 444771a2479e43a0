#include "heed/render/graph_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/render/axis_kind.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::string Drawn(const ExplanationSegment& segment) {
  const Explanation e = ExplanationOf(segment);
  return ExplanationSvg({&e, 1}, {});
}

TEST(GraphView, DrawsNodesEdgesAndAStarForEachHead) {
  const std::string svg = Drawn(GraphSegment());
  EXPECT_NE(svg.find(">Node 7 → blue (label blue)</text>"), svg.npos);
  // Ten nodes, two marks of classes, and three nodes in each of two stars.
  EXPECT_EQ(CountOf(svg, "<path class='node"), 10u + 2 + 2 * 3);
  EXPECT_EQ(CountOf(svg, "<path class='edge'"), 3u);  // three different widths
  EXPECT_EQ(CountOf(svg, ">head "), 2u);
  EXPECT_NE(svg.find("the widest ray 0.75"), svg.npos);
  EXPECT_EQ(CountOf(svg, "<title>9: 0.75</title>"), 1u);
}

TEST(GraphView, InATerminalNeighboursStandInTheOrderOfTheirWeights) {
  const std::string text =
      TerminalExplanation(ExplanationOf(GraphSegment()), {}, {});
  const size_t nine = text.find("        9  blue");
  const size_t own = text.find("        7  blue");
  const size_t two = text.find("        2  red");
  ASSERT_NE(nine, text.npos) << text;
  ASSERT_NE(own, text.npos) << text;
  ASSERT_NE(two, text.npos) << text;
  EXPECT_LT(nine, own);
  EXPECT_LT(nine, two);
  EXPECT_NE(text.find("0.50"), text.npos);
  EXPECT_NE(text.find("itself"), text.npos);
  EXPECT_NE(text.find("◎"), text.npos);
}

TEST(GraphView, WithoutColourClassesAreLetters) {
  const std::string text =
      TerminalExplanation(ExplanationOf(GraphSegment()), {}, {.colour = false});
  EXPECT_NE(text.find("A red  B blue"), text.npos) << text;
  const std::string plane = text.substr(0, text.find("A red"));
  EXPECT_NE(plane.find('A'), plane.npos) << plane;
  EXPECT_NE(plane.find('B'), plane.npos) << plane;
  const std::string coloured =
      TerminalExplanation(ExplanationOf(GraphSegment()), {}, {.colour = true});
  EXPECT_EQ(coloured.find("A red"), coloured.npos);
}

TEST(GraphView, NamesOfNeighboursStandOutsideOfTheirMarks) {
  ExplanationSegment e = GraphSegment();
  e.axes[0].items = {"1007", "1002", "1009"};
  const std::string svg = Drawn(e);
  // Two neighbours: one at the top, one at the bottom.
  for (const char* name : {"1002", "1009"}) {
    const std::string text = std::string(">") + name + "</text>";
    ASSERT_EQ(CountOf(svg, text), 2u) << name;
  }
  const std::regex label(
      "<text class='quiet' x='([0-9.]+)' y='([0-9.]+)' font-size='9.5'");
  const std::regex mark(
      "<path class='node[0-9]' d='[^']*' transform='translate\\(([0-9.]+) "
      "([0-9.]+)\\) scale\\(0.90\\)'");
  std::vector<std::pair<double, double>> labels;
  std::vector<std::pair<double, double>> marks;
  const auto collect = [&](const std::regex& what, auto& into) {
    for (std::sregex_iterator i(svg.begin(), svg.end(), what), end; i != end;
         ++i) {
      into.emplace_back(std::stod((*i)[1]), std::stod((*i)[2]));
    }
  };
  collect(label, labels);
  collect(mark, marks);
  ASSERT_EQ(labels.size(), 4u);
  ASSERT_EQ(marks.size(), 4u);
  for (size_t i = 0; i < labels.size(); ++i) {
    const double dx = std::abs(labels[i].first - marks[i].first);
    const double dy = std::abs(labels[i].second - 3.5 - marks[i].second);
    EXPECT_TRUE(dx > 4.5 + 11 || dy > 4.5 + 4) << dx << " " << dy;
    EXPECT_LE(labels[i].first + 11, 214) << "within the star";
  }
}

TEST(GraphView, ANodeWithoutAttentionIsDrawnWithoutStars) {
  ExplanationSegment e = GraphSegment();
  e.maps.clear();
  e.targets[0].map.reset();
  EXPECT_EQ(CountOf(Drawn(e), ">head "), 0u);
}

TEST(GraphView, APayloadThatDoesNotFitIsNamed) {
  const auto message = [](auto change) {
    ExplanationSegment e = GraphSegment();
    ChangePayload<GraphPayload>(e.axes[0], change);
    return MessageOf<ShapeError>([&] { GraphOf(e.axes[0]); });
  };
  const std::string items =
      "axis 'source': a graph whose nodes or labels are not those of its items";
  EXPECT_EQ(message([](GraphPayload& g) { g.nodes = {7, 2}; }), items);
  EXPECT_EQ(message([](GraphPayload& g) { g.nodes = {7, 2, 10}; }), items);
  EXPECT_EQ(message([](GraphPayload& g) { g.labels = {1, 2, 0}; }), items);
  EXPECT_EQ(message([](GraphPayload& g) { g.predicted = {1}; }),
            "axis 'source': a graph without a place and a class for each node");
  EXPECT_EQ(message([](GraphPayload& g) {
              g.edges = {{1, 10, 0.5}};
            }),
            "axis 'source': a graph with an edge to a node that is not there");
  ExplanationSegment e = GraphSegment();
  e.axes[0].payload = StepsPayload();
  EXPECT_EQ(MessageOf<ShapeError>([&] { GraphOf(e.axes[0]); }),
            "axis 'source': without what an axis of kind 'graph' needs");
}

TEST(GraphView, TextsAreRefused) {
  EXPECT_NE(GraphView().refusal(ExampleSegment(), {}), "");
}

TEST(GraphKind, ShadesItemsInTheirPlaces) {
  const ExplanationSegment e = GraphSegment();
  const std::vector<float> values = {1, -0.5f, 0};
  const Drawing drawing = GraphKind().shade(e, e.axes[0], values, 300);
  EXPECT_EQ(CountOf(drawing.svg, "<circle class='cell'"), 2u);
  EXPECT_EQ(CountOf(drawing.svg, "<circle class='minus'"), 1u);
  EXPECT_EQ(drawing.width, 300);
  // The queried first node and nodes with large values have names.
  EXPECT_EQ(CountOf(drawing.svg, ">7</text>"), 1u);
  EXPECT_EQ(CountOf(drawing.svg, ">2</text>"), 1u);
  EXPECT_EQ(CountOf(drawing.svg, ">9</text>"), 0u);
}

TEST(GraphKind, ASaliencyPictureNamesTheNodeAndNoWords) {
  ExplanationSegment segment = GraphSegment();
  segment.attributions = {{.method = "occlusion",
                           .scores = {1, -0.5f, 0},
                           .differences = {},
                           .axis = "source",
                           .targets = {0}}};
  const Explanation e = ExplanationOf(segment);
  const std::string svg = ExplanationSvg({&e, 1}, {.view = "saliency"});
  EXPECT_NE(svg.find(">7 → blue</text>"), svg.npos) << svg;
  EXPECT_EQ(svg.find("words that changed"), svg.npos);
}

}  // namespace
}  // namespace heed
