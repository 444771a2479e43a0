#include "course/data/compressions.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

using SentenceWords = std::span<const std::string_view>;

constexpr auto kPeople = std::to_array<std::string_view>(
    {"baker",  "pilot",   "nurse",  "farmer",   "teacher", "painter", "driver",
     "sailor", "singer",  "lawyer", "doctor",   "student", "builder", "writer",
     "dancer", "soldier", "waiter", "gardener", "hunter",  "mayor"});

constexpr auto kThings = std::to_array<std::string_view>(
    {"door",   "car",    "letter", "house",  "table",  "boat",  "lamp",
     "book",   "bridge", "clock",  "coat",   "garden", "piano", "ladder",
     "window", "wagon",  "fence",  "kettle", "mirror", "basket"});

/// Past tense and passive forms of the verbs, in the same order.
constexpr auto kDone = std::to_array<std::string_view>(
    {"painted", "washed", "sold", "moved", "opened", "cleaned", "repaired",
     "bought", "found", "lost", "hid", "lifted", "burned", "measured",
     "described", "finished"});

constexpr auto kQualities = std::to_array<std::string_view>(
    {"old", "young", "tall", "tired", "famous", "quiet", "red", "small",
     "heavy", "broken", "green", "new"});

constexpr auto kManners = std::to_array<std::string_view>(
    {"slowly", "quickly", "carefully", "secretly", "proudly", "finally"});

constexpr auto kPlaces = std::to_array<std::string_view>(
    {"in the yard", "near the river", "behind the church", "at the market",
     "on the hill", "in the village"});

constexpr auto kTimes = std::to_array<std::string_view>(
    {"yesterday", "on monday", "last week", "in the morning", "after the storm",
     "before lunch"});

constexpr auto kJoints =
    std::to_array<std::string_view>({"while", "although", "because", "before"});

constexpr size_t kEvents = kPeople.size() * kThings.size() * kDone.size();

std::string_view AnyOf(SentenceWords words, Rng& rng) {
  return words[rng.Below(words.size())];
}

bool OneIn(uint64_t chances, Rng& rng) { return rng.Below(chances) == 0; }

/// "the [quality] noun".
std::string WithName(std::string_view noun, Rng& rng) {
  if (OneIn(2, rng)) return fmt::format("the {}", noun);
  return fmt::format("the {} {}", AnyOf(kQualities, rng), noun);
}

/// Numbers of the names of a part; none: people have professions.
struct Names {
  uint64_t first = 0;
  uint64_t count = 0;
};

constexpr auto kConsonants = std::to_array<std::string_view>(
    {"b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"});
constexpr auto kVowels =
    std::to_array<std::string_view>({"a", "e", "i", "o", "u"});
constexpr uint64_t kSyllables = kConsonants.size() * kVowels.size();
constexpr uint64_t kNames = kSyllables * kSyllables * kSyllables;

/// Name of three syllables: "Karemo". Names of nearby numbers differ in the
/// first syllables.
std::string MadeUpName(uint64_t number) {
  std::string name;
  for (int i = 0; i < 3; ++i, number /= kSyllables) {
    const uint64_t syllable = number % kSyllables;
    name += kConsonants[syllable / kVowels.size()];
    name += kVowels[syllable % kVowels.size()];
  }
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

std::string AnyName(const Names& names, Rng& rng) {
  return MadeUpName(names.first + rng.Below(names.count));
}

/// Returns a person of another clause.
std::string OtherPerson(const Names& names, Rng& rng) {
  return names.count > 0 ? AnyName(names, rng)
                         : WithName(AnyOf(kPeople, rng), rng);
}

/// Returns a clause of subject, verb and object.
std::string OtherClause(const Names& names, Rng& rng) {
  return fmt::format("{} {} {}", OtherPerson(names, rng), AnyOf(kDone, rng),
                     WithName(AnyOf(kThings, rng), rng));
}

/// Returns a person, with a relative clause in one of three cases.
std::string Somebody(std::string text, Rng& rng) {
  if (!OneIn(3, rng)) return text;
  return fmt::format("{} , who {} {} ,", text, AnyOf(kDone, rng),
                     WithName(AnyOf(kThings, rng), rng));
}

struct CompressedSentence {
  std::string text;
  std::string compression;
};

CompressedSentence WriteEvent(size_t event, const Names& names, Rng& rng) {
  const std::string who = names.count > 0
                              ? AnyName(names, rng)
                              : std::string(kPeople[event % kPeople.size()]);
  const auto somebody = [&] {
    return Somebody(names.count > 0 ? who : WithName(who, rng), rng);
  };
  event /= kPeople.size();
  const std::string_view what = kThings[event % kThings.size()];
  const std::string_view done = kDone[event / kThings.size()];
  std::string text;
  const auto add = [&text](std::string_view part) {
    if (!text.empty()) text += ' ';
    text += part;
  };
  const uint64_t clause = rng.Below(3);  // one before, one after, none
  if (clause == 0) {
    add(fmt::format("{} {} ,", AnyOf(kJoints, rng), OtherClause(names, rng)));
  }
  if (OneIn(3, rng)) add(AnyOf(kTimes, rng));
  const bool passive = OneIn(4, rng);
  const std::string adverb =
      OneIn(2, rng) ? std::string(AnyOf(kManners, rng)) + ' ' : std::string();
  if (passive) {
    add(WithName(what, rng));
    add(fmt::format("was {}{} by", adverb, done));
    add(somebody());
  } else {
    add(somebody());
    add(fmt::format("{}{}", adverb, done));
    add(WithName(what, rng));
  }
  if (OneIn(2, rng)) add(AnyOf(kPlaces, rng));
  if (clause == 1) {
    add(fmt::format("{} {}", AnyOf(kJoints, rng), OtherClause(names, rng)));
  }
  return {text, fmt::format("{} {} {}", who, done, what)};
}

ParallelText WriteEvents(int count, std::span<const size_t> events,
                         const Names& names, Rng& rng) {
  ParallelText text;
  std::unordered_set<std::string> seen;
  while (std::cmp_less(text.source.size(), count)) {
    CompressedSentence one =
        WriteEvent(events[rng.Below(events.size())], names, rng);
    if (!seen.insert(one.text).second) continue;
    text.source.push_back(std::move(one.text));
    text.target.push_back(std::move(one.compression));
  }
  return text;
}

}  // namespace

CompressionTask MakeCompressionTask(int train, int valid, int test,
                                    uint64_t seed, bool names) {
  for (const int count : {train, valid, test}) {
    if (count < 0 || count > kCompressionLimit) {
      throw ConfigError("compressions: {} sentences requested; choose 0 to {}",
                        count, kCompressionLimit);
    }
  }
  Rng rng(seed);
  std::vector<size_t> shuffled(kEvents);
  std::iota(shuffled.begin(), shuffled.end(), size_t{0});
  Shuffle(shuffled, rng);
  const std::span<const size_t> all(shuffled);
  constexpr size_t kTenth = kEvents / 10;
  CompressionTask task;
  const auto names_of = [&](uint64_t first, uint64_t tenths) {
    return names ? Names{first * kNames / 10, tenths * kNames / 10} : Names();
  };
  task.test = WriteEvents(test, all.first(kTenth), names_of(0, 1), rng);
  task.valid =
      WriteEvents(valid, all.subspan(kTenth, kTenth), names_of(1, 1), rng);
  task.train = WriteEvents(train, all.subspan(2 * kTenth), names_of(2, 8), rng);
  return task;
}

}  // namespace heed
