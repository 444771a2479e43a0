// Phrases whose order differs between source and target.
#ifndef HEED_EXPLAIN_REORDERING_H_
#define HEED_EXPLAIN_REORDERING_H_

#include <cstdint>
#include <vector>

#include "heed/explain/alignment.h"

namespace heed {

/// Target tokens [target_begin, target_end) aligned with the source tokens
/// [source_begin, source_end).
struct AlignmentBlock {
  int64_t target_begin = 0;
  int64_t target_end = 0;
  int64_t source_begin = 0;
  int64_t source_end = 0;

  bool operator==(const AlignmentBlock&) const = default;
};

/// The off-diagonal blocks, in target order. Where links of HardAlignment
/// cross, the stretch of the target that they cover is split into runs. In a
/// run, source positions go forward, skipping at most one token, or backward
/// one by one. Each run is a block, with two exceptions: a forward run with
/// more than half of the links of the stretch, and a forward run with equally
/// many links of the stretch before it on both sides. The other runs moved
/// around these.
/// Example: "European Economic Area ← zone économique européenne" is one
/// backward block. A final </s>, punctuation on either side and target tokens
/// whose largest weight is under 0.2 are ignored.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::vector<AlignmentBlock> ReorderedBlocks(const AlignmentView& view);

}  // namespace heed

#endif  // HEED_EXPLAIN_REORDERING_H_
