#include "course/copied_words.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr std::array<MarkedWords, 4> kMarkedWords = {{{"blind man", 5, 7},
                                                      {"stole his car", 11, 14},
                                                      {"car-thief", 67, 68},
                                                      {"poor", 96, 97}}};

/// Returns the distinct words in alphabetical order.
std::vector<std::string> WordsOfLongSentence() {
  std::set<std::string> all;
  for (const std::string_view word : SplitWhitespace(LongSentence())) {
    all.emplace(word);
  }
  return {all.begin(), all.end()};
}

}  // namespace

const std::string& LongSentence() {
  static const std::string sentence =
      "when he came to the blind man the helper who later stole his car was "
      "not thinking of any crime at all on that cold morning but only of how "
      "hard it must be to walk home alone through streets full of noise which "
      "is a kind thought that comes to nearly everybody and even to people "
      "with far more to answer for than this one small car-thief who will "
      "never get rich by his trade because what he earns goes to those he "
      "works for and who live well on the troubles of the many poor";
  return sentence;
}

std::span<const MarkedWords> MarkedInLongSentence() { return kMarkedWords; }

ParallelText MakeCopies(int64_t sentences, int64_t shortest, int64_t longest,
                        uint64_t seed) {
  if (shortest < 1 || longest < shortest) {
    throw ConfigError("copies: lengths from {} to {}", shortest, longest);
  }
  const std::vector<std::string> words = WordsOfLongSentence();
  Rng rng(seed);
  ParallelText text;
  for (int64_t i = 0; i < sentences; ++i) {
    const int64_t length =
        shortest + static_cast<int64_t>(rng.Below(
                       static_cast<uint64_t>(longest - shortest + 1)));
    std::string line;
    for (int64_t t = 0; t < length; ++t) {
      if (t > 0) line += ' ';
      line += words[rng.Below(words.size())];
    }
    text.source.push_back(line);
    text.target.push_back(std::move(line));
  }
  return text;
}

std::vector<Returned> CameBack(const std::string& sentence,
                               const std::string& written) {
  const auto right = SplitWhitespace(sentence);
  const auto own = SplitWhitespace(written);
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  for (size_t t = 1; t < own.size(); ++t) pairs.emplace(own[t - 1], own[t]);
  const auto pair_at = [&](size_t t) {
    return t + 1 < right.size() && pairs.contains({right[t], right[t + 1]});
  };
  std::vector<Returned> back(right.size());
  for (size_t t = 0; t < right.size(); ++t) {
    if (t < own.size() && own[t] == right[t]) {
      back[t] = Returned::kInPlace;
    } else if (pair_at(t) || (t > 0 && pair_at(t - 1))) {
      back[t] = Returned::kElsewhere;
    }
  }
  return back;
}

CopiedShare ShareCopied(std::span<const std::string> sentences,
                        std::span<const std::string> written) {
  if (sentences.size() != written.size() || sentences.empty()) {
    throw ShapeError("copies: {} sentences, {} written", sentences.size(),
                     written.size());
  }
  CopiedShare share;
  const double part = 100 / static_cast<double>(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<Returned> back = CameBack(sentences[i], written[i]);
    if (i == 0) share.by_position.resize(back.size());
    if (back.size() != share.by_position.size()) {
      throw ShapeError("copies: sentences of {} and of {} words",
                       share.by_position.size(), back.size());
    }
    for (size_t t = 0; t < back.size(); ++t) {
      if (back[t] == Returned::kInPlace) share.by_position[t] += part;
    }
  }
  for (const double at : share.by_position) {
    share.words += at / static_cast<double>(share.by_position.size());
  }
  return share;
}

std::optional<double> ReferenceWindow(std::span<const double> lengths,
                                      std::span<const double> shares,
                                      double min) {
  for (size_t i = 0; i < lengths.size() && i < shares.size(); ++i) {
    if (shares[i] >= min) continue;
    if (i == 0) return lengths[0];
    const double part = (shares[i - 1] - min) / (shares[i - 1] - shares[i]);
    return lengths[i - 1] + part * (lengths[i] - lengths[i - 1]);
  }
  return std::nullopt;
}

}  // namespace heed
