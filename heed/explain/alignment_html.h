// Alignments as a page to explore.
#ifndef HEED_EXPLAIN_ALIGNMENT_HTML_H_
#define HEED_EXPLAIN_ALIGNMENT_HTML_H_

#include <span>
#include <string>

#include "heed/explain/alignment.h"

namespace heed {

/// One HTML page, complete in itself, with every sentence pair: pointing at a
/// word, or reaching it with the arrow keys, shades the words of the other
/// language by their weight; the heatmap stands beside. Follows the reader's
/// light or dark setting.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::string AlignmentHtml(std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_EXPLAIN_ALIGNMENT_HTML_H_
