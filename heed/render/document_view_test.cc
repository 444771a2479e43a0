#include "heed/render/document_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"
#include "heed/render/explanation_file.h"
#include "heed/render/explanation_testing.h"

namespace heed {
namespace {

/// Two sentences of two words and one, with weights at both levels.
ExplanationSegment DocumentSegment(int64_t more_sentences = 0) {
  ExplanationSegment e;
  e.text = "a b<\nc";
  e.answer = "pos";
  Axis words = {.id = "source", .kind = "document", .label = "Document"};
  words.items = {"a", "b<", "c"};
  Axis sentences = {.id = "sentences", .kind = "document", .of = "source"};
  sentences.items = {"a b<", "c"};
  sentences.spans = {{0, 2}, {2, 3}};
  AttentionMap inner = {.name = "word_attention",
                        .title = "Word",
                        .query = "sentences",
                        .heads = 1,
                        .query_size = 2,
                        .key_size = 3,
                        .weights = {0.25f, 0.75f, 1.0f},
                        .edges = {{0, 0}, {0, 1}, {1, 2}}};
  AttentionMap outer = {.name = "sentence_attention",
                        .title = "Sentence",
                        .query = "answer",
                        .key = "sentences",
                        .heads = 1,
                        .query_size = 1,
                        .key_size = 2,
                        .weights = {0.64f, 0.36f}};
  for (int64_t i = 0; i < more_sentences; ++i) {
    const int64_t at = 3 + i;
    words.items.push_back("w");
    sentences.items.push_back("w");
    sentences.spans.push_back({at, at + 1});
    inner.edges.emplace_back(static_cast<int32_t>(2 + i),
                             static_cast<int32_t>(at));
    inner.weights.push_back(1);
    outer.weights.push_back(0);
    ++inner.query_size;
    ++inner.key_size;
    ++outer.key_size;
  }
  e.axes = {words, sentences, {.id = "answer", .items = {"pos"}}};
  e.maps = {inner, outer,
            ComposedMap(outer, inner, "document_attention", "Words")};
  e.targets = {{.axis = "answer", .probability = 0.9, .map = 2}};
  return e;
}

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
