#include "heed/serve/text_split.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/serve/http.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 6> kKeptElements = {
    "script", "style", "code", "pre", "textarea", "svg"};

struct Entity {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Entity, 6> kEntities = {{{"amp", "&"},
                                              {"lt", "<"},
                                              {"gt", ">"},
                                              {"quot", "\""},
                                              {"apos", "'"},
                                              {"nbsp", "\xC2\xA0"}}};

bool HasWord(std::string_view text) {
  int32_t i = 0;
  const auto size = static_cast<int32_t>(text.size());
  while (i < size) {
    UChar32 c = 0;
    U8_NEXT(text.data(), i, size, c);
    if (c >= 0 && u_isalnum(c)) return true;
  }
  return false;
}

bool IsSpaceAt(std::string_view text, size_t i) {
  const char c = text[i];
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' ||
         c == '\v';
}

void AddKept(std::vector<Segment>& segments, std::string_view text) {
  if (text.empty()) return;
  if (segments.empty() || segments.back().translate) segments.emplace_back();
  segments.back().text += text;
}

// A sentence that is not too long; its outer white space is kept.
void AddSentence(std::vector<Segment>& segments, std::string_view text) {
  size_t begin = 0;
  size_t end = text.size();
  while (begin < end && IsSpaceAt(text, begin)) ++begin;
  while (end > begin && IsSpaceAt(text, end - 1)) --end;
  AddKept(segments, text.substr(0, begin));
  const std::string_view sentence = text.substr(begin, end - begin);
  if (HasWord(sentence)) {
    segments.push_back({std::string(sentence), true});
  } else {
    AddKept(segments, sentence);
  }
  AddKept(segments, text.substr(end));
}

// Where to cut what is too long: behind the last comma or the like, else before
// the last space, else at the limit.
size_t CutOf(const std::vector<std::string_view>& characters) {
  size_t space = 0;
  size_t bytes = 0;
  size_t after_mark = 0;
  for (size_t i = 0; i < kLongestSentence; ++i) {
    const std::string_view c = characters[i];
    bytes += c.size();
    if (c == " " || c == "\t") space = bytes;
    if (c == "," || c == ";" || c == ":" || c == "，" || c == "、") {
      after_mark = bytes;
    }
  }
  if (after_mark > bytes / 2) return after_mark;
  return space > 0 ? space : bytes;
}

void AddPieces(std::vector<Segment>& segments, std::string_view sentence) {
  while (sentence.size() > kLongestSentence) {
    const auto characters = Utf8Characters(sentence);
    if (characters.size() <= kLongestSentence) break;
    const size_t cut = CutOf(characters);
    AddSentence(segments, sentence.substr(0, cut));
    sentence.remove_prefix(cut);
  }
  AddSentence(segments, sentence);
}

// Reading the rules takes longer than most translations of a word.
const icu::BreakIterator& SentenceRules() {
  static const std::unique_ptr<const icu::BreakIterator> rules = [] {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<const icu::BreakIterator> made(
        icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(),
                                                   error));
    if (U_FAILURE(error)) throw Error("ICU has no rules for sentences");
    return made;
  }();
  return *rules;
}

class SentenceBreaker {
 public:
  void Split(std::string_view line, std::vector<Segment>& segments) {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<UText, decltype(&utext_close)> text(
        utext_openUTF8(nullptr, line.data(), static_cast<int64_t>(line.size()),
                       &error),
        utext_close);
    breaks_->setText(text.get(), error);
    if (U_FAILURE(error)) throw Error("ICU cannot read a line");
    int32_t begin = breaks_->first();
    for (int32_t end = breaks_->next(); end != icu::BreakIterator::DONE;
         begin = end, end = breaks_->next()) {
      AddPieces(segments, line.substr(static_cast<size_t>(begin),
                                      static_cast<size_t>(end - begin)));
    }
  }

 private:
  std::unique_ptr<icu::BreakIterator> breaks_{SentenceRules().clone()};
};

void SplitInto(std::string_view text, std::vector<Segment>& segments) {
  SentenceBreaker breaker;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) breaker.Split(text.substr(begin, end - begin), segments);
    if (end < text.size()) AddKept(segments, "\n");
    begin = end + 1;
  }
}

void AppendUtf8(std::string& out, uint32_t code) {
  char bytes[4];
  int32_t size = 0;
  UBool failed = false;
  U8_APPEND(reinterpret_cast<uint8_t*>(bytes), size, 4,
            static_cast<UChar32>(code), failed);
  if (failed) {
    out += "\xEF\xBF\xBD";
  } else {
    out.append(bytes, static_cast<size_t>(size));
  }
}

// The text of "amp", "#246" or "#xF6"; nothing for what is no entity.
std::optional<std::string> EntityText(std::string_view name) {
  if (name.starts_with('#')) {
    const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    const std::string_view digits = name.substr(hex ? 2 : 1);
    uint32_t code = 0;
    const char* end = digits.data() + digits.size();
    const auto [place, error] =
        std::from_chars(digits.data(), end, code, hex ? 16 : 10);
    if (error != std::errc() || place != end || code == 0) return std::nullopt;
    std::string text;
    AppendUtf8(text, std::min<uint32_t>(code, 0x110000));
    return text;
  }
  for (const Entity& entity : kEntities) {
    if (entity.name == name) return std::string(entity.text);
  }
  return std::nullopt;
}

std::string DecodeEntities(std::string_view html) {
  constexpr size_t kLongestName = 10;
  std::string text;
  for (size_t i = 0; i < html.size(); ++i) {
    if (html[i] == '&') {
      const size_t end = html.substr(i, kLongestName + 2).find(';');
      const auto decoded = end == html.npos
                               ? std::nullopt
                               : EntityText(html.substr(i + 1, end - 1));
      if (decoded) {
        text += *decoded;
        i += end;
        continue;
      }
    }
    text += html[i];
  }
  return text;
}

std::string EscapeText(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

// The name of the element that a tag opens: "p" of "<P class=x>"; "" for an
// end.
std::string ElementOf(std::string_view tag) {
  std::string name;
  for (size_t i = 1; i < tag.size(); ++i) {
    const char c = tag[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9' && i > 1);
    if (!letter) break;
    name += c;
  }
  return Lowercase(name);
}

// The end of a tag that begins at `begin`; quotes may hold a '>'.
size_t TagEnd(std::string_view html, size_t begin) {
  if (html.substr(begin).starts_with("<!--")) {
    const size_t end = html.find("-->", begin + 4);
    return end == html.npos ? html.size() : end + 3;
  }
  char quote = 0;
  for (size_t i = begin + 1; i < html.size(); ++i) {
    if (quote != 0) {
      if (html[i] == quote) quote = 0;
    } else if (html[i] == '"' || html[i] == '\'') {
      quote = html[i];
    } else if (html[i] == '>') {
      return i + 1;
    }
  }
  return html.size();
}

bool BeginsTag(std::string_view html, size_t i) {
  if (html[i] != '<' || i + 1 >= html.size()) return false;
  const char c = html[i + 1];
  return c == '/' || c == '!' || c == '?' || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// Behind the end of an element whose content is no text.
size_t ElementEnd(std::string_view html, size_t begin,
                  const std::string& element) {
  for (size_t i = begin; i < html.size(); ++i) {
    i = std::min(html.find("</", i), html.size());
    if (i == html.size()) break;
    if (EqualIgnoringCase(html.substr(i + 2, element.size()), element)) {
      return TagEnd(html, i);
    }
  }
  return html.size();
}

}  // namespace

std::vector<Segment> SplitText(std::string_view text) {
  std::vector<Segment> segments;
  SplitInto(text, segments);
  return segments;
}

std::vector<Segment> SplitHtml(std::string_view html) {
  std::vector<Segment> segments;
  size_t begin = 0;  // of a text
  const auto end_text = [&](size_t end) {
    // Entities that are not translated are kept as they were written.
    const std::string_view raw = html.substr(begin, end - begin);
    const std::string text = DecodeEntities(raw);
    if (!HasWord(text)) return AddKept(segments, raw);
    std::vector<Segment> split;
    SplitInto(text, split);
    for (Segment& segment : split) {
      if (segment.translate) {
        segments.push_back(std::move(segment));
      } else {
        AddKept(segments, EscapeText(segment.text));
      }
    }
  };
  size_t i = 0;
  while (i < html.size()) {
    if (!BeginsTag(html, i)) {
      ++i;
      continue;
    }
    end_text(i);
    size_t end = TagEnd(html, i);
    const std::string element = ElementOf(html.substr(i, end - i));
    if (std::ranges::find(kKeptElements, element) != kKeptElements.end()) {
      end = ElementEnd(html, end, element);
    }
    AddKept(segments, html.substr(i, end - i));
    i = begin = end;
  }
  end_text(html.size());
  return segments;
}

std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> translations, bool html) {
  std::string text;
  size_t next = 0;
  for (const Segment& segment : segments) {
    if (!segment.translate) {
      text += segment.text;
    } else {
      const std::string& translation = translations[next++];
      text += html ? EscapeText(translation) : translation;
    }
  }
  return text;
}

}  // namespace heed
