#include "heed/decode/penalties.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/decode/beam.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

std::vector<float> Penalized(const DecodeOptions& options, const Ids& tokens,
                             int64_t written = 100) {
  std::vector<float> scores = {1, -1, 2, -2, 3, 4};
  Penalize(options, tokens, written, scores);
  return scores;
}

TEST(Penalties, WithoutOptionsChangeNothing) {
  EXPECT_EQ(Penalized({}, {0, 1, 1, 4}),
            (std::vector<float>{1, -1, 2, -2, 3, 4}));
}

TEST(Penalties, RepeatedTokensScoreLess) {
  DecodeOptions options;
  options.repetition_penalty = 2;
  EXPECT_EQ(Penalized(options, {0, 1, 1, 4}),
            (std::vector<float>{0.5, -2, 2, -2, 1.5, 4}));
}

TEST(Penalties, NGramsDoNotRepeat) {
  DecodeOptions options;
  options.no_repeat_ngrams = 3;
  const std::vector<float> scores = Penalized(options, {0, 1, 4, 5, 0, 1});
  EXPECT_LT(scores[4], -1e20);
  EXPECT_EQ(scores[5], 4);
  options.no_repeat_ngrams = 1;
  const std::vector<float> single = Penalized(options, {2});
  EXPECT_LT(single[2], -1e20);
  EXPECT_EQ(single[3], -2);
  options.no_repeat_ngrams = 9;
  EXPECT_EQ(Penalized(options, {2, 2})[2], 2);
}

TEST(Penalties, EndsWaitForTheMinimumLength) {
  DecodeOptions options;
  options.min_length = 2;
  options.special = {.eos = 5};
  options.special.other_ends = {4};
  const std::vector<float> early = Penalized(options, {}, 1);
  EXPECT_LT(early[5], -1e20);
  EXPECT_LT(early[4], -1e20);
  EXPECT_EQ(Penalized(options, {}, 2)[5], 4);
}

TEST(Penalties, ActInASearch) {
  std::vector<float> scores(9, 0);
  scores[6] = 5;
  scores[7] = 4;
  scores[kEos] = 3;
  const ConstantModel model(scores);
  const auto [source, lengths] = SourceOf({{5, kEos}});
  const Inputs inputs = {source, lengths};
  DecodeOptions options;
  options.beam = 1;
  options.no_repeat_ngrams = 1;
  const auto search = [&] {
    return BeamSearch(model, inputs, options).at(0).at(0).tokens;
  };
  EXPECT_EQ(search(), (Ids{6, 7}));
  options.min_length = 3;
  EXPECT_EQ(search().size(), 3U);
}

}  // namespace
}  // namespace heed
