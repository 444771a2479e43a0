// One alignment from those of two directions.
#ifndef HEED_METRICS_SYMMETRIZE_H_
#define HEED_METRICS_SYMMETRIZE_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/metrics/aer.h"

namespace heed {

/// How the links F of a model that reads the source and B of one that reads the
/// target become one set:
///   kNone              F
///   kIntersection      F ∩ B
///   kUnion             F ∪ B
///   kGrowDiag          F ∩ B, and again and again each link of F ∪ B that
///                      touches one that is there (also at a corner), if one of
///                      its words has no link yet
///   kGrowDiagFinal     then each link of F, then of B, if one of its words has
///                      no link yet
///   kGrowDiagFinalAnd  then those of which both words have none
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
/// Throws: ConfigError that lists the names.
Symmetrization ParseSymmetrization(std::string_view name);

/// `backward` in the positions of `forward`: see Reversed. Links are visited
/// by their source, then by their target.
/// Papers: Och and Ney 2003, "A Systematic Comparison of Various Statistical
/// Alignment Models"; Koehn et al. 2005, "Edinburgh System Description for the
/// 2005 IWSLT Speech Translation Evaluation".
AlignmentLinks Symmetrize(const AlignmentLinks& forward,
                          const AlignmentLinks& backward,
                          Symmetrization method);

/// The same links, source and target exchanged.
AlignmentLinks Reversed(const AlignmentLinks& links);

/// How far two sets agree, 2 |F∩B| / (|F| + |B|) over all sentences; 1 if there
/// are no links. Throws: ShapeError if the numbers of sentences differ.
double AlignmentAgreement(std::span<const AlignmentLinks> forward,
                          std::span<const AlignmentLinks> backward);

}  // namespace heed

#endif  // HEED_METRICS_SYMMETRIZE_H_
