// Training of a WordPiece vocabulary by byte-pair merges.
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/wordpiece.h"

namespace heed {
namespace {

// A distinct word of the text as pieces, with its count.
struct Word {
  std::vector<int32_t> pieces;
  int64_t count = 0;
};

// Two adjacent pieces.
using Pair = std::pair<int32_t, int32_t>;
struct PairHash {
  size_t operator()(const Pair& pair) const {
    return std::hash<uint64_t>()(
        static_cast<uint64_t>(pair.first) << 32 |
        static_cast<uint64_t>(static_cast<uint32_t>(pair.second)));
  }
};

std::map<std::string, int64_t> CountWords(std::span<const std::string> lines,
                                          const WordPieceRules& rules) {
  std::unordered_map<std::string, int64_t> counts;
  for (const std::string& line : lines) {
    for (std::string& word : BasicTokens(line, rules)) {
      ++counts[std::move(word)];
    }
  }
  return {counts.begin(), counts.end()};
}

class Learner {
 public:
  Learner(const std::map<std::string, int64_t>& counts, int min_count) {
    AddAlphabet(counts, min_count);
    for (const auto& [text, count] : counts) AddWord(text, count);
    for (const auto& [pair, count] : pairs_) Offer(pair, count.total);
  }

  const std::vector<std::string>& pieces() const { return pieces_; }

  /// Merges the most frequent pair; false if no pair occurs twice.
  bool Merge() {
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const Pair pair = {-best.minus_first, -best.minus_second};
      const int64_t count = pairs_[pair].total;
      if (count < 2) continue;
      if (count == best.count) {
        Merge(pair);
        return true;
      }
      Offer(pair, count);  // outdated: other merges have reduced the count
    }
    return false;
  }

 private:
  struct Count {
    int64_t total = 0;
    std::vector<int32_t> words;  // words that contain or contained the pair
  };
  // Ordered by count; ties prefer older pieces.
  struct Candidate {
    int64_t count;
    int32_t minus_first;
    int32_t minus_second;
    auto operator<=>(const Candidate&) const = default;
  };

  void Offer(const Pair& pair, int64_t count) {
    if (count >= 2) candidates_.push({count, -pair.first, -pair.second});
  }

  int32_t IdOf(const std::string& piece) {
    const auto [found, is_new] =
        ids_.emplace(piece, static_cast<int32_t>(pieces_.size()));
    if (is_new) pieces_.push_back(piece);
    return found->second;
  }

  void AddAlphabet(const std::map<std::string, int64_t>& counts,
                   int min_count) {
    std::map<std::string_view, int64_t> characters;
    std::map<std::string_view, bool> alone;
    for (const auto& [text, count] : counts) {
      const auto of_word = Utf8Characters(text);
      for (std::string_view c : of_word) {
        characters[c] += count;
        alone.emplace(c, true).first->second &= of_word.size() == 1;
      }
    }
    for (const auto& [c, count] : characters) {
      if (count < min_count) continue;
      IdOf(std::string(c));
      // Both forms, so that words missing from the text can be composed.
      if (!alone[c]) IdOf(fmt::format("{}{}", WordPiece::kInner, c));
    }
  }

  void AddWord(const std::string& text, int64_t count) {
    Word word;
    word.count = count;
    for (std::string_view c : Utf8Characters(text)) {
      const auto found = ids_.find(
          fmt::format("{}{}", word.pieces.empty() ? "" : WordPiece::kInner, c));
      if (found == ids_.end()) return;  // a rare character: an unknown word
      word.pieces.push_back(found->second);
    }
    if (word.pieces.size() > WordPiece::kLongestWord) return;
    const auto place = static_cast<int32_t>(words_.size());
    words_.push_back(std::move(word));
    for (size_t i = 0; i + 1 < words_.back().pieces.size(); ++i) {
      CountPair(place, i, count);
    }
  }

  // Adds `count` to the pair at i and i + 1 of a word.
  void CountPair(int32_t place, size_t i, int64_t count) {
    const auto& pieces = At(words_, place).pieces;
    const Pair pair = {pieces[i], pieces[i + 1]};
    Count& of_pair = pairs_[pair];
    of_pair.total += count;
    if (count < 0) return;
    if (of_pair.words.empty() || of_pair.words.back() != place) {
      of_pair.words.push_back(place);
    }
    changed_.push_back(pair);
  }

  void Merge(const Pair& pair) {
    const std::string& tail = At(pieces_, pair.second);
    const int32_t merged =
        IdOf(At(pieces_, pair.first) + tail.substr(WordPiece::kInner.size()));
    const std::vector<int32_t> places = std::move(pairs_[pair].words);
    changed_.clear();
    for (const int32_t place : places) MergeIn(place, pair, merged);
    pairs_.erase(pair);
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()),
                   changed_.end());
    for (const Pair& each : changed_) Offer(each, pairs_[each].total);
  }

  void MergeIn(int32_t place, const Pair& pair, int32_t merged) {
    Word& word = At(words_, place);
    std::vector<int32_t>& pieces = word.pieces;
    for (size_t i = 0; i + 1 < pieces.size(); ++i) {
      if (pieces[i] != pair.first || pieces[i + 1] != pair.second) continue;
      const bool before = i > 0;
      const bool after = i + 2 < pieces.size();
      if (before) CountPair(place, i - 1, -word.count);
      if (after) CountPair(place, i + 1, -word.count);
      pieces[i] = merged;
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (before) CountPair(place, i - 1, word.count);
      if (after) CountPair(place, i, word.count);
    }
  }

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Count, PairHash> pairs_;
  std::priority_queue<Candidate> candidates_;
  std::vector<Pair> changed_;
};

}  // namespace

std::string WordPiece::Train(std::span<const std::string> lines,
                             const VocabularyOptions& options) {
  const auto counts = CountWords(lines, WordPieceRulesOf(options.kind));
  if (counts.empty()) {
    throw ConfigError("vocabulary: the training text holds no characters");
  }
  Learner learner(counts, options.min_count);
  // If all characters are rare, none is removed.
  if (learner.pieces().empty()) learner = Learner(counts, 1);
  // Every character stays, even if this exceeds the requested size.
  const size_t room = options.size > std::ssize(kSpecials)
                          ? static_cast<size_t>(options.size) - kSpecials.size()
                          : 0;
  while (learner.pieces().size() < room && learner.Merge()) {
  }
  std::string bytes;
  for (std::string_view special : kSpecials)
    bytes += fmt::format("{}\n", special);
  for (const std::string& piece : learner.pieces()) bytes += piece + "\n";
  return bytes;
}

}  // namespace heed
