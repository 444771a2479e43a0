#include "heed/render/explanation_terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

std::string Shown(const Explanation& explanation, ExplanationView view,
                  int width = 80) {
  return TerminalExplanation(explanation, {.view = view, .layer = {}},
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
  const std::string text =
      Shown(ExampleExplanation(3, 2, 2), ExplanationView::kHeads);
  EXPECT_EQ(Count(text, "Encoder self-attention\n"), 1u);
  EXPECT_EQ(Count(text, "decoder.cross\n"), 1u);
  // The first row of both heads, which look at its token with 0.83; the encoder
  // and the attention between the sides have three columns.
  EXPECT_EQ(Count(text, "█░░             █░░"), 2u);
  EXPECT_EQ(Count(text, "1 0.82 ↔0.2"), 1u);
}

TEST(TerminalExplanation, LinesAreNoWiderThanTheTerminal) {
  const Explanation e = ExampleExplanation(100, 60, 8);
  for (const ExplanationView view :
       {ExplanationView::kHeads, ExplanationView::kAlignment,
        ExplanationView::kSaliency}) {
    EXPECT_LE(WidestLine(Shown(e, view, 60)), 60);
  }
}

TEST(TerminalExplanation, FramesFollowEachOther) {
  const std::string text =
      Shown(ExampleExplanation(3, 2), ExplanationView::kFrames);
  EXPECT_NE(text.find("1 / 2  t0\n  s0(0.83) s1 s2\n"), std::string::npos);
  EXPECT_NE(text.find("2 / 2  t0 t1\n  s0 s1(0.83) s2\n"), std::string::npos);
}

TEST(TerminalExplanation, LinesNameTheStrongest) {
  EXPECT_EQ(Shown(ExampleExplanation(3, 1), ExplanationView::kLines),
            "t0 ← s0 0.83, s1 0.08, s2 0.08\n");
}

TEST(TerminalExplanation, PanelsAreTables) {
  Explanation e = ExampleExplanation(3, 2, 1);
  e.panels.push_back({.layer = "decoder.self",
                      .head = 0,
                      .query = {},
                      .key = {},
                      .scores = {{0.5f, -INFINITY}, {0, 0}},
                      .weights = {{1, 0}, {0.5f, 0.5f}},
                      .value = {{2, 4}, {4, 8}},
                      .context = {{2, 4}, {3, 6}}});
  const std::string text = Shown(e, ExplanationView::kPanels);
  EXPECT_NE(text.find("           <s>    0.50       –\n"), std::string::npos);
  EXPECT_NE(text.find("            t0    3.00    6.00\n"), std::string::npos);
}

TEST(TerminalExplanation, SaliencyShadesTheSourceForEachTarget) {
  const std::string text =
      Shown(ExampleExplanation(3, 2), ExplanationView::kSaliency);
  EXPECT_NE(text.find("→ t1\n  attention\n    s0 s1(0.83) s2\n"
                      "  gradient × input\n    s0(-0.50) s1(1.00) s2(-0.50)\n"),
            std::string::npos);
}

TEST(TerminalExplanation, SaysWhatIsMissing) {
  Explanation e;
  for (const std::string& name : ExplanationViewNames()) {
    EXPECT_THROW(Shown(e, ExplanationViewOf(name)), ConfigError) << name;
  }
}

}  // namespace
}  // namespace heed
