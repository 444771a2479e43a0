// View of the memory accesses of a machine over time.
#ifndef HEED_RENDER_MEMORY_VIEW_H_
#define HEED_RENDER_MEMORY_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// Numbers over time: a row per channel, feature or slot.
struct TimePanel {
  std::string title;
  int64_t first_row = 0;  ///< number of the first row
  int64_t circle = 0;     ///< row count after which numbers wrap; 0: never
  int64_t rows = 0;
  int64_t steps = 0;
  std::vector<float> values = {};  ///< [rows, steps], −1 to 1
  bool weights = false;  ///< attention weights, which have their own scale

  int64_t RowName(int64_t row) const {
    return circle == 0 ? first_row + row : (first_row + row) % circle;
  }
};

/// Six panels over time. The first two show the inputs and outputs, the next
/// two the vectors added to the memory and read from it, the last two the write
/// and read weights (of several heads the largest). Slots form a circle; the
/// longest stretch without a weight of 0.05 is omitted. Long sequences are
/// pooled to at most `columns` steps, and large panels have pooled rows; a
/// pooled cell shows the number furthest from 0. Paper: Graves et al. 2014,
/// arXiv:1410.5401, figure 6.
std::vector<TimePanel> MemoryPanels(const ExplanationSegment& segment,
                                    int64_t columns);

ExplanationView MemoryView();

}  // namespace heed

#endif  // HEED_RENDER_MEMORY_VIEW_H_
