#include "course/data/stories.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"

namespace heed {
namespace {

/// Next words and their counts, by the text read before.
using Continuations = std::map<std::string, std::map<std::string, int>>;

/// Counts the words of a slot by the prefix read so far.
void AddPrefixes(const std::vector<std::string>& phrases, size_t seen,
                 Continuations& all) {
  for (const std::string& phrase : phrases) {
    for (const std::string_view word : SplitWhitespace(phrase)) {
      if (word.size() < seen) continue;
      const auto before = static_cast<size_t>(word.data() - phrase.data());
      // The start of the word is part of the key.
      const std::string read =
          fmt::format("{}|{}", phrase.substr(0, before), word.substr(0, seen));
      ++all[read][std::string(word)];
    }
  }
}

}  // namespace

std::span<const StorySlot> StorySlots() {
  static const std::vector<StorySlot> slots = {
      {{"anna", "anton", "bella", "berta", "carla", "carlo", "david", "diana"},
       {}},
      {{"the"}, {}},
      {{"baker", "painter", "mason", "cook", "tailor", "poet", "smith",
        "gardener"},
       {}},
      {{"from"}, {}},
      {{"lima", "lisbon", "london", "lyon", "madrid", "milan"}, {}},
      {{"today", "tonight", "in spring", "in summer", "on sunday",
        "on saturday", "at noon", "at night"},
       {}},
      {{"sends"}, {}},
      {{"lima", "lisbon", "london", "lyon", "madrid", "milan"}, 4},
      {{"bread", "brushes", "bricks", "broth", "cloth", "clauses", "clamps",
        "clover"},
       2},
      {{"by"}, {}},
      {{"anna", "anton", "bella", "berta", "carla", "carlo", "david", "diana"},
       0},
  };
  return slots;
}

std::vector<std::string> MakeStories(int count, uint64_t seed) {
  if (count < 0) {
    throw ConfigError("stories: a count of {}", count);
  }
  Rng rng(seed);
  const auto slots = StorySlots();
  std::vector<std::string> stories;
  std::vector<size_t> chosen(slots.size());
  for (int i = 0; i < count; ++i) {
    std::string story;
    for (size_t s = 0; s < slots.size(); ++s) {
      const StorySlot& slot = slots[s];
      chosen[s] = slot.like ? chosen[*slot.like]
                            : static_cast<size_t>(rng.Below(
                                  static_cast<uint64_t>(slot.phrases.size())));
      if (s > 0) story += ' ';
      story += slot.phrases[chosen[s]];
    }
    stories.push_back(std::move(story));
  }
  return stories;
}

double BestStoryAccuracy(int seen) {
  double words = 0;  // expected, per story
  double right = 0;
  for (const StorySlot& slot : StorySlots()) {
    const auto phrases = static_cast<double>(slot.phrases.size());
    Continuations all;
    AddPrefixes(slot.phrases, static_cast<size_t>(seen), all);
    for (const auto& [read, next] : all) {
      int sum = 0;
      int largest = 0;
      for (const auto& [word, count] : next) {
        sum += count;
        largest = std::max(largest, count);
      }
      words += sum / phrases;
      right += (slot.like ? sum : largest) / phrases;
    }
  }
  return words > 0 ? right / words : 0;
}

}  // namespace heed
