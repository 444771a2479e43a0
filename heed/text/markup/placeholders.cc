#include "heed/text/markup/placeholders.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/base/text.h"
#include "heed/text/characters.h"
#include "heed/text/markup/addresses.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_entities.h"

namespace heed {
namespace {

constexpr int32_t kWidthNonJoiner = 0x200C;
constexpr int32_t kWidthJoiner = 0x200D;
constexpr int32_t kWideHash = 0xFF03;
constexpr int32_t kWideAt = 0xFF20;

bool IsNameByte(char c) {
  return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '_';
}

/// True if any character satisfies `is`.
template <typename Is>
bool HasCharacter(std::string_view text, const Is& is) {
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    if (is(c.code)) return true;
    text.remove_prefix(c.size);
  }
  return false;
}

/// Matches placeholders at a given position. All functions return a length; 0:
/// no match.
class Matcher : private PlaceReader {
 public:
  Matcher(std::string_view text, const PlaceholderOptions& options)
      : PlaceReader(text),
        addresses_(text, options.entities),
        entities_(options.entities),
        has_at_(text.find('@') != text.npos) {}

  size_t At(size_t i) const {
    if (!BeginsCharacter(text_[i])) return 0;
    switch (text_[i]) {
      case '{':
        return Braces(i);
      case '%':
        return Percent(i);
      case '$':
        return Dollar(i);
      case '#':
      case '@':
        return Get(i + 1) == '{' ? Prefixed(i) : Mention(i, text_[i] == '#');
      case '[':
        return Brackets(i);
      case '<':
        return Angles(i);
      case ':':
        return Colons(i);
      case '\\':
        return Escape(i);
      case '&':
        return entities_ ? Entity(i) : 0;
      case '!':  // Lemmy community: !name@host.tld
        if (!has_at_ || WordBefore(i)) return 0;
        if (const size_t email = addresses_.Email(i + 1)) return email + 1;
        return 0;
      default:
        return AtWord(i);
    }
  }

 private:
  /// End of the name (UAX 31) that begins at i. A name that begins with other
  /// letters ends before characters of a script without spaces, except in
  /// "user_東京".
  size_t NameEnd(size_t i) const {
    const size_t limit = Limit(i);
    bool unspaced = IsUnspacedCharacter(CharacterAt(i).code);
    size_t end = i;
    while (end < limit) {
      const Character c = CharacterAt(end);
      const bool joins =
          end > i && (c.code == kWidthJoiner || c.code == kWidthNonJoiner) &&
          IsIdentifierCharacter(CharacterAt(end + c.size).code);
      if (!joins && !IsIdentifierCharacter(c.code)) break;
      if (IsUnspacedCharacter(c.code) && !unspaced) {
        if (Before(end) != '_') break;
        unspaced = true;
      }
      end += c.size;
    }
    return end;
  }

  bool LetterAt(size_t i) const {
    return IsLetterCharacter(CharacterAt(i).code);
  }

  /// Size of a group of braces with its content; 0 if it does not close within
  /// the limit.
  size_t Group(size_t i) const {
    size_t depth = 0;
    const size_t limit = Limit(i);
    for (size_t k = i; k < limit; ++k) {
      if (text_[k] == '{') ++depth;
      if (text_[k] == '}' && --depth == 0) return k + 1 - i;
    }
    return 0;
  }

  // {{…}} and {%…%} are always placeholders. {…} is one if it has no space
  // except around a name, or if it is a message format {name, type, …}.
  size_t Braces(size_t i) const {
    const char second = Get(i + 1);
    const size_t group = Group(i);
    if (group == 0) return 0;
    if (second == '{' || second == '%' || second == '}') return group;
    const size_t end = i + group - 1;
    const size_t name = NameEnd(i + 1);
    if (name > i + 1 && Get(Skip(name, IsAsciiBlank)) == ',') return group;
    const std::string_view inside =
        TrimBlanks(text_.substr(i + 1, end - i - 1));
    if (inside.empty()) return 0;
    constexpr std::string_view kSigns = "$@#";
    const bool named = IsIdentifierCharacter(FirstCharacter(inside).code) ||
                       kSigns.find(inside[0]) != kSigns.npos;
    return named && !HasCharacter(inside, IsSpaceCharacter) ? group : 0;
  }

  size_t Prefixed(size_t i) const {
    const size_t group = Group(i + 1);
    return group > 0 ? group + 1 : 0;
  }

  size_t Dollar(size_t i) const {
    if (Get(i + 1) == '{') return Prefixed(i);
    const bool begins = LetterAt(i + 1) || Get(i + 1) == '_';
    if (!begins || WordBefore(i) || Before(i) == '$') return 0;
    const size_t end = NameEnd(i + 1);
    return end + (Get(end) == '$' ? 1 : 0) - i;
  }

  // 50% and its 5%s are not placeholders, because a number precedes them.
  size_t Percent(size_t i) const {
    const char next = Get(i + 1);
    if (next == '{') return Prefixed(i);
    if (next == '%') return 2;
    if (next == '(' || next == '<') {
      const size_t end = Skip(i + 2, [&](char c) {
        return !IsAsciiBlank(c) && c != ')' && c != '>';
      });
      const bool closes = Get(end) == (next == '(' ? ')' : '>');
      if (!closes || end == i + 2) return 0;
      const size_t type = Directive(end + 1);
      return type > 0 ? end + 1 + type - i : 0;
    }
    const size_t place = Skip(i + 1, IsAsciiDigit);
    if (place > i + 1 && Get(place) == '$') {
      const size_t type = Directive(place + 1);
      return type > 0 ? place + 1 + type - i : 0;
    }
    if (WordBefore(i)) return 0;
    size_t name = NameEnd(i + 1);
    while (name > i + 1 && (Get(name) == '.' || Get(name) == '-')) {
      name = NameEnd(name + 1);
    }
    const size_t type = Directive(i + 1);
    const bool named = name > i + 1 && !IsAsciiDigit(next) && Get(name) == '%';
    // "%d%%" is a number and a percent sign.
    const bool doubled = Get(name + 1) == '%' && i + 1 + type == name;
    if (named && !doubled && !WordAt(name + 1)) return name + 1 - i;
    if (type > 0) {
      const size_t end = i + 1 + type;
      // "%sure" is not a placeholder, "%ds" and "%dpx" are.
      const size_t word = WordAt(end) ? NameEnd(end) - end : 0;
      return word <= 2 ? end - i : 0;
    }
    // Time formats ("%H:%M") and formats of other programming languages ("%v").
    if (IsAsciiLetter(next) && !WordAt(i + 2)) return 2;
    // %1 and %L1 of Qt, %1% of other libraries.
    const size_t number = Skip(i + (next == 'L' ? 2 : 1), IsAsciiDigit);
    const size_t digits = number - i - (next == 'L' ? 2 : 1);
    if (digits < 1 || digits > 2 || WordAt(number)) return 0;
    return number + (Get(number) == '%' ? 1 : 0) - i;
  }

  // Size of a format directive, "5.2lf" in "%5.2lf". A space is not a flag
  // here: "% s" is usually text.
  size_t Directive(size_t i) const {
    size_t k = Skip(i, [](char c) {
      return c == '-' || c == '+' || c == '#' || c == '0' || c == '\'' ||
             c == '*';
    });
    k = Skip(k, IsAsciiDigit);
    if (Get(k) == '.')
      k = Skip(k + 1, [](char c) { return IsAsciiDigit(c) || c == '*'; });
    for (int n = 0; n < 2; ++n) {
      const char c = Get(k);
      if (c == 'l' || c == 'h' || c == 'z' || c == 'j' || c == 't') ++k;
    }
    constexpr std::string_view kTypes = "sdiufFeEgGxXocpbBqn@S";
    return Get(k) != '\0' && kTypes.find(Get(k)) != kTypes.npos ? k + 1 - i : 0;
  }

  // [X0X], [NAME], [1], [user_name], [[name]]; not [the], an editorial
  // insertion.
  size_t Brackets(size_t i) const {
    if (Get(i + 1) == '[') return Between(i, 2, "]]");
    size_t end = i + 1;
    for (const size_t limit = Limit(i); end < limit;) {
      const Character c = CharacterAt(end);
      if (!IsIdentifierCharacter(c.code) && c.code != '.' && c.code != '-' &&
          c.code != ':' && c.code != '%') {
        break;
      }
      end += c.size;
    }
    if (end == i + 1 || Get(end) != ']') return 0;
    const std::string_view name = text_.substr(i + 1, end - i - 1);
    const bool word = HasCharacter(name, [](int32_t c) {
      return IsLetterCharacter(c) && !IsUpperCharacter(c);
    });
    const bool technical = HasCharacter(name, [](int32_t c) {
      return IsDigitCharacter(c) || c == '_' || c == ':' || c == '%';
    });
    return !word || technical ? end + 1 - i : 0;
  }

  /// Matches from an opening of `opening` bytes to the closing text, if the
  /// content is not empty and has no brackets.
  size_t Between(size_t i, size_t opening, std::string_view closing) const {
    const std::string_view rest = text_.substr(i, Limit(i) - i);
    const size_t end = rest.find(closing, opening);
    if (end == rest.npos || end == opening) return 0;
    const std::string_view inside = rest.substr(opening, end - opening);
    if (inside.find_first_of("[]<>") != inside.npos) return 0;
    return end + closing.size();
  }

  // <0>, </0>, <1/>: tags of localisation libraries; <%= name %> of templates.
  size_t Angles(size_t i) const {
    if (Get(i + 1) == '%') return Between(i, 2, "%>");
    if (const size_t mention = ChatMention(i)) return mention;
    const size_t begin = i + (Get(i + 1) == '/' ? 2 : 1);
    size_t end = Skip(begin, IsAsciiDigit);
    if (end == begin) return 0;
    if (Get(end) == '/' && Get(i + 1) != '/') ++end;
    return Get(end) == '>' ? end + 1 - i : 0;
  }

  /// Matches mentions of chat programs: <@123>, <@U1|anna>, <#C1|general>,
  /// <!here>, <:smile:123>, <a:smile:123>, <t:123:R>.
  size_t ChatMention(size_t i) const {
    const char first = Get(i + 1);
    const bool emoji =
        first == ':' || ((first == 'a' || first == 't') && Get(i + 2) == ':');
    const bool name = (first == '@' || first == '#' || first == '!') &&
                      (WordAt(i + 2) || Get(i + 2) == '!' || Get(i + 2) == '&');
    if (!emoji && !name) return 0;
    const size_t size = Between(i, 2, ">");
    const std::string_view inside = text_.substr(i, size);
    return HasCharacter(inside, IsSpaceCharacter) ? 0 : size;
  }

  /// Matches @user, @user@host.tld and #tag without a preceding word.
  size_t Mention(size_t i, bool hashtag) const {
    const Character sign = CharacterAt(i);
    const char before = Before(i);
    if (WordBefore(i) || before == text_[i] || before == '&') return 0;
    const size_t begin = i + sign.size;
    if (hashtag) return Hashtag(i, begin);
    if (!LetterAt(begin) && Get(begin) != '_') return 0;
    const size_t name = HandleEnd(begin);
    if (Get(name) != '@') return name - i;
    const size_t host = HandleEnd(name + 1);
    return host - (host == name + 1 ? 1 : 0) - i;
  }

  /// Matches letters of any script, digits and emoji, but not digits alone.
  size_t Hashtag(size_t i, size_t begin) const {
    size_t end = begin;
    bool letter = false;
    for (const size_t limit = Limit(i); end < limit;) {
      const Character c = CharacterAt(end);
      const size_t emoji = c.code >= 0x80 ? EmojiSize(From(end)) : 0;
      const bool joins =
          letter && (c.code == kWidthJoiner || c.code == kWidthNonJoiner) &&
          IsIdentifierCharacter(CharacterAt(end + c.size).code);
      if (emoji == 0 && !joins && !IsIdentifierCharacter(c.code)) break;
      letter = letter || emoji > 0 || IsLetterCharacter(c.code);
      end += std::max(emoji, c.size);
    }
    if (!letter) return 0;
    // Weibo writes hashtags with # on both sides.
    const bool closes =
        Get(end) == '#' && IsUnspacedCharacter(CharacterAt(begin).code);
    return end + (closes ? 1 : 0) - i;
  }

  /// End of a name that may contain dots and dashes.
  size_t HandleEnd(size_t i) const {
    const size_t limit = Limit(i);
    size_t end = NameEnd(i);
    while (end > i && end < limit && (Get(end) == '.' || Get(end) == '-')) {
      // "xn--" begins an internationalised domain name.
      const size_t next = end + (From(end).starts_with("--") ? 2 : 1);
      if (!WordAt(next)) break;
      end = NameEnd(next);
    }
    return end;
  }

  /// Matches :smile:, and :name of some libraries.
  size_t Colons(size_t i) const {
    if (IsIdentifierCharacter(CharacterBefore(i).code) || Before(i) == ':') {
      return 0;
    }
    const char next = Get(i + 1);
    const bool word = LetterAt(i + 1) && WordAt(i + 1);
    if (!word && next != '+' && next != '-') return 0;
    const size_t end = Skip(
        i + 1, [](char c) { return IsNameByte(c) || c == '-' || c == '+'; });
    if (Get(end) == ':' && !WordAt(end + 1) && Get(end + 1) != ':') {
      return end + 1 - i;
    }
    const bool alone = i == 0 || IsSpaceCharacter(CharacterBefore(i).code) ||
                       Before(i) == '(' || Before(i) == '"' ||
                       Before(i) == '\'';
    return alone && word ? NameEnd(i + 1) - i : 0;
  }

  size_t Escape(size_t i) const {
    const char c = Get(i + 1);
    if (c != 'n' && c != 't' && c != 'r') return 0;
    return Before(i) != '\\' && Before(i) != ':' && !IsAsciiLower(Get(i + 2))
               ? 2
               : 0;
  }

  size_t Entity(size_t i) const {
    const auto entity = EntityAt(From(i));
    return entity && Get(i + entity->size - 1) == ';' ? entity->size : 0;
  }

  size_t AtWord(size_t i) const {
    const Character c = CharacterAt(i);
    if (c.code == kWideHash || c.code == kWideAt) {
      return Mention(i, c.code == kWideHash);
    }
    if (!IsIdentifierCharacter(c.code)) return 0;
    const bool unspaced = IsUnspacedCharacter(c.code);
    if (WordBefore(i) ||
        (unspaced && IsIdentifierCharacter(CharacterBefore(i).code))) {
      return 0;
    }
    if (const size_t url = addresses_.Url(i)) return url;
    if (has_at_) {
      if (const size_t email = addresses_.Email(i)) return email;
    }
    const size_t end = NameEnd(i);
    // A target language mark is for the model: >>cmn_Hant<<.
    if (text_.substr(0, i).ends_with(">>") &&
        text_.substr(std::min(end, text_.size())).starts_with("<<")) {
      return 0;
    }
    if (Get(end) == '.' && c.code < 0x80) {
      if (const size_t domain = addresses_.Domain(i)) return domain;
    }
    if (!IsName(text_.substr(i, end - i)) || WordAt(end)) return 0;
    return MemberEnd(i, end) - i;
  }

  /// End of the members that follow an identifier with an underscore:
  /// user_name.py.
  size_t MemberEnd(size_t i, size_t end) const {
    if (text_.substr(i, end - i).find('_') == text_.npos) return end;
    while (Get(end) == '.' && WordAt(end + 1) &&
           !IsUpperCharacter(CharacterAt(end + 1).code)) {
      end = NameEnd(end + 1);
    }
    return end;
  }

  /// True if a word is an identifier of a program: user_name, __NAME__, X0X.
  static bool IsName(std::string_view word) {
    if (word.find('_') != word.npos) {
      return HasCharacter(word, IsLetterCharacter);
    }
    return IsUpperCharacter(FirstCharacter(word).code) &&
           HasCharacter(word, IsDigitCharacter) &&
           !IsDigitCharacter(LastCharacter(word).code) &&
           !HasCharacter(word, IsLowerCharacter);
  }

  AddressReader addresses_;
  bool entities_;
  bool has_at_;
};

using BracketPair = std::pair<std::string_view, std::string_view>;
constexpr std::array<BracketPair, 13> kPairs = {{{"(", ")"},
                                                 {"<", ">"},
                                                 {"[", "]"},
                                                 {"\"", "\""},
                                                 {"'", "'"},
                                                 {"`", "`"},
                                                 {"“", "”"},
                                                 {"„", "“"},
                                                 {"‘", "’"},
                                                 {"‚", "‘"},
                                                 {"«", "»"},
                                                 {"「", "」"},
                                                 {"（", "）"}}};

/// Extends a range by the brackets around it.
TextRange WithPairs(std::string_view text, TextRange range, size_t from) {
  for (bool found = true; found;) {
    found = false;
    const std::string_view before = text.substr(from, range.begin - from);
    const std::string_view after = text.substr(range.end);
    for (const auto& [opens, closes] : kPairs) {
      if (!before.ends_with(opens) || !after.starts_with(closes)) continue;
      range = {range.begin - opens.size(), range.end + closes.size()};
      found = true;
      break;
    }
  }
  return range;
}

/// True if an emoji may begin at i: emoji begin with a non-ASCII character,
/// keycaps with an ASCII one.
bool MayBeginEmoji(std::string_view text, size_t i) {
  const auto is_wide = [&](size_t k) {
    return k < text.size() && (static_cast<unsigned char>(text[k]) & 0x80) != 0;
  };
  if (is_wide(i)) return BeginsCharacter(text[i]);
  return (IsAsciiDigit(text[i]) || text[i] == '#' || text[i] == '*') &&
         is_wide(i + 1);
}

/// True if the text between two placeholders only joins them.
bool Joins(std::string_view between) {
  constexpr size_t kLongestJoint = 4;
  if (between.size() > kLongestJoint) return false;
  const bool spaced = std::ranges::any_of(between, IsAsciiBlank);
  return std::ranges::all_of(between, [&](char c) {
    constexpr std::string_view kJoints = " ,/:-|*+=&;";
    return kJoints.find(c) != kJoints.npos || (c == '.' && !spaced);
  });
}

}  // namespace

std::vector<TextRange> FindPlaceholders(std::string_view text,
                                        const PlaceholderOptions& options) {
  const Matcher matcher(text, options);
  std::vector<TextRange> found;
  for (size_t i = 0; i < text.size();) {
    const size_t emoji = MayBeginEmoji(text, i) ? EmojiSize(text.substr(i)) : 0;
    if (emoji > 0 && options.knows && options.knows(text.substr(i, emoji))) {
      i += emoji;
      continue;
    }
    const size_t length = emoji > 0 ? emoji : matcher.At(i);
    if (length == 0) {
      ++i;
      continue;
    }
    const size_t before = found.empty() ? 0 : found.back().end;
    const TextRange range = WithPairs(text, {i, i + length}, before);
    if (!found.empty() && Joins(text.substr(before, range.begin - before))) {
      found.back().end = range.end;
    } else {
      found.push_back(range);
    }
    i = range.end;
  }
  return found;
}

}  // namespace heed
