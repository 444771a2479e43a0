// Symmetrisation of the word alignments of two directions.
#ifndef HEED_METRICS_SYMMETRIZE_H_
#define HEED_METRICS_SYMMETRIZE_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/metrics/aer.h"

namespace heed {

/// How the links F of the source-to-target model and B of the target-to-source
/// model are combined:
///   kNone              F
///   kIntersection      F ∩ B
///   kUnion             F ∪ B
///   kGrowDiag          F ∩ B, then repeatedly each link of F ∪ B that touches
///                      an accepted one (also diagonally), if one of its words
///                      has no link yet
///   kGrowDiagFinal     then each link of F, then of B, if one of its words has
///                      no link yet
///   kGrowDiagFinalAnd  then those whose words both have no link yet
enum class Symmetrization {
  kNone,
  kIntersection,
  kUnion,
  kGrowDiag,
  kGrowDiagFinal,
  kGrowDiagFinalAnd,
};

/// "none", "intersection", "union", "grow-diag", "grow-diag-final" or
/// "grow-diag-final-and", in the order of the enumerators.
std::span<const char* const> SymmetrizationNames();
/// Parses a name. Throws: ConfigError that lists the names.
Symmetrization ParseSymmetrization(std::string_view name);

/// Combines the links of two directions. `backward` is in the positions of
/// `forward`: see Reversed. Links are visited by source, then by target.
/// Papers: Och and Ney 2003, "A Systematic Comparison of Various Statistical
/// Alignment Models"; Koehn et al. 2005, "Edinburgh System Description for the
/// 2005 IWSLT Speech Translation Evaluation".
AlignmentLinks Symmetrize(const AlignmentLinks& forward,
                          const AlignmentLinks& backward,
                          Symmetrization method);

/// Links with source and target exchanged.
AlignmentLinks Reversed(const AlignmentLinks& links);

/// Agreement of two alignments, 2 |F∩B| / (|F| + |B|) over all sentences; 1
/// without links. Throws: ShapeError if the numbers of sentences differ.
double AlignmentAgreement(std::span<const AlignmentLinks> forward,
                          std::span<const AlignmentLinks> backward);

}  // namespace heed

#endif  // HEED_METRICS_SYMMETRIZE_H_
