// Phrases that changed their place.
#ifndef HEED_EXPLAIN_REORDERING_H_
#define HEED_EXPLAIN_REORDERING_H_

#include <cstdint>
#include <vector>

#include "heed/explain/alignment.h"

namespace heed {

/// Target tokens [target_begin, target_end) that look at the source tokens
/// [source_begin, source_end).
struct AlignmentBlock {
  int64_t target_begin = 0;
  int64_t target_end = 0;
  int64_t source_begin = 0;
  int64_t source_end = 0;

  bool operator==(const AlignmentBlock&) const = default;
};

/// The blocks off the diagonal, in the order of the target. Where links of
/// HardAlignment cross, the stretch of the target that they cover falls into
/// runs that walk forwards through the source, leaving out one token at most,
/// or backwards token by token. Each is a block, but for one that goes forwards
/// and holds more than half of the stretch, or has as many links of the stretch
/// before it on both sides: the others moved around it.
/// "European Economic Area ← zone économique européenne" is one block, read
/// backwards. A </s> that ends a side, punctuation on either side and target
/// tokens whose largest weight is under 0.2 take no part.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::vector<AlignmentBlock> ReorderedBlocks(const AlignmentView& view);

}  // namespace heed

#endif  // HEED_EXPLAIN_REORDERING_H_
