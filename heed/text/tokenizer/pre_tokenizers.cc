#include "heed/text/tokenizer/pre_tokenizers.h"

#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "heed/text/tokenizer/normalizers.h"
#include "heed/text/tokenizer/regex.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

// Use of the matches of a pattern at which a text is split.
enum class Behavior : uint8_t {
  kRemoved,
  kIsolated,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous
};
constexpr std::array<std::string_view, 5> kBehaviors = {
    "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
    "Contiguous"};

// A part of a piece, either a match or text between matches.
struct Section {
  ByteRange range;
  bool is_match;
};

class Splitter {
 public:
  Splitter(Finder finder, Behavior behavior, bool invert)
      : finder_(std::move(finder)), behavior_(behavior), invert_(invert) {}

  void operator()(Pieces& state) const {
    std::vector<Piece> result;
    result.reserve(state.pieces.size());
    std::vector<ByteRange> matches;
    std::vector<Section> sections;
    for (const Piece& piece : state.pieces) {
      if (!piece.is_text()) {
        result.push_back(piece);
        continue;
      }
      matches.clear();
      finder_(state.TextOf(piece), matches);
      Sections(matches, piece.size(), sections);
      Merge(sections);
      for (const auto& [range, is_match] : sections) {
        const bool removed = behavior_ == Behavior::kRemoved && is_match;
        if (removed || range.begin == range.end) continue;
        result.push_back({piece.begin + range.begin, piece.begin + range.end});
      }
    }
    state.pieces = std::move(result);
  }

 private:
  void Sections(const std::vector<ByteRange>& matches, size_t size,
                std::vector<Section>& sections) const {
    sections.clear();
    uint32_t position = 0;
    for (const ByteRange& match : matches) {
      if (position < match.begin) {
        sections.push_back({{position, match.begin}, invert_});
      }
      sections.push_back({match, !invert_});
      position = match.end;
    }
    if (position < size) {
      sections.push_back({{position, static_cast<uint32_t>(size)}, invert_});
    }
  }

  void Merge(std::vector<Section>& sections) const {
    if (behavior_ == Behavior::kRemoved || behavior_ == Behavior::kIsolated) {
      return;
    }
    const bool backwards = behavior_ == Behavior::kMergedWithNext;
    if (backwards) std::ranges::reverse(sections);
    size_t count = 0;
    bool previous = false;
    for (const Section section : sections) {
      const bool merged = behavior_ == Behavior::kContiguous
                              ? section.is_match == previous
                              : section.is_match && !previous;
      previous = section.is_match;
      if (!merged || count == 0) {
        sections[count++] = section;
      } else if (backwards) {
        sections[count - 1].range.begin = section.range.begin;
      } else {
        sections[count - 1].range.end = section.range.end;
      }
    }
    sections.resize(count);
    if (backwards) std::ranges::reverse(sections);
  }

  Finder finder_;
  Behavior behavior_;
  bool invert_;
};

// Finds each character with a property.
template <typename Predicate>
Finder CharacterFinder(Predicate predicate) {
  return [predicate](std::string_view text, std::vector<ByteRange>& matches) {
    for (size_t i = 0; i < text.size();) {
      const auto begin = static_cast<uint32_t>(i);
      if (predicate(NextCode(text, i))) {
        matches.push_back({begin, static_cast<uint32_t>(i)});
      }
    }
  };
}

// \w+|[^\w\s]+
Finder WordFinder() {
  return [](std::string_view text, std::vector<ByteRange>& matches) {
    int last = 0;  // 0: white space, 1: word, 2: other
    for (size_t i = 0; i < text.size();) {
      const auto begin = static_cast<uint32_t>(i);
      const int32_t code = NextCode(text, i);
      const int kind = IsWordCharacter(code) ? 1 : IsWhite(code) ? 0 : 2;
      const auto end = static_cast<uint32_t>(i);
      if (kind != 0 && kind == last) {
        matches.back().end = end;
      } else if (kind != 0) {
        matches.push_back({begin, end});
      }
      last = kind;
    }
  };
}

// Script of a character. Japanese scripts count as Chinese. Spaces and
// characters of no script belong to any script, and so do those that are newer
// than Unicode 9, which the reference's table does not know.
UScriptCode SplitScript(int32_t code) {
  constexpr int32_t kLongVowelMark = 0x30FC;
  constexpr uint8_t kTableVersion = 9;
  UVersionInfo version;
  u_charAge(code, version);
  if (code == ' ' || version[0] > kTableVersion) return USCRIPT_UNKNOWN;
  if (code == kLongVowelMark) return USCRIPT_HAN;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(code, &status);
  const bool japanese =
      script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA;
  return japanese ? USCRIPT_HAN : script;
}

// Runs of one script. Spaces belong to the run before them; in front of all
// runs they are dropped.
Finder ScriptFinder() {
  return [](std::string_view text, std::vector<ByteRange>& matches) {
    UScriptCode last = USCRIPT_UNKNOWN;
    for (size_t i = 0; i < text.size();) {
      const auto begin = static_cast<uint32_t>(i);
      const UScriptCode script = SplitScript(NextCode(text, i));
      const bool any = script == USCRIPT_UNKNOWN;
      if (!any && script != last) matches.push_back({begin, begin});
      if (!any) last = script;
      if (!matches.empty()) matches.back().end = static_cast<uint32_t>(i);
    }
  };
}

Finder LengthFinder(int64_t length) {
  return [length](std::string_view text, std::vector<ByteRange>& matches) {
    for (size_t i = 0; i < text.size();) {
      const auto begin = static_cast<uint32_t>(i);
      for (int64_t n = 0; n < length && i < text.size(); ++n) NextCode(text, i);
      matches.push_back({begin, static_cast<uint32_t>(i)});
    }
  };
}

// Writes `prefix` in front of text pieces that do not begin with it and
// satisfy `condition`.
void AddPrefix(Pieces& state, std::string_view prefix, bool first_only) {
  const auto lacks = [&](const Piece& piece) {
    return piece.is_text() && !state.TextOf(piece).starts_with(prefix) &&
           (!first_only ||
            state.text.Origin(piece.begin, piece.end).begin == 0);
  };
  if (std::ranges::none_of(state.pieces, lacks)) return;
  const std::string_view text = state.text.text();
  Rewrite(state, [&](const Piece& piece, TextWriter& writer) {
    if (lacks(piece)) {
      size_t second = piece.begin;
      NextCode(text, second);
      writer.Put(prefix, piece.begin, second);
    }
    writer.Keep(piece.begin, piece.end);
  });
}

std::vector<Step> ByteLevel(const Part& part) {
  std::vector<Step> steps;
  if (part.Flag("add_prefix_space", true)) {
    steps.emplace_back([](Pieces& state) { AddPrefix(state, " ", false); });
  }
  if (part.Flag("use_regex", true)) {
    steps.emplace_back(Splitter(Gpt2Scanner(), Behavior::kIsolated, false));
  }
  return steps;
}

std::vector<Step> Metaspace(const Part& part) {
  static constexpr std::array<std::string_view, 3> kSchemes = {
      "always", "first", "never"};
  char bytes[4];
  const std::string mark(bytes,
                         WriteCode(part.Character("replacement"), bytes));
  size_t scheme = part.Choice("prepend_scheme", kSchemes, 0);
  if (!part.Flag("add_prefix_space", true)) {
    if (part.Find("prepend_scheme") != nullptr && scheme != 2) {
      part.Fail(
          "'add_prefix_space' is false, but 'prepend_scheme' is not never");
    }
    scheme = 2;
  }
  std::vector<Step> steps;
  steps.emplace_back([mark](Pieces& state) {
    RewriteCharacters(state, [&mark](int32_t code, size_t begin, size_t end,
                                     TextWriter& writer) {
      if (code == ' ') {
        writer.Put(mark, begin, end);
      } else {
        writer.Keep(begin, end);
      }
    });
  });
  if (scheme != 2) {
    steps.emplace_back([mark, first = scheme == 1](Pieces& state) {
      AddPrefix(state, mark, first);
    });
  }
  if (part.Flag("split", true)) {
    steps.emplace_back(
        Splitter(TextFinder(mark), Behavior::kMergedWithNext, false));
  }
  return steps;
}

Behavior ReadBehavior(const Part& part, std::optional<size_t> fallback) {
  return static_cast<Behavior>(part.Choice("behavior", kBehaviors, fallback));
}

std::vector<Step> Split(const Part& part) {
  Finder finder = PatternFinder(part);
  return {Splitter(std::move(finder), ReadBehavior(part, std::nullopt),
                   part.Flag("invert", false))};
}

std::vector<Step> PreTokenizerStepsOf(const Part& part) {
  constexpr auto kRemoved = Behavior::kRemoved;
  constexpr auto kIsolated = Behavior::kIsolated;
  const std::string type = part.Type();
  if (type == "ByteLevel") return ByteLevel(part);
  if (type == "Split") return Split(part);
  if (type == "Metaspace") return Metaspace(part);
  if (type == "BertPreTokenizer") {
    return {Splitter(CharacterFinder(IsWhite), kRemoved, false),
            Splitter(CharacterFinder(IsBertPunctuation), kIsolated, false)};
  }
  if (type == "Whitespace") return {Splitter(WordFinder(), kRemoved, true)};
  if (type == "WhitespaceSplit") {
    return {Splitter(CharacterFinder(IsWhite), kRemoved, false)};
  }
  if (type == "Digits") {
    const bool single = part.Flag("individual_digits", false);
    return {Splitter(CharacterFinder(IsNumeric),
                     single ? kIsolated : Behavior::kContiguous, false)};
  }
  if (type == "Punctuation") {
    return {Splitter(CharacterFinder(IsBertPunctuation),
                     ReadBehavior(part, static_cast<size_t>(kIsolated)),
                     false)};
  }
  if (type == "CharDelimiterSplit") {
    const int32_t delimiter = part.Character("delimiter");
    return {Splitter(CharacterFinder([delimiter](int32_t code) {
                       return code == delimiter;
                     }),
                     kRemoved, false)};
  }
  if (type == "UnicodeScripts") {
    return {Splitter(ScriptFinder(), kRemoved, true)};
  }
  if (type == "FixedLength") {
    return {Splitter(LengthFinder(part.Number("length", 1, INT32_MAX, 5)),
                     kIsolated, false)};
  }
  part.Fail("the type '" + type +
            "' is not supported; expected ByteLevel, Split, Metaspace, "
            "BertPreTokenizer, Whitespace, WhitespaceSplit, Digits, "
            "Punctuation, CharDelimiterSplit, UnicodeScripts, FixedLength or "
            "Sequence");
}

}  // namespace

PreTokenizer ReadPreTokenizer(const Part& part) {
  PreTokenizer result;
  for (const Part& inner : Flattened(part, "pretokenizers")) {
    if (result.ends_in_bytes) result.steps.emplace_back(WriteByteLevel);
    std::vector<Step> more = PreTokenizerStepsOf(inner);
    std::ranges::move(more, std::back_inserter(result.steps));
    result.ends_in_bytes = inner.Type() == "ByteLevel";
  }
  return result;
}

}  // namespace heed::tokens
