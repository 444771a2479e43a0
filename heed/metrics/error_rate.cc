#include "heed/metrics/error_rate.h"

#include <fmt/format.h>

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

template <typename Split>
double EditRate(std::span<const std::string> hypotheses,
                std::span<const std::string> references, Split&& split) {
  int64_t edits = 0;
  int64_t length = 0;
  for (size_t i = 0; i < references.size(); ++i) {
    const auto reference = split(references[i]);
    edits += EditDistance(split(hypotheses[i]), reference);
    length += static_cast<int64_t>(reference.size());
  }
  // With only empty references each edit counts as one whole error.
  return static_cast<double>(edits) /
         static_cast<double>(std::max<int64_t>(length, 1));
}

}  // namespace

double WordErrorRate(std::span<const std::string> hypotheses,
                     std::span<const std::string> references) {
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
  CheckSameCount("exact match", hypotheses.size(), references.size());
  if (references.empty()) return 0.0;
  int64_t equal = 0;
  for (size_t i = 0; i < references.size(); ++i) {
    equal += hypotheses[i] == references[i] ? 1 : 0;
  }
  return static_cast<double>(equal) / static_cast<double>(references.size());
}

}  // namespace heed
