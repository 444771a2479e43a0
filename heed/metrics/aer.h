// Word alignment links and their alignment error rate.
#ifndef HEED_METRICS_AER_H_
#define HEED_METRICS_AER_H_

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Positions, from 0, of an aligned source word and target word.
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

/// Parses one line of links `i-j` (source-target, the Pharaoh format).
/// Throws: FormatError that names `file` and `line_number` for anything else.
AlignmentLinks ParseAlignment(std::string_view line, std::string_view file,
                              int64_t line_number);

/// Parses one line of gold links: `i-j` is sure, `i?j` possible.
/// Throws: FormatError that names `file` and `line_number` for anything else.
GoldAlignment ParseGoldAlignment(std::string_view line, std::string_view file,
                                 int64_t line_number);

/// The links in the format of ParseAlignment, in target order.
std::string FormatAlignment(const AlignmentLinks& links);

/// Alignment scores. A are the predicted links, S the sure and P the possible
/// gold links, each counted over all sentences:
///   error rate = 1 − (|A∩S| + |A∩P|) / (|A| + |S|)
///   precision = |A∩P| / |A|    recall = |A∩S| / |S|
/// Without any links the error rate is 0. Precision without predicted links and
/// recall without sure links are 1.
struct AlignmentScore {
  double error_rate = 0;
  double precision = 1;
  double recall = 1;
};

/// Scores predicted links against gold links. Throws: ShapeError if the numbers
/// of sentences differ.
/// Paper: Och and Ney 2003, "A Systematic Comparison of Various Statistical
/// Alignment Models", eq. 32.
AlignmentScore ScoreAlignments(std::span<const AlignmentLinks> found,
                               std::span<const GoldAlignment> gold);

}  // namespace heed

#endif  // HEED_METRICS_AER_H_
