#include "heed/text/markup/word_links.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <optional>

#include "heed/base/text.h"
#include "heed/text/characters.h"

namespace heed {
namespace {

constexpr std::string_view kPieceSpace = "\xE2\x96\x81";

/// Visible text of a piece, without spaces.
std::string_view Shown(std::string_view piece) {
  while (piece.starts_with(kPieceSpace))
    piece.remove_prefix(kPieceSpace.size());
  while (piece.starts_with(' ')) piece.remove_prefix(1);
  if (piece.size() > 2 && piece.starts_with("##")) piece.remove_prefix(2);
  return piece;
}

enum class CharacterKind { kSpace, kWord, kIdeograph, kExtends, kOther };

CharacterKind KindOf(UChar32 c) {
  if (c < 0) return CharacterKind::kOther;
  if (u_isUWhiteSpace(c)) return CharacterKind::kSpace;
  if (u_hasBinaryProperty(c, UCHAR_GRAPHEME_EXTEND)) {
    return CharacterKind::kExtends;
  }
  if (!u_isalnum(c)) return CharacterKind::kOther;
  if (c < 0x80) return CharacterKind::kWord;
  return IsUnspacedCharacter(c) ? CharacterKind::kIdeograph
                                : CharacterKind::kWord;
}

/// Attention W[t][s] between words, summed over the pieces that overlap them.
class Weights {
 public:
  Weights(size_t T, size_t S) : columns_(S), values_(T * S) {}

  float& at(size_t t, size_t s) { return values_[t * columns_ + s]; }
  float at(size_t t, size_t s) const { return values_[t * columns_ + s]; }

 private:
  size_t columns_;
  std::vector<float> values_;
};

struct UnitShare {
  size_t unit;
  float share;  // share of the piece
};

/// Units that each piece overlaps.
std::vector<std::vector<UnitShare>> UnitShares(
    std::span<const TextRange> pieces, std::span<const Unit> units) {
  std::vector<std::vector<UnitShare>> parts(pieces.size());
  size_t first = 0;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const TextRange piece = pieces[p];
    if (piece.begin == piece.end) continue;
    while (first < units.size() && units[first].range.end <= piece.begin) {
      ++first;
    }
    for (size_t u = first; u < units.size() && units[u].range.begin < piece.end;
         ++u) {
      const size_t both = std::min(units[u].range.end, piece.end) -
                          std::max(units[u].range.begin, piece.begin);
      parts[p].push_back({u, static_cast<float>(both) /
                                 static_cast<float>(piece.end - piece.begin)});
    }
  }
  return parts;
}

std::optional<Weights> WeightsOf(const AlignedText& translation,
                                 std::string_view source_text,
                                 std::span<const Unit> source,
                                 std::span<const Unit> target) {
  const size_t rows = translation.target_pieces.size();
  const size_t columns = translation.source_pieces.size();
  if (rows < 1 || columns < 1 ||
      translation.attention.size() != rows * columns) {
    return std::nullopt;
  }
  // Both texts end with </s>.
  const auto of = [](std::string_view text, std::span<const std::string> all,
                     std::span<const Unit> units) {
    return UnitShares(RangesOfPieces(text, all.first(all.size() - 1)), units);
  };
  const auto sources = of(source_text, translation.source_pieces, source);
  const auto targets = of(translation.text, translation.target_pieces, target);
  Weights weights(target.size(), source.size());
  for (size_t t = 0; t < targets.size(); ++t) {
    for (size_t s = 0; s < sources.size(); ++s) {
      const float weight = translation.attention[t * columns + s];
      if (!(weight > 0)) continue;
      for (const UnitShare& to : targets[t]) {
        for (const UnitShare& from : sources[s]) {
          weights.at(to.unit, from.unit) += weight * to.share * from.share;
        }
      }
    }
  }
  return weights;
}

/// Prefers word-to-word links, and links between equal punctuation marks.
void Prefer(std::string_view source_text, std::span<const Unit> source,
            std::string_view target_text, std::span<const Unit> target,
            Weights& weights) {
  constexpr float kOther = 0.1F;  // word and punctuation mark
  constexpr float kSame = 1;
  for (size_t t = 0; t < target.size(); ++t) {
    for (size_t s = 0; s < source.size(); ++s) {
      if (source[s].word != target[t].word) {
        weights.at(t, s) *= kOther;
      } else if (!source[s].word && TextOf(source_text, source[s]) ==
                                        TextOf(target_text, target[t])) {
        weights.at(t, s) += kSame;
      }
    }
  }
}

bool HasSameWords(std::string_view source_text, std::span<const Unit> source,
                  std::string_view target_text, std::span<const Unit> target) {
  return std::ranges::equal(source, target, [&](const Unit& a, const Unit& b) {
    return IsSameWord(TextOf(source_text, a), TextOf(target_text, b));
  });
}

}  // namespace

bool IsSameWord(std::string_view a, std::string_view b) {
  return a == b || Lowercase(a) == Lowercase(b);
}

std::vector<TextRange> RangesOfPieces(std::string_view text,
                                      std::span<const std::string> pieces) {
  // Start of each character that is not white space, and the end of the text.
  std::vector<size_t> starts;
  std::vector<size_t> words;  // first character of each word
  bool inside = false;
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t i = 0; i < size;) {
    const int32_t begin = i;
    UChar32 c = 0;
    U8_NEXT(text.data(), i, size, c);
    const bool space = c >= 0 && u_isUWhiteSpace(c);
    if (!space && !inside) words.push_back(starts.size());
    inside = !space;
    if (!space) starts.push_back(static_cast<size_t>(begin));
  }
  const size_t characters = starts.size();
  starts.push_back(text.size());
  words.push_back(characters);

  // Cumulative number of characters of the pieces.
  std::vector<size_t> ends;
  std::vector<size_t> piece_words;  // first piece of each word
  size_t total = 0;
  for (const std::string& piece : pieces) {
    if (piece.starts_with(kPieceSpace) || piece_words.empty()) {
      piece_words.push_back(ends.size());
    }
    total += static_cast<size_t>(CountCharacters(Shown(piece)));
    ends.push_back(total);
  }
  piece_words.push_back(ends.size());
  const auto before = [&](size_t piece) {
    return piece > 0 ? ends[piece - 1] : size_t{0};
  };

  // Maps characters of pieces to characters of the text: one to one if the
  // counts agree, word by word if the word counts agree, else proportionally.
  std::vector<size_t> mapped(pieces.size() + 1);
  const auto map = [&](size_t first, size_t last, size_t begin, size_t end) {
    const size_t from = before(first);
    const size_t shown = std::max<size_t>(before(last) - from, 1);
    for (size_t p = first; p < last; ++p) {
      mapped[p] = begin + (before(p) - from) * (end - begin) / shown;
    }
  };
  if (total != characters && piece_words.size() == words.size()) {
    for (size_t w = 0; w + 1 < words.size(); ++w) {
      map(piece_words[w], piece_words[w + 1], words[w], words[w + 1]);
    }
  } else {
    map(0, pieces.size(), 0, characters);
  }
  mapped[pieces.size()] = characters;
  std::vector<TextRange> ranges;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const size_t first = mapped[p];
    const size_t last = std::max(first, mapped[p + 1]);
    // Up to the next character, without the white space before it.
    size_t end = starts[first];
    if (last > first) {
      end = starts[last];
      while (end > starts[last - 1] + 1 && end > starts[first] &&
             (text[end - 1] == ' ' || text[end - 1] == '\t')) {
        --end;
      }
    }
    ranges.push_back({starts[first], end});
  }
  return ranges;
}

std::vector<Unit> UnitsOf(std::string_view text, std::span<const Mark> cuts) {
  std::vector<Unit> units;
  auto last = CharacterKind::kSpace;
  const auto size = static_cast<int32_t>(text.size());
  size_t cut = 0;
  for (int32_t i = 0; i < size;) {
    const int32_t begin = i;
    UChar32 c = 0;
    U8_NEXT(text.data(), i, size, c);
    const auto kind = KindOf(c);
    const auto at = static_cast<size_t>(begin);
    while (cut < cuts.size() && cuts[cut].at < at) ++cut;
    const bool cuts_here = cut < cuts.size() && cuts[cut].at == at;
    if (kind == CharacterKind::kSpace) {
      last = kind;
      continue;
    }
    const bool goes_on =
        last != CharacterKind::kSpace && !cuts_here &&
        (kind == CharacterKind::kExtends ||
         (kind == CharacterKind::kWord && last == CharacterKind::kWord));
    if (!goes_on) {
      units.push_back(
          {{at, at},
           kind == CharacterKind::kWord || kind == CharacterKind::kIdeograph});
    }
    units.back().range.end = static_cast<size_t>(i);
    if (kind != CharacterKind::kExtends || !goes_on) last = kind;
  }
  return units;
}

WordLinks LinkWords(const AlignedText& translation,
                    std::string_view source_text, std::span<const Unit> source,
                    std::span<const Unit> target) {
  const size_t T = target.size();
  const size_t S = source.size();
  WordLinks links;
  links.source.assign(T, kUnlinked);
  links.confidence.assign(T, 0);
  links.target.assign(S, kUnlinked);
  links.weight.assign(S, 0);
  links.own.assign(S, kUnlinked);
  if (S == 0 || T == 0) return links;
  if (HasSameWords(source_text, source, translation.text, target)) {
    for (size_t t = 0; t < T; ++t) {
      links.source[t] = links.target[t] = links.own[t] = t;
      links.confidence[t] = links.weight[t] = 1;
    }
    return links;
  }
  auto weights = WeightsOf(translation, source_text, source, target);
  if (weights) {
    Prefer(source_text, source, translation.text, target, *weights);
  }
  for (size_t t = 0; t < T; ++t) {
    size_t best = (2 * t + 1) * S / (2 * T);
    float max = weights ? 0.0F : 1.0F;
    for (size_t s = 0; weights && s < S; ++s) {
      const float weight = weights->at(t, s);
      if (weight > max) {
        max = weight;
        best = s;
      }
      if (weight > links.weight[s]) {
        links.weight[s] = weight;
        links.target[s] = t;
      }
    }
    links.source[t] = best;
    links.confidence[t] = max;
    size_t& own = links.own[best];
    if (own == kUnlinked || max > links.confidence[own]) own = t;
  }
  for (size_t s = 0; s < S; ++s) {
    if (links.target[s] == kUnlinked)
      links.target[s] = (2 * s + 1) * T / (2 * S);
  }
  return links;
}

}  // namespace heed
