#include "heed/render/heatmap_terminal.h"

#include <gtest/gtest.h>

#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr TerminalOptions kPlain = {.colour = false, .width = 80};
constexpr TerminalOptions kColour = {.colour = true, .width = 80};

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string WithoutColour(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      out += text[i];
  }
  return out;
}

// n source and target tokens; each target token attends to the same position.
AlignmentView Diagonal(int n, const std::string& token) {
  AlignmentView view;
  view.source_tokens.assign(n, token);
  view.target_tokens.assign(n, token);
  view.weights.assign(static_cast<size_t>(n) * n, 0.0f);
  for (int i = 0; i < n; ++i)
    view.weights[static_cast<size_t>(i) * n + i] = 1.0f;
  return view;
}

TEST(TerminalHeatmap, ShowsCharactersAsSquareCells) {
  const AlignmentView view = {{"a", "b", "c"},
                              {"x", "y"},
                              {0.0f, 0.2f, 0.4f, 0.7f, 1.0f, 0.0f},
                              "title"};
  EXPECT_EQ(TerminalHeatmap(view, kPlain),
            "title\n"
            "  a b c \n"
            "x · ░░▒▒\n"
            "y ▓▓██· \n"
            "  0 ·░▒▓█ 1\n");
}

TEST(TerminalHeatmap, WordsThatFitStandUpright) {
  AlignmentView view = Diagonal(2, "word");
  EXPECT_EQ(TerminalHeatmap(view, kPlain),
            "      word  word \n"
            "word ██████  ·   \n"
            "word   ·   ██████\n"
            "     0 ·░▒▓█ 1\n");
}

TEST(TerminalHeatmap, WordsThatDoNotFitAreSpelledDownwards) {
  const std::string text = TerminalHeatmap(Diagonal(13, "word"), kPlain);
  const auto lines = Lines(text);
  EXPECT_EQ(lines[0], "     w w w w w w w w w w w w w ");
  EXPECT_EQ(lines[3], "     d d d d d d d d d d d d d ");
  EXPECT_EQ(lines[4], "word ██· · · · · · · · · · · · ");
  EXPECT_EQ(lines.size(), 4u + 13u + 1u);
}

TEST(TerminalHeatmap, IsNeverWiderThanTheTerminal) {
  for (const std::string& token :
       {std::string("a"), std::string("東京"), std::string("longer-words"),
        std::string(500, 'x'), std::string("🙂🙂🙂")}) {
    for (int n : {1, 7, 40, 100}) {
      for (int width : {16, 33, 80, 200}) {
        AlignmentView view = Diagonal(n, token);
        view.title = std::string(300, 't');
        const std::string plain =
            TerminalHeatmap(view, {.colour = false, .width = width});
        for (const std::string& line : Lines(plain)) {
          ASSERT_LE(DisplayWidth(line), width) << token << " x " << n;
        }
      }
    }
  }
}

TEST(TerminalHeatmap, PanelsShowEveryCellOnce) {
  const std::string text = TerminalHeatmap(Diagonal(100, "token"), kPlain);
  size_t full = 0;
  for (size_t at = text.find("██"); at != std::string::npos;
       at = text.find("██", at + 6)) {
    ++full;
  }
  EXPECT_EQ(full, 100u);
}

TEST(TerminalHeatmap, PanelsSayWhichColumnsTheyHave) {
  AlignmentView view = Diagonal(90, "word");
  const std::string all = TerminalHeatmap(view, kPlain);
  EXPECT_NE(all.find("columns 1 to 30 of 90\n"), std::string::npos) << all;
  EXPECT_NE(all.find("columns 61 to 90 of 90\n"), std::string::npos);
  // A blank panel is replaced by a line of text.
  for (int i = 60; i < 90; ++i) view.weights[static_cast<size_t>(i) * 91] = 0;
  const std::string some = TerminalHeatmap(view, kPlain);
  EXPECT_NE(some.find("columns 61 to 90 of 90: no weight reaches 0.05\n"),
            std::string::npos)
      << some;
  EXPECT_LT(Lines(some).size(), Lines(all).size() - 80);
  EXPECT_EQ(TerminalHeatmap(Diagonal(2, "word"), kPlain).find("columns"),
            std::string::npos);
}

TEST(TerminalHeatmap, ColourChangesNoLayout) {
  const std::string colour = TerminalHeatmap(Diagonal(20, "token"), kColour);
  EXPECT_NE(colour.find("\x1b[48;5;231m  \x1b[0m"), std::string::npos);
  const auto stripped = Lines(WithoutColour(colour));
  const auto plain = Lines(TerminalHeatmap(Diagonal(20, "token"), kPlain));
  ASSERT_EQ(stripped.size(), plain.size());
  for (size_t i = 0; i + 1 < plain.size(); ++i) {
    EXPECT_EQ(DisplayWidth(stripped[i]), DisplayWidth(plain[i])) << i;
  }
}

TEST(TerminalHeatmap, TokensCannotControlTheTerminal) {
  const AlignmentView view = {{"\x1b[2J"}, {"a\nb"}, {1.0f}, "\x07 title"};
  const std::string text = TerminalHeatmap(view, kPlain);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(Lines(text).size(), 4u);
}

TEST(TerminalHeatmap, TakesAnEmptySentence) {
  EXPECT_FALSE(TerminalHeatmap({}, kPlain).empty());
  EXPECT_FALSE(TerminalHeatmap({{"a"}, {}, {}, ""}, kPlain).empty());
  EXPECT_FALSE(TerminalHeatmap({{}, {"a"}, {}, ""}, kColour).empty());
}

TEST(TerminalHeatmap, WeightsMustFitTheTokens) {
  EXPECT_THROW(TerminalHeatmap({{"a"}, {"b"}, {}, ""}, kPlain), ShapeError);
}

}  // namespace
}  // namespace heed
