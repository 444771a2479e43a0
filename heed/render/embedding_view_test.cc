#include "heed/render/embedding_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string EmbeddingSvg(const ExplanationSegment& e) {
  const Drawing drawing = DrawEmbedding(e);
  return SvgPicture({&drawing, 1}, {.label = "embedding"});
}

TEST(EmbeddingView, HasAStripForEachPartOfTheSum) {
  const std::string svg = EmbeddingSvg(MaskedSegment());
  EXPECT_THAT(svg, HasSubstr(">token</text>"));
  EXPECT_THAT(svg, HasSubstr(">+ position</text>"));
  EXPECT_THAT(svg, HasSubstr(">= sum</text>"));
  EXPECT_THAT(svg, HasSubstr("mean length 3.50"));
  EXPECT_THAT(svg, HasSubstr("The first 2 of 2 features"));
  EXPECT_TRUE(IsDrawable(svg));
}

TEST(EmbeddingView, SaysWhetherTheSumWasNormalised) {
  ExplanationSegment e = MaskedSegment();
  e.inputs.back().rows = {{1, -1}, {1, -1}};
  EXPECT_THAT(EmbeddingSvg(e), HasSubstr(">= sum, normalised</text>"));
}

TEST(EmbeddingView, PredictsUnderTheMask) {
  const std::string svg = EmbeddingSvg(MaskedSegment());
  EXPECT_THAT(svg, HasSubstr(">b</text>"));
  EXPECT_THAT(svg, HasSubstr(">0.750</text>"));
  EXPECT_EQ(Count(svg, "<path class='link'"), 1U);
}

TEST(EmbeddingView, TextHasALineForEachToken) {
  const std::string text =
      EmbeddingView().text(MaskedSegment(), {}, {.width = 80});
  EXPECT_THAT(text, HasSubstr("#·"));
  EXPECT_THAT(text, HasSubstr("·="));
  EXPECT_THAT(text, HasSubstr("[MASK] → b 0.750 c 0.125"));
}

TEST(EmbeddingView, NeedsVectors) {
  ExplanationSegment e = MaskedSegment();
  EXPECT_EQ(EmbeddingView().refusal(e, {}), "");
  e.inputs.clear();
  EXPECT_NE(EmbeddingView().refusal(e, {}), "");
}

}  // namespace
}  // namespace heed
