#include "heed/text/markup/markdown_inlines.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "heed/text/characters.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_tokens.h"

namespace heed {
namespace {

constexpr size_t kLongestLabel = 1000;
constexpr size_t kLongestTitle = 2000;
constexpr size_t kNobody = std::numeric_limits<size_t>::max();

bool IsPunctuationCharacter(int32_t code) {
  if (code < 0x80) {
    const auto c = static_cast<char>(code);
    return code > ' ' && code < 0x7F && !IsAsciiLetter(c) && !IsAsciiDigit(c);
  }
  return u_ispunct(code) != 0 || (U_GET_GC_MASK(code) & U_GC_S_MASK) != 0;
}

/// A run of stars, underscores or tildes.
struct Delimiters {
  char mark;
  size_t begin;
  size_t size;
  bool opens = false;
  bool closes = false;
  size_t whole = 0;  // original size
  size_t left = 0;   // already matched at the start
  size_t previous = kNobody;

  size_t free() const { return size - left; }
};

/// An opening bracket without a matching link so far.
struct Bracket {
  size_t at;
  bool image;
  bool active;        // a link may begin here
  size_t delimiters;  // number of preceding delimiters
};

class InlineReader {
 public:
  InlineReader(std::string_view text, const LinkLabels& labels)
      : text_(text), labels_(labels), last_angle_(text.rfind('>')) {
    FindCodeMarks();
  }

  std::vector<MarkdownMark> Read() {
    for (size_t i = 0; i < text_.size();) i = Pass(i);
    MatchDelimiters(0);
    std::ranges::stable_sort(marks_, {}, &MarkdownMark::begin);
    FindLoneImages();
    return std::move(marks_);
  }

 private:
  using Kind = MarkdownMark::Kind;

  char Get(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  void Add(Kind kind, size_t begin, size_t end, std::string name = {},
           std::string written = {}) {
    marks_.push_back({kind, begin, end, std::move(name), std::move(written)});
  }

  /// Reads the construct that begins at i; returns its end.
  size_t Pass(size_t i) {
    switch (text_[i]) {
      case '\\':
        return PassBackslash(i);
      case '\n':
      case '\r':
      case '\t':
      case ' ':
        return PassSpaces(i);
      case '`':
        return PassCode(i);
      case '$':
        return PassMath(i);
      case '<':
        return PassAngle(i);
      case '*':
      case '_':
      case '~':
        return PassDelimiters(i);
      case '!':
        if (Get(i + 1) != '[') return i + 1;
        brackets_.push_back({i, true, true, delimiters_.size()});
        return i + 2;
      case '[':
        if (Get(i + 1) == '^') return PassNote(i);
        brackets_.push_back({i, false, true, delimiters_.size()});
        return i + 1;
      case ']':
        return PassBracket(i);
      default:
        return i + 1;
    }
  }

  /// Reads an escaped character, or a line end that is a hard break.
  size_t PassBackslash(size_t i) {
    const size_t line_end = i + (Get(i + 1) == '\r' ? 2 : 1);
    return Get(line_end) == '\n' ? PassLineEnd(line_end, i, true) : i + 2;
  }

  /// Reads spaces and a following line end.
  size_t PassSpaces(size_t i) {
    const size_t end =
        std::min(text_.find_first_not_of(" \t\r", i), text_.size());
    if (Get(end) != '\n') return std::max(end, i + 1);
    const bool hard = text_.substr(i, end - i).starts_with("  ");
    return PassLineEnd(end, i, hard);
  }

  size_t PassLineEnd(size_t line_end, size_t begin, bool hard) {
    const size_t end =
        std::min(text_.find_first_not_of(" \t", line_end + 1), text_.size());
    Add(hard ? Kind::kBorder : Kind::kBreak, begin, end);
    return end;
  }

  /// Finds the positions of backtick runs by size.
  void FindCodeMarks() {
    for (size_t i = text_.find('`'); i < text_.size(); i = text_.find('`', i)) {
      const size_t end = EndOfRun(i);
      code_marks_[end - i].push_back(i);
      i = end;
    }
  }

  size_t EndOfRun(size_t i) const {
    return std::min(text_.find_first_not_of(text_[i], i), text_.size());
  }

  size_t PassCode(size_t i) {
    const size_t end = EndOfRun(i);
    const std::vector<size_t>& same = code_marks_[end - i];
    const auto closing = std::ranges::upper_bound(same, i);
    if (closing == same.end()) return end;
    Add(Kind::kKept, i, *closing + (end - i));
    return *closing + (end - i);
  }

  /// Reads $a_1$ and $$a_1$$ by Pandoc's rule, in which "$5 and $6" is text.
  /// "$HOME/$USER" is two names.
  size_t PassMath(size_t i) {
    constexpr size_t kLongestFormula = 1000;
    const size_t begin = EndOfRun(i);
    const std::string_view within = text_.substr(0, begin + kLongestFormula);
    size_t end = within.find_first_of("$\\`", begin);
    while (Get(end) == '\\') end = within.find_first_of("$\\`", end + 2);
    if (Get(end) != '$') return begin;
    const size_t behind = EndOfRun(end);
    const size_t size = begin - i;
    if (behind - end != size || size > 2) return begin;
    const char last = Get(end - 1);
    const char next = Get(behind);
    if (size == 1) {
      if (IsAsciiBlank(Get(begin)) || IsAsciiBlank(last) ||
          IsAsciiDigit(next)) {
        return begin;
      }
      const bool whole = IsAsciiLetter(last) || IsAsciiDigit(last) ||
                         last == '}' || last == ')';
      if (!whole && (IsAsciiLetter(next) || next == '_')) return begin;
    }
    Add(Kind::kKept, i, behind);
    return behind;
  }

  /// Reads <https://x.example>, <a@x.example> or an HTML tag.
  size_t PassAngle(size_t i) {
    constexpr size_t kMaxSearches = 32;
    constexpr size_t kLongestTag = 1000;
    if (last_angle_ == text_.npos || i > last_angle_) return i + 1;
    const size_t close = text_.find_first_of("<> \t\n", i + 1);
    const std::string_view inside =
        text_.substr(i + 1, std::min(close, text_.size()) - i - 1);
    if (Get(close) == '>' && inside.find_first_of(":@") != inside.npos &&
        IsIdentifierCharacter(FirstCharacter(inside).code)) {
      Add(Kind::kKept, i, close + 1);
      return close + 1;
    }
    const char next = Get(i + 1);
    if (next != '/' && next != '!' && next != '?' && !IsAsciiLetter(next)) {
      return i + 1;
    }
    // Limits the search of each < once there were many broken tags.
    const std::string_view html =
        broken_tags_ < kMaxSearches ? text_ : text_.substr(0, i + kLongestTag);
    const HtmlToken token = HtmlReader(html, i).Next();
    if (text_[token.end - 1] != '>') {
      ++broken_tags_;
      return i + 1;
    }
    Add(KindOf(token), i, token.end, token.name);
    return token.end;
  }

  static Kind KindOf(const HtmlToken& token) {
    switch (token.kind) {
      case HtmlToken::Kind::kOpen:
        return Kind::kOpen;
      case HtmlToken::Kind::kClose:
        return Kind::kClose;
      case HtmlToken::Kind::kBorder:
        return Kind::kBorder;
      default:
        return Kind::kKept;
    }
  }

  size_t PassDelimiters(size_t i) {
    const size_t end = EndOfRun(i);
    const char mark = text_[i];
    const int32_t before = i > 0 ? LastCharacter(text_.substr(0, i)).code : ' ';
    const int32_t after =
        end < text_.size() ? FirstCharacter(text_.substr(end)).code : ' ';
    const bool space_before = IsSpaceCharacter(before);
    const bool space_after = IsSpaceCharacter(after);
    const bool mark_before = IsPunctuationCharacter(before);
    const bool mark_after = IsPunctuationCharacter(after);
    const bool left =
        !space_after && (!mark_after || space_before || mark_before);
    const bool right =
        !space_before && (!mark_before || space_after || mark_after);
    Delimiters found = {
        .mark = mark, .begin = i, .size = end - i, .whole = end - i};
    found.opens = left && (mark != '_' || !right || mark_before);
    found.closes = right && (mark != '_' || !left || mark_after);
    if (mark == '~' && found.size > 2) return end;
    if (found.opens || found.closes) delimiters_.push_back(found);
    return end;
  }

  size_t PassNote(size_t i) {
    const size_t end =
        text_.substr(0, i + kLongestLabel).find_first_of("] \n", i);
    if (Get(end) != ']') return i + 1;
    Add(Kind::kKept, i, end + 1);
    return end + 1;
  }

  size_t PassBracket(size_t i) {
    if (brackets_.empty()) return i + 1;
    const Bracket bracket = brackets_.back();
    brackets_.pop_back();
    if (!bracket.active) return i + 1;
    const size_t inside = bracket.at + (bracket.image ? 2 : 1);
    const std::string_view label = text_.substr(inside, i - inside);
    std::string written;
    size_t end = i + 1;
    if (const size_t address = AddressEnd(i + 1)) {
      end = address;
    } else if (const size_t other = LabelEnd(i + 1)) {
      end = other;
    } else if (HasLabel(label)) {
      // The link text is translated, the label is kept.
      if (Get(end) == '[' && Get(end + 1) == ']') end += 2;
      written = "][" + std::string(label) + "]";
    } else {
      return i + 1;
    }
    const char* name = bracket.image ? "![" : "[";
    Add(Kind::kOpen, bracket.at, inside, name);
    Add(Kind::kClose, i, end, name, std::move(written));
    MatchDelimiters(bracket.delimiters);
    if (!bracket.image) {  // links cannot contain links
      for (size_t k = brackets_.size(); k > 0 && brackets_[k - 1].active; --k) {
        if (!brackets_[k - 1].image) brackets_[k - 1].active = false;
      }
    }
    return end;
  }

  bool HasLabel(std::string_view label) const {
    return !labels_.empty() && label.size() < kLongestLabel &&
           label.find('[') == label.npos && labels_.contains(LinkLabel(label));
  }

  /// End of "(address "title")"; 0: no match.
  size_t AddressEnd(size_t i) const {
    constexpr size_t kMaxBrackets = 32;
    if (Get(i) != '(') return 0;
    const auto skip_spaces = [&](size_t k) {
      return std::min(text_.find_first_not_of(" \t\r\n", k), text_.size());
    };
    i = skip_spaces(i + 1);
    if (Get(i) == '<') {
      i = text_.find_first_of("<>\n", i + 1);
      if (Get(i) != '>') return 0;
      ++i;
    } else {
      size_t depth = 0;
      for (; i < text_.size() && !IsAsciiBlank(text_[i]); ++i) {
        if (text_[i] == '\\') {
          ++i;
        } else if (text_[i] == '(' && ++depth > kMaxBrackets) {
          return 0;
        } else if (text_[i] == ')' && depth-- == 0) {
          return i + 1;
        }
      }
      if (depth > 0) return 0;
    }
    i = skip_spaces(i);
    const char quote = Get(i) == '(' ? ')' : Get(i);
    if (quote == '"' || quote == '\'' || (quote == ')' && Get(i) == '(')) {
      const size_t limit = std::min(i + kLongestTitle, text_.size());
      for (++i; i < limit && text_[i] != quote; ++i) {
        if (text_[i] == '\\') ++i;
      }
      i = skip_spaces(std::min(i + 1, text_.size()));
    }
    return Get(i) == ')' ? i + 1 : 0;
  }

  /// End of "[label]"; 0: no match.
  size_t LabelEnd(size_t i) const {
    if (Get(i) != '[' || Get(i + 1) == ']') return 0;
    const size_t end =
        text_.substr(0, i + kLongestLabel).find_first_of("[]", i + 1);
    return Get(end) == ']' ? end + 1 : 0;
  }

  /// Pairs the delimiters from `first` on; the unpaired ones become text.
  void MatchDelimiters(size_t first) {
    for (size_t d = first; d < delimiters_.size(); ++d) {
      delimiters_[d].previous = d > first ? d - 1 : kNobody;
    }
    // Lower bound of the search for an opening delimiter, by kind.
    std::map<std::array<size_t, 3>, size_t> bottom;
    for (size_t closer = first; closer < delimiters_.size(); ++closer) {
      while (delimiters_[closer].closes && delimiters_[closer].free() > 0) {
        const Delimiters& last = delimiters_[closer];
        const std::array<size_t, 3> kind = {static_cast<size_t>(last.mark),
                                            last.opens ? size_t{1} : size_t{0},
                                            last.whole % 3};
        const size_t floor = bottom.contains(kind) ? bottom[kind] : first;
        const size_t opener = OpenerOf(closer, floor);
        if (opener == kNobody) {
          bottom[kind] = closer;
          break;
        }
        Pair(opener, closer);
      }
    }
    delimiters_.resize(std::min(first, delimiters_.size()));
  }

  size_t OpenerOf(size_t closer, size_t floor) const {
    const Delimiters& last = delimiters_[closer];
    for (size_t d = last.previous; d != kNobody && d >= floor;
         d = delimiters_[d].previous) {
      const Delimiters& one = delimiters_[d];
      if (one.mark != last.mark || !one.opens || one.free() == 0) continue;
      if (one.mark == '~' && one.whole != last.whole) continue;
      const bool both = one.closes || last.opens;
      const bool odd = both && (one.whole + last.whole) % 3 == 0 &&
                       (one.whole % 3 != 0 || last.whole % 3 != 0);
      if (!odd) return d;
    }
    return kNobody;
  }

  void Pair(size_t opener, size_t closer) {
    Delimiters& one = delimiters_[opener];
    Delimiters& last = delimiters_[closer];
    const size_t size = one.free() >= 2 && last.free() >= 2 ? 2 : 1;
    const std::string name(size, one.mark);
    one.size -= size;
    const size_t open = one.begin + one.size;
    const size_t close = last.begin + last.left;
    last.left += size;
    Add(Kind::kOpen, open, open + size, name);
    Add(Kind::kClose, close, close + size, name);
    last.previous = one.free() > 0 ? opener : one.previous;
  }

  /// Excludes the text of an image at an edge of the block from sentences.
  void FindLoneImages() {
    size_t end = 0;  // end of the marks since the last text
    std::vector<size_t> open;
    for (size_t m = 0; m < marks_.size(); ++m) {
      MarkdownMark& mark = marks_[m];
      if (mark.name != "![") {
        const bool link = mark.name == "[";
        if (IsBlankBetween(end, mark.begin) &&
            (mark.kind == Kind::kBorder || mark.kind == Kind::kBreak || link)) {
          end = mark.end;
        }
        continue;
      }
      if (mark.kind == Kind::kOpen) {
        open.push_back(m);
        continue;
      }
      MarkdownMark& opened = marks_[open.back()];
      open.pop_back();
      const bool alone = IsBlankBetween(end, opened.begin) ||
                         IsBlankBetween(mark.end, text_.size());
      if (!alone) continue;
      end = mark.end;
      opened.kind = Kind::kBorder;
      mark.kind = Kind::kBorder;
    }
  }

  bool IsBlankBetween(size_t begin, size_t end) const {
    return begin <= end &&
           text_.substr(begin, end - begin).find_first_not_of(" \t\r\n") ==
               text_.npos;
  }

  std::string_view text_;
  const LinkLabels& labels_;
  size_t last_angle_;
  size_t broken_tags_ = 0;
  std::map<size_t, std::vector<size_t>> code_marks_;  // by size
  std::vector<Delimiters> delimiters_;
  std::vector<Bracket> brackets_;
  std::vector<MarkdownMark> marks_;
};

}  // namespace

std::vector<MarkdownMark> FindMarkdownMarks(std::string_view text,
                                            const LinkLabels& labels) {
  return InlineReader(text, labels).Read();
}

}  // namespace heed
