#include "heed/decode/penalties.h"

#include <algorithm>
#include <set>

#include "heed/base/at.h"

namespace heed {
namespace {

void PenalizeRepetitions(double penalty, std::span<const int32_t> tokens,
                         std::span<float> scores) {
  const auto p = static_cast<float>(penalty);
  for (const int32_t token : std::set<int32_t>(tokens.begin(), tokens.end())) {
    float& score = At(scores, token);
    score = score > 0 ? score / p : score * p;
  }
}

void ExcludeRepeated(int n, std::span<const int32_t> tokens,
                     std::span<float> scores) {
  const auto before = static_cast<size_t>(n - 1);
  if (tokens.size() < before) return;
  const auto last = tokens.last(before);
  for (size_t i = 0; i + before < tokens.size(); ++i) {
    if (std::ranges::equal(tokens.subspan(i, before), last)) {
      At(scores, tokens[i + before]) = kExcluded;
    }
  }
}

}  // namespace

void Penalize(const DecodeOptions& options, std::span<const int32_t> tokens,
              int64_t written, std::span<float> scores) {
  if (options.repetition_penalty != 1) {
    PenalizeRepetitions(options.repetition_penalty, tokens, scores);
  }
  if (options.no_repeat_ngrams > 0) {
    ExcludeRepeated(options.no_repeat_ngrams, tokens, scores);
  }
  if (written >= options.min_length) return;
  const SpecialIds& special = options.special;
  if (special.eos >= 0) At(scores, special.eos) = kExcluded;
  for (const int32_t end : special.other_ends) At(scores, end) = kExcluded;
}

}  // namespace heed
