#include "heed/text/tokenizer/scanners.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

// Classes of the patterns, as bits.
enum Class : uint8_t {
  kLetter = 1,
  kNumber = 2,
  kWhite = 4,
  kLineEnd = 8,  // CR and LF, which are also kWhite
  kUpper = 16,   // Lu, Lt, Lm, Lo or M
  kLower = 32,   // Ll, Lm, Lo or M
};
constexpr uint8_t kWord = kLetter | kNumber | kWhite;

uint8_t ComputeClass(int32_t code) {
  constexpr uint32_t kBoth = U_GC_LM_MASK | U_GC_LO_MASK | U_GC_M_MASK;
  const uint32_t category = CategoryBit(code);
  int found = 0;
  if ((category & U_GC_L_MASK) != 0) found |= kLetter;
  if ((category & U_GC_N_MASK) != 0) found |= kNumber;
  if (IsWhite(code)) found |= kWhite;
  if (code == '\r' || code == '\n') found |= kLineEnd;
  if ((category & (kBoth | U_GC_LU_MASK | U_GC_LT_MASK)) != 0) found |= kUpper;
  if ((category & (kBoth | U_GC_LL_MASK)) != 0) found |= kLower;
  return static_cast<uint8_t>(found);
}

uint8_t ClassOf(int32_t code) {
  static const std::array<uint8_t, 0x80> kAscii = [] {
    std::array<uint8_t, 0x80> classes{};
    for (size_t i = 0; i < classes.size(); ++i) {
      classes[i] = ComputeClass(static_cast<int32_t>(i));
    }
    return classes;
  }();
  return code < 0x80 ? kAscii[static_cast<size_t>(code)] : ComputeClass(code);
}

// Reads characters of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  size_t size() const { return text_.size(); }
  char operator[](size_t i) const { return text_[i]; }
  bool Is(size_t i, char c) const { return i < size() && text_[i] == c; }
  // Class of the character at `i` and the position behind it; class 0xFF at
  // the end of the text.
  uint8_t Read(size_t i, size_t& next) const {
    if (i >= size()) return 0xFF;
    next = i;
    return ClassOf(NextCode(text_, next));
  }
  // Position behind the run of characters with a bit of `wanted`, or, if
  // `wanted` is 0, without a bit of `unwanted`. At most `limit` characters.
  size_t Run(size_t i, uint8_t wanted, uint8_t unwanted = 0,
             size_t limit = SIZE_MAX) const {
    size_t next = i;
    for (; i < size() && limit > 0; i = next, --limit) {
      const uint8_t found = Read(i, next);
      if (wanted != 0 ? (found & wanted) == 0 : (found & unwanted) != 0) break;
    }
    return i;
  }
  int32_t Code(size_t i) const { return NextCode(text_, i); }

 private:
  std::string_view text_;
};

// Position behind 's, 't, 're, 've, 'm, 'll or 'd; `i` if there is none.
size_t Contraction(const Cursor& text, size_t i, bool any_case) {
  if (!text.Is(i, '\'') || i + 1 >= text.size()) return i;
  const auto letter = [&](size_t at) {
    if (at >= text.size()) return '\0';
    const char c = text[at];
    const bool upper = any_case && c >= 'A' && c <= 'Z';
    return upper ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = letter(i + 1);
  const char second = letter(i + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') {
    return i + 2;
  }
  const bool pair = second == 'e' ? first == 'r' || first == 'v'
                                  : first == 'l' && second == 'l';
  if (pair) return i + 3;
  constexpr int32_t kLongS = 0x17F;  // folds to s
  const bool long_s = any_case && static_cast<unsigned char>(first) == 0xC5 &&
                      text.Code(i + 1) == kLongS;
  return long_s ? i + 3 : i;
}

// White space: \s+(?!\S)|\s+ leaves the last character to the next word.
size_t WhiteRun(const Cursor& text, size_t i) {
  size_t last = i;
  size_t end = i;
  for (size_t next = i; end < text.size(); end = next) {
    if ((text.Read(end, next) & kWhite) == 0) break;
    last = end;
  }
  return end == text.size() || last == i ? end : last;
}

// \s*[\r\n]+: up to the last line end of a run of white space.
size_t LineEnds(const Cursor& text, size_t i) {
  size_t end = i;
  size_t next = i;
  for (size_t at = i; at < text.size(); at = next) {
    const uint8_t found = text.Read(at, next);
    if ((found & kWhite) == 0) break;
    if ((found & kLineEnd) != 0) end = next;
  }
  return end;
}

// Symbols with an optional space in front; `i` if there are none.
size_t Symbols(const Cursor& text, size_t i) {
  const size_t begin = text.Is(i, ' ') ? i + 1 : i;
  const size_t end = text.Run(begin, 0, kWord);
  return end == begin ? i : end;
}

size_t Gpt2Match(const Cursor& text, size_t i) {
  if (const size_t end = Contraction(text, i, false); end > i) return end;
  const size_t begin = text.Is(i, ' ') ? i + 1 : i;
  if (const size_t end = text.Run(begin, kLetter); end > begin) return end;
  if (const size_t end = text.Run(begin, kNumber); end > begin) return end;
  if (const size_t end = Symbols(text, i); end > i) return end;
  return WhiteRun(text, i);
}

// End of a number, symbols or spaces: the last alternatives of the patterns of
// Llama 3 and GPT-4o, which differ in words.
size_t RestMatch(const Cursor& text, size_t i, size_t digits, bool slashes) {
  if (const size_t end = text.Run(i, kNumber, 0, digits); end > i) return end;
  if (size_t end = Symbols(text, i); end > i) {
    while (text.Is(end, '\r') || text.Is(end, '\n') ||
           (slashes && text.Is(end, '/'))) {
      ++end;
    }
    return end;
  }
  if (const size_t end = LineEnds(text, i); end > i) return end;
  return WhiteRun(text, i);
}

// Position behind an optional character [^\r\n\p{L}\p{N}].
size_t BehindPrefix(const Cursor& text, size_t i) {
  size_t next = i;
  const uint8_t found = text.Read(i, next);
  return (found & (kLineEnd | kLetter | kNumber)) == 0 ? next : i;
}

template <size_t kDigits>
size_t Llama3Match(const Cursor& text, size_t i) {
  if (const size_t end = Contraction(text, i, true); end > i) return end;
  const size_t begin = BehindPrefix(text, i);
  if (const size_t end = text.Run(begin, kLetter); end > begin) return end;
  return RestMatch(text, i, kDigits, false);
}

// Position behind [upper]*[lower]+ at `i`; `i` if it does not match.
size_t LowerWord(const Cursor& text, size_t i) {
  size_t behind_last = i;  // behind the last character that is also lower
  size_t end = i;
  for (size_t next = i; end < text.size(); end = next) {
    const uint8_t found = text.Read(end, next);
    if ((found & kUpper) == 0) break;
    if ((found & kLower) != 0) behind_last = next;
  }
  const size_t lower = text.Run(end, kLower);
  return lower > end ? lower : behind_last;
}

// Position behind [upper]+[lower]* at `i`; `i` if it does not match.
size_t UpperWord(const Cursor& text, size_t i) {
  const size_t upper = text.Run(i, kUpper);
  return upper == i ? i : text.Run(upper, kLower);
}

size_t Gpt4oMatch(const Cursor& text, size_t i) {
  const size_t begin = BehindPrefix(text, i);
  for (const auto word : {LowerWord, UpperWord}) {
    size_t end = word(text, begin);
    if (end == begin) end = word(text, i);
    if (end > i) return Contraction(text, end, true);
  }
  return RestMatch(text, i, 3, true);
}

using Match = size_t (*)(const Cursor&, size_t);

Finder Repeated(Match match) {
  return [match](std::string_view text, std::vector<ByteRange>& matches) {
    const Cursor cursor(text);
    for (size_t i = 0; i < text.size();) {
      const size_t end = match(cursor, i);
      matches.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(end)});
      i = end;
    }
  };
}

}  // namespace

Finder Gpt2Scanner() { return Repeated(Gpt2Match); }

Finder ScannerFor(std::string_view regex) {
  static const std::string kEndings = "'s|'t|'re|'ve|'m|'ll|'d";
  static const std::string kSpaces = R"(\s+(?!\S)|\s+)";
  static const std::string kAnyCase = "(?i:" + kEndings + ")";
  static const std::string kPrefix = R"([^\r\n\p{L}\p{N}]?)";
  static const std::string kSymbols = R"(| ?[^\s\p{L}\p{N}]+)";
  static const std::string kUpperSet = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])";
  static const std::string kLowerSet = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
  const auto llama3 = [](const std::string& digits) {
    return kAnyCase + "|" + kPrefix + R"(\p{L}+|)" + digits + kSymbols +
           R"([\r\n]*|\s*[\r\n]+|)" + kSpaces;
  };
  if (regex == kEndings + R"(| ?\p{L}+| ?\p{N}+)" + kSymbols + "|" + kSpaces) {
    return Gpt2Scanner();
  }
  if (regex == llama3(R"(\p{N}{1,3})")) return Repeated(Llama3Match<3>);
  if (regex == llama3(R"(\p{N})")) return Repeated(Llama3Match<1>);
  if (regex == kPrefix + kUpperSet + "*" + kLowerSet + "+" + kAnyCase + "?|" +
                   kPrefix + kUpperSet + "+" + kLowerSet + "*" + kAnyCase +
                   R"(?|\p{N}{1,3})" + kSymbols + R"([\r\n/]*|\s*[\r\n]+|)" +
                   kSpaces) {
    return Repeated(Gpt4oMatch);
  }
  return {};
}

}  // namespace heed::tokens
