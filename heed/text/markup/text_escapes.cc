#include "heed/text/markup/text_escapes.h"

#include "heed/text/characters.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_entities.h"

namespace heed {
namespace {

/// Characters before and after a character of Markdown.
class Neighbours {
 public:
  Neighbours(std::string_view text, size_t i)
      : before_(i > 0 ? LastCharacter(text.substr(0, i)).code : ' '),
        after_(i + 1 < text.size() ? FirstCharacter(text.substr(i + 1)).code
                                   : ' ') {}

  bool AreSpaces() const {
    return IsSpaceCharacter(before_) && IsSpaceCharacter(after_);
  }
  bool AreLetters() const {
    return IsIdentifierCharacter(before_) && IsIdentifierCharacter(after_);
  }
  bool HasAfter(int32_t c) const { return after_ == c; }
  bool Has(int32_t c) const { return before_ == c || after_ == c; }
  bool BeginTag() const {
    return after_ == '/' || after_ == '!' || after_ == '?' ||
           (after_ < 0x80 && IsAsciiLetter(static_cast<char>(after_)));
  }
  bool ArePunctuation() const {
    return after_ > ' ' && after_ < 0x7F &&
           !IsAsciiLetter(static_cast<char>(after_)) &&
           !IsAsciiDigit(static_cast<char>(after_));
  }

 private:
  int32_t before_;
  int32_t after_;
};

bool NeedsBackslash(std::string_view text, size_t i) {
  const Neighbours near(text, i);
  switch (text[i]) {
    case '`':
      return true;
    case '\\':
      return near.ArePunctuation() || i + 1 == text.size();
    // Tags may be adjacent to the edges.
    case '*':
      return !near.AreSpaces() || i == 0 || i + 1 == text.size();
    case '_':
      return (!near.AreSpaces() && !near.AreLetters()) || i == 0 ||
             i + 1 == text.size();
    case '~':
      return near.Has('~');
    case '<':
      return near.BeginTag();
    case '&':
      return EntityAt(text.substr(i)).has_value();
    default:
      return false;
  }
}

}  // namespace

size_t BlockMarkSize(std::string_view text) {
  if (text.empty()) return 0;
  constexpr std::string_view kMarks = "#>+-*=";
  if (kMarks.find(text[0]) != kMarks.npos) return 1;
  size_t end = 0;
  while (end < text.size() && end < 9 && IsAsciiDigit(text[end])) ++end;
  const bool item = end > 0 && end < text.size() &&
                    (text[end] == '.' || text[end] == ')') &&
                    (end + 1 == text.size() || IsAsciiBlank(text[end + 1]));
  return item ? end + 1 : 0;
}

std::vector<bool> EscapesOf(std::string_view translation,
                            std::string_view source, TextFormat format) {
  if (format != TextFormat::kMarkdown) return {};
  std::vector<bool> escapes(translation.size(), false);
  std::vector<size_t> open;  // positions of open brackets
  for (size_t i = 0; i < translation.size(); ++i) {
    const char c = translation[i];
    escapes[i] = NeedsBackslash(translation, i);
    if (c == '[') open.push_back(i);
    const bool footnote =
        c == '[' && i + 1 < translation.size() && translation[i + 1] == '^';
    const bool task = i == 0 && translation.size() > 3 && c == '[' &&
                      translation[2] == ']' && translation[3] == ' ';
    if (footnote || task) escapes[i] = true;
    if (c != ']') continue;
    const Neighbours near(translation, i);
    // "[a](b)" would be a link, and a single "]" might end one.
    if (open.empty()) {
      escapes[i] = true;
    } else {
      if (near.HasAfter('(') || near.HasAfter('[')) escapes[open.back()] = true;
      open.pop_back();
    }
  }
  for (const size_t bracket : open) escapes[bracket] = true;
  const size_t mark = BlockMarkSize(translation);
  if (mark > 0 && BlockMarkSize(source) == 0) escapes[mark - 1] = true;
  return escapes;
}

void AppendEscaped(std::string_view translation, size_t begin, size_t end,
                   TextFormat format, const std::vector<bool>& escapes,
                   std::string& out) {
  const std::string_view part = translation.substr(begin, end - begin);
  if (format == TextFormat::kHtml) {
    out += EscapeHtml(part);
  } else if (format == TextFormat::kText) {
    out += part;
  } else {
    for (size_t i = begin; i < end; ++i) {
      if (escapes[i]) out += '\\';
      out += translation[i];
    }
  }
}

std::string EscapeText(std::string_view translation, std::string_view source,
                       TextFormat format) {
  std::string out;
  AppendEscaped(translation, 0, translation.size(), format,
                EscapesOf(translation, source, format), out);
  return out;
}

}  // namespace heed
