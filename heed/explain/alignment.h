// Attention weights of one sentence pair for display, and the word alignments
// extracted from them.
#ifndef HEED_EXPLAIN_ALIGNMENT_H_
#define HEED_EXPLAIN_ALIGNMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/metrics/aer.h"

namespace heed {

/// Attention weights of each target token over the source tokens.
/// Shapes: weights [T, S], row-major. Units: 0 to 1, a row sums to at most 1.
struct AlignmentView {
  std::vector<std::string> source_tokens;
  std::vector<std::string> target_tokens;
  std::vector<float> weights;
  std::string title;
  /// Cells to mark and to write as links; nothing: the links of HardAlignment.
  std::optional<AlignmentLinks> links = {};

  int64_t source_size() const {
    return static_cast<int64_t>(source_tokens.size());
  }
  int64_t target_size() const {
    return static_cast<int64_t>(target_tokens.size());
  }
  /// Weight of a cell, in [0, 1]; NaN counts as 0.
  float weight(int64_t target, int64_t source) const;
};

/// Validates a view. Throws: ShapeError unless there is one weight per pair of
/// tokens.
void CheckAlignment(const AlignmentView& view);

/// Source position of the largest weight of each target token (the first of
/// equal weights), or −1 where no weight is above zero.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::vector<int64_t> HardAlignment(const AlignmentView& view);

/// Copy of `view` without a final </s> on either side.
/// Throws: ShapeError unless there is one weight per pair of tokens.
AlignmentView WithoutEnds(const AlignmentView& view);

/// Options for extracting links from weights.
struct LinkOptions {
  /// Above 0: links each target token to all source tokens with at least this
  /// weight. 0: links it to the source token with the largest weight.
  double threshold = 0;
  /// Leaves a target token unaligned if its missing weight (1 − row sum, on
  /// tokens that are not shown) exceeds its largest weight.
  bool allow_null = false;
};

/// Extracts links from attention weights.
/// Throws: ShapeError unless there is one weight per pair of tokens.
AlignmentLinks LinksOf(const AlignmentView& view,
                       const LinkOptions& options = {});

/// The links of `view`, or the HardAlignment of WithoutEnds(view), as one line
/// of "source-target" pairs in target order, positions from 0.
std::string PharaohLine(const AlignmentView& view);

/// {"sentences":[{"source":[…],"target":[…],"weights":[[…]],"links":[[s,t],…]}]}
/// on one line. "weights" has a row per target token, rounded to six digits;
/// "links" is present if the view has links.
std::string AlignmentJson(std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_EXPLAIN_ALIGNMENT_H_
