#include "course/data/paraphrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

/// A word of the texts and its synonym in the queries.
struct Synonyms {
  std::string_view text, query;
};

constexpr size_t kChoices = 12;
constexpr size_t kAspects = 3;
constexpr size_t kMeanings = kChoices * kChoices * kChoices;
constexpr size_t kNear = 9;
constexpr size_t kCandidates = 20;

constexpr std::array<std::array<Synonyms, kChoices>, kAspects> kSynonyms = {{
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

constexpr auto kFrames = std::to_array<std::string_view>({
    "how do i {} a {} {}",
    "where can i {} a {} {}",
    "what is the best way to {} the {} {}",
    "can someone help me to {} my {} {}",
    "is it possible to {} a {} {} at all",
    "why can i not {} this {} {}",
});

// Remarks about a thing and its kind.
constexpr auto kRemarks = std::to_array<std::string_view>({
    "yesterday i saw a {} {} .",
    "my neighbour has a {} {} .",
    "nobody needs a {} {} like that .",
    "there was a {} {} on tv .",
    "i once had a {} {} .",
});

using Meaning = std::array<size_t, kAspects>;

Meaning MeaningOf(size_t number) {
  return {number / (kChoices * kChoices), number / kChoices % kChoices,
          number % kChoices};
}

size_t PlaceOfMeaning(const Meaning& meaning) {
  return (meaning[0] * kChoices + meaning[1]) * kChoices + meaning[2];
}

std::string Phrase(const Meaning& meaning, std::string_view Synonyms::*word,
                   Rng& rng) {
  return fmt::format(fmt::runtime(kFrames[rng.Below(kFrames.size())]),
                     kSynonyms[0][meaning[0]].*word,
                     kSynonyms[1][meaning[1]].*word,
                     kSynonyms[2][meaning[2]].*word);
}

/// Returns the question surrounded by remarks.
std::string WithRemarks(const std::string& question, int remarks, Rng& rng) {
  const auto before =
      static_cast<int>(rng.Below(static_cast<uint64_t>(remarks) + 1));
  std::string text;
  for (int i = 0; i <= remarks; ++i) {
    if (i > 0) text += ' ';
    text +=
        i == before
            ? question
            : fmt::format(fmt::runtime(kRemarks[rng.Below(kRemarks.size())]),
                          kSynonyms[1][rng.Below(kChoices)].text,
                          kSynonyms[2][rng.Below(kChoices)].text);
  }
  return text;
}

/// Returns the answer, similar texts and random texts in random order.
std::vector<int64_t> CandidatesOf(size_t answer, Rng& rng) {
  std::vector<int64_t> candidates = {static_cast<int64_t>(answer)};
  while (candidates.size() < kCandidates) {
    Meaning meaning = MeaningOf(rng.Below(kMeanings));
    if (candidates.size() <= kNear) {
      const size_t changed = rng.Below(kAspects);
      const size_t word = meaning[changed];
      meaning = MeaningOf(answer);
      meaning[changed] = word;
    }
    const auto text = static_cast<int64_t>(PlaceOfMeaning(meaning));
    if (!std::ranges::count(candidates, text)) {
      candidates.push_back(text);
    }
  }
  Shuffle(candidates, rng);
  return candidates;
}

}  // namespace

ParaphraseTask MakeParaphrases(int queries, uint64_t seed, int remarks) {
  if (queries < 10 || static_cast<size_t>(queries) > kMeanings) {
    throw ConfigError("{} paraphrases: make 10 to {}", queries, kMeanings);
  }
  if (remarks < 0 || remarks > 100) {
    throw ConfigError("{} remarks: make 0 to 100", remarks);
  }
  Rng rng(seed);
  ParaphraseTask task;
  for (size_t i = 0; i < kMeanings; ++i) {
    std::string text = Phrase(MeaningOf(i), &Synonyms::text, rng);
    if (remarks > 0) text = WithRemarks(text, remarks, rng);
    task.corpus.Add(fmt::format("t{}", i), std::move(text));
  }
  std::vector<size_t> meanings(kMeanings);
  std::iota(meanings.begin(), meanings.end(), size_t{0});
  Shuffle(meanings, rng);
  const int64_t held_out = queries / 10;
  for (int64_t i = 0; i < queries; ++i) {
    const size_t answer = At(meanings, i);
    task.queries.Add(fmt::format("q{}", i),
                     Phrase(MeaningOf(answer), &Synonyms::query, rng));
    RetrievalQuery query{
        i, {static_cast<int64_t>(answer)}, CandidatesOf(answer, rng)};
    auto& part = i < held_out       ? task.valid
                 : i < 2 * held_out ? task.test
                                    : task.train;
    part.push_back(std::move(query));
  }
  return task;
}

std::string AnswerLines(const ParaphraseTask& task,
                        const std::vector<RetrievalQuery>& queries) {
  std::string lines;
  for (const RetrievalQuery& query : queries) {
    for (const int64_t text : query.candidates) {
      const bool right = std::ranges::count(query.positives, text) > 0;
      lines +=
          fmt::format("{}\t{}\t{}\n", At(task.queries.texts(), query.query),
                      right ? 1 : 0, At(task.corpus.texts(), text));
    }
  }
  return lines;
}

}  // namespace heed
