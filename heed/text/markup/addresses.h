// Web, domain and e-mail addresses in a text.
#ifndef HEED_TEXT_MARKUP_ADDRESSES_H_
#define HEED_TEXT_MARKUP_ADDRESSES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heed/text/characters.h"

namespace heed {

/// Access to the characters around a position of a text.
class PlaceReader {
 public:
  explicit PlaceReader(std::string_view text) : text_(text) {}

 protected:
  /// Maximum length of a placeholder. Units: bytes
  static constexpr size_t kLongest = 200;

  char Get(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char Before(size_t i) const { return i > 0 ? text_[i - 1] : '\0'; }
  std::string_view From(size_t i) const { return text_.substr(i); }
  size_t Limit(size_t i) const { return std::min(i + kLongest, text_.size()); }

  Character CharacterAt(size_t i) const { return FirstCharacter(From(i)); }
  Character CharacterBefore(size_t i) const {
    return LastCharacter(text_.substr(0, i));
  }

  /// True if a word continues or begins at i (WordAt) or ends before i
  /// (WordBefore). Scripts without spaces have no words here: a name may be
  /// adjacent to their characters.
  bool WordAt(size_t i) const { return IsWordCharacter(CharacterAt(i).code); }
  bool WordBefore(size_t i) const {
    return IsWordCharacter(CharacterBefore(i).code);
  }
  static bool IsWordCharacter(int32_t code) {
    return IsIdentifierCharacter(code) && !IsUnspacedCharacter(code);
  }

  /// First position from i on whose byte does not satisfy `is`.
  template <typename Is>
  size_t Skip(size_t i, const Is& is) const {
    const size_t limit = Limit(i);
    while (i < limit && is(text_[i])) ++i;
    return i;
  }

  std::string_view text_;
};

/// Matches addresses that begin at a given position. All functions return a
/// length; 0: no match.
class AddressReader : private PlaceReader {
 public:
  /// `entities`: a ";" may end an HTML entity that is not part of the address.
  AddressReader(std::string_view text, bool entities)
      : PlaceReader(text), entities_(entities) {}

  /// Length of a URL: "https://x.example/a", "www.x.example".
  size_t Url(size_t i) const;
  /// Length of a domain such as "x.example.com" with its path. Domains without
  /// a path must have a well-known ending.
  size_t Domain(size_t i) const;
  /// Length of an e-mail address: "name@x.example", also after "mailto:".
  size_t Email(size_t i) const;

 private:
  size_t UrlEnd(size_t i) const;
  size_t AddressEnd(size_t i, std::string_view others) const;

  bool entities_;
};

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_ADDRESSES_H_
