#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string Shown(const ExplanationSegment& segment, const std::string& view,
                  int width = 80) {
  return TerminalExplanation(ExplanationOf(segment), {.view = view},
                             {.colour = false, .width = width});
}

int WidestLine(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, DisplayWidth(line));
  }
  return widest;
}

TEST(TerminalExplanation, HeadsHaveATileEach) {
  const std::string text = Shown(ExampleSegment(3, 2, 2), "heads");
  EXPECT_EQ(text.substr(0, text.find('\n')), "read → said");
  EXPECT_EQ(Count(text, "Source: attention to itself\n"), 1u);
  EXPECT_EQ(Count(text, "decoder.cross_attention\n"), 1u);
  // First row of both heads, with weight 0.83 on its own token. The encoder
  // attention and the cross-attention have three columns.
  EXPECT_EQ(Count(text, "█░░             █░░"), 2u);
  EXPECT_EQ(Count(text, "1 0.82 ↔0.2"), 1u);
}

TEST(TerminalExplanation, LinesAreNoWiderThanTheTerminal) {
  const ExplanationSegment e = ExampleSegment(100, 60, 8);
  for (const char* view : {"heads", "alignment", "saliency"}) {
    EXPECT_LE(WidestLine(Shown(e, view, 60)), 60);
  }
}

TEST(TerminalExplanation, FramesFollowEachOther) {
  const std::string text = Shown(ExampleSegment(3, 2), "frames");
  EXPECT_NE(text.find("1 / 2  t0\n  s0(0.83) s1 s2\n"), std::string::npos);
  EXPECT_NE(text.find("2 / 2  t0 t1\n  s0 s1(0.83) s2\n"), std::string::npos);
}

TEST(TerminalExplanation, LinesNameTheStrongest) {
  EXPECT_EQ(Shown(ExampleSegment(3, 1), "lines"),
            "t0 ← s0 0.83, s1 0.08, s2 0.08\n");
}

TEST(TerminalExplanation, PanelsAreTables) {
  ExplanationSegment e = ExampleSegment(3, 2, 1);
  e.panels.push_back({.map = 1,
                      .head = 0,
                      .query = {},
                      .key = {},
                      .scores = {{0.5f, -INFINITY}, {0, 0}},
                      .weights = {{1, 0}, {0.5f, 0.5f}},
                      .value = {{2, 4}, {4, 8}},
                      .context = {{2, 4}, {3, 6}}});
  const std::string text = Shown(e, "panels");
  EXPECT_NE(text.find("           <s>    0.50       –\n"), std::string::npos);
  EXPECT_NE(text.find("            t0    3.00    6.00\n"), std::string::npos);
}

TEST(TerminalExplanation, SaliencyShadesTheSourceForEachTarget) {
  const std::string text = Shown(ExampleSegment(3, 2), "saliency");
  EXPECT_NE(text.find("→ t1\n  attention\n    s0 s1(0.83) s2\n"
                      "  gradient × input\n    s0(-0.50) s1(1.00) s2(-0.50)\n"),
            std::string::npos);
}

TEST(TerminalExplanation, SeriesAreLines) {
  const std::string text = Shown(SeriesSegment(), "input");
  EXPECT_NE(text.find("Forecast"), std::string::npos);
  EXPECT_NE(text.find("attention\n"), std::string::npos);
  EXPECT_NE(
      Shown(WithoutRows(SeriesSegment()), "input").find("attention received\n"),
      std::string::npos);
}

TEST(TerminalExplanation, SaysWhatIsMissing) {
  for (const std::string& name : ExplanationViewNames()) {
    EXPECT_THROW(Shown({}, name), ConfigError) << name;
  }
}

}  // namespace
}  // namespace heed
