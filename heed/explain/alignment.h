// The attention weights of one sentence pair, ready to be shown.
#ifndef HEED_EXPLAIN_ALIGNMENT_H_
#define HEED_EXPLAIN_ALIGNMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// How much each target token looked at each source token.
/// Shapes: weights [T, S], row-major. Units: 0 to 1, a row sums to at most 1.
struct AlignmentView {
  std::vector<std::string> source_tokens;
  std::vector<std::string> target_tokens;
  std::vector<float> weights;
  std::string title;

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

/// HardAlignment as one line of links "source-target" in the order of the
/// target, positions from 0, WithoutEnds.
std::string PharaohLine(const AlignmentView& view);

/// {"sentences":[{"source":[…],"target":[…],"weights":[[…]]}]} on one line, a
/// row of weights per target token, rounded to six digits.
std::string AlignmentJson(std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_EXPLAIN_ALIGNMENT_H_
