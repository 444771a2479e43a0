#include "heed/serve/word_links.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <optional>

#include "heed/serve/piece_ranges.h"

namespace heed {
namespace {

// ----------------------------------------------------------------------- words

enum class CharacterKind { kSpace, kWord, kIdeograph, kExtends, kOther };

CharacterKind KindOf(UChar32 c) {
  if (c < 0) return CharacterKind::kOther;
  if (u_isUWhiteSpace(c)) return CharacterKind::kSpace;
  if (u_hasBinaryProperty(c, UCHAR_GRAPHEME_EXTEND)) {
    return CharacterKind::kExtends;
  }
  if (!u_isalnum(c)) return CharacterKind::kOther;
  if (c < 0x80) return CharacterKind::kWord;
  // Scripts that write no spaces between words.
  const auto breaks = u_getIntPropertyValue(c, UCHAR_LINE_BREAK);
  return breaks == U_LB_IDEOGRAPHIC || breaks == U_LB_COMPLEX_CONTEXT ||
                 breaks == U_LB_CONDITIONAL_JAPANESE_STARTER
             ? CharacterKind::kIdeograph
             : CharacterKind::kWord;
}

// ------------------------------------------------------------------ alignment

/// The attention between words as W[t][s]: that of the pieces that have a part
/// in them.
class Weights {
 public:
  Weights(size_t T, size_t S) : columns_(S), values_(T * S) {}

  float& at(size_t t, size_t s) { return values_[t * columns_ + s]; }
  float at(size_t t, size_t s) const { return values_[t * columns_ + s]; }

 private:
  size_t columns_;
  std::vector<float> values_;
};

struct Part {
  size_t unit;
  float share;  // of the piece
};

/// The units that each piece has a part in.
std::vector<std::vector<Part>> PartsOf(std::span<const TextRange> pieces,
                                       std::span<const Unit> units) {
  std::vector<std::vector<Part>> parts(pieces.size());
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

std::optional<Weights> WeightsOf(const Translation& translation,
                                 std::string_view source_text,
                                 std::span<const Unit> source,
                                 std::span<const Unit> target) {
  const size_t rows = translation.target_pieces.size();
  const size_t columns = translation.source_pieces.size();
  if (rows < 1 || columns < 1 ||
      translation.attention.size() != rows * columns) {
    return std::nullopt;
  }
  // Both end with </s>.
  const auto of = [](std::string_view text, std::span<const std::string> all,
                     std::span<const Unit> units) {
    return PartsOf(RangesOfPieces(text, all.first(all.size() - 1)), units);
  };
  const auto sources = of(source_text, translation.source_pieces, source);
  const auto targets = of(translation.text, translation.target_pieces, target);
  Weights weights(target.size(), source.size());
  for (size_t t = 0; t < targets.size(); ++t) {
    for (size_t s = 0; s < sources.size(); ++s) {
      const float weight = translation.attention[t * columns + s];
      if (!(weight > 0)) continue;
      for (const Part& to : targets[t]) {
        for (const Part& from : sources[s]) {
          weights.at(to.unit, from.unit) += weight * to.share * from.share;
        }
      }
    }
  }
  return weights;
}

/// Words belong to words, and marks to the same mark if there is one.
void Prefer(std::string_view source_text, std::span<const Unit> source,
            std::string_view target_text, std::span<const Unit> target,
            Weights& weights) {
  constexpr float kOther = 0.1F;  // of the weight between a word and a mark
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

}  // namespace

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

WordLinks LinkWords(const Translation& translation,
                    std::string_view source_text, std::span<const Unit> source,
                    std::span<const Unit> target) {
  const size_t T = target.size();
  const size_t S = source.size();
  auto weights = WeightsOf(translation, source_text, source, target);
  if (weights) {
    Prefer(source_text, source, translation.text, target, *weights);
  }
  WordLinks links;
  links.source.assign(T, kNoWord);
  links.confidence.assign(T, 0);
  links.target.assign(S, kNoWord);
  links.weight.assign(S, 0);
  links.own.assign(S, kNoWord);
  if (S == 0 || T == 0) return links;
  for (size_t t = 0; t < T; ++t) {
    size_t best = (2 * t + 1) * S / (2 * T);
    float most = weights ? 0.0F : 1.0F;
    for (size_t s = 0; weights && s < S; ++s) {
      const float weight = weights->at(t, s);
      if (weight > most) {
        most = weight;
        best = s;
      }
      if (weight > links.weight[s]) {
        links.weight[s] = weight;
        links.target[s] = t;
      }
    }
    links.source[t] = best;
    links.confidence[t] = most;
    size_t& own = links.own[best];
    if (own == kNoWord || most > links.confidence[own]) own = t;
  }
  for (size_t s = 0; s < S; ++s) {
    if (links.target[s] == kNoWord) links.target[s] = (2 * s + 1) * T / (2 * S);
  }
  return links;
}

}  // namespace heed
