#include "heed/text/markup/addresses.h"

#include <array>

#include "heed/base/text.h"
#include "heed/text/markup/ascii.h"

namespace heed {
namespace {

bool BeginsUrl(std::string_view text) {
  constexpr std::array<std::string_view, 8> kBeginnings = {
      "http://", "https://", "ftp://",  "ftps://",
      "ws://",   "wss://",   "file://", "www."};
  switch (text[0]) {
    case 'h':
    case 'H':
    case 'f':
    case 'F':
    case 'w':
    case 'W':
      break;
    default:
      return false;
  }
  return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
    return text.size() > beginning.size() &&
           IsIdentifierCharacter(
               FirstCharacter(text.substr(beginning.size())).code) &&
           EqualIgnoringCase(text.substr(0, beginning.size()), beginning);
  });
}

/// East Asian brackets, quotes and stops, which end a URL.
bool IsWidePunctuation(int32_t code) {
  return (code >= 0x3001 && code <= 0x3002) ||
         (code >= 0x3008 && code <= 0x301B) ||
         (code >= 0xFF01 && code <= 0xFF0F) || code == 0xFF1A ||
         code == 0xFF1B || code == 0xFF1F || code == 0x201C || code == 0x201D ||
         code == 0x2019 || code == 0xAB || code == 0xBB;
}

/// True for letters and digits of languages with spaces between words, and for
/// `others`.
bool IsAddressCharacter(int32_t code, std::string_view others) {
  if (code >= 0 && code < 0x80) {
    const auto c = static_cast<char>(code);
    return IsAsciiLetter(c) || IsAsciiDigit(c) || others.find(c) != others.npos;
  }
  return IsIdentifierCharacter(code) && !IsUnspacedCharacter(code);
}
}  // namespace

size_t AddressReader::Url(size_t i) const {
  return BeginsUrl(From(i)) ? UrlEnd(i) : 0;
}

size_t AddressReader::Domain(size_t i) const {
  constexpr std::array<std::string_view, 8> kTop = {
      "com", "org", "net", "io", "dev", "edu", "gov", "info"};
  if (Before(i) == '.' || Before(i) == '-' || Before(i) == '/') return 0;
  const size_t end = Skip(i, [](char c) {
    return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '-' || c == '.';
  });
  std::string_view name = text_.substr(i, end - i);
  while (name.ends_with('.')) name.remove_suffix(1);
  const size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return 0;
  const std::string_view top = name.substr(dot + 1);
  // Any top-level domain is accepted before a path: t.co/abc.
  const size_t path = i + name.size();
  const bool short_link = top.size() > 1 &&
                          std::ranges::all_of(top, IsAsciiLower) &&
                          Get(path) == '/' && WordAt(path + 1);
  if (!short_link && std::ranges::find(kTop, top) == kTop.end()) return 0;
  return Get(i + name.size()) == '/' ? UrlEnd(i) : name.size();
}

// A URL ends at white space or a character that URLs cannot contain. Final
// punctuation belongs to the sentence, as does a closing bracket that was not
// opened in the URL.
size_t AddressReader::UrlEnd(size_t i) const {
  size_t stop =
      std::min(text_.find_first_of(" \t\r\n\f\"<>`|\\^", i), text_.size());
  for (size_t k = i; k < stop;) {
    const Character c = CharacterAt(k);
    if (IsBlankCharacter(c.code) || IsWidePunctuation(c.code)) stop = k;
    k += c.size;
  }
  std::string_view url = text_.substr(i, stop - i);
  auto opened = std::ranges::count(url, '(');
  auto closed = std::ranges::count(url, ')');
  while (!url.empty()) {
    const char last = url.back();
    constexpr std::string_view kEnds = ".,;:!?'*";
    const bool unopened = last == ')' && closed > opened;
    if (!unopened && kEnds.find(last) == kEnds.npos) break;
    if (unopened) --closed;
    // The semicolon of an entity belongs to the URL.
    if (last == ';' && !entities_ && url.find('&') != url.npos) break;
    url.remove_suffix(1);
  }
  return url.size();
}

size_t AddressReader::Email(size_t i) const {
  constexpr std::string_view kLocal = "_.+-%";
  const int32_t before = CharacterBefore(i).code;
  if (before > 0 && IsAddressCharacter(before, kLocal)) return 0;
  const size_t begin =
      i + (EqualIgnoringCase(text_.substr(i, 7), "mailto:") ? 7 : 0);
  const size_t at = AddressEnd(begin, kLocal);
  if (at == begin || Get(at) != '@') return 0;
  size_t end = AddressEnd(at + 1, "-.");
  while (end > at + 1 && (text_[end - 1] == '.' || text_[end - 1] == '-')) {
    --end;
  }
  const std::string_view domain = text_.substr(at + 1, end - at - 1);
  const size_t dot = domain.rfind('.');
  const bool good = dot != domain.npos && dot > 0 && domain.size() > dot + 2;
  return good ? end - i : 0;
}

size_t AddressReader::AddressEnd(size_t i, std::string_view others) const {
  while (i < text_.size()) {
    const Character c = CharacterAt(i);
    if (!IsAddressCharacter(c.code, others)) break;
    i += c.size;
  }
  return i;
}

}  // namespace heed
