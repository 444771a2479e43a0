#include "heed/serve/piece_ranges.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace heed {
namespace {

size_t CharactersIn(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// What a piece shows of a text, without spaces.
std::string_view Shown(std::string_view piece) {
  while (piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
  while (piece.starts_with(' ')) piece.remove_prefix(1);
  if (piece.size() > 2 && piece.starts_with("##")) piece.remove_prefix(2);
  return piece;
}

}  // namespace

std::vector<TextRange> RangesOfPieces(std::string_view text,
                                      std::span<const std::string> pieces) {
  // Where each character that is no white space begins, and the text's end.
  std::vector<size_t> starts;
  std::vector<size_t> words;  // the first character of each word
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

  // The characters of the pieces, counted through.
  std::vector<size_t> ends;
  std::vector<size_t> piece_words;  // the first piece of each word
  size_t total = 0;
  for (const std::string& piece : pieces) {
    if (piece.starts_with(kSpaceMark) || piece_words.empty()) {
      piece_words.push_back(ends.size());
    }
    total += CharactersIn(Shown(piece));
    ends.push_back(total);
  }
  piece_words.push_back(ends.size());
  const auto before = [&](size_t piece) {
    return piece > 0 ? ends[piece - 1] : size_t{0};
  };

  // From characters of pieces to those of the text: all at once if there are as
  // many, else word by word if there are as many words, else by their share.
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

}  // namespace heed
