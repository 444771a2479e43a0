#include "heed/text/sentences.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/abbreviations.h"
#include "heed/text/characters.h"

namespace heed {
namespace {

// Loaded once, because loading takes longer than translating most words.
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

// Size of the first part of a sentence; the whole sentence if it is short
// enough.
size_t FirstPart(std::string_view sentence) {
  constexpr std::string_view kMarks[] = {",", ";", ":", "，", "、"};
  // A character has at most four bytes.
  const auto characters =
      Utf8Characters(sentence.substr(0, 4 * (kLongestSentence + 1)));
  if (std::ssize(characters) <= kLongestSentence) return sentence.size();
  size_t space = 0;
  size_t after_mark = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < static_cast<size_t>(kLongestSentence); ++i) {
    bytes += characters[i].size();
    if (characters[i] == " " || characters[i] == "\t") space = bytes;
    for (const std::string_view mark : kMarks) {
      if (characters[i] == mark) after_mark = bytes;
    }
  }
  if (after_mark > bytes / 2) return after_mark;
  return space > 0 ? space : bytes;
}

bool IsLetterWithCase(int32_t c) {
  return IsUpperCharacter(c) || IsLowerCharacter(c);
}

/// True for an opening or closing quotation mark or bracket.
bool IsQuoteOrBracket(int32_t c) {
  if (c == '"' || c == '\'') return true;
  if (c < 0) return false;
  const auto kind = u_charType(c);
  return kind == U_START_PUNCTUATION || kind == U_END_PUNCTUATION ||
         kind == U_INITIAL_PUNCTUATION || kind == U_FINAL_PUNCTUATION;
}

/// Maximum length of a word that is examined. Units: bytes
constexpr size_t kLongestWord = 64;

constexpr int32_t kApostrophe = 0x2019;

/// The last word of a text: all characters after the last space or bracket.
std::string_view LastWord(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text.size() - begin < kLongestWord) {
    const Character c = LastCharacter(text.substr(0, begin));
    const bool apostrophe = c.code == '\'' || c.code == kApostrophe;
    if (c.code < 0 || IsSpaceCharacter(c.code) ||
        (IsQuoteOrBracket(c.code) && !apostrophe)) {
      break;
    }
    begin -= c.size;
  }
  return text.substr(begin);
}

/// The first word of a text, after quotes and brackets. It ends with an
/// apostrophe if there is one: "L'" for "L'homme".
std::string_view FirstWord(std::string_view text) {
  for (Character c = FirstCharacter(text); IsQuoteOrBracket(c.code);
       c = FirstCharacter(text)) {
    text.remove_prefix(c.size);
  }
  size_t end = 0;
  while (end < std::min(text.size(), kLongestWord)) {
    const Character c = FirstCharacter(text.substr(end));
    if (c.code == '\'' || c.code == kApostrophe) {
      return text.substr(0, end + c.size);
    }
    if (!IsIdentifierCharacter(c.code)) break;
    end += c.size;
  }
  return text.substr(0, end);
}

/// Text without trailing white space.
std::string_view WithoutSpacesBehind(std::string_view text) {
  for (Character c = LastCharacter(text); IsSpaceCharacter(c.code);
       c = LastCharacter(text)) {
    text.remove_suffix(c.size);
  }
  return text;
}

bool IsNumber(std::string_view word) {
  return !word.empty() && word.size() <= 3 &&
         word.find_first_not_of("0123456789") == word.npos;
}

/// True if a word is a section number without its last full stop: "1.1".
bool IsOutlineNumber(std::string_view word) {
  const auto parts = SplitAt(word, ".");
  return std::ranges::all_of(parts, IsNumber);
}

bool IsRomanNumeral(std::string_view word) {
  return !word.empty() && word.find_first_not_of("IVXLCDM") == word.npos;
}

/// True if a word without its full stop may number a list item: "A", "ii".
bool IsItemLetter(std::string_view word) {
  const Character c = FirstCharacter(word);
  return (word.size() == c.size && IsLetterWithCase(c.code)) ||
         IsRomanNumeral(word) ||
         (!word.empty() && word.find_first_not_of("ivx") == word.npos);
}

/// True if a word consists of single letters, such as initials, "J.-P" and
/// "z.B".
bool IsInitials(std::string_view word) {
  bool letter = false;
  bool stop = false;
  while (!word.empty()) {
    const Character c = FirstCharacter(word);
    const bool joint = c.code == '.' || c.code == '-';
    const bool hyphen = stop && c.code == '-';
    if (!hyphen && joint != letter) return false;
    if (!joint && !IsLetterWithCase(c.code)) return false;
    letter = !joint;
    stop = c.code == '.';
    word.remove_prefix(c.size);
  }
  return letter;
}

/// Listed form of an abbreviation of two words: "p.ex" for "p. ex".
std::string JoinAbbreviation(std::string_view first, std::string_view second) {
  return std::string(first) + "." + std::string(second);
}

/// Part after the last hyphen or apostrophe of a word: "Ing" for "Dipl.-Ing",
/// "ing" for "l'ing".
std::string_view LastPart(std::string_view word) {
  for (const std::string_view joint : {"-", "'", "’"}) {
    const size_t at = word.rfind(joint);
    if (at != word.npos) word.remove_prefix(at + joint.size());
  }
  return word;
}

/// True if the sentence continues after an abbreviation. `begins`: the next
/// word begins a sentence. Returns nothing if the word is not an abbreviation.
std::optional<bool> AbbreviationGoesOn(std::string_view word, bool begins,
                                       const Abbreviations& words) {
  if (words.GoesOn(word)) return true;
  if (words.Ends(word)) return false;
  if (IsInitials(word) || words.MayGoOn(word)) return !begins;
  return std::nullopt;
}

/// True if a sentence continues beyond a border of Unicode's rules. `sentence`
/// ends with a full stop and white space, and `rest` follows.
bool GoesOn(std::string_view sentence, std::string_view rest,
            const Abbreviations& words) {
  const std::string_view written = WithoutSpacesBehind(sentence);
  for (const std::string_view line_end : {"\n", "\u2028", "\u2029", "\u0085"}) {
    if (sentence.substr(written.size()).find(line_end) != sentence.npos) {
      return false;
    }
  }
  if (!written.ends_with('.') || written.ends_with("..")) return false;
  const std::string_view word = LastWord(written.substr(0, written.size() - 1));
  const std::string_view before =
      WithoutSpacesBehind(written.substr(0, written.size() - 1 - word.size()));
  const std::string_view next = FirstWord(rest);
  const size_t behind =
      static_cast<size_t>(next.data() - rest.data()) + next.size();
  const bool initial = IsInitials(next) && rest.substr(behind).starts_with('.');
  const bool begins = words.BeginsSentence(next) && !initial;
  const bool item = IsOutlineNumber(word) || IsItemLetter(word);
  if (before.empty() && item) return true;
  if (IsNumber(word)) {
    return word.size() < 3 && words.IsOrdinal(LastWord(before), next);
  }
  if (rest.substr(behind).starts_with('.') &&
      words.IsKnown(JoinAbbreviation(word, next))) {
    return true;  // "EE. UU."
  }
  if (before.ends_with('.')) {
    const std::string_view first =
        LastWord(before.substr(0, before.size() - 1));
    const auto goes_on =
        AbbreviationGoesOn(JoinAbbreviation(first, word), begins, words);
    // "A. M. Smith" is not a time.
    if (goes_on && (*goes_on || !IsInitials(word))) return *goes_on;
  }
  if (const auto goes_on = AbbreviationGoesOn(word, begins, words)) {
    return *goes_on;
  }
  if (words.GoesOn(LastPart(word))) return true;
  // "Hans-J. Schmidt", but not "don't. Anna"
  if (IsInitials(word.substr(word.rfind('-') + 1))) return !begins;
  if (words.NeedsNumber(word)) {
    const bool number = !next.empty() && next[0] >= '0' && next[0] <= '9';
    return number || IsRomanNumeral(next);
  }
  return words.has_ordinals() && IsRomanNumeral(word) && !begins;
}

void AddParts(std::string_view sentence, std::vector<std::string_view>& parts) {
  while (!sentence.empty()) {
    const size_t size = FirstPart(sentence);
    parts.push_back(sentence.substr(0, size));
    sentence.remove_prefix(size);
  }
}

}  // namespace

std::vector<std::string_view> SplitSentences(std::string_view line,
                                             std::string_view language) {
  UErrorCode error = U_ZERO_ERROR;
  std::unique_ptr<UText, decltype(&utext_close)> text(
      utext_openUTF8(nullptr, line.data(), static_cast<int64_t>(line.size()),
                     &error),
      utext_close);
  const std::unique_ptr<icu::BreakIterator> breaks(SentenceRules().clone());
  breaks->setText(text.get(), error);
  if (U_FAILURE(error)) throw Error("ICU cannot read a line");
  const Abbreviations& words = Abbreviations::Of(language);
  std::vector<std::string_view> parts;
  size_t begin = 0;
  breaks->first();
  for (int32_t next = breaks->next(); next != icu::BreakIterator::DONE;
       next = breaks->next()) {
    const auto end = static_cast<size_t>(next);
    const std::string_view sentence = line.substr(begin, end - begin);
    if (end < line.size() && GoesOn(sentence, line.substr(end), words)) {
      continue;
    }
    AddParts(sentence, parts);
    begin = end;
  }
  return parts;
}

bool EndsWithStop(std::string_view text) {
  Character c = LastCharacter(text);
  while (IsQuoteOrBracket(c.code)) {
    text.remove_suffix(c.size);
    c = LastCharacter(text);
  }
  return c.code == '.' || c.code == '!' || c.code == '?';
}

namespace {

/// "3.", "3)" or "1.2."
bool IsListNumber(std::string_view mark) {
  const bool closed = mark.ends_with('.') || mark.ends_with(')');
  return closed && IsOutlineNumber(mark.substr(0, mark.size() - 1));
}

/// A bullet, "(1)", "(a)", "a)" or "iv)".
bool IsListMark(std::string_view mark) {
  constexpr std::string_view kBullets = "-*+•◦▪▫‣⁃●○■□–";
  if (mark.empty()) return false;
  if (mark.size() == FirstCharacter(mark).size) {
    return kBullets.find(mark) != kBullets.npos;
  }
  if (!mark.ends_with(')')) return false;
  mark.remove_suffix(1);
  const bool opened = mark.starts_with('(');
  if (opened) mark.remove_prefix(1);
  if (opened && IsNumber(mark)) return true;
  const bool letter = mark.size() == FirstCharacter(mark).size &&
                      IsLetterWithCase(FirstCharacter(mark).code);
  return letter ||
         (!mark.empty() && mark.find_first_not_of("ivx") == mark.npos);
}

/// True if a number begins a date instead of a list item: "3. Mai", "24.12.
/// ist".
bool IsDate(std::string_view mark, std::string_view rest,
            std::string_view language) {
  const Abbreviations& words = Abbreviations::Of(language);
  if (words.IsMonth(FirstWord(rest))) return true;
  const bool parts = mark.find('.') + 1 < mark.size();
  return parts && words.has_ordinals() &&
         IsLowerCharacter(FirstCharacter(rest).code);
}

}  // namespace

size_t ListMarkerSize(std::string_view line, std::string_view language) {
  const auto skip_spaces = [&](size_t i) {
    for (Character c = FirstCharacter(line.substr(i)); IsSpaceCharacter(c.code);
         c = FirstCharacter(line.substr(i))) {
      i += c.size;
    }
    return i;
  };
  const size_t begin = skip_spaces(0);
  size_t end = begin;
  for (Character c = FirstCharacter(line.substr(end));
       c.size > 0 && !IsSpaceCharacter(c.code) && end - begin < kLongestWord;
       c = FirstCharacter(line.substr(end))) {
    end += c.size;
  }
  const std::string_view mark = line.substr(begin, end - begin);
  const bool number = IsListNumber(mark);
  if (!number && !IsListMark(mark)) return 0;
  const size_t after = skip_spaces(end);
  if (after == end || after == line.size()) return 0;
  return number && IsDate(mark, line.substr(after), language) ? 0 : after;
}

}  // namespace heed
