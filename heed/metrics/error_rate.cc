#include "heed/metrics/error_rate.h"

#include <fmt/format.h>

#include <compare>
#include <string_view>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

void CheckSameCount(const char* metric, size_t hypotheses, size_t references) {
  if (hypotheses == references) return;
  throw ShapeError(fmt::format("{}: {} hypotheses for {} references", metric,
                               hypotheses, references));
}

std::span<const std::string> AllOf(const std::string& reference) {
  return {&reference, 1};
}
std::span<const std::string> AllOf(const References& references) {
  return references;
}

/// Ordered by distance, then by the length of the reference.
struct Edits {
  int64_t distance = 0;
  int64_t length = 0;

  auto operator<=>(const Edits&) const = default;
};

template <typename Split>
Edits EditsToNearest(const std::string& hypothesis,
                     std::span<const std::string> references, Split&& split) {
  const auto words = split(hypothesis);
  std::vector<Edits> edits;
  for (const std::string& reference : references) {
    const auto right = split(reference);
    edits.push_back({EditDistance(words, right), std::ssize(right)});
  }
  if (edits.empty()) throw ShapeError("word error rate: no reference");
  return *std::min_element(edits.begin(), edits.end());
}

template <typename Reference, typename Split>
double EditRate(std::span<const std::string> hypotheses,
                std::span<const Reference> references, Split&& split) {
  Edits sum;
  for (size_t i = 0; i < references.size(); ++i) {
    const Edits nearest =
        EditsToNearest(hypotheses[i], AllOf(references[i]), split);
    sum.distance += nearest.distance;
    sum.length += nearest.length;
  }
  // With only empty references each edit counts as one whole error.
  return static_cast<double>(sum.distance) /
         static_cast<double>(std::max<int64_t>(sum.length, 1));
}

template <typename Reference>
double EqualShare(std::span<const std::string> hypotheses,
                  std::span<const Reference> references) {
  CheckSameCount("exact match", hypotheses.size(), references.size());
  if (references.empty()) return 0.0;
  int64_t equal = 0;
  for (size_t i = 0; i < references.size(); ++i) {
    const auto right = AllOf(references[i]);
    equal += std::ranges::find(right, hypotheses[i]) != right.end() ? 1 : 0;
  }
  return static_cast<double>(equal) / static_cast<double>(references.size());
}

}  // namespace

double WordErrorRate(std::span<const std::string> hypotheses,
                     std::span<const std::string> references) {
  CheckSameCount("word error rate", hypotheses.size(), references.size());
  return EditRate(hypotheses, references, SplitUnicodeWhitespace);
}

double WordErrorRate(std::span<const std::string> hypotheses,
                     std::span<const References> references) {
  CheckSameCount("word error rate", hypotheses.size(), references.size());
  return EditRate(hypotheses, references, SplitUnicodeWhitespace);
}

double CharacterErrorRate(std::span<const std::string> hypotheses,
                          std::span<const std::string> references) {
  CheckSameCount("character error rate", hypotheses.size(), references.size());
  return EditRate(hypotheses, references, Utf8Characters);
}

double ExactMatchRate(std::span<const std::string> hypotheses,
                      std::span<const std::string> references) {
  return EqualShare(hypotheses, references);
}

double ExactMatchRate(std::span<const std::string> hypotheses,
                      std::span<const References> references) {
  return EqualShare(hypotheses, references);
}

}  // namespace heed
