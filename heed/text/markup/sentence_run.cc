#include "heed/text/markup/sentence_run.h"

#include <algorithm>
#include <utility>

#include "heed/base/text.h"
#include "heed/text/characters.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_entities.h"
#include "heed/text/markup/html_tokens.h"
#include "heed/text/markup/placeholders.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

bool HasWord(std::string_view text) {
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    if (IsLetterCharacter(c.code) || IsDigitCharacter(c.code)) return true;
    text.remove_prefix(c.size);
  }
  return false;
}

/// True for punctuation that has no space before it.
bool EndsClause(char c) {
  constexpr std::string_view kMarks = ".,;:!?)]}";
  return kMarks.find(c) != kMarks.npos;
}

void AddKeptText(std::vector<Segment>& segments, std::string_view text) {
  if (text.empty()) return;
  if (segments.empty() || segments.back().translate) segments.emplace_back();
  segments.back().text += text;
}

bool IsPunctuation(char c) {
  return c > ' ' && c < 0x7F && !IsAsciiLetter(c) && !IsAsciiDigit(c);
}

bool IsWordCharacter(int32_t code) {
  return IsIdentifierCharacter(code) && !IsUnspacedCharacter(code);
}

}  // namespace

void SentenceRun::AddText(size_t begin, size_t end) {
  std::string text;
  std::vector<Origin> origins;
  const auto add = [&](std::string_view decoded, size_t i, size_t size) {
    text += decoded;
    origins.insert(origins.end(), decoded.size(), {i, i + size});
  };
  const auto keep = [&](size_t i, size_t size) {
    AddDecoded(text, origins);
    text.clear();
    origins.clear();
    AddToken(Mark::Kind::kKept, {i, i + size}, 0, true);
  };
  for (size_t i = begin; i < end;) {
    const std::string_view rest = document_.substr(i, end - i);
    size_t size = 1;
    if (format_ == TextFormat::kMarkdown && rest[0] == '\\' &&
        rest.size() > 1 && IsPunctuation(rest[1])) {
      size = 2;
      // An unescaped bar would end a table cell.
      rest[1] == '|' ? keep(i, size) : add(rest.substr(1, 1), i, size);
    } else if (format_ != TextFormat::kText && rest[0] == '&') {
      if (const auto entity = EntityAt(rest)) {
        size = entity->size;
        add(entity->text, i, size);
      } else if (const size_t unknown = UnknownEntity(i, end)) {
        size = unknown;
        keep(i, size);
      } else {
        add(rest.substr(0, 1), i, size);
      }
    } else {
      add(rest.substr(0, 1), i, size);
    }
    i += size;
  }
  AddDecoded(text, origins);
}

void SentenceRun::AddLines(size_t begin, size_t end,
                           std::vector<Segment>& segments) {
  while (begin < end) {
    const size_t line_end = std::min(document_.find('\n', begin), end);
    AddText(begin, line_end);
    begin = line_end;
    if (begin < end) Flush(++begin, segments);
  }
}

void SentenceRun::AddKept(size_t begin, size_t end) {
  const bool word = !IsWordlessTag(document_.substr(begin, end - begin));
  AddToken(Mark::Kind::kKept, {begin, end}, 0, word);
}

void SentenceRun::AddBreak(size_t begin, size_t end) {
  AddToken(Mark::Kind::kBreak, {begin, end}, 0, false);
  Put(" ", {begin, end});
}

uint32_t SentenceRun::NameOf(const std::string& name) {
  return names_.emplace(name, static_cast<uint32_t>(names_.size()))
      .first->second;
}

void SentenceRun::AddOpen(const std::string& name, size_t begin, size_t end) {
  open_.push_back(tokens_.size());
  AddToken(Mark::Kind::kOpen, {begin, end}, NameOf(name), false);
}

void SentenceRun::AddClose(const std::string& name, size_t begin, size_t end,
                           const std::string& written) {
  const uint32_t number = NameOf(name);
  if (!open_.empty()) {
    const Token opened = tokens_[open_.back()];
    if (opened.name == number && name == "sup" && IsFootnote(opened.at)) {
      plain_.resize(opened.at);
      origins_.resize(opened.at);
    }
    if (opened.name == number && opened.at == plain_.size()) {
      const bool word = std::any_of(
          tokens_.begin() + static_cast<long>(open_.back()), tokens_.end(),
          [](const Token& token) { return token.word; });
      tokens_.resize(open_.back());
      spaced_ = std::min(spaced_, tokens_.size());
      open_.pop_back();
      AddToken(Mark::Kind::kKept, {opened.origin.begin, end}, 0, word);
      tokens_.back().joins_left = opened.joins_left;
      return;
    }
    if (opened.name == number) open_.pop_back();
  }
  AddToken(Mark::Kind::kClose, {begin, end}, number, false);
  tokens_.back().written = written;
}

/// True if the text from `begin` on is a footnote mark directly after the end
/// of a sentence: digits, also in brackets, or stars.
bool SentenceRun::IsFootnote(size_t begin) const {
  const std::string_view plain = plain_;
  return plain.find_first_not_of("0123456789[](),*", begin) == plain.npos &&
         EndsWithStop(plain.substr(0, begin));
}

void SentenceRun::Flush(size_t end, std::vector<Segment>& segments) {
  if (HasWord(plain_)) AddSentences(segments);
  AddKeptText(segments, document_.substr(done_, end - done_));
  done_ = end;
  plain_.clear();
  origins_.clear();
  tokens_.clear();
  open_.clear();
  names_.clear();
  space_before_ = true;
  spaced_ = 0;
}

void SentenceRun::AddToken(Mark::Kind kind, Origin origin, uint32_t name,
                           bool word) {
  tokens_.push_back({kind, origin, plain_.size(), name, word});
  tokens_.back().joins_left = !space_before_;
  if (kind == Mark::Kind::kKept) space_before_ = false;
}

void SentenceRun::AddDecoded(std::string_view text,
                             const std::vector<Origin>& origins) {
  const auto put = [&](size_t i, size_t end) {
    while (i < end) {
      const size_t size =
          std::max<size_t>(FirstCharacter(text.substr(i)).size, 1);
      Put(text.substr(i, size), {origins[i].begin, origins[i + size - 1].end});
      i += size;
    }
  };
  size_t i = 0;
  const bool entities = format_ == TextFormat::kText;
  for (const TextRange& range :
       FindPlaceholders(text, {entities, options_.knows})) {
    put(i, range.begin);
    const bool emoji = EmojiSize(text.substr(range.begin)) > 0;
    AddToken(Mark::Kind::kKept,
             {origins[range.begin].begin, origins[range.end - 1].end}, 0,
             !emoji);
    tokens_.back().separates = true;
    i = range.end;
  }
  put(i, text.size());
}

/// Size of an entity "&name;" whose name is not in the table; 0: none.
size_t SentenceRun::UnknownEntity(size_t begin, size_t end) const {
  constexpr size_t kLongestName = 40;
  size_t i = begin + 1;
  const size_t limit = std::min(end, begin + kLongestName);
  while (i < limit &&
         (IsAsciiLetter(document_[i]) || IsAsciiDigit(document_[i])))
    ++i;
  const bool closed = i > begin + 1 && i < limit && document_[i] == ';';
  return closed ? i + 1 - begin : 0;
}

void SentenceRun::Append(std::string_view text, Origin origin) {
  plain_ += text;
  origins_.insert(origins_.end(), text.size(), origin);
}

/// Appends a character. Around a removed token, one space is kept, and none
/// before a comma. Two words joined by a placeholder stay separate.
void SentenceRun::Put(std::string_view character, Origin origin) {
  const bool behind_token =
      !tokens_.empty() && tokens_.back().at == plain_.size();
  const int32_t code = FirstCharacter(character).code;
  if (IsSpaceCharacter(code)) {
    space_before_ = true;
    spaced_ = tokens_.size();
    const bool doubled =
        plain_.empty() || IsSpaceCharacter(LastCharacter(plain_).code);
    if (behind_token && doubled) return;
    const bool ascii = format_ != TextFormat::kText && code < 0x80;
    Append(ascii ? " " : character, origin);
    return;
  }
  if (behind_token) {
    // Tags remove no text: in "The <b>.NET</b>" the space stays.
    bool taken_out = false;
    for (size_t k = tokens_.size(); k > 0 && tokens_[k - 1].at == plain_.size();
         --k) {
      taken_out = taken_out || tokens_[k - 1].kind == Mark::Kind::kKept;
    }
    if (taken_out && EndsClause(character[0])) DropSpaces();
    bool separates = false;
    for (size_t k = tokens_.size();
         k > spaced_ && tokens_[k - 1].at == plain_.size(); --k) {
      tokens_[k - 1].joins_right = true;
      separates = separates || tokens_[k - 1].separates;
    }
    if (separates && IsWordCharacter(code) &&
        IsWordCharacter(LastCharacter(plain_).code)) {
      Append(" ", origin);
    }
  }
  space_before_ = false;
  Append(character, origin);
}

void SentenceRun::DropSpaces() {
  std::string_view kept = plain_;
  for (Character c = LastCharacter(kept); IsSpaceCharacter(c.code);
       c = LastCharacter(kept)) {
    kept.remove_suffix(c.size);
  }
  if (kept.empty()) return;
  const size_t size = kept.size();
  plain_.resize(size);
  origins_.resize(size);
  for (size_t k = tokens_.size(); k > 0 && tokens_[k - 1].at > size; --k) {
    tokens_[k - 1].at = size;
  }
}

/// Size of the number or bullet of a list item, which is not translated. 0 if
/// there is none, or if a mark precedes or interrupts the number.
size_t SentenceRun::MarkerSize() const {
  const size_t size = ListMarkerSize(plain_, options_.language);
  const bool marks = !tokens_.empty() && tokens_.front().at < size;
  return marks ? 0 : size;
}

void SentenceRun::AddSentences(std::vector<Segment>& segments) {
  std::vector<size_t> borders = Borders();
  const std::string_view plain = plain_;
  const size_t marker = MarkerSize();
  size_t next = 0;  // first token that is not in a sentence yet
  for (size_t k = 1; k < borders.size(); ++k) {
    size_t begin = std::max(borders[k - 1], marker);
    const size_t end = std::max(borders[k], begin);
    // Removes punctuation after an initial placeholder: ", hello".
    if (begin == 0 && OnlyKeptAtBegin(next)) {
      while (begin < end &&
             (IsAsciiBlank(plain[begin]) || EndsClause(plain[begin])))
        ++begin;
    }
    const std::string_view sentence =
        TrimBlankCharacters(plain.substr(begin, end - begin));
    if (!HasWord(sentence)) {
      // Punctuation between a tag and a word, as in "<b>.NET</b>", belongs to
      // the sentence of the word.
      const bool tagged = next < tokens_.size() &&
                          tokens_[next].kind == Mark::Kind::kOpen &&
                          tokens_[next].at <= begin;
      if (tagged) borders[k] = borders[k - 1];
      continue;
    }
    begin = static_cast<size_t>(sentence.data() - plain.data());
    const bool last = k + 1 == borders.size();
    next = AddSentence(begin, begin + sentence.size(), last, next, segments);
  }
}

/// True if only kept marks, and at least one, are at the start.
bool SentenceRun::OnlyKeptAtBegin(size_t next) const {
  const size_t first = next;
  while (next < tokens_.size() && tokens_[next].at == 0) {
    if (tokens_[next].kind != Mark::Kind::kKept) return false;
    ++next;
  }
  return next > first;
}

/// Borders between sentences, starting with 0. A kept mark that represents a
/// word is replaced by a capitalised word, which may begin a sentence. A mark
/// that touches the end of a sentence, such as a footnote, belongs to that
/// sentence.
std::vector<size_t> SentenceRun::Borders() const {
  constexpr std::string_view kWord = "Xx";
  std::string text;
  std::vector<size_t> words;  // ends of the inserted words
  size_t done = 0;
  for (const Token& token : tokens_) {
    if (token.kind != Mark::Kind::kKept || !token.word) continue;
    text.append(plain_, done, token.at - done);
    done = token.at;
    if (!words.empty() && words.back() == text.size()) continue;
    if (token.joins_left && EndsWithStop(text)) continue;
    text += kWord;
    words.push_back(text.size());
  }
  text.append(plain_, done);
  std::vector<size_t> borders = {0};
  size_t end = 0;
  size_t before = 0;
  for (const std::string_view sentence :
       SplitSentences(text, options_.language)) {
    end += sentence.size();
    while (before < words.size() && words[before] <= end) ++before;
    borders.push_back(end - before * kWord.size());
  }
  return borders;
}

/// Adds a sentence; returns the first token after it.
size_t SentenceRun::AddSentence(size_t begin, size_t end, bool last,
                                size_t next, std::vector<Segment>& segments) {
  Origin origin = {origins_[begin].begin, origins_[end - 1].end};
  // Tokens inside the sentence, and kept marks on both sides of it.
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
  segment.format = format_;
  if (from < to) {
    Widen(next, end, last, from, to);
    origin.begin = std::min(origin.begin, tokens_[from].origin.begin);
    origin.end = std::max(origin.end, tokens_[to - 1].origin.end);
    segment.marks = MarksBetween(begin, end, from, to);
  }
  AddKeptText(segments, document_.substr(done_, origin.begin - done_));
  done_ = origin.end;
  segments.push_back(std::move(segment));
  return std::max(next, to);
}

/// Includes adjacent tags whose partners are inside the sentence.
void SentenceRun::Widen(size_t next, size_t end, bool last, size_t& from,
                        size_t& to) const {
  std::vector<uint32_t> opened;
  std::vector<uint32_t> closed;  // innermost first
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
    const bool fits = to < tokens_.size() && (last || tokens_[to].at <= end) &&
                      tokens_[to].kind == Mark::Kind::kClose &&
                      tokens_[to].name == opened.back();
    if (!fits) break;
    ++to;
  }
}

std::vector<Mark> SentenceRun::MarksBetween(size_t begin, size_t end,
                                            size_t from, size_t to) const {
  std::vector<Mark> marks;
  std::vector<size_t> open;
  std::map<uint32_t, size_t> count;  // open elements per name
  for (size_t k = from; k < to; ++k) {
    const Token& token = tokens_[k];
    Mark& mark = marks.emplace_back();
    mark.kind = token.kind;
    mark.at = std::clamp(token.at, begin, end) - begin;
    mark.raw = token.written.empty()
                   ? document_.substr(token.origin.begin,
                                      token.origin.end - token.origin.begin)
                   : token.written;
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

}  // namespace heed
