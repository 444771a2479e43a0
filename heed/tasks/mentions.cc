#include "heed/tasks/mentions.h"

#include <algorithm>
#include <iterator>

#include "heed/metrics/entities.h"

namespace heed {
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

Mentions::Mentions(std::span<const TaggedSentence> sentences) {
  for (const TaggedSentence& s : sentences) {
    for (const Entity& e : ReadEntities(s.tags)) {
      mentions_[e.type].push_back(
          {Part(s.words, e.begin, e.end), Part(s.tags, e.begin, e.end)});
    }
  }
}

TaggedSentence Mentions::Replace(const TaggedSentence& sentence,
                                 double probability, Rng& rng) const {
  TaggedSentence replaced;
  replaced.label = sentence.label;
  const auto keep = [&](int64_t begin, int64_t end) {
    Append(Part(sentence.words, begin, end), replaced.words);
    Append(Part(sentence.tags, begin, end), replaced.tags);
  };
  int64_t done = 0;
  for (const Entity& e : ReadEntities(sentence.tags)) {
    keep(done, e.begin);
    done = e.end;
    const auto same = mentions_.find(e.type);
    if (same == mentions_.end() || rng.Uniform() >= probability) {
      keep(e.begin, e.end);
      continue;
    }
    const Mention& other = same->second[rng.Below(same->second.size())];
    Append(other.words, replaced.words);
    Append(other.tags, replaced.tags);
  }
  keep(done, std::ssize(sentence.words));
  return replaced;
}

}  // namespace heed
