// Timeline of publications by year.
#ifndef HEED_RENDER_TIMELINE_PICTURE_H_
#define HEED_RENDER_TIMELINE_PICTURE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/render/terminal.h"

namespace heed {

/// An entry with its paper.
struct TimelineEntry {
  std::string name;    ///< "scaled_dot"
  std::string source;  ///< "Vaswani et al. 2017, arXiv:1706.03762"
  bool left = false;   ///< on the left of the line
};

/// Year of the first arXiv preprint in a citation, else the first year from
/// 1900 to 2099 in its text; nothing if there is none.
std::optional<int> YearOf(std::string_view source);

/// Entries on both sides of a time line, by year; names with the same source
/// are joined. Entries without a year are omitted. `left` and `right` are the
/// titles of the sides.
std::string TimelineSvg(std::span<const TimelineEntry> entries,
                        const std::string& left, const std::string& right);
/// One line per source, in order of the years.
std::string TimelineText(std::span<const TimelineEntry> entries,
                         const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_TIMELINE_PICTURE_H_
