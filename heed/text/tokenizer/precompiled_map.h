// SentencePiece's compiled rules of normalisation in tokenizer.json.
#ifndef HEED_TEXT_TOKENIZER_PRECOMPILED_MAP_H_
#define HEED_TEXT_TOKENIZER_PRECOMPILED_MAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/aligned_text.h"
#include "heed/text/tokenizer/part.h"

namespace heed::tokens {

/// Map from short texts to their normal forms. Immutable.
///
/// The bytes are the size of a double array in bytes (4 bytes, little-endian),
/// the double array (32-bit units of Darts-clone), and normal forms that each
/// end in a zero byte. Values of the double array are positions of normal
/// forms.
class PrecompiledMap {
 public:
  /// Returns nullopt for damaged bytes.
  static std::optional<PrecompiledMap> Parse(std::string_view bytes);

  /// Normal form of the shortest entry that `text` begins with; nullopt if
  /// there is none. It replaces the whole text, as in the reference.
  std::optional<std::string_view> Find(std::string_view text) const;

 private:
  bool IsValid() const;

  std::vector<uint32_t> units_;
  std::string forms_;
};

/// Step of a "Precompiled" part: replaces grapheme clusters of less than 6
/// bytes and characters that the map has. Throws: FormatError for a damaged
/// map.
Step PrecompiledStep(const Part& part);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_PRECOMPILED_MAP_H_
