#include "heed/serve/text_split.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <map>
#include <utility>

#include "heed/serve/ascii.h"
#include "heed/serve/html_entities.h"
#include "heed/serve/html_tokens.h"
#include "heed/serve/placeholders.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

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

/// Whether a space before it would look wrong.
bool EndsClause(char c) {
  constexpr std::string_view kMarks = ".,;:!?)]}";
  return kMarks.find(c) != kMarks.npos;
}

void AddKept(std::vector<Segment>& segments, std::string_view text) {
  if (text.empty()) return;
  if (segments.empty() || segments.back().translate) segments.emplace_back();
  segments.back().text += text;
}

/// The borders between the sentences of a text without line ends: 0 first, the
/// text's size last.
std::vector<size_t> SentenceBorders(std::string_view text) {
  std::vector<size_t> borders = {0};
  for (const std::string_view sentence : SplitSentences(text)) {
    borders.push_back(borders.back() + sentence.size());
  }
  return borders;
}

/// Where a byte of plain text comes from: [begin, end) of the document.
struct Origin {
  size_t begin;
  size_t end;
};

/// A tag or what is kept, as the document has it.
struct Token {
  Mark::Kind kind;
  Origin origin;
  size_t at;      // in the plain text
  uint32_t name;  // of a tag
  bool joins_left = false;
  bool joins_right = false;
};

/// A stretch of a document that no border cuts, as plain text and tokens.
class Run {
 public:
  Run(std::string_view document, bool html)
      : document_(document), html_(html) {}

  /// From the beginning or the last border on.
  void AddText(size_t begin, size_t end) {
    const std::string_view text = document_.substr(begin, end - begin);
    size_t i = 0;
    for (const TextRange& range : FindPlaceholders(text, {!html_})) {
      AddPlain(begin + i, begin + range.begin);
      AddToken(Mark::Kind::kKept, {begin + range.begin, begin + range.end}, 0);
      i = range.end;
    }
    AddPlain(begin + i, end);
  }

  void AddKept(size_t begin, size_t end) {
    AddToken(Mark::Kind::kKept, {begin, end}, 0);
  }

  void AddTag(const HtmlToken& tag) {
    const uint32_t name =
        names_.emplace(tag.name, static_cast<uint32_t>(names_.size()))
            .first->second;
    if (tag.kind == HtmlToken::Kind::kOpen) {
      open_.push_back(tokens_.size());
      AddToken(Mark::Kind::kOpen, {tag.begin, tag.end}, name);
      return;
    }
    // An element without a word is kept as a whole.
    if (!open_.empty()) {
      const Token opened = tokens_[open_.back()];
      if (opened.name == name && opened.at == plain_.size()) {
        tokens_.resize(open_.back());
        spaced_ = std::min(spaced_, tokens_.size());
        open_.pop_back();
        AddToken(Mark::Kind::kKept, {opened.origin.begin, tag.end}, 0);
        tokens_.back().joins_left = opened.joins_left;
        return;
      }
      if (opened.name == name) open_.pop_back();
    }
    AddToken(Mark::Kind::kClose, {tag.begin, tag.end}, name);
  }

  /// Ends the run, which goes up to `end`, and begins the next one.
  void Flush(size_t end, std::vector<Segment>& segments) {
    if (HasWord(plain_)) {
      AddSentences(segments);
    }
    heed::AddKept(segments, document_.substr(done_, end - done_));
    done_ = end;
    plain_.clear();
    origins_.clear();
    tokens_.clear();
    open_.clear();
    names_.clear();
    space_before_ = true;
    spaced_ = 0;
  }

 private:
  void AddToken(Mark::Kind kind, Origin origin, uint32_t name) {
    tokens_.push_back({kind, origin, plain_.size(), name});
    tokens_.back().joins_left = !space_before_;
    if (kind == Mark::Kind::kKept) space_before_ = false;
  }

  void AddPlain(size_t begin, size_t end) {
    for (size_t i = begin; i < end;) {
      if (html_ && document_[i] == '&') {
        if (const auto entity = EntityAt(document_.substr(i, end - i))) {
          for (const char c : entity->text) Put(c, {i, i + entity->size});
          i += entity->size;
          continue;
        }
        if (const size_t size = UnknownEntity(i, end)) {
          AddToken(Mark::Kind::kKept, {i, i + size}, 0);
          i += size;
          continue;
        }
      }
      Put(document_[i], {i, i + 1});
      ++i;
    }
  }

  /// &name; that only a browser knows.
  size_t UnknownEntity(size_t begin, size_t end) const {
    constexpr size_t kLongestName = 40;
    size_t i = begin + 1;
    const size_t limit = std::min(end, begin + kLongestName);
    while (i < limit && document_[i] != '&' && document_[i] != ';' &&
           !IsBlank(document_[i]) && document_[i] > 0) {
      ++i;
    }
    return i > begin + 1 && i < limit && document_[i] == ';' ? i + 1 - begin
                                                             : 0;
  }

  /// Where something was taken out, one space is enough, and none before a
  /// comma.
  void Put(char c, Origin origin) {
    const bool behind_token =
        !tokens_.empty() && tokens_.back().at == plain_.size();
    if (IsBlank(c)) {
      space_before_ = true;
      spaced_ = tokens_.size();
      const bool doubled = plain_.empty() || IsBlank(plain_.back());
      if (behind_token && doubled) return;
      plain_ += html_ ? ' ' : c;
      origins_.push_back(origin);
      return;
    }
    if (behind_token) {
      if (EndsClause(c)) DropSpaces();
      for (size_t k = tokens_.size();
           k > spaced_ && tokens_[k - 1].at == plain_.size(); --k) {
        tokens_[k - 1].joins_right = true;
      }
    }
    space_before_ = false;
    plain_ += c;
    origins_.push_back(origin);
  }

  void DropSpaces() {
    const size_t kept = plain_.find_last_not_of(" \t\r\n\f\v");
    if (kept == plain_.npos) return;
    plain_.resize(kept + 1);
    origins_.resize(kept + 1);
    for (size_t k = tokens_.size(); k > 0 && tokens_[k - 1].at > kept + 1;
         --k) {
      tokens_[k - 1].at = kept + 1;
    }
  }

  void AddSentences(std::vector<Segment>& segments) {
    const std::vector<size_t> borders = Borders();
    size_t next = 0;  // the first token that no sentence has
    for (size_t k = 1; k < borders.size(); ++k) {
      size_t begin = borders[k - 1];
      size_t end = borders[k];
      const std::string_view plain = plain_;
      // What a placeholder that opens the sentence leaves: ", hello".
      if (next < tokens_.size() && tokens_[next].at == 0 && begin == 0) {
        while (begin < end &&
               (IsBlank(plain[begin]) || EndsClause(plain[begin])))
          ++begin;
      }
      while (begin < end && IsBlank(plain[begin])) ++begin;
      while (end > begin && IsBlank(plain[end - 1])) --end;
      if (!HasWord(plain.substr(begin, end - begin))) continue;
      const bool last = k + 1 == borders.size();
      next = AddSentence(begin, end, last, next, segments);
    }
  }

  /// What is kept is a capital letter here, which may begin a sentence.
  std::vector<size_t> Borders() const {
    std::string text;
    std::vector<size_t> letters;  // where they stand
    size_t done = 0;
    for (const Token& token : tokens_) {
      if (token.kind != Mark::Kind::kKept) continue;
      text.append(plain_, done, token.at - done);
      done = token.at;
      if (!letters.empty() && letters.back() + 1 == text.size()) continue;
      letters.push_back(text.size());
      text += 'X';
    }
    text.append(plain_, done);
    std::vector<size_t> borders = SentenceBorders(text);
    size_t before = 0;
    for (size_t& border : borders) {
      while (before < letters.size() && letters[before] < border) ++before;
      border -= before;
    }
    return borders;
  }

  /// Returns the first token behind it.
  size_t AddSentence(size_t begin, size_t end, bool last, size_t next,
                     std::vector<Segment>& segments) {
    Origin origin = {origins_[begin].begin, origins_[end - 1].end};
    // Tokens inside, and what is kept on both sides of it.
    const auto behind = [&](size_t place) {
      return static_cast<size_t>(
          std::partition_point(
              tokens_.begin() + static_cast<long>(next), tokens_.end(),
              [&](const Token& token) { return token.origin.begin < place; }) -
          tokens_.begin());
    };
    size_t from = behind(origin.begin);
    size_t to = behind(origin.end);
    for (size_t k = next; k < from; ++k) {
      if (tokens_[k].kind == Mark::Kind::kKept && tokens_[k].at >= begin) {
        from = k;
      }
    }
    for (size_t k = to, seen = to; seen < tokens_.size(); ++seen) {
      if (!last && tokens_[seen].at > end) break;
      k = seen + 1;
      if (tokens_[seen].kind == Mark::Kind::kKept) to = k;
    }
    Segment segment;
    segment.text = plain_.substr(begin, end - begin);
    segment.translate = true;
    if (from < to) {
      Widen(next, end, last, from, to);
      origin.begin = std::min(origin.begin, tokens_[from].origin.begin);
      origin.end = std::max(origin.end, tokens_[to - 1].origin.end);
      segment.marks = MarksOf(begin, end, from, to);
    }
    heed::AddKept(segments, document_.substr(done_, origin.begin - done_));
    done_ = origin.end;
    segments.push_back(std::move(segment));
    return std::max(next, to);
  }

  /// Takes in tags right before and behind whose partners are inside.
  void Widen(size_t next, size_t end, bool last, size_t& from,
             size_t& to) const {
    std::vector<uint32_t> opened;
    std::vector<uint32_t> closed;  // the innermost first
    for (size_t k = from; k < to; ++k) {
      const Token& token = tokens_[k];
      if (token.kind == Mark::Kind::kOpen) opened.push_back(token.name);
      if (token.kind != Mark::Kind::kClose) continue;
      if (opened.empty()) {
        closed.push_back(token.name);
      } else if (opened.back() == token.name) {
        opened.pop_back();
      }
    }
    for (const uint32_t name : closed) {
      const bool fits = from > next &&
                        tokens_[from - 1].kind == Mark::Kind::kOpen &&
                        tokens_[from - 1].name == name;
      if (!fits) break;
      --from;
    }
    for (; !opened.empty(); opened.pop_back()) {
      const bool fits = to < tokens_.size() &&
                        (last || tokens_[to].at <= end) &&
                        tokens_[to].kind == Mark::Kind::kClose &&
                        tokens_[to].name == opened.back();
      if (!fits) break;
      ++to;
    }
  }

  std::vector<Mark> MarksOf(size_t begin, size_t end, size_t from,
                            size_t to) const {
    std::vector<Mark> marks;
    std::vector<size_t> open;
    std::map<uint32_t, size_t> count;  // of open elements by their names
    for (size_t k = from; k < to; ++k) {
      const Token& token = tokens_[k];
      Mark& mark = marks.emplace_back();
      mark.kind = token.kind;
      mark.at = std::clamp(token.at, begin, end) - begin;
      mark.raw = document_.substr(token.origin.begin,
                                  token.origin.end - token.origin.begin);
      mark.joins_left = token.joins_left;
      mark.joins_right = token.joins_right;
      if (token.kind == Mark::Kind::kOpen) {
        open.push_back(k);
        ++count[token.name];
      } else if (token.kind == Mark::Kind::kClose && !open.empty()) {
        const auto same = count.find(token.name);
        if (same == count.end() || same->second == 0) {
          mark.kind = Mark::Kind::kStray;
          continue;
        }
        while (tokens_[open.back()].name != token.name) {
          marks[open.back() - from].kind = Mark::Kind::kStray;
          --count[tokens_[open.back()].name];
          open.pop_back();
        }
        --same->second;
        mark.partner = open.back() - from;
        marks[mark.partner].partner = k - from;
        open.pop_back();
      }
    }
    return marks;
  }

  std::string_view document_;
  bool html_;
  size_t done_ = 0;  // of the document
  std::string plain_;
  std::vector<Origin> origins_;  // of each byte of it
  std::vector<Token> tokens_;
  std::vector<size_t> open_;  // tokens
  std::map<std::string, uint32_t> names_;
  bool space_before_ = true;  // and nothing since
  size_t spaced_ = 0;         // tokens before the last space
};

/// A text whose lines are runs.
void AddLines(std::string_view document, size_t begin, size_t end, Run& run,
              std::vector<Segment>& segments) {
  while (begin < end) {
    const size_t line_end = std::min(document.find('\n', begin), end);
    run.AddText(begin, line_end);
    begin = line_end;
    if (begin < end) run.Flush(++begin, segments);
  }
}

}  // namespace

std::vector<Segment> SplitText(std::string_view text) {
  std::vector<Segment> segments;
  Run run(text, false);
  AddLines(text, 0, text.size(), run, segments);
  run.Flush(text.size(), segments);
  return segments;
}

std::vector<Segment> SplitHtml(std::string_view html) {
  using enum HtmlToken::Kind;
  std::vector<Segment> segments;
  Run run(html, true);
  HtmlReader reader(html);
  while (reader.more()) {
    const HtmlToken token = reader.Next();
    if (token.kind == kBorder) {
      run.Flush(token.end, segments);
    } else if (token.kind == kKept) {
      run.AddKept(token.begin, token.end);
    } else if (token.kind != kText) {
      run.AddTag(token);
    } else if (token.preformatted) {
      AddLines(html, token.begin, token.end, run, segments);
    } else {
      run.AddText(token.begin, token.end);
    }
  }
  run.Flush(html.size(), segments);
  return segments;
}

std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> written) {
  std::string text;
  size_t next = 0;
  for (const Segment& segment : segments) {
    text += segment.translate ? written[next++] : segment.text;
  }
  return text;
}

}  // namespace heed
