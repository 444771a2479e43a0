// Mazes and their crossings.
#ifndef HEED_COURSE_MAZE_H_
#define HEED_COURSE_MAZE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Number of directions: north, east, south, west.
inline constexpr int kDirections = 4;
constexpr int Opposite(int direction) { return (direction + 2) % kDirections; }

/// A maze of side × side cells, cell = row · side + column. Exactly one path
/// joins any two cells. It leads from the first cell to the last one.
class Maze {
 public:
  /// Makes a maze by depth-first search in random order. Throws: ConfigError
  /// for a side below 2.
  static Maze Make(int64_t side, uint64_t seed);
  /// Makes a maze with the given open walls: open[cell][direction], set on both
  /// sides.
  Maze(int64_t side, std::vector<std::array<bool, kDirections>> open)
      : side_(side), open_(std::move(open)) {}

  int64_t side() const { return side_; }
  int64_t cells() const { return side_ * side_; }
  int64_t start() const { return 0; }
  int64_t exit() const { return cells() - 1; }
  bool Open(int64_t cell, int direction) const {
    return At(At(open_, cell), direction);
  }
  int64_t Neighbour(int64_t cell, int direction) const;
  /// Returns the length of the shortest path from the start to each cell.
  std::vector<int64_t> Distances() const;
  int64_t shortest() const { return At(Distances(), exit()); }

 private:
  int64_t side_;
  std::vector<std::array<bool, kDirections>> open_;
};

/// Path after a choice, up to the next crossing or the exit.
struct MazeWay {
  std::vector<int64_t> cells;  ///< without the cell of the choice
  int64_t next = -1;           ///< next crossing; −1: the exit
  int64_t steps() const { return static_cast<int64_t>(cells.size()); }
};

/// A cell with several ways besides the one by which it was entered.
struct MazeCrossing {
  int64_t cell = 0;
  int entered = -1;  ///< direction of the last move; −1: none (start)
  std::array<std::optional<MazeWay>, kDirections> ways;
};

/// Decision graph of a maze. A corridor without a choice is followed, and a
/// dead end turns back.
struct MazeCrossings {
  explicit MazeCrossings(const Maze& maze);

  MazeWay first;  ///< from the start
  std::vector<MazeCrossing> all;

 private:
  MazeWay Walk(const Maze& maze, int64_t cell, int direction);
  int64_t Add(int64_t cell, int entered);
};

}  // namespace heed

#endif  // HEED_COURSE_MAZE_H_
