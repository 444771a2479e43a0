// Addresses in a text: of pages, of domains and of e-mail.
#ifndef HEED_TEXT_MARKUP_ADDRESSES_H_
#define HEED_TEXT_MARKUP_ADDRESSES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heed/text/characters.h"

namespace heed {

/// Looks around places of a text.
class PlaceReader {
 public:
  explicit PlaceReader(std::string_view text) : text_(text) {}

 protected:
  /// Bytes that a placeholder has at most.
  static constexpr size_t kLongest = 200;

  char Get(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char Before(size_t i) const { return i > 0 ? text_[i - 1] : '\0'; }
  std::string_view From(size_t i) const { return text_.substr(i); }
  size_t Limit(size_t i) const { return std::min(i + kLongest, text_.size()); }

  Character CharacterAt(size_t i) const { return FirstCharacter(From(i)); }
  Character CharacterBefore(size_t i) const {
    return LastCharacter(text_.substr(0, i));
  }

  /// Whether a word goes on at i, or ends there. Scripts without spaces have no
  /// words here: a name may stand beside their characters.
  bool WordAt(size_t i) const { return IsWordCharacter(CharacterAt(i).code); }
  bool WordBefore(size_t i) const {
    return IsWordCharacter(CharacterBefore(i).code);
  }
  static bool IsWordCharacter(int32_t code) {
    return IsIdentifierCharacter(code) && !IsUnspacedCharacter(code);
  }

  /// The first place from i on whose byte is not of the kind.
  template <typename Is>
  size_t Skip(size_t i, const Is& is) const {
    const size_t limit = Limit(i);
    while (i < limit && is(text_[i])) ++i;
    return i;
  }

  std::string_view text_;
};

/// Finds addresses that begin at one place. All functions return a length, 0:
/// there is none.
class AddressReader : private PlaceReader {
 public:
  /// `entities`: a ";" may end an entity of HTML that is none of the address.
  AddressReader(std::string_view text, bool entities)
      : PlaceReader(text), entities_(entities) {}

  /// "https://x.example/a", "www.x.example".
  size_t Url(size_t i) const;
  /// "x.example.com" and what follows: of domains that everybody knows, or of
  /// any with a path.
  size_t Domain(size_t i) const;
  /// "name@x.example", also behind "mailto:".
  size_t Email(size_t i) const;

 private:
  size_t UrlEnd(size_t i) const;
  size_t AddressEnd(size_t i, std::string_view others) const;

  bool entities_;
};

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_ADDRESSES_H_
