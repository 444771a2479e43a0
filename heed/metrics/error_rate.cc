#include "heed/metrics/error_rate.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"

namespace heed {
namespace {

void CheckSameCount(const char* metric, size_t hypotheses, size_t references) {
  if (hypotheses == references) return;
  throw ShapeError("{}: {} hypotheses for {} references", metric, hypotheses,
                   references);
}

std::span<const std::string> AllOf(const std::string& reference) {
  return {&reference, 1};
}
std::span<const std::string> AllOf(const References& references) {
  return references;
}

/// Edit count and reference length, ordered by distance, then by length.
struct Edits {
  int64_t distance = 0;
  int64_t length = 0;

  auto operator<=>(const Edits&) const = default;
};

template <typename Split>
Edits EditsToNearest(const std::string& hypothesis,
                     std::span<const std::string> references, Split&& split) {
  const std::string normal = NormalForm(hypothesis);
  const auto words = split(normal);
  std::vector<Edits> edits;
  for (const std::string& reference : references) {
    const std::string normal_reference = NormalForm(reference);
    const auto right = split(normal_reference);
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
  // If all references are empty, each edit counts as one error.
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
    const auto found =
        std::ranges::find(right, NormalForm(hypotheses[i]), NormalForm);
    equal += found != right.end() ? 1 : 0;
  }
  return static_cast<double>(equal) / static_cast<double>(references.size());
}

}  // namespace

// D_ij is the distance of a[0, i) from b[0, j). Its neighbours differ by 1 at
// most: bit i of `rises` says that D_ij is above D_{i-1,j}, of `falls` below.
// Blocks of 64 rows are gone through one by one; `step[j]` is the difference of
// D_ij from D_{i,j-1} in the last row of the block before.
int64_t EditDistanceOfNumbers(std::span<const int32_t> a,
                              std::span<const int32_t> b, int32_t kinds) {
  constexpr size_t kBits = 64;
  std::vector<int8_t> step(b.size(), 1);
  // rows where a has each kind
  std::vector<uint64_t> equal(static_cast<size_t>(kinds), 0);
  for (size_t begin = 0; begin < a.size(); begin += kBits) {
    const auto rows = a.subspan(begin, std::min(kBits, a.size() - begin));
    for (size_t i = 0; i < rows.size(); ++i) {
      At(equal, rows[i]) |= uint64_t{1} << i;
    }
    const uint64_t last = uint64_t{1} << (rows.size() - 1);
    uint64_t rises = ~uint64_t{0};
    uint64_t falls = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const uint64_t above_falls = step[j] < 0 ? 1 : 0;
      const uint64_t above_rises = step[j] > 0 ? 1 : 0;
      const uint64_t same = At(equal, b[j]);
      const uint64_t vertical = same | falls;
      const uint64_t start = same | above_falls;
      const uint64_t horizontal = (((start & rises) + rises) ^ rises) | start;
      const uint64_t up = falls | ~(horizontal | rises);
      const uint64_t down = rises & horizontal;
      step[j] = static_cast<int8_t>(((up & last) != 0 ? 1 : 0) -
                                    ((down & last) != 0 ? 1 : 0));
      const uint64_t shifted_up = (up << 1) | above_rises;
      rises = (down << 1) | above_falls | ~(vertical | shifted_up);
      falls = shifted_up & vertical;
    }
    for (const int32_t kind : rows) At(equal, kind) = 0;
  }
  return std::accumulate(step.begin(), step.end(), std::ssize(a));
}

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
