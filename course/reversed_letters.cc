#include "course/reversed_letters.h"

#include <algorithm>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/data/shuffle.h"

namespace heed {

ParallelText ReversedLetters(int count, int longest, uint64_t seed) {
  constexpr uint64_t kShortest = 3;
  const std::string all = "abcdefghijkl";
  Rng rng(seed);
  ParallelText text;
  for (int i = 0; i < count; ++i) {
    std::vector<char> letters(all.begin(), all.end());
    Shuffle(letters, rng);
    letters.resize(kShortest +
                   rng.Below(static_cast<uint64_t>(longest) - kShortest + 1));
    std::string there;
    std::string back;
    for (const char letter : letters) {
      there += there.empty() ? "" : " ";
      there += letter;
      back.insert(0, back.empty() ? "" : " ");
      back.insert(back.begin(), letter);
    }
    text.source.push_back(std::move(there));
    text.target.push_back(std::move(back));
  }
  return text;
}

RepeatedItems CountRepeated(const ExplanationSegment& segment) {
  RepeatedItems count;
  const std::vector<std::string>& read = segment.axis("source").shown();
  for (const Target& target : segment.targets) {
    const std::string label = segment.LabelOf(target);
    if (label == "</s>") continue;
    const auto same = std::ranges::find(read, label);
    const std::vector<float> weights = RowOf(segment, target);
    if (same == read.end() || weights.empty()) continue;
    ++count.all;
    const auto max = std::ranges::max_element(weights) - weights.begin();
    if (max == same - read.begin()) ++count.found;
  }
  return count;
}

}  // namespace heed
