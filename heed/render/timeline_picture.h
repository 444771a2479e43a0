// What was proposed when, as a line of years.
#ifndef HEED_RENDER_TIMELINE_PICTURE_H_
#define HEED_RENDER_TIMELINE_PICTURE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/render/terminal.h"

namespace heed {

/// Something by its paper.
struct TimelineEntry {
  std::string name;    ///< "scaled_dot"
  std::string source;  ///< "Vaswani et al. 2017, arXiv:1706.03762"
  bool left = false;   ///< of the line
};

/// The year of the first arXiv preprint that a citation names, else the first
/// year, 1900 to 2099, in its text; none: none.
std::optional<int> YearOf(std::string_view source);

/// What stands at both sides of the line, by year: names with one source stand
/// together. Entries without a year are left out. `left` and `right` are what
/// the sides are called.
std::string TimelineSvg(std::span<const TimelineEntry> entries,
                        const std::string& left, const std::string& right);
/// A line for each source, the first year first.
std::string TimelineText(std::span<const TimelineEntry> entries,
                         const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_TIMELINE_PICTURE_H_
