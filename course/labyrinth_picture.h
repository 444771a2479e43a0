// Pictures of labyrinths and the decisions of an agent, in SVG and terminal.
#ifndef HEED_COURSE_LABYRINTH_PICTURE_H_
#define HEED_COURSE_LABYRINTH_PICTURE_H_

#include <string>

#include "course/labyrinth_agent.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// Draws the walls, the path of an episode, and a numbered red point at each
/// choice. Bars towards the exits of a crossing have a length proportional to
/// their probability.
Drawing DrawLabyrinth(const LabyrinthAgent& agent, const MazeEpisode& episode,
                      const std::string& title);

/// Renders the labyrinth in characters: walls, dots along the path, and the
/// numbers of the choices. Lists the probabilities of the exits below.
std::string LabyrinthText(const LabyrinthAgent& agent,
                          const MazeEpisode& episode,
                          const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_COURSE_LABYRINTH_PICTURE_H_
