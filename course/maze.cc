#include "course/maze.h"

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

/// Returns the open directions of a cell except the way back.
std::vector<int> WaysOn(const Maze& maze, int64_t cell, int entered) {
  std::vector<int> ways;
  for (int d = 0; d < kDirections; ++d) {
    if (!maze.Open(cell, d)) continue;
    if (entered < 0 || d != Opposite(entered)) ways.push_back(d);
  }
  return ways;
}

}  // namespace

Maze Maze::Make(int64_t side, uint64_t seed) {
  if (side < 2) throw ConfigError("side: a maze of {} cells has no way", side);
  Maze maze(side, std::vector<std::array<bool, kDirections>>(
                      static_cast<size_t>(side * side)));
  std::vector<bool> visited(static_cast<size_t>(maze.cells()));
  Rng rng(seed);
  std::vector<int64_t> path = {0};
  visited[0] = true;
  while (!path.empty()) {
    const int64_t cell = path.back();
    std::vector<int> fresh;
    for (int d = 0; d < kDirections; ++d) {
      const int64_t next = maze.Neighbour(cell, d);
      if (next >= 0 && !At(visited, next)) fresh.push_back(d);
    }
    if (fresh.empty()) {
      path.pop_back();
      continue;
    }
    const int d = fresh[rng.Below(fresh.size())];
    const int64_t next = maze.Neighbour(cell, d);
    At(At(maze.open_, cell), d) = true;
    At(At(maze.open_, next), Opposite(d)) = true;
    At(visited, next) = true;
    path.push_back(next);
  }
  return maze;
}

int64_t Maze::Neighbour(int64_t cell, int direction) const {
  const int64_t row = cell / side_, column = cell % side_;
  switch (direction) {
    case 0:
      return row > 0 ? cell - side_ : -1;
    case 1:
      return column + 1 < side_ ? cell + 1 : -1;
    case 2:
      return row + 1 < side_ ? cell + side_ : -1;
    default:
      return column > 0 ? cell - 1 : -1;
  }
}

std::vector<int64_t> Maze::Distances() const {
  std::vector<int64_t> steps(static_cast<size_t>(cells()), -1);
  std::vector<int64_t> reached = {start()};
  steps[0] = 0;
  for (size_t i = 0; i < reached.size(); ++i) {
    const int64_t cell = reached[i];
    for (int d = 0; d < kDirections; ++d) {
      if (!Open(cell, d)) continue;
      const int64_t next = Neighbour(cell, d);
      if (At(steps, next) >= 0) continue;
      At(steps, next) = At(steps, cell) + 1;
      reached.push_back(next);
    }
  }
  return steps;
}

MazeCrossings::MazeCrossings(const Maze& maze) {
  const std::vector<int> ways = WaysOn(maze, maze.start(), -1);
  if (ways.size() == 1) {
    first = Walk(maze, maze.start(), ways[0]);
  } else {
    first.next = Add(maze.start(), -1);
  }
  // Walking finds further crossings, which are appended and walked in turn.
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t cell = all[i].cell;
    for (const int d : WaysOn(maze, cell, all[i].entered)) {
      MazeWay way = Walk(maze, cell, d);
      At(all[i].ways, d) = std::move(way);
    }
  }
}

MazeWay MazeCrossings::Walk(const Maze& maze, int64_t cell, int direction) {
  MazeWay way;
  while (true) {
    cell = maze.Neighbour(cell, direction);
    way.cells.push_back(cell);
    if (cell == maze.exit()) return way;
    const std::vector<int> on = WaysOn(maze, cell, direction);
    if (on.size() > 1) {
      way.next = Add(cell, direction);
      return way;
    }
    direction = on.empty() ? Opposite(direction) : on[0];
  }
}

int64_t MazeCrossings::Add(int64_t cell, int entered) {
  const auto found = std::ranges::find_if(all, [&](const MazeCrossing& one) {
    return one.cell == cell && one.entered == entered;
  });
  if (found != all.end()) return found - all.begin();
  all.push_back({cell, entered, {}});
  return std::ssize(all) - 1;
}

}  // namespace heed
