#include "heed/render/connectivity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/render/connectivity_layout.h"

namespace heed {
namespace {

/// " ab cd": the prediction of cd depends on a, all others on themselves.
Connectivity Small(const std::string& model = "GRU") {
  Connectivity c;
  c.model = model;
  for (const char ch : std::string(" ab cd")) {
    c.characters.emplace_back(1, ch);
  }
  c.words = {"ab", "ab", "ab", "cd", "cd", "cd"};
  for (size_t t = 0; t < 6; ++t) {
    c.suggestions.push_back({{c.words[t], 0.75}, {"<x>", 0.125}});
  }
  c.values.assign(36, 0);
  for (int64_t t = 0; t < 6; ++t) {
    At(c.values, t * 6 + t) = 1;
    if (t >= 3) At(c.values, t * 6 + 1) = 4;
  }
  return c;
}

TEST(Connectivity, SharesAreOfTheGreatestOfARow) {
  const Connectivity c = Small();
  EXPECT_EQ(c.Share(2, 2), 1);
  EXPECT_EQ(c.Share(4, 4), 0.25F);
  EXPECT_EQ(c.Share(4, 1), 1);
  EXPECT_EQ(c.MeanDistance(0), 0);
  EXPECT_DOUBLE_EQ(c.MeanDistance(4), (4 * 3 + 1 * 0) / 5.0);
  Connectivity none = Small();
  none.values.assign(36, 0);
  EXPECT_EQ(none.Share(3, 3), 0);
  EXPECT_EQ(none.MeanDistance(3), 0);
}

TEST(Connectivity, FarthestLooksAreOnePerWord) {
  const std::vector<Connectivity> models = {Small(), Small("LSTM")};
  // In the word cd, the last of its first characters has the largest distance.
  EXPECT_EQ(FarthestAttention(models, 3), (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(FarthestAttention(models, 1), (std::vector<int64_t>{5}));
  std::vector<Connectivity> unknown = models;
  unknown[0].words.assign(6, "");
  EXPECT_TRUE(FarthestAttention(unknown, 3).empty());
  EXPECT_TRUE(FarthestAttention({}, 3).empty());
}

TEST(Connectivity, LinesBreakBeforeSpaces) {
  const Connectivity c = Small();
  const auto lines = TypedLines(c, 4);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].end, 3);
  EXPECT_EQ(lines[1].end, 6);
  EXPECT_EQ(TypedLines(c, 1).size(), 6U);
  EXPECT_EQ(TypedLines(c, 6).size(), 1U);
}

TEST(Connectivity, GuessesAreLabelledByWhatWasTyped) {
  const Connectivity c = Small();
  EXPECT_EQ(GuessLabel(c, 3), "cd");
  EXPECT_EQ(GuessLabel(c, 4), "c|d");
  EXPECT_EQ(GuessLabel(c, 5), "cd");
}

TEST(Connectivity, JsonHasTheLowerTriangle) {
  const Connectivity c = Small();
  const auto json = ConnectivityJson({&c, 1});
  const auto& model = json["models"][0];
  EXPECT_EQ(model["model"], "GRU");
  EXPECT_EQ(model["characters"][1], "a");
  EXPECT_EQ(model["connectivity"][4], (std::vector<float>{0, 4, 0, 0, 1}));
  EXPECT_EQ(model["suggestions"][5][0]["word"], "cd");
}

TEST(Connectivity, RefusesWhatDoesNotFit) {
  Connectivity c = Small();
  c.values.pop_back();
  EXPECT_THROW(CheckConnectivity(c), ShapeError);
  std::vector<Connectivity> models = {Small(), Small()};
  models[1].characters[1] = "x";
  EXPECT_THROW(CheckSameText(models), ShapeError);
  const Connectivity good = Small();
  const std::vector<int64_t> beyond = {6};
  EXPECT_THROW(ConnectivitySvg({&good, 1}, beyond), ShapeError);
  EXPECT_THROW(ConnectivityExplanation(c), ShapeError);
}

TEST(ConnectivitySvg, ShadesByShareAndOutlinesTheGuess) {
  const std::vector<Connectivity> models = {Small(), Small("LSTM")};
  const std::vector<int64_t> moments = {4};
  const std::string svg = ConnectivitySvg(models, moments);
  EXPECT_EQ(Count(svg, "class='linked'"), 2U);
  EXPECT_EQ(Count(svg, "fill-opacity='1.00'"), 2U);
  EXPECT_EQ(Count(svg, "fill-opacity='0.25'"), 2U);
  EXPECT_EQ(Count(svg, "class='cell' "), 4U);
  EXPECT_EQ(Count(svg, "class='later' "), 2U);  // d
  EXPECT_EQ(Count(svg, "<tspan class='hit'>cd</tspan> 75 %"), 2U);
  EXPECT_NE(svg.find("&lt;x&gt;"), std::string::npos);
  EXPECT_NE(svg.find("c|d"), std::string::npos);
}

TEST(Connectivity, IsAnExplanationOfEveryGuess) {
  const Connectivity c = Small();
  const Explanation e = ConnectivityExplanation(c);
  CheckExplanation(e);
  const ExplanationSegment& segment = e.segments.at(0);
  ASSERT_EQ(segment.targets.size(), 6U);
  EXPECT_EQ(segment.axis("source").items, c.characters);
  EXPECT_EQ(segment.targets[4].alternatives.front().label,
            c.suggestions[4].front().word);
  EXPECT_EQ(segment.attributions.at(0).scores, c.values);
}

TEST(TerminalConnectivity, MarksWhatCounts) {
  const Connectivity c = Small();
  const std::string plain =
      TerminalConnectivity(c, 4, {.colour = false, .width = 40});
  EXPECT_EQ(plain,
            "GRU  guesses c|d:  cd 75 %  <x> 12 %\n"
            "   ab cd\n"
            "   █  ^ \n");
  const std::string colour =
      TerminalConnectivity(c, 4, {.colour = true, .width = 40});
  EXPECT_NE(colour.find("48;5;231ma"), std::string::npos);
  EXPECT_NE(colour.find("\x1b[1;7mc"), std::string::npos);
  for (const int width : {20, 21, 80}) {
    const std::string text =
        TerminalConnectivity(c, 4, {.colour = false, .width = width});
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      EXPECT_LE(DisplayWidth(text.substr(begin, end - begin)), width);
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace heed
