#include "heed/render/mask_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

using testing::HasSubstr;

MaskPattern CausalPattern(int64_t size) {
  MaskPattern p = {"causal", "s ≤ t", {}, size, {}};
  for (int64_t t = 0; t < size; ++t) {
    for (int64_t s = 0; s < size; ++s) p.may.push_back(s <= t);
  }
  return p;
}

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST(MaskPicture, HasADarkSquareForEachPairThatMay) {
  const MaskPattern p = CausalPattern(4);
  EXPECT_EQ(p.count(), 10);
  const std::string svg = MasksSvg({&p, 1});
  const size_t cells = svg.find("<path class='cell'");
  ASSERT_NE(cells, std::string::npos);
  const std::string dark = svg.substr(cells, svg.find("/>", cells) - cells);
  EXPECT_EQ(Occurrences(dark, "M"), 10U);
  const size_t fields = svg.find("<path class='field'");
  ASSERT_NE(fields, std::string::npos);
  const std::string pale = svg.substr(fields, svg.find("/>", fields) - fields);
  EXPECT_EQ(Occurrences(pale, "M"), 6U);
  EXPECT_THAT(svg, HasSubstr("s ≤ t · 10 of 16 pairs"));
}

TEST(MaskPicture, TextHasRowsOfQueries) {
  const MaskPattern p = CausalPattern(3);
  const std::string text = MasksText({&p, 1}, {.width = 40});
  EXPECT_THAT(text, HasSubstr("■ · · "));
  EXPECT_THAT(text, HasSubstr("■ ■ · "));
  EXPECT_THAT(text, HasSubstr("■ ■ ■ "));
}

TEST(MaskPicture, TextPutsMasksBesideEachOtherWhereTheyFit) {
  const std::vector<MaskPattern> two = {CausalPattern(3), CausalPattern(3)};
  EXPECT_EQ(Occurrences(MasksText(two, {.width = 80}), "\n"), 5U);
  EXPECT_EQ(Occurrences(MasksText(two, {.width = 30}), "\n"), 11U);
}

TEST(MaskPicture, MasksStandInColumns) {
  std::vector<MaskPattern> masks(9, CausalPattern(3));
  masks[1].formula = "a formula that is wider than its mask by far";
  const std::string svg = MasksSvg(masks);
  std::set<std::string> columns;
  for (size_t at = svg.find("translate("); at != std::string::npos;
       at = svg.find("translate(", at + 1)) {
    const size_t begin = at + std::string("translate(").size();
    columns.insert(svg.substr(begin, svg.find(' ', begin) - begin));
  }
  // Margins and the words at the squares have translations of their own.
  EXPECT_LE(columns.size(), 5U);

  const std::string text = MasksText(masks, {.width = 100});
  EXPECT_THAT(text, HasSubstr("by far · 6 of 9"));
}

TEST(MaskPicture, ChecksTheNumberOfEntries) {
  MaskPattern p = CausalPattern(3);
  p.may.pop_back();
  EXPECT_THROW(MasksSvg({&p, 1}), ShapeError);
  EXPECT_THROW(MasksText({&p, 1}, {}), ShapeError);
}

}  // namespace
}  // namespace heed
