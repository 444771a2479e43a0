// Span schemes of tagged texts, with warnings about problems.
#ifndef HEED_TASKS_TAG_SCHEME_H_
#define HEED_TASKS_TAG_SCHEME_H_

#include <span>
#include <string>

#include "heed/data/conll.h"
#include "heed/metrics/spans.h"

namespace heed::tag {

/// Detects the span scheme of the tags of sentences.
SpanScheme SchemeOfSentences(std::span<const TaggedSentence> sentences);

/// True if F1 of entities can be measured: the tags follow a span scheme and
/// contain at least one entity.
bool HasEntities(const SpanScheme& scheme);

/// Warns if a text mixes schemes and, with `f1_expected`, if F1 cannot be
/// computed. `name`: "the validation text".
void WarnOfScheme(const SpanScheme& scheme,
                  std::span<const TaggedSentence> sentences,
                  const std::string& name, bool f1_expected);

/// Warns if two texts with entities are tagged in different schemes. `tagged`:
/// "the training text is tagged"; `other_name`: "the validation text".
void WarnOfOtherScheme(const std::string& tagged, const SpanScheme& scheme,
                       const std::string& other_name, const SpanScheme& other);

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_SCHEME_H_
