#include "heed/text/markup/html_tokens.h"

#include <algorithm>

#include "heed/base/text.h"
#include "heed/text/characters.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_entities.h"
#include "heed/text/markup/placeholders.h"

namespace heed {
namespace {

// Block elements, whose tags separate sentences.
constexpr std::string_view kBlocks =
    " address applet article aside base blockquote body br button caption "
    "center col colgroup dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head "
    "header hgroup hr html iframe legend li link main menu menuitem meta "
    "nav noembed noframes noscript ol optgroup option p param plaintext pre "
    "script search section select style summary table tbody td template "
    "textarea tfoot th thead title tr ul xmp ";

constexpr std::string_view kNotTranslated =
    " address applet audio canvas code embed iframe math noembed noframes "
    "plaintext script style svg time video xmp ";

// Elements whose content is not markup.
constexpr std::string_view kRaw =
    " iframe noembed noframes plaintext script style textarea title xmp ";

constexpr std::string_view kVoid =
    " area base basefont br col embed frame hr img input keygen link meta "
    "param source track wbr bgsound ";

/// True if `name` is one of the space-separated words.
bool IsOneOf(std::string_view words, const std::string& name) {
  return words.find(" " + name + " ") != words.npos;
}

// Element names are truncated beyond this length.
constexpr size_t kLongestName = 64;

/// Tag name: "p" for "<P class=x>" and "</p>".
std::string NameOf(std::string_view tag) {
  const size_t begin = tag.size() > 1 && tag[1] == '/' ? 2 : 1;
  size_t end = begin;
  while (end < tag.size() && end < begin + kLongestName &&
         !IsAsciiBlank(tag[end]) && tag[end] != '/' && tag[end] != '>') {
    ++end;
  }
  return Lowercase(tag.substr(begin, end - begin));
}

bool ClosesItself(std::string_view tag) { return tag.ends_with("/>"); }

/// True if a class marks an inline element as a name.
bool IsNameClass(std::string_view word) {
  const std::string lower = Lowercase(word);
  for (const std::string_view name : {"mention", "hashtag"}) {
    if (lower == name || lower.ends_with("-" + std::string(name))) return true;
  }
  return lower == "twitter-atreply" || lower == "hashtag-cooked";
}

/// True if a text consists of a single name or address.
bool IsSingleName(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    const auto entity = EntityAt(html);
    text += entity ? entity->text : html.substr(0, 1);
    html.remove_prefix(entity ? entity->size : 1);
  }
  const std::string_view name = TrimBlankCharacters(text);
  const auto found = FindPlaceholders(name, {.entities = false});
  return found == std::vector<TextRange>{{0, name.size()}};
}

/// True if the attributes of an opening tag exclude it from translation.
bool SaysKeep(std::string_view tag, bool block) {
  size_t i = std::min(tag.find_first_of(" \t\r\n\f/"), tag.size());
  const auto skip_blanks = [&] {
    while (i < tag.size() && IsAsciiBlank(tag[i])) ++i;
  };
  while (i < tag.size()) {
    while (i < tag.size() && (IsAsciiBlank(tag[i]) || tag[i] == '/')) ++i;
    const size_t name_begin = i;
    while (i < tag.size() && !IsAsciiBlank(tag[i]) && tag[i] != '=' &&
           tag[i] != '>' && tag[i] != '/') {
      ++i;
    }
    const std::string_view name = tag.substr(name_begin, i - name_begin);
    skip_blanks();
    if (i >= tag.size() || tag[i] != '=') {
      if (i == name_begin) ++i;  // '>'
      continue;
    }
    ++i;
    skip_blanks();
    std::string_view value;
    if (i < tag.size() && (tag[i] == '"' || tag[i] == '\'')) {
      const size_t end = std::min(tag.find(tag[i], i + 1), tag.size());
      value = tag.substr(i + 1, end - i - 1);
      i = end + 1;
    } else {
      const size_t end =
          std::min(tag.find_first_of(" \t\r\n\f>", i), tag.size());
      value = tag.substr(i, end - i);
      i = end;
    }
    if (EqualIgnoringCase(name, "translate") &&
        EqualIgnoringCase(value, "no")) {
      return true;
    }
    if (EqualIgnoringCase(name, "class")) {
      for (const std::string_view word : SplitWhitespace(value)) {
        if (EqualIgnoringCase(word, "notranslate") ||
            (!block && IsNameClass(word))) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

bool IsBlockTag(std::string_view tag) { return IsOneOf(kBlocks, NameOf(tag)); }

bool IsWordlessTag(std::string_view tag) {
  if (tag.starts_with("<!") || tag.starts_with("<?")) return true;
  return tag.starts_with('<') && IsOneOf(" img wbr ", NameOf(tag));
}

bool HtmlReader::BeginsTag(size_t i) const {
  if (i + 1 >= html_.size()) return false;
  const char c = html_[i + 1];
  return c == '/' || c == '!' || c == '?' || IsAsciiLetter(c);
}

// Quotes count only at the start of a value, as in HTML: <p don't> is a tag.
size_t HtmlReader::TagEnd(size_t begin) const {
  const std::string_view rest = html_.substr(begin);
  for (const auto& [opens, closes] :
       {std::pair<std::string_view, std::string_view>{"<!--", "-->"},
        {"<![CDATA[", "]]>"}}) {
    if (!rest.starts_with(opens)) continue;
    const size_t end = html_.find(closes, begin + opens.size());
    return end == html_.npos ? html_.size() : end + closes.size();
  }
  char quote = 0;
  bool value_begins = false;
  for (size_t i = begin + 1; i < html_.size(); ++i) {
    const char c = html_[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return i + 1;
    } else if (value_begins && (c == '"' || c == '\'')) {
      quote = c;
      value_begins = false;
    } else if (!IsAsciiBlank(c)) {
      value_begins = c == '=';
    }
  }
  return html_.size();
}

/// Position of "</name".
size_t HtmlReader::RawEnd(size_t begin, const std::string& name) const {
  for (size_t i = html_.find("</", begin); i != html_.npos;
       i = html_.find("</", i + 2)) {
    const size_t after = i + 2 + name.size();
    const bool ends = after >= html_.size() || IsAsciiBlank(html_[after]) ||
                      html_[after] == '/' || html_[after] == '>';
    if (ends && EqualIgnoringCase(html_.substr(i + 2, name.size()), name)) {
      return i;
    }
  }
  return html_.size();
}

/// End of a link whose content begins at `begin` if it is a single name; else
/// 0.
size_t HtmlReader::NameEnd(size_t begin) const {
  constexpr size_t kLongest = 1000;
  std::string text;
  const size_t limit = std::min(html_.size(), begin + kLongest);
  for (size_t i = begin; i < limit;) {
    if (html_[i] != '<' || !BeginsTag(i)) {
      text += html_[i++];
      continue;
    }
    const size_t end = TagEnd(i);
    const std::string_view tag = html_.substr(i, end - i);
    const std::string name = NameOf(tag);
    if (name == "a") return tag[1] == '/' && IsSingleName(text) ? end : 0;
    if (IsOneOf(kBlocks, name) || IsOneOf(kNotTranslated, name)) return 0;
    i = end;
  }
  return 0;
}

/// Position after the closing tag of the element whose content begins at
/// `begin`.
size_t HtmlReader::ElementEnd(size_t begin, const std::string& name) const {
  if (IsOneOf(kRaw, name)) {
    const size_t end = RawEnd(begin, name);
    return end < html_.size() ? TagEnd(end) : end;
  }
  size_t depth = 1;
  for (size_t i = html_.find('<', begin); i != html_.npos;) {
    if (!BeginsTag(i)) {
      i = html_.find('<', i + 1);
      continue;
    }
    size_t end = TagEnd(i);
    const std::string_view tag = html_.substr(i, end - i);
    const std::string own = NameOf(tag);
    if (tag[1] == '/') {
      if (own == name && --depth == 0) return end;
    } else if (own == name && !ClosesItself(tag)) {
      ++depth;
    } else if (IsOneOf(kRaw, own)) {
      end = RawEnd(end, own);
    }
    i = html_.find('<', end);
  }
  return html_.size();
}

HtmlToken HtmlReader::Next() {
  if (at_ >= text_until_ && html_[at_] == '<' && BeginsTag(at_)) return Tag();
  HtmlToken token;
  token.begin = at_;
  token.preformatted = preformatted_ > 0 || in_textarea_;
  at_ = std::max(at_ + 1, text_until_);
  while (at_ < html_.size() && !(html_[at_] == '<' && BeginsTag(at_))) ++at_;
  // Raw text may contain what looks like tags; the whole text is one token.
  if (token.begin < text_until_) at_ = text_until_;
  token.end = at_;
  return token;
}

HtmlToken HtmlReader::Tag() {
  using enum HtmlToken::Kind;
  HtmlToken token;
  token.begin = at_;
  token.end = at_ = TagEnd(at_);
  const std::string_view tag =
      html_.substr(token.begin, token.end - token.begin);
  if (tag[1] == '!' || tag[1] == '?') {
    const bool inside =
        tag.starts_with("<!--") || tag[1] == '?' || tag.starts_with("<![");
    token.kind = inside ? kKept : kBorder;
    return token;
  }
  token.name = NameOf(tag);
  const bool block = IsOneOf(kBlocks, token.name);
  if (tag[1] == '/') {
    token.kind = block ? kBorder : kClose;
    if (token.name == "pre" && preformatted_ > 0) --preformatted_;
    in_textarea_ = false;
    return token;
  }
  const bool empty = IsOneOf(kVoid, token.name) || ClosesItself(tag);
  bool keep = IsOneOf(kNotTranslated, token.name) || SaysKeep(tag, block);
  const size_t name_end = token.name == "a" && !keep ? NameEnd(token.end) : 0;
  if (name_end > 0) {
    keep = true;
    at_ = token.end = name_end;
  } else if (keep && !empty) {
    at_ = token.end = ElementEnd(token.end, token.name);
  }
  token.kind = block ? kBorder : keep || empty ? kKept : kOpen;
  if (keep || empty) return token;
  if (token.name == "pre") ++preformatted_;
  if (token.name == "textarea" || token.name == "title") {
    text_until_ = RawEnd(at_, token.name);
    in_textarea_ = token.name == "textarea";
  }
  return token;
}

}  // namespace heed
