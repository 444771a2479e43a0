// Alignment error rate against hand-aligned sentences.
#ifndef HEED_METRICS_AER_H_
#define HEED_METRICS_AER_H_

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Positions, from 0, of a source word and a target word that belong together.
struct AlignmentLink {
  int64_t source = 0;
  int64_t target = 0;
  auto operator<=>(const AlignmentLink&) const = default;
};

using AlignmentLinks = std::set<AlignmentLink>;

struct GoldAlignment {
  AlignmentLinks sure;
  AlignmentLinks possible;  ///< includes the sure links
};

/// One line of links `i-j` (source-target, the Pharaoh format).
/// Throws: FormatError that names `file` and `line_number` for anything else.
AlignmentLinks ParseAlignment(std::string_view line, std::string_view file,
                              int64_t line_number);

/// One line of gold links: `i-j` is sure, `i?j` possible.
/// Throws: FormatError that names `file` and `line_number` for anything else.
GoldAlignment ParseGoldAlignment(std::string_view line, std::string_view file,
                                 int64_t line_number);

/// 1 − (|A∩S| + |A∩P|) / (|A| + |S|) over all sentences, with A the hypothesis
/// links, S the sure and P the possible ones; 0 if there are no links at all.
/// Throws: ShapeError if the numbers of sentences differ.
/// Paper: Och and Ney 2003, "A Systematic Comparison of Various Statistical
/// Alignment Models", eq. 32.
double AlignmentErrorRate(std::span<const AlignmentLinks> hypotheses,
                          std::span<const GoldAlignment> gold);

}  // namespace heed

#endif  // HEED_METRICS_AER_H_
