#include "heed/render/document_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

TEST(DocumentWeights, AreThoseOfBothLevels) {
  const ExplanationSegment e = DocumentSegment();
  const auto weights = DocumentWeightsOf(e);
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->of_sentences, (std::vector<float>{0.64f, 0.36f}));
  EXPECT_EQ(weights->of_words, (std::vector<float>{0.25f, 0.75f, 1}));
  const std::vector<float> shades = weights->Shades();
  EXPECT_NEAR(shades[0], 0.8 * 0.25, 1e-6);
  EXPECT_NEAR(shades[1], 0.8 * 0.75, 1e-6);
  EXPECT_NEAR(shades[2], 0.6, 1e-6);
}

TEST(DocumentWeights, AreNoneWithoutAttentionAtBothLevels) {
  ExplanationSegment e = DocumentSegment();
  e.maps.erase(e.maps.begin());
  EXPECT_FALSE(DocumentWeightsOf(e));
  EXPECT_FALSE(DocumentWeightsOf(ExampleSegment()));
  const Explanation whole = ExplanationOf(ExampleSegment());
  EXPECT_THROW(ExplanationSvg({&whole, 1}, {.view = "document"}), ConfigError);
}

TEST(Document, HasABarForEachSentenceAndShadedWords) {
  const Explanation whole = ExplanationOf(DocumentSegment());
  const std::string svg = ExplanationSvg({&whole, 1}, {.view = "document"});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "weight of the sentence: 0.640"), 1u);
  EXPECT_EQ(Count(svg, "weight of the sentence: 0.360"), 1u);
  // Two bars and three words react to the pointer.
  EXPECT_EQ(Count(svg, "data-item='"), 5u);
  EXPECT_EQ(Count(svg, "data-item='2'"), 1u);
  EXPECT_EQ(Count(svg, "b&lt;: 0.60"), 1u);
  EXPECT_EQ(svg, ExplanationSvg({&whole, 1}, {})) << "it is shown first";
}

TEST(Document, OfManySentencesShowsThoseWithTheLargestWeights) {
  const Explanation whole = ExplanationOf(DocumentSegment(500));
  const std::string svg = ExplanationSvg({&whole, 1}, {.view = "document"});
  EXPECT_TRUE(IsDrawable(svg));
  EXPECT_EQ(Count(svg, "weight of the sentence"), 60u);
  EXPECT_EQ(Count(svg, "442 sentences of less weight"), 1u);
}

TEST(Document, InATerminalHasTwoLinesForEachSentence) {
  const std::string text = TerminalExplanation(
      ExplanationOf(DocumentSegment()), {.view = "document"}, {.width = 60});
  EXPECT_NE(text.find("0.64 ████████████████\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.36 █████████\n"), std::string::npos) << text;
  EXPECT_NE(text.find("b<(1.00)"), std::string::npos) << text;
}

TEST(DocumentKind, ShadesSentencesBelowEachOther) {
  ExplanationSegment e = DocumentSegment();
  e.attributions.push_back({.method = "occlusion",
                            .scores = {0.5f, -1.0f, 0.25f},
                            .differences = {},
                            .targets = {0}});
  const Explanation whole = ExplanationOf(e);
  EXPECT_TRUE(IsDrawable(ExplanationSvg({&whole, 1}, {.view = "saliency"})));
  const std::string text =
      TerminalExplanation(whole, {.view = "saliency"}, {.width = 60});
  EXPECT_NE(text.find("a(0.50) b<(-1.00)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("c(0.25)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace heed
