#include "heed/tasks/mentions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "heed/metrics/entities.h"

namespace heed {
namespace {

/// The part of a type's mentions that must be distinct if they are names.
constexpr double kDistinctNames = 0.75;

std::vector<std::string> Part(const std::vector<std::string>& all,
                              int64_t begin, int64_t end) {
  return {all.begin() + begin, all.begin() + end};
}

void Append(const std::vector<std::string>& part,
            std::vector<std::string>& all) {
  std::copy(part.begin(), part.end(), std::back_inserter(all));
}

template <class T>
const T& AnyOf(const std::vector<T>& all, Rng& rng) {
  return all[rng.Below(all.size())];
}

}  // namespace

Mentions::Mentions(std::span<const TaggedSentence> sentences) {
  for (const TaggedSentence& s : sentences) {
    for (const Entity& e : ReadEntities(s.tags)) {
      types_[e.type].mentions.push_back(
          {Part(s.words, e.begin, e.end), Part(s.tags, e.begin, e.end)});
    }
  }
  for (auto& [name, type] : types_) {
    std::set<std::vector<std::string>> distinct;
    for (const Mention& m : type.mentions) distinct.insert(m.words);
    type.names = static_cast<double>(distinct.size()) >
                 kDistinctNames * static_cast<double>(type.mentions.size());
    if (!type.names) continue;
    for (const Mention& m : type.mentions) Append(m.words, words_of_names_);
  }
}

template <class Other>
TaggedSentence Mentions::Rewrite(const TaggedSentence& sentence,
                                 const Other& other) const {
  TaggedSentence rewritten;
  rewritten.label = sentence.label;
  const auto add = [&](const Mention& mention) {
    Append(mention.words, rewritten.words);
    Append(mention.tags, rewritten.tags);
  };
  const auto part = [&](int64_t begin, int64_t end) {
    return Mention{Part(sentence.words, begin, end),
                   Part(sentence.tags, begin, end)};
  };
  int64_t done = 0;
  for (const Entity& e : ReadEntities(sentence.tags)) {
    add(part(done, e.begin));
    done = e.end;
    const auto type = types_.find(e.type);
    const std::optional<Mention> instead =
        type == types_.end() ? std::nullopt : other(type->second);
    add(instead ? *instead : part(e.begin, e.end));
  }
  add(part(done, std::ssize(sentence.words)));
  return rewritten;
}

TaggedSentence Mentions::Replace(const TaggedSentence& sentence,
                                 double probability, Rng& rng) const {
  return Rewrite(sentence, [&](const Type& type) -> std::optional<Mention> {
    if (rng.Uniform() >= probability) return {};
    return AnyOf(type.mentions, rng);
  });
}

TaggedSentence Mentions::Scramble(const TaggedSentence& sentence,
                                  Rng& rng) const {
  bool names = false;
  TaggedSentence scrambled =
      Rewrite(sentence, [&](const Type& type) -> std::optional<Mention> {
        if (!type.names) return {};
        names = true;
        Mention mention = AnyOf(type.mentions, rng);
        for (std::string& word : mention.words) {
          word = AnyOf(words_of_names_, rng);
        }
        return mention;
      });
  if (names) scrambled.tags.clear();
  return scrambled;
}

}  // namespace heed
