// Alignment heatmap in a terminal.
#ifndef HEED_RENDER_HEATMAP_TERMINAL_H_
#define HEED_RENDER_HEATMAP_TERMINAL_H_

#include <string>

#include "heed/explain/alignment.h"
#include "heed/render/terminal.h"

namespace heed {

/// Weights with the source on top and the target on the left. Each line ends
/// with a newline and has at most options.width columns (but at least 16).
/// Source words are horizontal if they fit, else vertical; wider matrices are
/// split into panels. Without colour a cell is one of · ░ ▒ ▓ █.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::string TerminalHeatmap(const AlignmentView& view,
                            const TerminalOptions& options);

}  // namespace heed

#endif  // HEED_RENDER_HEATMAP_TERMINAL_H_
