#include "heed/tasks/tag/long_sentences.h"

#include <fmt/format.h>

#include <string>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/data/input_lines.h"

namespace heed::tag {
namespace {

/// Where to cut the words from `begin` on: after the end of a sentence if there
/// is one in the second half, else where no entity continues.
int64_t CutOf(const TaggedSentence& sentence, int64_t begin, int64_t limit) {
  const auto word = [&](int64_t i) -> const std::string& {
    return At(sentence.words, i);
  };
  const int64_t end = begin + limit;
  for (int64_t i = end; i > begin + limit / 2; --i) {
    const std::string& last = word(i - 1);
    if (last == "." || last == "!" || last == "?" || last == "。") return i;
  }
  for (int64_t i = end; i > begin + limit / 2 && !sentence.tags.empty(); --i) {
    const std::string& tag = At(sentence.tags, i);
    if (!tag.starts_with("I-") && !tag.starts_with("E-")) return i;
  }
  return end;
}

}  // namespace

DividedSentences Divide(std::span<const TaggedSentence> sentences,
                        int64_t limit, int64_t first) {
  DividedSentences divided;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const TaggedSentence& whole = sentences[i];
    const int64_t size = std::ssize(whole.words);
    if (size > limit) {
      Warn(fmt::format(
          "sentence {} has {} words; it is read in parts of at most {}",
          first + static_cast<int64_t>(i) + 1, size, limit));
    }
    int64_t begin = 0;
    do {
      const int64_t end =
          size - begin > limit ? CutOf(whole, begin, limit) : size;
      TaggedSentence& part = divided.parts.emplace_back();
      part.words.assign(whole.words.begin() + begin, whole.words.begin() + end);
      if (!whole.tags.empty()) {
        part.tags.assign(whole.tags.begin() + begin, whole.tags.begin() + end);
      }
      part.label = whole.label;
      part.place = whole.place;
      divided.sentence.push_back(i);
      begin = end;
    } while (begin < size);
  }
  return divided;
}

}  // namespace heed::tag
