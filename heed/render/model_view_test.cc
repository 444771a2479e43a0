#include "heed/render/model_view.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heed/base/testing.h"
#include "heed/render/explanation_testing.h"
#include "heed/render/model_picture.h"
#include "heed/render/outline_rows.h"

namespace heed {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = OutlinePart::Kind;

TEST(OutlineRows, WithoutATextColumnsAreSymbols) {
  ExplanationSegment segment;
  segment.outline = AttentiveOutline();
  const std::vector<OutlineGrid> grids = GridsOf(segment);
  ASSERT_EQ(grids.size(), 2U);
  EXPECT_EQ(grids[0].columns[0].input, "x₁");
  EXPECT_TRUE(grids[0].columns[2].dots);
  EXPECT_EQ(grids[1].columns[0].input, "<s>");
  EXPECT_EQ(grids[1].columns[1].input, "y₁");
  EXPECT_EQ(grids[1].columns[1].output, "y₂");
  EXPECT_EQ(grids[1].RowThatGives("sᵢ"), 2);
  EXPECT_EQ(grids[1].RowThatGives("tᵢ"), -1);
}

TEST(OutlineRows, OfALongTextTheFirstAndTheLastColumnsStay) {
  ExplanationSegment segment = ExampleSegment(/*sources=*/20, /*targets=*/3);
  segment.outline = AttentiveOutline();
  const std::vector<OutlineGrid> grids = GridsOf(segment);
  ASSERT_EQ(grids[0].columns.size(), 8U);
  EXPECT_TRUE(grids[0].columns[5].dots);
  EXPECT_EQ(grids[0].columns.back().input, "s19");
  EXPECT_EQ(grids[0].columns.back().number, "₂₀");
  ASSERT_EQ(grids[1].columns.size(), 3U);
  EXPECT_EQ(grids[1].columns[2].input, "t1");
  EXPECT_EQ(grids[1].columns[2].output, "t2");
}

TEST(OutlineRows, AlikeLayersAreDrawnOnce) {
  ExplanationSegment segment;
  segment.outline.sequences = {{"encoder",
                                "source",
                                false,
                                false,
                                {{{{Kind::kAll, "self-attention", 8, {}, "cⱼ"},
                                   {Kind::kEach, "feed-forward", 8, {}, {}}},
                                  6}}}};
  const OutlineGrid grid = GridsOf(segment).at(0);
  ASSERT_EQ(grid.rows.size(), 2U);
  EXPECT_EQ(grid.rows[0].repeats, 6);
  EXPECT_EQ(grid.rows[0].rows, 2);
}

TEST(OutlineRows, ReadFromTheEndStatesGoBackwards) {
  ExplanationSegment segment;
  segment.outline.sequences = {
      {"encoder",
       "source",
       false,
       true,
       {{{{OutlinePart::Kind::kForward, "LSTM", 8, {}, "hⱼ"}}, 1}}}};
  EXPECT_EQ(GridsOf(segment).at(0).rows.at(0).part.kind,
            OutlinePart::Kind::kBackward);
}

/// Words read one sentence at a time, and their sentences.
ModelOutline OutlineOfTwoFloors() {
  ModelOutline outline;
  outline.name = "floors";
  outline.weights = 1234567;
  OutlineSequence words = {.name = "words", .axis = "source"};
  words.blocks = {{{{Kind::kEach, "embedding", 4}}, 1},
                  {{{Kind::kPool, "mean", 4}}, 1}};
  OutlineSequence sentences = {.name = "sentences", .axis = "sentences"};
  sentences.letter = "s";
  sentences.of = {0};
  sentences.blocks = {{{{Kind::kForward, "GRU", 8, {}, "hⱼ"}}, 1},
                      {{{Kind::kNear, "convolution", 8}}, 1},
                      {{{Kind::kEdges, "attention", 8}}, 1}};
  outline.sequences = {words, sentences};
  return outline;
}

/// Distance of a text from the upper edge.
double HeightOfText(const std::string& svg, const std::string& text) {
  const size_t end = svg.find(">" + text + "<");
  const size_t at = svg.rfind(" y='", end);
  return end == std::string::npos ? -1 : std::stod(svg.substr(at + 4));
}

TEST(OutlineRows, ItemsAreCalledAsTheModelSays) {
  ExplanationSegment segment;
  segment.outline = OutlineOfTwoFloors();
  segment.outline.sequences[0].items = {"first", "second"};
  const std::vector<OutlineGrid> grids = GridsOf(segment);
  ASSERT_EQ(grids[0].columns.size(), 2U);
  EXPECT_EQ(grids[0].columns[1].input, "second");
  EXPECT_EQ(grids[1].columns[0].input, "s₁") << "it writes nothing";
  EXPECT_EQ(NameOf(segment.outline), "floors, 1,234,567 weights");
}

TEST(ModelView, WhatIsMadeOfOtherSequencesStandsAboveThem) {
  ExplanationSegment segment;
  segment.outline = OutlineOfTwoFloors();
  const std::string svg = DrawModel(segment, {}).svg;
  EXPECT_LT(HeightOfText(svg, "attention"), HeightOfText(svg, "convolution"));
  EXPECT_LT(HeightOfText(svg, "GRU"), HeightOfText(svg, "s₁"));
  EXPECT_LT(HeightOfText(svg, "s₁"), HeightOfText(svg, "mean"));
  EXPECT_LT(HeightOfText(svg, "mean"), HeightOfText(svg, "x₁"));
  const std::string text = ModelView().text(segment, {}, {.width = 120});
  EXPECT_THAT(text, HasSubstr("each sees those beside it"));
  EXPECT_THAT(text, HasSubstr("each attends to its neighbours"));
}

TEST(ModelView, DrawsBoxesOfEveryColumnAndFormulas) {
  ExplanationSegment segment;
  segment.outline = AttentiveOutline();
  const std::string svg = DrawModel(segment, {}).svg;
  for (const char* symbol : {">← h₁<", ">→ h₂<", ">c₁<", ">s₂<", ">z<"}) {
    EXPECT_THAT(svg, HasSubstr(symbol));
  }
  EXPECT_THAT(svg, HasSubstr("z = tanh(W h)"));
  EXPECT_THAT(svg, HasSubstr("cᵢ = Σⱼ αᵢⱼ hⱼ"));
  // Three columns attend: equal lines to one step.
  EXPECT_EQ(Count(svg, "class='linked'"), 3U);
  EXPECT_THAT(svg, Not(HasSubstr("weights of step")));
}

TEST(ModelView, ZLeadsToAllThatReadTheStateBeforeTheFirst) {
  ExplanationSegment segment;
  segment.outline = AttentiveOutline();
  const auto arrows_from_z = [&] {
    const std::string svg = DrawModel(segment, {}).svg;
    const size_t x = svg.rfind(" x='", svg.find(">z<")) + 4;
    const double side = std::stod(svg.substr(x)) + 17;
    return Count(svg, fmt::format("d='M{:.1f} ", side));
  };
  EXPECT_EQ(arrows_from_z(), 2U) << "the first state, and c₁, which asks by z";
  OutlinePart& output =
      segment.outline.sequences[1].blocks.back().parts.front();
  output.formula = "softmax(W [{sᵢ₋₁}; {cᵢ}])";
  EXPECT_EQ(arrows_from_z(), 3U);
}

TEST(ModelView, LinesAreAsWideAsTheWeightsOfTheStep) {
  ExplanationSegment segment = ExampleSegment(/*sources=*/3, /*targets=*/2);
  segment.outline = AttentiveOutline();
  const std::string svg = DrawModel(segment, {.step = 1}).svg;
  EXPECT_THAT(svg, HasSubstr("the weights of step 2"));
  const std::vector<float> weights = RowOf(segment, segment.targets[1]);
  EXPECT_THAT(svg, HasSubstr(fmt::format("<title>{:.2f}</title>", weights[1])));
}

TEST(ModelView, TextHasTheDecoderAboveTheEncoder) {
  ExplanationSegment segment;
  segment.outline = AttentiveOutline();
  const ExplanationView view = ModelView();
  EXPECT_EQ(view.refusal(segment, {}), "");
  const std::string text = view.text(segment, {}, {.width = 120});
  EXPECT_LT(text.find("decoder"), text.find("encoder"));
  EXPECT_THAT(text, HasSubstr("→[ s₂  ]"));
  EXPECT_THAT(text, HasSubstr("attends to the source"));
}

TEST(ModelView, CanBeDrawn) {
  ExplanationSegment segment = ExampleSegment(/*sources=*/20, /*targets=*/3);
  segment.outline = AttentiveOutline();
  const Drawing drawing = DrawModel(segment, {});
  EXPECT_TRUE(IsDrawable(SvgPicture({&drawing, 1}, {.label = "model"})));
}

TEST(ModelView, RefusesWhatSaysNothing) {
  EXPECT_NE(ModelView().refusal(ExplanationSegment(), {}), "");
}

}  // namespace
}  // namespace heed
