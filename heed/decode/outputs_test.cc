// Tests of searches in which each sentence has its own tokens.
#include <gtest/gtest.h>

#include "heed/decode/beam.h"
#include "heed/decode/sample.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

const Ids kLine = {5, 6, 7, kEos};

TEST(Outputs, OfOtherSentencesChangeNothing) {
  const Ids some = {kPad, kUnk, kBos, kEos, 5, 8, 11};
  const Ids others = {kPad, kUnk, kBos, kEos, 4, 6, 7, 9};
  const auto [ids, lengths] = SourceOf({kLine, {7, kEos}});
  const RandomModel model(12);
  for (const int beam : {1, 4, 20}) {
    DecodeOptions options;
    options.beam = beam;
    const auto together =
        BeamSearch(model, {ids, lengths}, options, {some, others});
    const auto [first, first_lengths] = SourceOf({kLine});
    const auto [second, second_lengths] = SourceOf({{7, kEos}});
    const auto alone =
        BeamSearch(model, {first, first_lengths}, options, {some});
    const auto other =
        BeamSearch(model, {second, second_lengths}, options, {others});
    EXPECT_EQ(together[0][0].tokens, alone[0][0].tokens);
    EXPECT_NEAR(together[0][0].score, alone[0][0].score, 1e-5);
    EXPECT_EQ(together[1][0].tokens, other[0][0].tokens);
    EXPECT_NEAR(together[1][0].score, other[0][0].score, 1e-5);
  }
}

TEST(Outputs, OfOtherSentencesAreNeverDrawn) {
  const Ids some = {kPad, kUnk, kBos, kEos, 5, 8, 11};
  const Ids others = {kPad, kUnk, kBos, kEos, 4, 6, 7, 9};
  const auto [ids, lengths] = SourceOf({kLine, {7, kEos}});
  const RandomModel model(12);
  DecodeOptions options;
  options.sample = true;
  options.nbest = 20;
  const auto found = Sample(model, {ids, lengths}, options,
                            std::vector<int64_t>{0, 1}, {some, others});
  for (size_t i = 0; i < 2; ++i) {
    const Ids& listed = i == 0 ? some : others;
    for (const Hypothesis& hypothesis : found[i]) {
      for (const int32_t token : hypothesis.tokens) {
        EXPECT_EQ(std::ranges::count(listed, token), 1) << token;
      }
    }
  }
}

TEST(Outputs, AreOneListForEachSentence) {
  const Ids some = {kPad, kUnk, kBos, kEos, 5, 8, 11};
  const auto [ids, lengths] = SourceOf({kLine, {7, kEos}});
  const RandomModel model(12);
  EXPECT_THROW(BeamSearch(model, {ids, lengths}, {}, {some}), ShapeError);
}

}  // namespace
}  // namespace heed
