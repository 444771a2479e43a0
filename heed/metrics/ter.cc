#include "heed/metrics/ter.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/error_rate.h"

namespace heed {
namespace {

// Limits of Tercom and sacreBLEU.
constexpr int64_t kMaxShiftWords = 10;
constexpr int64_t kMaxShiftDistance = 50;
constexpr int64_t kMaxShiftsTried = 1000;
constexpr int64_t kMaxTableCells = int64_t{1} << 22;

using TerWords = std::vector<int32_t>;

/// Hypothesis and reference with numbers for words.
struct TerPair {
  TerWords hypothesis;
  TerWords reference;
  int32_t kinds = 0;

  int64_t Distance(const TerWords& words) const {
    return EditDistanceOfNumbers(words, reference, kinds);
  }
};

TerPair NumberWords(std::string_view hypothesis, std::string_view reference) {
  std::unordered_map<std::string, int32_t> numbers;
  const auto numbered = [&numbers](std::string_view text) {
    const std::string lower = Lowercase(text);
    TerWords words;
    for (const std::string_view word : SplitUnicodeWhitespace(lower)) {
      const auto next = static_cast<int32_t>(numbers.size());
      words.push_back(numbers.emplace(word, next).first->second);
    }
    return words;
  };
  TerPair pair = {numbered(hypothesis), numbered(reference)};
  pair.kinds = static_cast<int32_t>(numbers.size());
  return pair;
}

/// The fewest insertions, deletions and substitutions, word by word.
struct TerAlignment {
  /// Position in the hypothesis of each word of the reference; of a missing
  /// word, that of the word before it, or -1.
  std::vector<int64_t> position;
  std::vector<bool> wrong;    ///< words of the hypothesis to edit
  std::vector<bool> missing;  ///< words of the reference that edits make
};

/// Aligns both texts with the fewest edits. If several alignments have as few,
/// it chooses, from the end on, a pair of words before an extra word of the
/// hypothesis, and that before a missing one.
TerAlignment Align(const TerWords& hypothesis, const TerWords& reference) {
  enum : uint8_t { kPair, kExtra, kMissing };
  const size_t rows = hypothesis.size();
  const size_t columns = reference.size() + 1;
  std::vector<uint8_t> steps((rows + 1) * columns, kMissing);
  std::vector<int64_t> above(columns);
  std::vector<int64_t> row(columns);
  std::iota(row.begin(), row.end(), int64_t{0});
  for (size_t i = 1; i <= rows; ++i) {
    std::swap(above, row);
    row[0] = static_cast<int64_t>(i);
    steps[i * columns] = kExtra;
    for (size_t j = 1; j < columns; ++j) {
      const int64_t other = hypothesis[i - 1] == reference[j - 1] ? 0 : 1;
      const auto [cost, step] =
          std::min({std::pair(above[j - 1] + other, kPair),
                    std::pair(above[j] + 1, kExtra),
                    std::pair(row[j - 1] + 1, kMissing)});
      row[j] = cost;
      steps[i * columns + j] = step;
    }
  }
  TerAlignment found = {std::vector<int64_t>(reference.size()),
                        std::vector<bool>(rows),
                        std::vector<bool>(reference.size())};
  for (size_t i = rows, j = reference.size(); i > 0 || j > 0;) {
    const uint8_t step = steps[i * columns + j];
    if (step != kMissing) --i;
    if (step != kExtra) --j;
    if (step == kExtra) {
      found.wrong[i] = true;
      continue;
    }
    found.position[j] = static_cast<int64_t>(i) - (step == kMissing ? 1 : 0);
    found.missing[j] = step == kMissing || hypothesis[i] != reference[j];
    if (step == kPair) found.wrong[i] = found.missing[j];
  }
  return found;
}

/// A phrase of the hypothesis that also occurs in the reference.
struct Phrase {
  int64_t from = 0;  ///< first word in the hypothesis
  int64_t to = 0;    ///< first word in the reference
  int64_t words = 0;
};

/// Calls `visit(phrase)` until it returns false.
template <typename Visit>
void ForEachPhrase(const TerPair& pair, const TerWords& words,
                   const Visit& visit) {
  const TerWords& reference = pair.reference;
  for (int64_t from = 0; from < std::ssize(words); ++from) {
    const int64_t end =
        std::min(std::ssize(reference), from + kMaxShiftDistance + 1);
    for (int64_t to = std::max<int64_t>(0, from - kMaxShiftDistance); to < end;
         ++to) {
      const int64_t most = std::min({kMaxShiftWords, std::ssize(words) - from,
                                     std::ssize(reference) - to});
      for (int64_t n = 0; n < most; ++n) {
        if (At(words, from + n) != At(reference, to + n)) break;
        if (!visit(Phrase{from, to, n + 1})) return;
      }
    }
  }
}

/// True if the phrase is wrong where it is and missing where it belongs.
bool MayHelp(const TerAlignment& alignment, const Phrase& phrase) {
  const auto any = [&phrase](const std::vector<bool>& flags, int64_t first) {
    const auto begin = flags.begin() + first;
    return std::find(begin, begin + phrase.words, true) != begin + phrase.words;
  };
  const int64_t there = At(alignment.position, phrase.to);
  return any(alignment.wrong, phrase.from) &&
         any(alignment.missing, phrase.to) &&
         (there < phrase.from || there >= phrase.from + phrase.words);
}

/// The words with the phrase moved before position `target` of them. A target
/// inside of the phrase moves it on by as many words.
TerWords Shifted(TerWords words, const Phrase& phrase, int64_t target) {
  const auto begin = words.begin();
  const auto first = begin + phrase.from;
  const auto last = first + phrase.words;
  if (target < phrase.from) {
    std::rotate(begin + target, first, last);
    return words;
  }
  const bool inside = target <= phrase.from + phrase.words;
  const int64_t end = inside ? target + phrase.words : target;
  std::rotate(first, last, begin + std::min(end, std::ssize(words)));
  return words;
}

/// Targets before each of the positions where words of the phrase belong.
std::vector<int64_t> TargetsOf(const TerAlignment& alignment,
                               const Phrase& phrase) {
  std::vector<int64_t> targets;
  for (int64_t i = phrase.to - 1; i < phrase.to + phrase.words; ++i) {
    const int64_t target = i < 0 ? 0 : At(alignment.position, i) + 1;
    if (targets.empty() || targets.back() != target) targets.push_back(target);
  }
  return targets;
}

/// Shifts phrases of the hypothesis while that saves edits.
class Shifter {
 public:
  explicit Shifter(const TerPair& pair)
      : pair_(pair), words_(pair.hypothesis), distance_(pair.Distance(words_)) {
    while (ShiftBest()) ++shifts_;
  }

  int64_t edits() const { return shifts_ + distance_; }

 private:
  /// Fewest edits, then longest phrase, first phrase, first target.
  struct Candidate {
    int64_t distance = 0;
    Phrase phrase;
    int64_t target = 0;

    auto order() const {
      return std::tuple(distance, -phrase.words, phrase.from, target);
    }
  };

  bool ShiftBest() {
    const TerAlignment alignment = Align(words_, pair_.reference);
    std::optional<Candidate> best;
    ForEachPhrase(pair_, words_, [&](const Phrase& phrase) {
      if (!MayHelp(alignment, phrase)) return true;
      for (const int64_t target : TargetsOf(alignment, phrase)) {
        const Candidate candidate = {
            pair_.Distance(Shifted(words_, phrase, target)), phrase, target};
        ++tried_;
        if (!best || candidate.order() < best->order()) best = candidate;
      }
      return tried_ < kMaxShiftsTried;
    });
    if (!best || best->distance >= distance_ || tried_ >= kMaxShiftsTried) {
      return false;
    }
    words_ = Shifted(std::move(words_), best->phrase, best->target);
    distance_ = best->distance;
    return true;
  }

  const TerPair& pair_;
  TerWords words_;
  int64_t distance_;
  int64_t shifts_ = 0;
  int64_t tried_ = 0;
};

}  // namespace

TerCounts SentenceTer(std::string_view hypothesis, std::string_view reference) {
  const TerPair pair = NumberWords(hypothesis, reference);
  const int64_t words = std::ssize(pair.reference);
  const int64_t cells = (std::ssize(pair.hypothesis) + 1) * (words + 1);
  const bool shifts = words > 0 && cells <= kMaxTableCells;
  return {shifts ? Shifter(pair).edits() : pair.Distance(pair.hypothesis),
          words};
}

double CorpusTer(std::span<const std::string> hypotheses,
                 std::span<const std::string> references) {
  if (hypotheses.size() != references.size()) {
    throw ShapeError("ter: {} hypotheses for {} references", hypotheses.size(),
                     references.size());
  }
  TerCounts sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const TerCounts counts = SentenceTer(hypotheses[i], references[i]);
    sum.edits += counts.edits;
    sum.words += counts.words;
  }
  if (sum.words == 0) return sum.edits > 0 ? 100 : 0;
  return 100 * static_cast<double>(sum.edits) / static_cast<double>(sum.words);
}

}  // namespace heed
