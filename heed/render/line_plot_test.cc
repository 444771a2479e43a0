#include "heed/render/line_plot.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr TerminalOptions kPlainPlot = {.colour = false, .width = 80};
const LinePlotOptions kOptions = {"Title", "length", "BLEU"};
const std::vector<Series> kSeries = {{"attention", {5, 10, 15}, {30, 35, 34}},
                                     {"fixed", {5, 10, 15}, {30, 25, 12}}};

// 2000 points, too many for a marker each.
Series LongSeries() {
  Series series = {"loss", {}, {}};
  for (int i = 0; i < 2000; ++i) {
    series.x.push_back(i);
    series.y.push_back(7.0 - i * 0.003);
  }
  return series;
}

TEST(LinePlotSvg, HasALineAMarkerPerPointAndAName) {
  const std::string svg = LinePlotSvg(kSeries, kOptions);
  EXPECT_EQ(Count(svg, "class='line'"), 2u);
  EXPECT_EQ(Count(svg, "class='mark'"), 6u);
  EXPECT_EQ(Count(svg, ">attention</text>"), 1u);
  EXPECT_EQ(Count(svg, ">fixed</text>"), 1u);
  EXPECT_NE(svg.find("<title>fixed: 15, 12</title>"), std::string::npos);
}

TEST(LinePlotSvg, HasTitleAxesAndBothThemes) {
  const std::string svg = LinePlotSvg(kSeries, kOptions);
  for (const char* part : {">Title</text>", ">length</text>", ">BLEU</text>",
                           ">40</text>", "prefers-color-scheme:dark"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
}

TEST(LinePlotSvg, LinesDifferInColourAndShape) {
  const std::string svg = LinePlotSvg(kSeries, kOptions);
  EXPECT_NE(svg.find("<g class='s0'>"), std::string::npos);
  EXPECT_NE(svg.find("<g class='s1'>"), std::string::npos);
  EXPECT_EQ(Count(svg, "d='M-4.2 -4.2h8.4v8.4h-8.4z'"), 3u);  // squares
}

TEST(LinePlotsSvg, LongNamesAndTitlesAreCut) {
  const std::vector<LinePlotPanel> panels = {{kSeries, kOptions}};
  const std::vector<std::string> names = {std::string(200, 'a'), "b"};
  const std::string svg = LinePlotsSvg(panels, names, std::string(200, 'c'));
  EXPECT_EQ(Count(svg, std::string(90, 'a') + "…"), 0u);
  EXPECT_EQ(Count(svg, std::string(70, 'a')), 1u);
  EXPECT_EQ(Count(svg, std::string(60, 'c') + "…"), 0u);
}

TEST(LinePlotsSvg, OneLegendNamesTheLinesOfAllPlots) {
  const std::vector<LinePlotPanel> panels = {{kSeries, kOptions},
                                             {kSeries, {"Other", "x", "y"}},
                                             {{}, {"Empty", "x", "y"}}};
  const std::vector<std::string> names = {"run <1>", "run 2"};
  const std::string svg = LinePlotsSvg(panels, names, "Runs");
  EXPECT_EQ(Count(svg, ">run &lt;1&gt;</text>"), 1u);
  EXPECT_EQ(Count(svg, "<style>"), 1u);
  EXPECT_EQ(Count(svg, ">attention</text>"), 0u);
  EXPECT_EQ(Count(svg, ">Other</text>"), 1u);
  EXPECT_EQ(Count(svg, "class='line'"), 4u + 2u);  // two in the legend
  const std::string alone =
      LinePlotsSvg(panels, std::span(names).first(1), "Run");
  EXPECT_EQ(Count(alone, "class='name'"), 0u);
}

TEST(LinePlotSvg, MissingPointBreaksTheLine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Series> series = {
      {"a", {1, 2, 3, 4, 5}, {1, 2, nan, 2, 1}}};
  const std::string svg = LinePlotSvg(series, kOptions);
  EXPECT_EQ(Count(svg, "class='line'"), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LinePlotSvg, LongLinesHaveFewMarkers) {
  const Series series = LongSeries();
  EXPECT_EQ(Count(LinePlotSvg({&series, 1}, kOptions), "class='mark'"), 10u);
}

TEST(LinePlotSvg, NamesThatMeetAreMovedApart) {
  const std::vector<Series> series = {{"a", {1, 2}, {5, 5}},
                                      {"b", {1, 2}, {5, 5}}};
  const std::string svg = LinePlotSvg(series, {});
  std::vector<double> heights;
  for (size_t at = svg.find("class='name'"); at != std::string::npos;
       at = svg.find("class='name'", at + 1)) {
    heights.push_back(std::stod(svg.substr(svg.find(" y='", at) + 4)));
  }
  ASSERT_EQ(heights.size(), 2u);
  EXPECT_GE(heights[1] - heights[0], 17.0);
}

TEST(LinePlotSvg, EscapesNames) {
  const std::vector<Series> series = {{"<b>&", {1}, {1}}};
  const std::string svg = LinePlotSvg(series, {"</svg>", "<x>", "<y>"});
  EXPECT_EQ(Count(svg, "</svg>"), 1u);
  EXPECT_EQ(Count(svg, "<b>"), 0u);
  EXPECT_NE(svg.find("&lt;b&gt;&amp;"), std::string::npos);
}

TEST(LinePlot, TakesNoPoints) {
  const std::vector<Series> empty = {{"a", {}, {}}};
  EXPECT_EQ(Count(LinePlotSvg(empty, kOptions), "</svg>"), 1u);
  EXPECT_EQ(Count(LinePlotSvg({}, {}), "</svg>"), 1u);
  EXPECT_FALSE(TerminalLinePlot(empty, kOptions, kPlainPlot).empty());
  EXPECT_FALSE(TerminalLinePlot({}, {}, kPlainPlot).empty());
}

TEST(LinePlot, NeedsAsManyXAsY) {
  const std::vector<Series> series = {{"a", {1, 2}, {1}}};
  EXPECT_THROW(LinePlotSvg(series, {}), ShapeError);
  EXPECT_THROW(TerminalLinePlot(series, {}, kPlainPlot), ShapeError);
}

TEST(TerminalLinePlot, MarksEveryPointAndNamesTheLines) {
  const std::string text = TerminalLinePlot(kSeries, kOptions, kPlainPlot);
  // Three points and the legend; the two lines share their first point.
  EXPECT_EQ(Count(text, "●"), 3u);
  EXPECT_EQ(Count(text, "■"), 4u);
  EXPECT_NE(text.find("● attention   ■ fixed\n"), std::string::npos);
  EXPECT_EQ(text.rfind("Title\nBLEU\n40 ┤", 0), 0u);
  EXPECT_NE(text.find("\n 0 ┤"), std::string::npos);
}

TEST(TerminalLinePlot, IsNeverWiderThanTheTerminal) {
  std::vector<Series> series = {LongSeries(),
                                {std::string(200, 'n'), {1e-7}, {-3e9}}};
  for (int i = 0; i < 9; ++i) series.push_back({"model", {1.0 * i}, {2}});
  for (int width : {40, 63, 80, 300}) {
    std::istringstream stream(TerminalLinePlot(
        series,
        {std::string(400, 't'), std::string(400, 'x'), std::string(400, 'y')},
        {.colour = false, .width = width}));
    for (std::string line; std::getline(stream, line);) {
      ASSERT_LE(DisplayWidth(line), width) << line;
    }
  }
}

TEST(TerminalLinePlot, ColoursTheLines) {
  const std::string text =
      TerminalLinePlot(kSeries, kOptions, {.colour = true, .width = 80});
  EXPECT_NE(text.find("\x1b[38;5;32m●"), std::string::npos);
  EXPECT_NE(text.find("\x1b[38;5;166m■"), std::string::npos);
}

}  // namespace
}  // namespace heed
