#include "heed/tasks/tag/mentions.h"

#include <algorithm>
#include <iterator>

namespace heed::tag {
namespace {

std::vector<std::string> Part(const std::vector<std::string>& all,
                              int64_t begin, int64_t end) {
  return {all.begin() + begin, all.begin() + end};
}

void Append(const std::vector<std::string>& part,
            std::vector<std::string>& all) {
  std::copy(part.begin(), part.end(), std::back_inserter(all));
}

}  // namespace

Mentions::Mentions(std::span<const TaggedSentence> sentences,
                   const TagNotation& notation)
    : notation_(notation) {
  for (const TaggedSentence& s : sentences) {
    for (const Entity& e : notation_.Read(s.tags)) {
      mentions_[e.type].push_back(
          {Part(s.words, e.begin, e.end), Part(s.tags, e.begin, e.end)});
    }
  }
}

TaggedSentence Mentions::Replace(const TaggedSentence& sentence,
                                 double probability, Rng& rng) const {
  TaggedSentence replaced;
  replaced.label = sentence.label;
  const auto add = [&](const Mention& mention) {
    Append(mention.words, replaced.words);
    Append(mention.tags, replaced.tags);
  };
  const auto part = [&](int64_t begin, int64_t end) {
    return Mention{Part(sentence.words, begin, end),
                   Part(sentence.tags, begin, end)};
  };
  int64_t done = 0;
  for (const Entity& e : notation_.Read(sentence.tags)) {
    add(part(done, e.begin));
    done = e.end;
    const auto of_type = mentions_.find(e.type);
    const bool stays =
        of_type == mentions_.end() || rng.Uniform() >= probability;
    add(stays ? part(e.begin, e.end)
              : of_type->second[rng.Below(of_type->second.size())]);
  }
  add(part(done, std::ssize(sentence.words)));
  return replaced;
}

}  // namespace heed::tag
