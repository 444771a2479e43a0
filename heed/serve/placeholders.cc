#include "heed/serve/placeholders.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/base/text.h"
#include "heed/serve/ascii.h"
#include "heed/serve/html_entities.h"
#include "heed/serve/http.h"

namespace heed {
namespace {

constexpr size_t kLongest = 200;

bool IsWordByte(char c) {  // a letter in any script, as far as bytes tell
  return IsLetter(c) || IsDigit(c) || (static_cast<unsigned char>(c) & 0x80);
}
bool IsNameByte(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }
/// Finds what begins at one place. All functions return a length, 0: nothing.
class Matcher {
 public:
  Matcher(std::string_view text, const PlaceholderOptions& options)
      : text_(text),
        entities_(options.entities),
        has_at_(text.find('@') != text.npos) {}

  size_t At(size_t i) const {
    switch (text_[i]) {
      case '{':
        return Braces(i);
      case '%':
        return Percent(i);
      case '$':
        return Dollar(i);
      case '#':
      case '@':
        return Get(i + 1) == '{' ? Prefixed(i) : Mention(i);
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
      default:
        return AtWord(i);
    }
  }

 private:
  char Get(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char Before(size_t i) const { return i > 0 ? text_[i - 1] : '\0'; }
  std::string_view From(size_t i) const { return text_.substr(i); }
  size_t Limit(size_t i) const { return std::min(i + kLongest, text_.size()); }

  /// The first place from i on whose byte is not of the kind.
  template <typename Is>
  size_t Skip(size_t i, const Is& is) const {
    const size_t limit = Limit(i);
    while (i < limit && is(text_[i])) ++i;
    return i;
  }

  /// A group of braces with all that it holds; 0 if it does not close soon.
  size_t Group(size_t i) const {
    size_t depth = 0;
    const size_t limit = Limit(i);
    for (size_t k = i; k < limit; ++k) {
      if (text_[k] == '{') ++depth;
      if (text_[k] == '}' && --depth == 0) return k + 1 - i;
    }
    return 0;
  }

  // {{…}} and {%…%} are always placeholders; {…} if it holds no space but
  // around a name, or is a message's {name, type, …}.
  size_t Braces(size_t i) const {
    const char second = Get(i + 1);
    const size_t group = Group(i);
    if (group == 0) return 0;
    if (second == '{' || second == '%' || second == '}') return group;
    const size_t end = i + group - 1;
    const size_t name = Skip(i + 1, IsNameByte);
    if (name > i + 1 && Get(Skip(name, IsBlank)) == ',') return group;
    const std::string_view inside =
        TrimBlanks(text_.substr(i + 1, end - i - 1));
    if (inside.empty()) return 0;
    const bool named =
        IsNameByte(inside[0]) || inside[0] == '$' || inside[0] == '@';
    return named && std::ranges::none_of(inside, IsBlank) ? group : 0;
  }

  size_t Prefixed(size_t i) const {
    const size_t group = Group(i + 1);
    return group > 0 ? group + 1 : 0;
  }

  size_t Dollar(size_t i) const {
    if (Get(i + 1) == '{') return Prefixed(i);
    const bool begins = IsLetter(Get(i + 1)) || Get(i + 1) == '_';
    if (!begins || IsWordByte(Before(i)) || Before(i) == '$') return 0;
    const size_t end = Skip(i + 1, IsNameByte);
    return end + (Get(end) == '$' ? 1 : 0) - i;
  }

  // 50% and 5%s of it are no placeholders, as a number stands before them.
  size_t Percent(size_t i) const {
    const char next = Get(i + 1);
    if (next == '{') return Prefixed(i);
    if (next == '%') return 2;
    if (next == '(' || next == '<') {
      const size_t end = Skip(
          i + 2, [&](char c) { return !IsBlank(c) && c != ')' && c != '>'; });
      const bool closes = Get(end) == (next == '(' ? ')' : '>');
      if (!closes || end == i + 2) return 0;
      const size_t type = Directive(end + 1);
      return type > 0 ? end + 1 + type - i : 0;
    }
    const size_t place = Skip(i + 1, IsDigit);
    if (place > i + 1 && Get(place) == '$') {
      const size_t type = Directive(place + 1);
      return type > 0 ? place + 1 + type - i : 0;
    }
    if (IsWordByte(Before(i))) return 0;
    const size_t name = Skip(
        i + 1, [](char c) { return IsNameByte(c) || c == '.' || c == '-'; });
    const size_t type = Directive(i + 1);
    const bool named = name > i + 1 && !IsDigit(next) && Get(name) == '%';
    // "%d%%" is a number and a per cent sign.
    const bool doubled = Get(name + 1) == '%' && i + 1 + type == name;
    if (named && !doubled && !IsWordByte(Get(name + 1))) return name + 1 - i;
    if (type > 0) {
      const size_t end = i + 1 + type;
      // "%sure" is no placeholder, "%ds" and "%dpx" are.
      const size_t letters = Skip(end, IsWordByte) - end;
      return letters <= 2 ? end - i : 0;
    }
    // Of times ("%H:%M") and of other languages ("%v").
    if (IsLetter(next) && !IsWordByte(Get(i + 2))) return 2;
    // Qt's %1 and %L1, others' %1%
    const size_t number = Skip(i + (next == 'L' ? 2 : 1), IsDigit);
    const size_t digits = number - i - (next == 'L' ? 2 : 1);
    if (digits < 1 || digits > 2 || IsWordByte(Get(number))) return 0;
    return number + (Get(number) == '%' ? 1 : 0) - i;
  }

  // "5.2lf" of "%5.2lf"; a space is no flag here: "% s" is mostly text.
  size_t Directive(size_t i) const {
    size_t k = Skip(i, [](char c) {
      return c == '-' || c == '+' || c == '#' || c == '0' || c == '\'' ||
             c == '*';
    });
    k = Skip(k, IsDigit);
    if (Get(k) == '.')
      k = Skip(k + 1, [](char c) { return IsDigit(c) || c == '*'; });
    for (int n = 0; n < 2; ++n) {
      const char c = Get(k);
      if (c == 'l' || c == 'h' || c == 'z' || c == 'j' || c == 't') ++k;
    }
    constexpr std::string_view kTypes = "sdiufFeEgGxXocpbBqn@S";
    return Get(k) != '\0' && kTypes.find(Get(k)) != kTypes.npos ? k + 1 - i : 0;
  }

  // [X0X], [NAME], [1], [user_name], [[name]]: not [the], which somebody added.
  size_t Brackets(size_t i) const {
    if (Get(i + 1) == '[') return Between(i, 2, "]]");
    const size_t end = Skip(i + 1, [](char c) {
      return IsNameByte(c) || c == '.' || c == '-' || c == ':' || c == '%';
    });
    if (end == i + 1 || Get(end) != ']') return 0;
    const std::string_view name = text_.substr(i + 1, end - i - 1);
    const bool lower = std::ranges::any_of(name, IsLower);
    const bool technical = std::ranges::any_of(
        name, [](char c) { return !IsLetter(c) && c != '-' && c != '.'; });
    return !lower || technical ? end + 1 - i : 0;
  }

  /// From an opening of so many bytes to what closes it, if something without
  /// brackets is between them.
  size_t Between(size_t i, size_t opening, std::string_view closing) const {
    const std::string_view rest = text_.substr(i, Limit(i) - i);
    const size_t end = rest.find(closing, opening);
    if (end == rest.npos || end == opening) return 0;
    const std::string_view inside = rest.substr(opening, end - opening);
    if (inside.find_first_of("[]<>") != inside.npos) return 0;
    return end + closing.size();
  }

  // <0>, </0>, <1/>: tags of some libraries for texts in several languages;
  // <%= name %> of templates.
  size_t Angles(size_t i) const {
    if (Get(i + 1) == '%') return Between(i, 2, "%>");
    const size_t begin = i + (Get(i + 1) == '/' ? 2 : 1);
    size_t end = Skip(begin, IsDigit);
    if (end == begin) return 0;
    if (Get(end) == '/' && Get(i + 1) != '/') ++end;
    return Get(end) == '>' ? end + 1 - i : 0;
  }

  /// What has a letter behind it and no word before it: @user, #tag.
  size_t Mention(size_t i) const {
    const char before = Before(i);
    if (IsWordByte(before) || before == text_[i] || before == '&') return 0;
    if (!IsLetter(Get(i + 1))) return 0;
    return Skip(i + 1, IsNameByte) - i;
  }

  /// :smile:, and :name of some libraries.
  size_t Colons(size_t i) const {
    if (IsWordByte(Before(i)) || Before(i) == ':') return 0;
    const char next = Get(i + 1);
    if (!IsLetter(next) && next != '+' && next != '-') return 0;
    const size_t end = Skip(
        i + 1, [](char c) { return IsNameByte(c) || c == '-' || c == '+'; });
    if (Get(end) == ':' && !IsWordByte(Get(end + 1)) && Get(end + 1) != ':') {
      return end + 1 - i;
    }
    const bool alone = i == 0 || IsBlank(Before(i)) || Before(i) == '(' ||
                       Before(i) == '"' || Before(i) == '\'';
    return alone && IsLetter(next) ? Skip(i + 1, IsNameByte) - i : 0;
  }

  size_t Escape(size_t i) const {
    const char c = Get(i + 1);
    if (c != 'n' && c != 't' && c != 'r') return 0;
    return Before(i) != '\\' && Before(i) != ':' && !IsLower(Get(i + 2)) ? 2
                                                                         : 0;
  }

  size_t Entity(size_t i) const {
    const auto entity = EntityAt(From(i));
    return entity ? entity->size : 0;
  }

  size_t AtWord(size_t i) const {
    const char c = text_[i];
    if (!IsNameByte(c) || IsWordByte(Before(i)) || Before(i) == '_') return 0;
    if (const size_t url = Url(i)) return url;
    if (has_at_) {
      if (const size_t email = Email(i)) return email;
    }
    const size_t end = Skip(i, IsNameByte);
    const std::string_view word = text_.substr(i, end - i);
    if (Get(end) == '.') {
      if (const size_t domain = Domain(i)) return domain;
    }
    return IsName(word) && !IsWordByte(Get(end)) ? word.size() : 0;
  }

  /// What no language has: user_name, __NAME__, X0X.
  static bool IsName(std::string_view word) {
    const bool letters = std::ranges::any_of(word, IsLetter);
    if (letters && word.find('_') != word.npos) return true;
    const size_t last = word.find_last_of("0123456789");
    return IsUpper(word[0]) && last != word.npos && last + 1 < word.size() &&
           std::ranges::none_of(word, IsLower);
  }

  /// x.example.com and what follows: of the domains that everybody knows.
  size_t Domain(size_t i) const {
    constexpr std::array<std::string_view, 8> kTop = {
        "com", "org", "net", "io", "dev", "edu", "gov", "info"};
    if (Before(i) == '.' || Before(i) == '-' || Before(i) == '/') return 0;
    const size_t end = Skip(i, [](char c) {
      return IsLetter(c) || IsDigit(c) || c == '-' || c == '.';
    });
    std::string_view name = text_.substr(i, end - i);
    while (name.ends_with('.')) name.remove_suffix(1);
    const size_t dot = name.rfind('.');
    if (dot == name.npos || dot == 0 ||
        std::ranges::find(kTop, name.substr(dot + 1)) == kTop.end()) {
      return 0;
    }
    return Get(i + name.size()) == '/' ? UrlEnd(i) : name.size();
  }

  static bool BeginsUrl(std::string_view text) {
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
             IsWordByte(text[beginning.size()]) &&
             EqualIgnoringCase(text.substr(0, beginning.size()), beginning);
    });
  }

  size_t Url(size_t i) const { return BeginsUrl(From(i)) ? UrlEnd(i) : 0; }

  // Up to white space or a mark that no URL has; punctuation that ends it is
  // the sentence's, and so is a bracket that was not opened in it.
  size_t UrlEnd(size_t i) const {
    const size_t stop =
        std::min(text_.find_first_of(" \t\r\n\f\"<>`|\\^", i), text_.size());
    std::string_view url = text_.substr(i, stop - i);
    auto opened = std::ranges::count(url, '(');
    auto closed = std::ranges::count(url, ')');
    while (!url.empty()) {
      const char last = url.back();
      constexpr std::string_view kEnds = ".,;:!?'*";
      const bool unopened = last == ')' && closed > opened;
      if (!unopened && kEnds.find(last) == kEnds.npos) break;
      if (unopened) --closed;
      // An entity's end belongs to it.
      if (last == ';' && !entities_ && url.find('&') != url.npos) break;
      url.remove_suffix(1);
    }
    return url.size();
  }

  size_t Email(size_t i) const {
    const auto local = [](char c) {
      return IsNameByte(c) || c == '.' || c == '+' || c == '-' || c == '%';
    };
    if (local(Before(i))) return 0;
    const size_t begin =
        i + (EqualIgnoringCase(text_.substr(i, 7), "mailto:") ? 7 : 0);
    const size_t at = Skip(begin, local);
    if (at == begin || Get(at) != '@') return 0;
    size_t end = Skip(at + 1, [](char c) {
      return IsLetter(c) || IsDigit(c) || c == '-' || c == '.';
    });
    while (end > at + 1 && (text_[end - 1] == '.' || text_[end - 1] == '-')) {
      --end;
    }
    const std::string_view domain = text_.substr(at + 1, end - at - 1);
    const size_t dot = domain.rfind('.');
    const bool good = dot != domain.npos && dot > 0 && domain.size() > dot + 2;
    return good ? end - i : 0;
  }

  std::string_view text_;
  bool entities_;
  bool has_at_;
};

using Pair = std::pair<std::string_view, std::string_view>;
constexpr std::array<Pair, 12> kPairs = {{{"(", ")"},
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

/// With the brackets around it.
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

/// Whether what stands between two placeholders is no text of its own.
bool Joins(std::string_view between) {
  constexpr size_t kLongestJoint = 4;
  if (between.size() > kLongestJoint) return false;
  const bool spaced = std::ranges::any_of(between, IsBlank);
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
    const size_t length = matcher.At(i);
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
