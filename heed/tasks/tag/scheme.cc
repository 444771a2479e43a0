#include "heed/tasks/tag/scheme.h"

#include <fmt/format.h>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/data/input_lines.h"
#include "heed/tasks/tag/tag.h"

namespace heed::tag {
namespace {

/// "train.conll:7", or the name of the text.
std::string PlaceOfProblem(const SpanScheme& scheme,
                           std::span<const TaggedSentence> sentences,
                           const std::string& name) {
  if (scheme.sentence < 0) return name;
  const std::string& place = At(sentences, scheme.sentence).place;
  return place.empty() ? name : place;
}

}  // namespace

SpanScheme SchemeOfSentences(std::span<const TaggedSentence> sentences) {
  return SchemeOf(TagsOf(sentences));
}

bool HasEntities(const SpanScheme& scheme) {
  return scheme.notation && scheme.entities > 0;
}

void WarnOfScheme(const SpanScheme& scheme,
                  std::span<const TaggedSentence> sentences,
                  const std::string& name, bool f1_expected) {
  const std::string place = PlaceOfProblem(scheme, sentences, name);
  if (scheme.notation && !scheme.problem.empty()) {
    Warn(
        fmt::format("{}: {} mixes span schemes: {}; entities are read as "
                    "conlleval reads them",
                    place, name, scheme.problem));
  }
  if (HasEntities(scheme)) return;
  constexpr const char* kInstead =
      "F1 cannot be computed; accuracy is reported instead";
  if (!scheme.notation && !scheme.problem.empty()) {
    Warn(fmt::format("{}: {}, so {}", place, scheme.problem, kInstead));
  } else if (f1_expected && scheme.notation) {
    Warn(fmt::format("{} has no entities, so {}", name, kInstead));
  } else if (f1_expected) {
    Warn(fmt::format("the tags of {} are in no span scheme, so {}", name,
                     kInstead));
  }
}

void WarnOfOtherScheme(const std::string& tagged, const SpanScheme& scheme,
                       const std::string& other_name, const SpanScheme& other) {
  if (!HasEntities(scheme) || !HasEntities(other)) return;
  if (scheme.name == other.name) return;
  Warn(
      fmt::format("{} in {}, {} in {}: F1 compares entities, accuracy tags as "
                  "they are",
                  tagged, scheme.name, other_name, other.name));
}

}  // namespace heed::tag
