// Questions that say the same in other words: a retrieval task that shared
// words do not solve.
#ifndef HEED_TASKS_RETRIEVE_PARAPHRASES_TESTING_H_
#define HEED_TASKS_RETRIEVE_PARAPHRASES_TESTING_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/retrieval.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace paraphrases {

/// A word of the texts and one of the queries that means the same.
struct Synonyms {
  std::string_view text, query;
};

inline constexpr size_t kWords = 12;
inline constexpr size_t kThings = 3;
inline constexpr size_t kMeanings = kWords * kWords * kWords;
inline constexpr size_t kNear = 9;
inline constexpr size_t kCandidates = 20;

inline constexpr std::array<std::array<Synonyms, kWords>, kThings> kSynonyms = {
    {
        {{{"repair", "fix"},
          {"buy", "purchase"},
          {"remove", "delete"},
          {"find", "locate"},
          {"choose", "select"},
          {"send", "transmit"},
          {"close", "shut"},
          {"clean", "wash"},
          {"build", "construct"},
          {"hide", "conceal"},
          {"start", "begin"},
          {"show", "display"}}},
        {{{"large", "big"},
          {"small", "little"},
          {"fast", "quick"},
          {"old", "ancient"},
          {"cheap", "inexpensive"},
          {"silent", "quiet"},
          {"strange", "odd"},
          {"hard", "difficult"},
          {"wet", "damp"},
          {"costly", "expensive"},
          {"new", "modern"},
          {"broken", "defective"}}},
        {{{"car", "automobile"},
          {"picture", "image"},
          {"house", "home"},
          {"bike", "bicycle"},
          {"sofa", "couch"},
          {"phone", "telephone"},
          {"bag", "sack"},
          {"movie", "film"},
          {"shop", "store"},
          {"gift", "present"},
          {"stone", "rock"},
          {"road", "street"}}},
    }};

inline constexpr auto kFrames = std::to_array<std::string_view>({
    "how do i {} a {} {}",
    "where can i {} a {} {}",
    "what is the best way to {} the {} {}",
    "can someone help me to {} my {} {}",
    "is it possible to {} a {} {} at all",
    "why can i not {} this {} {}",
});

using Meaning = std::array<size_t, kThings>;

inline Meaning MeaningOf(size_t number) {
  return {number / (kWords * kWords), number / kWords % kWords,
          number % kWords};
}

inline size_t NumberOf(const Meaning& meaning) {
  return (meaning[0] * kWords + meaning[1]) * kWords + meaning[2];
}

inline std::string Say(const Meaning& meaning, std::string_view Synonyms::*word,
                       Rng& rng) {
  return fmt::format(fmt::runtime(kFrames[rng.Below(kFrames.size())]),
                     kSynonyms[0][meaning[0]].*word,
                     kSynonyms[1][meaning[1]].*word,
                     kSynonyms[2][meaning[2]].*word);
}

/// The answer, texts near to it and others, in random order.
inline std::vector<int64_t> Candidates(size_t answer, Rng& rng) {
  std::vector<int64_t> candidates = {static_cast<int64_t>(answer)};
  while (candidates.size() < kCandidates) {
    Meaning meaning = MeaningOf(rng.Below(kMeanings));
    if (candidates.size() <= kNear) {
      const size_t changed = rng.Below(kThings);
      const size_t word = meaning[changed];
      meaning = MeaningOf(answer);
      meaning[changed] = word;
    }
    const auto text = static_cast<int64_t>(NumberOf(meaning));
    if (!std::ranges::count(candidates, text)) {
      candidates.push_back(text);
    }
  }
  Shuffle(candidates, rng);
  return candidates;
}

}  // namespace paraphrases

struct ParaphraseTask {
  TextCollection corpus;   ///< "where can i repair a large car"
  TextCollection queries;  ///< "how do i fix a big automobile"
  std::vector<RetrievalQuery> train, valid, test;
};

/// Of three things that a question says (what to do, with which thing, of which
/// kind), each has one word in the texts and another one in the queries; the
/// words around them are chance. To each query, one text says the same. Queries
/// are different in what they say, a tenth of them for validation and a tenth
/// for tests; the words of these stand in training, their combination does not.
/// Candidates are the answer, 9 texts that differ from it in one of the three
/// things, and 10 others. The same on every platform.
/// Throws: ConfigError for fewer than 10 queries and for more than there are
/// things to say (1728).
inline ParaphraseTask MakeParaphrases(int queries, uint64_t seed) {
  using namespace paraphrases;  // NOLINT(google-build-using-namespace)
  if (queries < 10 || static_cast<size_t>(queries) > kMeanings) {
    throw ConfigError("{} paraphrases: make 10 to {}", queries, kMeanings);
  }
  Rng rng(seed);
  ParaphraseTask task;
  for (size_t i = 0; i < kMeanings; ++i) {
    task.corpus.Add(fmt::format("t{}", i),
                    Say(MeaningOf(i), &Synonyms::text, rng));
  }
  std::vector<size_t> meanings(kMeanings);
  std::iota(meanings.begin(), meanings.end(), size_t{0});
  Shuffle(meanings, rng);
  const int64_t held_out = queries / 10;
  for (int64_t i = 0; i < queries; ++i) {
    const size_t answer = meanings[static_cast<size_t>(i)];
    task.queries.Add(fmt::format("q{}", i),
                     Say(MeaningOf(answer), &Synonyms::query, rng));
    RetrievalQuery query{
        i, {static_cast<int64_t>(answer)}, Candidates(answer, rng)};
    auto& part = i < held_out       ? task.valid
                 : i < 2 * held_out ? task.test
                                    : task.train;
    part.push_back(std::move(query));
  }
  return task;
}

}  // namespace heed

#endif  // HEED_TASKS_RETRIEVE_PARAPHRASES_TESTING_H_
