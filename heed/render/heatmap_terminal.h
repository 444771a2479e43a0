// An alignment as a heatmap of characters.
#ifndef HEED_RENDER_HEATMAP_TERMINAL_H_
#define HEED_RENDER_HEATMAP_TERMINAL_H_

#include <string>

#include "heed/explain/alignment.h"
#include "heed/render/terminal.h"

namespace heed {

/// The weights with the source on top and the target on the left; each line
/// ends with a newline and has at most options.width columns (but 16 at least).
/// Source words stand upright where they fit, else letter below letter; what is
/// still too wide continues in further panels. Without colour a cell is one of
/// · ░ ▒ ▓ █.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::string TerminalHeatmap(const AlignmentView& view,
                            const TerminalOptions& options);

}  // namespace heed

#endif  // HEED_RENDER_HEATMAP_TERMINAL_H_
