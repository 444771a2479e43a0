// What a machine did with its memory, step by step, in SVG and a terminal.
#ifndef HEED_RENDER_MEMORY_VIEW_H_
#define HEED_RENDER_MEMORY_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// Numbers over time: a row for each channel, feature or slot.
struct TimePanel {
  std::string title;
  int64_t first_row = 0;  ///< what the first row is called
  int64_t circle = 0;     ///< rows behind which the first comes again; 0: none
  int64_t rows = 0;
  int64_t steps = 0;
  std::vector<float> values = {};  ///< [rows, steps], −1 to 1
  bool weights = false;  ///< of heads, which have a scale of their own

  int64_t RowName(int64_t row) const {
    return circle == 0 ? first_row + row : (first_row + row) % circle;
  }
};

/// Six panels over time, of the first two the steps, of all others as many:
/// what was read and written, the vectors that were added to the memory and
/// those that were read from it, where the heads wrote and where they read (of
/// several heads the largest weight). Of the slots, which are a circle,
/// all are shown but the longest stretch without a weight of 0.05. Long
/// sequences are pooled to at most `columns` steps, tall ones to as many rows:
/// of those that fall together the number furthest from 0 is shown. Paper:
/// Graves et al. 2014, arXiv:1410.5401, figure 6.
std::vector<TimePanel> MemoryPanels(const ExplanationSegment& segment,
                                    int64_t columns);

ExplanationView MemoryView();

}  // namespace heed

#endif  // HEED_RENDER_MEMORY_VIEW_H_
