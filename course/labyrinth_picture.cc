#include "course/labyrinth_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/render/markup.h"

namespace heed {
namespace {

constexpr double kCell = 46;
constexpr double kWall = 2.5;
constexpr double kHeading = 26;
constexpr double kTitleFont = 14;
constexpr const char* kChoiceColour = "#d9372c";
constexpr std::array<std::pair<int, int>, kDirections> kOffsets = {
    {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}};
constexpr std::array<const char*, kDirections> kNamesOfDirections = {
    "north", "east", "south", "west"};
constexpr std::array<const char*, kDirections> kArrows = {"↑", "→", "↓", "←"};

struct PlaceInMaze {
  double x, y;
};

PlaceInMaze CentreOf(const Maze& maze, int64_t cell) {
  const int64_t row = cell / maze.side(), column = cell % maze.side();
  return {kCell * (static_cast<double>(column) + 0.5),
          kCell * (static_cast<double>(row) + 0.5)};
}

/// Returns the walls as filled areas, drawn in the text colour of the viewer.
std::string WallsPath(const Maze& maze) {
  std::string path;
  const auto add = [&](double x, double y, double width, double height) {
    path += fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.2f}h{:.2f}z", x - kWall / 2,
                        y - kWall / 2, width + kWall, height + kWall,
                        -width - kWall);
  };
  for (int64_t cell = 0; cell < maze.cells(); ++cell) {
    const auto [x, y] = CentreOf(maze, cell);
    // Each wall is drawn once: to the north and the west, then the border.
    if (!maze.Open(cell, 0)) add(x - kCell / 2, y - kCell / 2, kCell, 0);
    if (!maze.Open(cell, 3)) add(x - kCell / 2, y - kCell / 2, 0, kCell);
  }
  const double side = kCell * static_cast<double>(maze.side());
  add(side, 0, 0, side);
  add(0, side, side, 0);
  return path;
}

}  // namespace

Drawing DrawLabyrinth(const LabyrinthAgent& agent, const MazeEpisode& episode,
                      const std::string& title) {
  const Maze& maze = agent.maze();
  const double side = kCell * static_cast<double>(maze.side());
  MarkupWriter svg;
  svg.Line("<text class='title' y='14' font-size='{}'>{}</text>", kTitleFont,
           EscapeMarkup(title));
  svg.Line("<g transform='translate(2 {:.0f})'>", kHeading);
  svg.Line("<rect class='field' width='{0:.0f}' height='{0:.0f}'/>", side);
  const auto goal = CentreOf(maze, maze.exit());
  svg.Line(
      "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' rx='4' "
      "fill='#2e9e5b' fill-opacity='0.35'><title>exit</title></rect>",
      goal.x - kCell / 2 + 4, goal.y - kCell / 2 + 4, kCell - 8, kCell - 8);
  std::string path;
  for (const int64_t cell : episode.cells) {
    const auto [x, y] = CentreOf(maze, cell);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x, y);
  }
  svg.Line(
      "<path d='{}' fill='none' stroke='#3f7fd9' stroke-width='5' "
      "stroke-linejoin='round' stroke-linecap='round' stroke-opacity='0.55'/>",
      path);
  svg.Line("<path class='token' d='{}'/>", WallsPath(maze));
  std::set<int64_t> drawn;
  for (size_t i = 0; i < episode.choices.size(); ++i) {
    const MazeChoice& choice = episode.choices[i];
    const MazeCrossing& crossing = At(agent.crossings().all, choice.crossing);
    // Only the first visit of a crossing is shown.
    if (!drawn.insert(crossing.cell).second) continue;
    const auto [x, y] = CentreOf(maze, crossing.cell);
    for (size_t d = 0; d < kDirections; ++d) {
      if (!crossing.ways[d]) continue;
      const double p = choice.probabilities[d];
      const double length = 9 + (kCell - 14) * p;
      svg.Line(
          "<path d='M{:.1f} {:.1f}l{:.1f} {:.1f}' stroke='{}' "
          "stroke-width='4' stroke-opacity='{:.2f}'><title>{}: {:.2f}</title>"
          "</path>",
          x, y, kOffsets[d].first * length, kOffsets[d].second * length,
          kChoiceColour, 0.25 + 0.75 * p, kNamesOfDirections[d], p);
    }
    svg.Line("<circle cx='{:.1f}' cy='{:.1f}' r='8.5' fill='{}'/>", x, y,
             kChoiceColour);
    svg.Line(
        "<text x='{:.1f}' y='{:.1f}' font-size='10.5' font-weight='600' "
        "text-anchor='middle' fill='#fff'>{}</text>",
        x, y + 3.8, i + 1);
  }
  svg.Line("</g>");
  return {std::max(side + 4, TextWidth(title, kTitleFont)), side + kHeading + 4,
          svg.Take()};
}

std::string LabyrinthText(const LabyrinthAgent& agent,
                          const MazeEpisode& episode,
                          const TerminalOptions& terminal) {
  const Maze& maze = agent.maze();
  std::vector<std::string> marks(static_cast<size_t>(maze.cells()));
  for (const int64_t cell : episode.cells) {
    At(marks, cell) = "·";
  }
  for (size_t i = episode.choices.size(); i-- > 0;) {
    const auto crossing = static_cast<size_t>(episode.choices[i].crossing);
    const std::string number = fmt::format("{}", i + 1);
    At(marks, agent.crossings().all[crossing].cell) =
        terminal.colour ? terminal::Foreground(203, number) : number;
  }
  At(marks, maze.exit()) = "x";
  std::string out;
  for (int64_t y = 0; y < maze.side(); ++y) {
    std::string above = "  ", inside = "  ";
    for (int64_t x = 0; x < maze.side(); ++x) {
      const int64_t cell = y * maze.side() + x;
      const std::string& mark = At(marks, cell);
      above += maze.Open(cell, 0) ? "+   " : "+---";
      inside += maze.Open(cell, 3) ? " " : "|";
      const bool wide =
          std::ranges::count_if(
              mark, [](char c) { return c >= '0' && c <= '9'; }) == 2 &&
          !terminal.colour;
      inside += mark.empty() ? "   "
                : wide       ? fmt::format(" {}", mark)
                             : fmt::format(" {} ", mark);
    }
    out += fmt::format("{}+\n{}|\n", above, inside);
  }
  out += "  ";
  for (int64_t x = 0; x < maze.side(); ++x) out += "+---";
  out += "+\n";
  for (size_t i = 0; i < episode.choices.size() && i < 20; ++i) {
    const MazeChoice& choice = episode.choices[i];
    const auto& crossing = At(agent.crossings().all, choice.crossing);
    out += fmt::format("  {:>2}", i + 1);
    for (size_t d = 0; d < kDirections; ++d) {
      if (!crossing.ways[d]) continue;
      const std::string one =
          fmt::format("{} {:.2f}", kArrows[d], choice.probabilities[d]);
      out += "  " + (static_cast<int>(d) == choice.move
                         ? terminal::Strong(terminal, one)
                         : terminal::Quiet(terminal, one));
    }
    out += '\n';
  }
  return out;
}

}  // namespace heed
