// Text that keeps the origin of each byte while it is rewritten and split.
#ifndef HEED_TEXT_TOKENIZER_ALIGNED_TEXT_H_
#define HEED_TEXT_TOKENIZER_ALIGNED_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace heed::tokens {

/// Bytes begin to end − 1 of a text.
struct ByteRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A text derived from an original text. Each byte knows the range of the
/// original that it comes from. A text that equals the original stores no
/// ranges and refers to the original, which must outlive it.
class AlignedText {
 public:
  AlignedText() = default;
  explicit AlignedText(std::string_view original)
      : original_(original), longest_(LongestOf(original.size())) {}
  /// `origins`: one range for each byte of `text`. `longest`: limit for texts
  /// derived from this one.
  AlignedText(std::string text, std::vector<ByteRange> origins, size_t longest)
      : text_(std::move(text)),
        origins_(std::move(origins)),
        longest_(longest),
        rewritten_(true) {}

  /// Largest size of a text derived from an original of `size` bytes. Without
  /// it, a file with many replacements would take all memory.
  static constexpr size_t LongestOf(size_t size) {
    constexpr size_t kMost = std::numeric_limits<int32_t>::max();
    return std::min(kMost, (size_t{1} << 20) + 100 * size);
  }
  size_t longest() const { return longest_; }

  std::string_view text() const { return rewritten_ ? text_ : original_; }
  /// Range of the original for a range of this text. Parts of a character give
  /// the range of the whole character. An empty range gives an empty range.
  ByteRange Origin(size_t begin, size_t end) const;

 private:
  std::string_view original_;
  std::string text_;
  std::vector<ByteRange> origins_;
  size_t longest_ = LongestOf(0);
  bool rewritten_ = false;
};

/// Builds an AlignedText from parts of another text.
class TextWriter {
 public:
  explicit TextWriter(const AlignedText& source);

  /// Copies bytes begin to end − 1 of the source, whole characters.
  void Keep(size_t begin, size_t end);
  /// Writes `text` for bytes begin to end − 1 of the source. Throws: Error if
  /// the result becomes too long.
  void Put(std::string_view text, size_t begin, size_t end);
  void PutCode(int32_t code, size_t begin, size_t end);
  size_t size() const { return text_.size(); }
  AlignedText Finish() &&;

 private:
  void CheckSize(size_t added) const;

  const AlignedText& source_;
  std::string text_;
  std::vector<ByteRange> origins_;
};

/// Part of a text: still to be tokenised (id −1) or one added token.
struct Piece {
  uint32_t begin = 0;
  uint32_t end = 0;
  int32_t id = -1;

  size_t size() const { return end - begin; }
  bool is_text() const { return id < 0; }
};

/// A text and its pieces in order. Text between pieces was removed.
struct Pieces {
  AlignedText text;
  std::vector<Piece> pieces;

  std::string_view TextOf(const Piece& piece) const {
    return text.text().substr(piece.begin, piece.size());
  }
};

/// One step of normalisation or pre-tokenisation.
using Step = std::function<void(Pieces&)>;

/// Rewrites every text piece: body(piece, writer) writes the new text of a
/// piece. Empty text pieces are removed.
void Rewrite(Pieces& state,
             const std::function<void(const Piece&, TextWriter&)>& body);

/// Rewrites every text piece character by character: body(code, begin, end,
/// writer).
void RewriteCharacters(
    Pieces& state,
    const std::function<void(int32_t, size_t, size_t, TextWriter&)>& body);

/// True if a text piece satisfies the predicate.
bool AnyText(const Pieces& state,
             const std::function<bool(std::string_view)>& predicate);

/// Text in which each ill-formed byte sequence is U+FFFD.
AlignedText WellFormed(std::string_view original);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_ALIGNED_TEXT_H_
