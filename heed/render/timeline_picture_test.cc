#include "heed/render/timeline_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<TimelineEntry> ThreePapers() {
  return {{"scaled_dot", "Vaswani et al. 2017, arXiv:1706.03762"},
          {"additive", "Bahdanau et al. 2014, arXiv:1409.0473"},
          {"transformer", "Vaswani et al. 2017, arXiv:1706.03762", true},
          {"causal", "Vaswani et al. 2017, arXiv:1706.03762"},
          {"mean", "this library", true}};
}

TEST(Timeline, ReadsTheYearOfACitation) {
  EXPECT_EQ(YearOf("Vaswani et al. 2017, arXiv:1706.03762"), 2017);
  EXPECT_EQ(YearOf("Cox 1958"), 1958);
  EXPECT_EQ(YearOf("doi:10.1145/3109859"), std::nullopt);
  EXPECT_EQ(YearOf("arXiv:1906.04341"), 2019);
  // The year of the preprint counts, not the year of the later publication.
  EXPECT_EQ(YearOf("Kipf and Welling 2017, arXiv:1609.02907"), 2016);
  EXPECT_EQ(YearOf("Raffel et al. 2020, arXiv:1910.10683"), 2019);
  EXPECT_EQ(YearOf("Someone 2003, arXiv:cs/0301001"), 2003);
  EXPECT_EQ(YearOf("this library"), std::nullopt);
}

TEST(Timeline, JoinsNamesOfOneSourceAndOrdersYears) {
  const std::string text = TimelineText(ThreePapers(), {.width = 100});
  EXPECT_LT(text.find("additive"),
            text.find("scaled_dot, transformer, causal"));
  EXPECT_THAT(text, HasSubstr("2014  additive"));
  EXPECT_THAT(text, Not(HasSubstr("mean")));
}

TEST(Timeline, SvgHasBothSides) {
  const std::string svg = TimelineSvg(ThreePapers(), "models", "parts");
  EXPECT_THAT(svg, HasSubstr("text-anchor='end'>transformer<"));
  EXPECT_THAT(svg, HasSubstr("text-anchor='start'>scaled_dot, causal<"));
  EXPECT_LT(svg.find(">2014<"), svg.find(">2017<"));
  EXPECT_THAT(svg, Not(HasSubstr("mean")));
}

}  // namespace
}  // namespace heed
