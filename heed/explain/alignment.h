// The attention weights of one sentence pair, ready to be shown.
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

/// How much each target token looked at each source token.
/// Shapes: weights [T, S], row-major. Units: 0 to 1, a row sums to at most 1.
struct AlignmentView {
  std::vector<std::string> source_tokens;
  std::vector<std::string> target_tokens;
  std::vector<float> weights;
  std::string title;
  /// Cells to be marked, and written as links; nothing: those of HardAlignment.
  std::optional<AlignmentLinks> links = {};

  int64_t source_size() const {
    return static_cast<int64_t>(source_tokens.size());
  }
  int64_t target_size() const {
    return static_cast<int64_t>(target_tokens.size());
  }
  /// The weight of a cell, in [0, 1]: NaN counts as 0.
  float weight(int64_t target, int64_t source) const;
};

/// Throws: ShapeError unless there is one weight per pair of tokens.
void CheckAlignment(const AlignmentView& view);

/// For each target token the source position of its largest weight (the first
/// of equals), or -1 where no weight is above zero.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::vector<int64_t> HardAlignment(const AlignmentView& view);

/// `view` without a </s> that ends a side, which is no word.
/// Throws: ShapeError unless there is one weight per pair of tokens.
AlignmentView WithoutEnds(const AlignmentView& view);

/// How weights become links.
struct LinkOptions {
  /// Above 0: each target token is linked to all source tokens of at least this
  /// weight; 0: to the one of the largest weight.
  double threshold = 0;
  /// A target token stays without a link if what its weights lack to 1, which
  /// lies on no token that is shown, is more than the largest of them.
  bool allow_null = false;
};

/// Throws: ShapeError unless there is one weight per pair of tokens.
AlignmentLinks LinksOf(const AlignmentView& view,
                       const LinkOptions& options = {});

/// The links of `view`, or its HardAlignment WithoutEnds, as one line of
/// "source-target" in the order of the target, positions from 0.
std::string PharaohLine(const AlignmentView& view);

/// {"sentences":[{"source":[…],"target":[…],"weights":[[…]],"links":[[s,t],…]}]}
/// on one line, a row of weights per target token, rounded to six digits; links
/// if the view has them.
std::string AlignmentJson(std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_EXPLAIN_ALIGNMENT_H_
