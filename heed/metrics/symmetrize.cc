#include "heed/metrics/symmetrize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr std::array<const char*, 6> kSymmetrizations = {
    "none",      "intersection",    "union",
    "grow-diag", "grow-diag-final", "grow-diag-final-and"};

/// A growing set of links that knows which words have a link.
class Growing {
 public:
  explicit Growing(AlignmentLinks start) : links_(std::move(start)) {
    for (const AlignmentLink& link : links_) Cover(link);
  }

  bool source_free(const AlignmentLink& link) const {
    return !sources_.contains(link.source);
  }
  bool target_free(const AlignmentLink& link) const {
    return !targets_.contains(link.target);
  }
  void Add(const AlignmentLink& link) {
    links_.insert(link);
    Cover(link);
  }

  /// Adds links of `candidates` adjacent to an accepted link (also diagonally)
  /// that give a word its first link, until none is left.
  void GrowDiag(const AlignmentLinks& candidates) {
    for (bool grew = true; grew;) {
      grew = false;
      // Links inserted ahead of the iterator are visited in the same pass.
      for (const AlignmentLink& link : links_) {
        for (const auto& [ds, dt] : kNeighbours) {
          const AlignmentLink near = {link.source + ds, link.target + dt};
          if (!candidates.contains(near) || links_.contains(near)) continue;
          if (!source_free(near) && !target_free(near)) continue;
          Add(near);
          grew = true;
        }
      }
    }
  }

  /// Adds links of words that have none: of at least one of the two words, or
  /// with `both` of both words.
  void Final(const AlignmentLinks& candidates, bool both) {
    for (const AlignmentLink& link : candidates) {
      const bool source = source_free(link);
      const bool target = target_free(link);
      if (both ? source && target : source || target) Add(link);
    }
  }

  AlignmentLinks Take() { return std::move(links_); }

 private:
  static constexpr std::array<std::pair<int, int>, 8> kNeighbours = {
      {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

  void Cover(const AlignmentLink& link) {
    sources_.insert(link.source);
    targets_.insert(link.target);
  }

  AlignmentLinks links_;
  std::set<int64_t> sources_;
  std::set<int64_t> targets_;
};

AlignmentLinks Intersection(const AlignmentLinks& a, const AlignmentLinks& b) {
  AlignmentLinks common;
  std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
  return common;
}

AlignmentLinks Union(AlignmentLinks a, const AlignmentLinks& b) {
  a.insert(b.begin(), b.end());
  return a;
}

}  // namespace

std::span<const char* const> SymmetrizationNames() { return kSymmetrizations; }

Symmetrization ParseSymmetrization(std::string_view name) {
  const auto found = std::ranges::find(kSymmetrizations, name);
  if (found == kSymmetrizations.end()) {
    throw ConfigError("unknown way to symmetrize '{}'; choose one of {}", name,
                      fmt::join(kSymmetrizations, ", "));
  }
  return static_cast<Symmetrization>(found - kSymmetrizations.begin());
}

AlignmentLinks Symmetrize(const AlignmentLinks& forward,
                          const AlignmentLinks& backward,
                          Symmetrization method) {
  switch (method) {
    case Symmetrization::kNone:
      return forward;
    case Symmetrization::kIntersection:
      return Intersection(forward, backward);
    case Symmetrization::kUnion:
      return Union(forward, backward);
    default:
      break;
  }
  Growing links(Intersection(forward, backward));
  links.GrowDiag(Union(forward, backward));
  if (method != Symmetrization::kGrowDiag) {
    const bool both = method == Symmetrization::kGrowDiagFinalAnd;
    links.Final(forward, both);
    links.Final(backward, both);
  }
  return links.Take();
}

AlignmentLinks Reversed(const AlignmentLinks& links) {
  AlignmentLinks reversed;
  for (const AlignmentLink& link : links) {
    reversed.insert({link.target, link.source});
  }
  return reversed;
}

double AlignmentAgreement(std::span<const AlignmentLinks> forward,
                          std::span<const AlignmentLinks> backward) {
  if (forward.size() != backward.size()) {
    throw ShapeError("agreement of {} alignments with {}", forward.size(),
                     backward.size());
  }
  double common = 0;
  double links = 0;
  for (size_t i = 0; i < forward.size(); ++i) {
    common += static_cast<double>(Intersection(forward[i], backward[i]).size());
    links += static_cast<double>(forward[i].size() + backward[i].size());
  }
  return links > 0 ? 2 * common / links : 1;
}

}  // namespace heed
