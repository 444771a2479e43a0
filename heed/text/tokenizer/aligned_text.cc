#include "heed/text/tokenizer/aligned_text.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

constexpr size_t kLongestText = std::numeric_limits<int32_t>::max();

}  // namespace

ByteRange AlignedText::Origin(size_t begin, size_t end) const {
  if (rewritten_) {
    if (begin == end) {
      const uint32_t at = begin < origins_.size() ? origins_[begin].begin
                          : origins_.empty()      ? 0
                                                  : origins_.back().end;
      return {at, at};
    }
    return {origins_[begin].begin, origins_[end - 1].end};
  }
  if (begin == end) return {Narrow(begin), Narrow(end)};
  while (begin > 0 && !BeginsCharacter(original_[begin])) --begin;
  while (end < original_.size() && !BeginsCharacter(original_[end])) ++end;
  return {Narrow(begin), Narrow(end)};
}

TextWriter::TextWriter(const AlignedText& source) : source_(source) {
  // Most rewritten texts are a little longer, such as those with ▁ for spaces.
  const size_t size = source.text().size();
  text_.reserve(size + size / 2);
  origins_.reserve(size + size / 2);
}

void TextWriter::Keep(size_t begin, size_t end) {
  const std::string_view text = source_.text();
  text_.append(text.substr(begin, end - begin));
  const size_t first = origins_.size();
  origins_.resize(first + end - begin);
  ByteRange* origin = origins_.data() + first;
  while (begin < end) {
    size_t next = begin + 1;
    while (next < end && !BeginsCharacter(text[next])) ++next;
    const ByteRange range = source_.Origin(begin, next);
    for (; begin < next; ++begin) *origin++ = range;
  }
}

void TextWriter::CheckSize(size_t added) const {
  if (text_.size() + added <= source_.longest()) return;
  throw Error("tokenizer: the normalised text is longer than {} bytes",
              source_.longest());
}

void TextWriter::Put(std::string_view text, size_t begin, size_t end) {
  CheckSize(text.size());
  text_.append(text);
  origins_.insert(origins_.end(), text.size(), source_.Origin(begin, end));
}

void TextWriter::PutCode(int32_t code, size_t begin, size_t end) {
  char bytes[4];
  Put({bytes, WriteCode(code, bytes)}, begin, end);
}

AlignedText TextWriter::Finish() && {
  CheckSize(0);
  return {std::move(text_), std::move(origins_), source_.longest()};
}

void Rewrite(Pieces& state,
             const std::function<void(const Piece&, TextWriter&)>& body) {
  TextWriter writer(state.text);
  for (Piece& piece : state.pieces) {
    const size_t begin = writer.size();
    if (piece.is_text()) {
      body(piece, writer);
    } else {
      writer.Keep(piece.begin, piece.end);
    }
    piece.begin = Narrow(begin);
    piece.end = Narrow(writer.size());
  }
  state.text = std::move(writer).Finish();
  std::erase_if(state.pieces, [](const Piece& piece) {
    return piece.is_text() && piece.size() == 0;
  });
}

void RewriteCharacters(
    Pieces& state,
    const std::function<void(int32_t, size_t, size_t, TextWriter&)>& body) {
  // Finish() replaces the text only after the last call of the body.
  const std::string_view text = state.text.text();
  Rewrite(state, [&](const Piece& piece, TextWriter& writer) {
    for (size_t i = piece.begin; i < piece.end;) {
      const size_t begin = i;
      const int32_t code = NextCode(text, i);
      body(code, begin, i, writer);
    }
  });
}

bool AnyText(const Pieces& state,
             const std::function<bool(std::string_view)>& predicate) {
  return std::ranges::any_of(state.pieces, [&](const Piece& piece) {
    return piece.is_text() && predicate(state.TextOf(piece));
  });
}

AlignedText WellFormed(std::string_view original) {
  if (original.size() > kLongestText) {
    throw Error("tokenizer: the text has {} bytes; at most {} are possible",
                original.size(), kLongestText);
  }
  AlignedText source(original);
  if (IsValidUtf8(original)) return source;
  std::string text;
  std::vector<ByteRange> origins;
  size_t position = 0;
  for (const std::string_view part : Utf8Characters(original)) {
    const std::string_view shown = IsValidUtf8(part) ? part : "\uFFFD";
    text.append(shown);
    origins.insert(origins.end(), shown.size(),
                   ByteRange{Narrow(position), Narrow(position + part.size())});
    position += part.size();
  }
  return {std::move(text), std::move(origins), source.longest()};
}

}  // namespace heed::tokens
