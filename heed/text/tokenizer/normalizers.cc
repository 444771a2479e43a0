#include "heed/text/tokenizer/normalizers.h"

#include <unicode/uchar.h>

#include <iterator>
#include <utility>

#include "heed/text/tokenizer/byte_level.h"
#include "heed/text/tokenizer/precompiled_map.h"
#include "heed/text/tokenizer/regex.h"
#include "heed/text/tokenizer/unicode_forms.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

// Removes characters.
Step Without(bool (*dropped)(int32_t)) {
  return [dropped](Pieces& state) {
    RewriteCharacters(state, [dropped](int32_t code, size_t begin, size_t end,
                                       TextWriter& writer) {
      if (!dropped(code)) writer.Keep(begin, end);
    });
  };
}

// Letter by letter: the form of a final sigma is not considered.
void Lowercase(Pieces& state) {
  constexpr int32_t kDottedI = 0x130;  // becomes two characters
  RewriteCharacters(
      state, [](int32_t code, size_t begin, size_t end, TextWriter& writer) {
        if (code == kDottedI) {
          writer.Put("i\u0307", begin, end);
        } else if (const int32_t lower = u_tolower(code); lower != code) {
          writer.PutCode(lower, begin, end);
        } else {
          writer.Keep(begin, end);
        }
      });
}

bool IsMark(int32_t code) { return (CategoryBit(code) & U_GC_M_MASK) != 0; }
bool IsAccent(int32_t code) { return (CategoryBit(code) & U_GC_MN_MASK) != 0; }

// Unassigned characters stay, private ones do not.
bool IsControl(int32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  constexpr uint32_t kDropped = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK;
  return code == 0xFFFD || (CategoryBit(code) & kDropped) != 0;
}

// The gap before U+2B920 is the reference's.
bool IsChineseOfBert(int32_t code) {
  static constexpr std::pair<int32_t, int32_t> kBlocks[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
      {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
      {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : kBlocks) {
    if (code >= first && code <= last) return true;
  }
  return false;
}

void CleanText(Pieces& state) {
  RewriteCharacters(
      state, [](int32_t code, size_t begin, size_t end, TextWriter& writer) {
        if (IsControl(code)) return;
        if (IsWhite(code)) {
          writer.Put(" ", begin, end);
        } else {
          writer.Keep(begin, end);
        }
      });
}

void SeparateChinese(Pieces& state) {
  RewriteCharacters(
      state, [](int32_t code, size_t begin, size_t end, TextWriter& writer) {
        const bool chinese = IsChineseOfBert(code);
        if (chinese) writer.Put(" ", begin, end);
        writer.Keep(begin, end);
        if (chinese) writer.Put(" ", begin, end);
      });
}

std::vector<Step> Bert(const Part& part) {
  std::vector<Step> steps;
  const bool lowercase = part.Flag("lowercase", true);
  if (part.Flag("clean_text", true)) steps.emplace_back(CleanText);
  if (part.Flag("handle_chinese_chars", true)) {
    steps.emplace_back(SeparateChinese);
  }
  if (part.Flag("strip_accents", lowercase)) {
    steps.push_back(UnicodeFormStep(UnicodeForm::kNfd));
    steps.push_back(Without(IsAccent));
  }
  if (lowercase) steps.emplace_back(Lowercase);
  return steps;
}

Step Strip(bool left, bool right) {
  return [left, right](Pieces& state) {
    const std::string_view text = state.text.text();
    Rewrite(state, [=](const Piece& piece, TextWriter& writer) {
      size_t begin = left ? piece.end : piece.begin;
      size_t end = piece.begin;  // behind the last character that is not white
      for (size_t i = piece.begin; i < piece.end;) {
        const size_t at = i;
        if (IsWhite(NextCode(text, i))) continue;
        begin = std::min(begin, at);
        end = i;
      }
      if (!right) end = piece.end;
      if (begin < end) writer.Keep(begin, end);
    });
  };
}

Step Replace(Finder finder, std::string content) {
  return [finder = std::move(finder),
          content = std::move(content)](Pieces& state) {
    std::vector<ByteRange> matches;
    const std::string_view text = state.text.text();
    const auto find = [&](std::string_view piece) {
      matches.clear();
      finder(piece, matches);
      return !matches.empty();
    };
    if (!AnyText(state, find)) return;
    Rewrite(state, [&](const Piece& piece, TextWriter& writer) {
      find(text.substr(piece.begin, piece.size()));
      size_t position = piece.begin;
      for (const ByteRange& match : matches) {
        writer.Keep(position, piece.begin + match.begin);
        position = piece.begin + match.end;
        writer.Put(content, piece.begin + match.begin, position);
      }
      writer.Keep(position, piece.end);
    });
  };
}

Step Prepend(std::string prefix) {
  return [prefix = std::move(prefix)](Pieces& state) {
    const std::string_view text = state.text.text();
    Rewrite(state, [&](const Piece& piece, TextWriter& writer) {
      size_t second = piece.begin;
      NextCode(text, second);
      writer.Put(prefix, piece.begin, second);
      writer.Keep(piece.begin, piece.end);
    });
  };
}

// Control characters that Nmt removes and characters that become spaces.
bool IsRemovedByNmt(int32_t code) {
  return (code >= 1 && code <= 8) || code == 0xB ||
         (code >= 0xE && code <= 0x1F) || code == 0x7F || code == 0x8F ||
         code == 0x9F;
}
bool IsSpaceOfNmt(int32_t code) {
  return code == 9 || code == 0xA || code == 0xC || code == 0xD ||
         code == 0x1680 || (code >= 0x200B && code <= 0x200F) ||
         code == 0x2028 || code == 0x2029 || code == 0x2581 || code == 0xFEFF ||
         code == 0xFFFD;
}

void Nmt(Pieces& state) {
  RewriteCharacters(
      state, [](int32_t code, size_t begin, size_t end, TextWriter& writer) {
        if (IsRemovedByNmt(code)) return;
        if (IsSpaceOfNmt(code)) {
          writer.Put(" ", begin, end);
        } else {
          writer.Keep(begin, end);
        }
      });
}

Step ReplaceStep(const Part& part) {
  Finder finder = PatternFinder(part);
  return Replace(std::move(finder), part.Text("content"));
}

std::vector<Step> NormalizerStepsOf(const Part& part) {
  const std::string type = part.Type();
  if (type == "NFC") return {UnicodeFormStep(UnicodeForm::kNfc)};
  if (type == "NFD") return {UnicodeFormStep(UnicodeForm::kNfd)};
  if (type == "NFKC") return {UnicodeFormStep(UnicodeForm::kNfkc)};
  if (type == "NFKD") return {UnicodeFormStep(UnicodeForm::kNfkd)};
  if (type == "Lowercase") return {Lowercase};
  if (type == "StripAccents") return {Without(IsMark)};
  if (type == "Strip") {
    return {
        Strip(part.Flag("strip_left", true), part.Flag("strip_right", true))};
  }
  if (type == "Replace") return {ReplaceStep(part)};
  if (type == "Prepend") return {Prepend(part.Text("prepend"))};
  if (type == "Precompiled") return {PrecompiledStep(part)};
  if (type == "BertNormalizer") return Bert(part);
  if (type == "Nmt") return {Nmt};
  if (type == "ByteLevel") return {WriteByteLevel};
  part.Fail("the type '" + type +
            "' is not supported; expected NFC, NFD, NFKC, NFKD, Lowercase, "
            "StripAccents, Strip, Replace, Prepend, Precompiled, "
            "BertNormalizer, Nmt, ByteLevel or Sequence");
}

}  // namespace

void WriteByteLevel(Pieces& state) {
  const std::string_view text = state.text.text();
  RewriteCharacters(
      state, [text](int32_t, size_t begin, size_t end, TextWriter& writer) {
        for (size_t i = begin; i < end; ++i) {
          writer.PutCode(ByteCharacter(text[i]), begin, end);
        }
      });
}

std::vector<Step> NormalizerSteps(const Part& part) {
  std::vector<Step> steps;
  for (const Part& inner : Flattened(part, "normalizers")) {
    std::vector<Step> more = NormalizerStepsOf(inner);
    std::ranges::move(more, std::back_inserter(steps));
  }
  return steps;
}

}  // namespace heed::tokens
