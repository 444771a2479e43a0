#include "course/data/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

constexpr auto kActors = std::to_array<std::string_view>(
    {"Anna", "Ben", "Clara", "David", "Emma", "Felix"});
constexpr auto kRooms = std::to_array<std::string_view>(
    {"kitchen", "garden", "office", "cellar", "library", "barn"});
constexpr auto kObjects =
    std::to_array<std::string_view>({"lamp", "book", "key", "coat"});
constexpr auto kGoing =
    std::to_array<std::string_view>({"went", "walked", "ran"});
constexpr auto kTaking = std::to_array<std::string_view>({"took", "picked up"});
constexpr auto kLeaving = std::to_array<std::string_view>({"left", "put down"});

/// Probabilities of sentences: a person moves; otherwise a person with things
/// puts one down; otherwise takes one.
constexpr double kGoes = 0.55;
constexpr double kPutsDown = 0.3;

template <size_t N>
size_t OneOfWords(const std::array<std::string_view, N>& /*words*/, Rng& rng) {
  return rng.Below(N);
}

/// Place of a person or thing, and the sentence that states it.
struct Stay {
  size_t room = 0;
  int64_t sentence = -1;
};

/// State of people and things while sentences are added.
class World {
 public:
  explicit World(Rng& rng) : rng_(rng) {}

  void AddSentence() {
    const size_t who = OneOfWords(kActors, rng_);
    const double chance = rng_.Uniform();
    if (chance < kGoes || !people_[who]) return Go(who);
    const std::vector<size_t> own = ThingsOf(who);
    if (!own.empty() && rng_.Uniform() < kPutsDown) {
      return PutDown(who, own[rng_.Below(own.size())]);
    }
    // Things without a holder, not yet mentioned or put down in this room.
    std::vector<size_t> free;
    for (size_t o = 0; o < kObjects.size(); ++o) {
      const Thing& thing = things_[o];
      const bool here =
          thing.stays.empty() || thing.stays.back().room == people_[who]->room;
      if (!thing.holder && here) free.push_back(o);
    }
    free.empty() ? Go(who) : Take(who, free[rng_.Below(free.size())]);
  }

  /// Makes a question with `facts` supporting sentences, if the story has one.
  std::optional<FactStory> Ask(int facts) const {
    FactStory story;
    std::string_view answer;
    if (facts == 1) {
      std::vector<size_t> known;
      for (size_t p = 0; p < kActors.size(); ++p) {
        if (people_[p]) known.push_back(p);
      }
      const size_t who = known[rng_.Below(known.size())];
      story.question.question = fmt::format("Where is {}?", kActors[who]);
      answer = kRooms[people_[who]->room];
      story.facts = {people_[who]->sentence};
    } else {
      std::vector<size_t> known;
      for (size_t o = 0; o < kObjects.size(); ++o) {
        const bool answers = facts == 2 ? !things_[o].stays.empty()
                                        : CameFromElsewhere(things_[o]);
        if (answers) known.push_back(o);
      }
      if (known.empty()) return std::nullopt;
      const size_t what = known[rng_.Below(known.size())];
      const Thing& thing = things_[what];
      const Stay& now = thing.stays.back();
      const Stay& target =
          facts == 2 ? now : thing.stays[thing.stays.size() - 2];
      story.question.question =
          facts == 2 ? fmt::format("Where is the {}?", kObjects[what])
                     : fmt::format("Where was the {} before the {}?",
                                   kObjects[what], kRooms[now.room]);
      answer = kRooms[target.room];
      story.facts = {thing.sentence, target.sentence};
      if (facts == 3) story.facts.push_back(now.sentence);
      std::ranges::sort(story.facts);
    }
    story.question.passage = fmt::format("{}", fmt::join(sentences_, "\n"));
    story.question.answer = answer;
    for (const size_t room : rooms_) {
      story.question.candidates.emplace_back(kRooms[room]);
    }
    return story;
  }

 private:
  struct Thing {
    std::optional<size_t> holder;
    int64_t sentence = -1;    // last sentence in which it was taken or put down
    std::vector<Stay> stays;  // places since it was last taken
  };

  /// True if the thing has another place before its current one, and did not
  /// visit the current place earlier since it was taken.
  static bool CameFromElsewhere(const Thing& thing) {
    if (thing.stays.size() < 2) return false;
    return std::none_of(
        thing.stays.begin(), thing.stays.end() - 1,
        [&](const Stay& stay) { return stay.room == thing.stays.back().room; });
  }

  int64_t next() const { return std::ssize(sentences_); }

  std::vector<size_t> ThingsOf(size_t who) const {
    std::vector<size_t> own;
    for (size_t o = 0; o < kObjects.size(); ++o) {
      if (things_[o].holder == who) own.push_back(o);
    }
    return own;
  }

  void Go(size_t who) {
    size_t room = OneOfWords(kRooms, rng_);
    if (people_[who] && people_[who]->room == room) {
      room = (room + 1 + rng_.Below(kRooms.size() - 1)) % kRooms.size();
    }
    people_[who] = {room, next()};
    for (const size_t o : ThingsOf(who))
      things_[o].stays.push_back(*people_[who]);
    if (std::ranges::find(rooms_, room) == rooms_.end()) rooms_.push_back(room);
    sentences_.push_back(fmt::format("{} {} to the {}.", kActors[who],
                                     kGoing[OneOfWords(kGoing, rng_)],
                                     kRooms[room]));
  }

  void Take(size_t who, size_t what) {
    things_[what] = {who, next(), {*people_[who]}};
    AddDeed(who, kTaking[OneOfWords(kTaking, rng_)], what);
  }

  void PutDown(size_t who, size_t what) {
    things_[what].holder.reset();
    things_[what].sentence = next();
    AddDeed(who, kLeaving[OneOfWords(kLeaving, rng_)], what);
  }

  void AddDeed(size_t who, std::string_view deed, size_t what) {
    sentences_.push_back(
        fmt::format("{} {} the {}.", kActors[who], deed, kObjects[what]));
  }

  Rng& rng_;
  std::vector<std::string> sentences_;
  std::array<std::optional<Stay>, kActors.size()> people_;
  std::array<Thing, kObjects.size()> things_;
  std::vector<size_t> rooms_;  // in the order of their first mention
};

}  // namespace

FactStory MakeFactStory(const FactOptions& options, uint64_t seed,
                        int64_t number) {
  constexpr int kFewestSentences = 5;
  constexpr int kMaxSentences = 1000;
  if (options.facts < 1 || options.facts > 3) {
    throw ConfigError("facts: {}; there are 1 to 3", options.facts);
  }
  if (options.min_sentences < kFewestSentences ||
      options.max_sentences < options.min_sentences ||
      options.max_sentences > kMaxSentences) {
    throw ConfigError(
        "facts: stories of {} to {} sentences; there are {} to {}",
        options.min_sentences, options.max_sentences, kFewestSentences,
        kMaxSentences);
  }
  Rng rng(Rng(seed, static_cast<uint64_t>(number)).Next());
  const auto range =
      static_cast<uint64_t>(options.max_sentences - options.min_sentences + 1);
  while (true) {
    World world(rng);
    const int64_t sentences =
        options.min_sentences + static_cast<int64_t>(rng.Below(range));
    for (int64_t i = 0; i < sentences; ++i) world.AddSentence();
    if (auto story = world.Ask(options.facts)) {
      story->question.place = fmt::format("story {}", number);
      return *std::move(story);
    }
  }
}

std::vector<PassageQuestion> MakeFactQuestions(const FactOptions& options,
                                               uint64_t seed, int64_t first,
                                               int64_t count) {
  std::vector<PassageQuestion> all;
  for (int64_t i = first; i < first + count; ++i) {
    all.push_back(MakeFactStory(options, seed, i).question);
  }
  return all;
}

std::string FactFile(const FactOptions& options, uint64_t seed, int64_t first,
                     int64_t count) {
  std::string lines;
  for (const PassageQuestion& one :
       MakeFactQuestions(options, seed, first, count)) {
    lines += PassageLine(one) + '\n';
  }
  return lines;
}

}  // namespace heed
