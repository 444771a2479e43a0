// Labyrinths and what was decided in them, in SVG and a terminal.
#ifndef HEED_COURSE_LABYRINTH_PICTURE_H_
#define HEED_COURSE_LABYRINTH_PICTURE_H_

#include <string>

#include "course/labyrinth_agent.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// The walls, the way of an episode, and a red point at each choice, numbered
/// in order, with bars towards its exits as long as they are probable.
Drawing DrawLabyrinth(const LabyrinthAgent& agent, const MazeEpisode& episode,
                      const std::string& title);

/// The same in characters: walls, dots on the way, and the numbers of the
/// choices; below them the probabilities of the exits.
std::string LabyrinthText(const LabyrinthAgent& agent,
                          const MazeEpisode& episode,
                          const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_COURSE_LABYRINTH_PICTURE_H_
