// Links between words, and how good they are: the alignment error rate.
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

/// The links as ParseAlignment reads them, in the order of the target.
std::string FormatAlignment(const AlignmentLinks& links);

/// With A the links that were found, S the sure and P the possible ones of the
/// gold alignment, each counted over all sentences:
///   error rate = 1 − (|A∩S| + |A∩P|) / (|A| + |S|)
///   precision = |A∩P| / |A|    recall = |A∩S| / |S|
/// Without any links the error rate is 0; precision without found links and
/// recall without sure ones are 1.
struct AlignmentScore {
  double error_rate = 0;
  double precision = 1;
  double recall = 1;
};

/// Throws: ShapeError if the numbers of sentences differ.
/// Paper: Och and Ney 2003, "A Systematic Comparison of Various Statistical
/// Alignment Models", eq. 32.
AlignmentScore ScoreAlignments(std::span<const AlignmentLinks> found,
                               std::span<const GoldAlignment> gold);

}  // namespace heed

#endif  // HEED_METRICS_AER_H_
