// Texts and HTML with placeholders, as anybody may send them to be translated:
// cut into sentences and put together again, whatever a model makes of them.
#include <algorithm>

#include "heed/serve/mark_placement.h"
#include "heed/serve/text_split.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

/// As a model might have written it: some words, and attention out of the bytes
/// of the input.
Translation Invented(const Segment& segment, std::string_view bytes) {
  Translation translation;
  translation.source_pieces = {"▁" + segment.text, "</s>"};
  uint32_t state = static_cast<uint32_t>(bytes.size()) + 1;
  const auto next = [&] {
    state = state * 1664525 + 1013904223;
    return state >> 16;
  };
  const uint32_t words = next() % 6;
  for (uint32_t i = 0; i < words; ++i) {
    translation.text += i == 0 ? "wo," : " wörd";
    translation.target_pieces.push_back(next() % 2 == 0 ? "▁wörd" : "▁");
  }
  translation.target_pieces.emplace_back("</s>");
  if (next() % 4 == 0) return translation;  // a model without attention
  for (size_t i = 2 * translation.target_pieces.size(); i > 0; --i) {
    translation.attention.push_back(static_cast<float>(next() % 8) / 8);
  }
  return translation;
}

void Check(std::string_view text, bool html) {
  const std::vector<Segment> segments =
      html ? SplitHtml(text) : SplitText(text);
  std::vector<std::string> written;
  size_t marks = 0;
  size_t kept = 0;
  for (const Segment& segment : segments) {
    if (!segment.translate) kept += segment.text.size();
    if (!segment.translate) continue;
    size_t raw = 0;
    for (const Mark& mark : segment.marks) raw += mark.raw.size();
    marks += raw;
    const std::string bare = WriteSentence(segment, {}, html);
    const auto spaces = std::ranges::count(bare, ' ');
    Require(
        bare.size() >= raw && bare.size() <= raw + static_cast<size_t>(spaces),
        "of no words only the marks are left");
    written.push_back(WriteSentence(segment, Invented(segment, text), html));
    for (size_t i = 0; i < std::min<size_t>(segment.marks.size(), 100); ++i) {
      Require(written.back().find(segment.marks[i].raw) != std::string::npos,
              "each mark is there");
    }
  }
  Require(marks + kept <= text.size(), "nothing is there twice");
  Require(JoinSegments(segments, written).size() >= marks + kept,
          "what is kept is there");
}

void Read(uint8_t what, std::string_view text) { Check(text, what % 2 == 0); }

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
