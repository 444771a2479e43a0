#include "heed/render/shades_terminal.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

constexpr TerminalOptions kPlainTerminal = {.colour = false, .width = 20};
constexpr TerminalOptions kColourTerminal = {.colour = true, .width = 20};

TEST(TerminalCell, GrowsDarkerWithTheWeight) {
  EXPECT_EQ(TerminalCell(0.0f, 3, false), " · ");
  EXPECT_EQ(TerminalCell(1.0f, 2, false), "██");
  EXPECT_EQ(TerminalCell(0.0f, 2, true), "\x1b[48;5;234m  \x1b[0m");
  EXPECT_EQ(TerminalCell(1.0f, 2, true), "\x1b[48;5;231m  \x1b[0m");
}

TEST(TerminalHalfCells, ShowTwoWeights) {
  const std::string cell = TerminalHalfCells(1.0f, 0.0f);
  EXPECT_EQ(Count(cell, "\x1b[38;5;231m▀"), 1u);
  EXPECT_EQ(Count(cell, "\x1b[48;5;234m"), 1u);
}

TEST(TerminalHalfCells, ShowPixelsInTheClosestColours) {
  using Colour = std::array<uint8_t, 3>;
  const auto code = [](const Colour& colour) {
    const std::string cell = TerminalHalfCells(colour, Colour{0, 0, 0});
    EXPECT_EQ(Count(cell, "\x1b[48;5;16m"), 1u);
    const size_t begin = cell.find("38;5;") + 5;
    return std::stoi(cell.substr(begin));
  };
  EXPECT_EQ(code({255, 0, 0}), 196);
  EXPECT_EQ(code({0, 255, 0}), 46);
  EXPECT_EQ(code({90, 140, 220}), 68);    // 95, 135, 215
  EXPECT_EQ(code({128, 128, 128}), 244);  // a grey of the palette
  EXPECT_EQ(code({255, 255, 255}), 231);
}

TEST(TerminalWords, BreakLinesAndCarryNumbersWithoutColour) {
  const std::vector<std::string> tokens = {"one", "two", "three", "four"};
  const std::vector<float> values = {0.05f, 0.5f, -0.25f, 0.0f};
  EXPECT_EQ(TerminalWords(tokens, values, 2, kPlainTerminal),
            "  one two(0.50)\n  three(-0.25) four\n");
}

TEST(TerminalWords, HaveTwoHues) {
  const std::vector<std::string> tokens = {"one", "two", "three", "four"};
  const std::vector<float> values = {1.0f, -0.5f, 0.1f, 0.01f};
  const std::string words = TerminalWords(tokens, values, 0, kColourTerminal);
  EXPECT_EQ(Count(words, "\x1b[48;5;27m\x1b[38;5;231mone"), 1u);
  EXPECT_EQ(Count(words, "\x1b[48;5;172m\x1b[38;5;231mtwo"), 1u);
  EXPECT_EQ(Count(words, "\x1b[38;5;32mthree"), 1u);
  EXPECT_TRUE(words.ends_with(" four\n"));
}

TEST(TerminalWords, CutWhatIsWiderThanALine) {
  const std::vector<std::string> tokens = {std::string(100, 'x'), "\x1b[2J"};
  const std::vector<float> values = {0.5f, 0.5f};
  const std::string words = TerminalWords(tokens, values, 2, kPlainTerminal);
  EXPECT_NE(words.find("…(0.50)\n"), std::string::npos);
  EXPECT_EQ(words.find('\x1b'), std::string::npos);
  EXPECT_EQ(TerminalWords({}, {}, 2, kPlainTerminal), "");
  EXPECT_THROW(TerminalWords(tokens, {}, 2, kPlainTerminal), ShapeError);
}

}  // namespace
}  // namespace heed
