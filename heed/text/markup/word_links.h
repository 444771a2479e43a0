// Which words of a translation come from which of its source.
#ifndef HEED_TEXT_MARKUP_WORD_LINKS_H_
#define HEED_TEXT_MARKUP_WORD_LINKS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/markup/placeholders.h"
#include "heed/text/markup/text_split.h"

namespace heed {

/// A translation as its model wrote it. It refers to what another object holds.
struct AlignedText {
  std::string_view text;
  std::span<const std::string> source_pieces = {};  ///< the last one is </s>
  std::span<const std::string> target_pieces = {};  ///< the last one is </s>
  /// Attention weights [target_pieces, source_pieces]; empty: unknown.
  std::span<const float> attention = {};
};

/// A word, or a single mark or character of a script without spaces.
struct Unit {
  TextRange range;
  bool word = false;
};

inline std::string_view TextOf(std::string_view text, const Unit& unit) {
  return text.substr(unit.range.begin, unit.range.end - unit.range.begin);
}

/// The bytes of `text` that each token stands for, in order and without gaps
/// but for white space: by characters, and where a vocabulary changed them (½
/// became 1/2), by their share of the word.
std::vector<TextRange> RangesOfPieces(std::string_view text,
                                      std::span<const std::string> pieces);

/// What stands between white space, cut between words and marks, and where
/// `cuts` are (in order).
std::vector<Unit> UnitsOf(std::string_view text, std::span<const Mark> cuts);

inline constexpr size_t kUnlinked = static_cast<size_t>(-1);

/// Links between the T words of a translation and the S of its source.
struct WordLinks {
  // Of each target word: the source word that it looked at most, and how much.
  std::vector<size_t> source;
  std::vector<float> confidence;
  // Of each source word: the target word that looked at it most, how much, and
  // the surest of those that are linked to it (kUnlinked: there is none).
  std::vector<size_t> target;
  std::vector<float> weight;
  std::vector<size_t> own;
};

/// By translation.attention, summed over the pieces of words; words belong to
/// words rather than to marks, and marks to the same mark. Without attention,
/// to the word at the same share of the sentence. A translation with the words
/// of its source, but for their case, is linked one by one. Time: O(T S).
WordLinks LinkWords(const AlignedText& translation,
                    std::string_view source_text, std::span<const Unit> source,
                    std::span<const Unit> target);

/// Whether two words are equal but for their case.
bool IsSameWord(std::string_view a, std::string_view b);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_WORD_LINKS_H_
