// Texts and HTML with placeholders from untrusted sources. They are split into
// sentences and joined again, with arbitrary translations.
#include <algorithm>

#include "heed/text/markup/mark_placement.h"
#include "heed/text/markup/text_split.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

/// A simulated translation: some words, and attention weights derived from the
/// input.
struct Written {
  std::string text;
  std::vector<std::string> source_pieces;
  std::vector<std::string> target_pieces;
  std::vector<float> attention;

  AlignedText Aligned() const {
    return {text, source_pieces, target_pieces, attention};
  }
};

Written Invented(const Segment& segment, std::string_view bytes) {
  Written translation;
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

void Check(std::string_view text, TextFormat format) {
  const std::vector<Segment> segments = SplitMarkup(text, format);
  std::vector<std::string> written;
  size_t marks = 0;
  size_t kept = 0;
  for (const Segment& segment : segments) {
    if (!segment.translate) kept += segment.text.size();
    if (!segment.translate) continue;
    size_t raw = 0;
    size_t breaks = 0;  // bytes of line breaks, which may replace spaces
    for (const Mark& mark : segment.marks) {
      (mark.kind == Mark::Kind::kBreak ? breaks : raw) += mark.raw.size();
    }
    marks += raw;
    const std::string bare = WriteSentence(segment, {});
    const auto spaces = std::ranges::count(bare, ' ');
    Require(bare.size() >= raw &&
                bare.size() <= raw + breaks + static_cast<size_t>(spaces),
            "of no words only the marks are left");
    written.push_back(
        WriteSentence(segment, Invented(segment, text).Aligned()));
    for (size_t i = 0; i < std::min<size_t>(segment.marks.size(), 100); ++i) {
      if (segment.marks[i].kind == Mark::Kind::kBreak) continue;
      Require(written.back().find(segment.marks[i].raw) != std::string::npos,
              "each mark is there");
    }
  }
  Require(marks + kept <= text.size(), "nothing is there twice");
  Require(JoinSegments(segments, written).size() >= marks + kept,
          "what is kept is there");
}

void Read(uint8_t what, std::string_view text) {
  Check(text, static_cast<TextFormat>(what % 3));
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
