#include "heed/models/autocomplete.h"

#include <gtest/gtest.h>

#include "heed/base/at.h"
#include "heed/models/model_testing.h"
#include "heed/nn/recurrent.h"

namespace heed::autocomplete_test {
namespace {

constexpr int64_t B = 3;
constexpr int64_t S = 6;
constexpr int kCharacters = 7;
constexpr int V = 5;
const std::vector<int32_t> kLengths = {6, 2, 4};

using Encoder = ModelChoice<EncoderSettings>;

Encoder EncoderOf(const std::string& cell) {
  Encoder encoder;
  SetPreset(FieldsOf(*encoder),
            "units=6 layers=2 dropout=0 self_attention=none cell=" + cell);
  encoder->Fill({.causal = true});
  return encoder;
}

Autocomplete Model(const Encoder& encoder) {
  return Autocomplete(*encoder, {kCharacters, V, 4}, 3, DType::kF64);
}

Tensor Text() { return RandomIds({B, S}, kCharacters, 1); }

/// Targets, −1 in padding and at one more position.
Tensor Targets() {
  Tensor targets = RandomIds({B, S}, V, 2);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = At(kLengths, b); s < S; ++s) {
      targets.row<int32_t>(b)[s] = -1;
    }
  }
  targets.row<int32_t>(0)[2] = -1;
  return targets;
}

class EveryCellTypes : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cells, EveryCellTypes, testing::ValuesIn(CellNames()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryCellTypes, HasTheGradientOfDifferences) {
  const Autocomplete model = Model(EncoderOf(GetParam()));
  Shake(model.parameters());
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return model.Loss(ctx, Text(), Lengths(kLengths), Targets(), {}).loss;
  };
  ExpectParameterGradients(model.parameters(), loss, 6);
}

TEST_P(EveryCellTypes, WhatComesLaterChangesNothing) {
  const Autocomplete model = Model(EncoderOf(GetParam()));
  const Tensor ids = Text();
  const Tensor whole = model.States({}, ids, Lengths({S, S, S})).value();
  for (int32_t n = 1; n < S; ++n) {
    Tensor start({B, n}, DType::kI32);
    for (int64_t b = 0; b < B; ++b) {
      start.row<int32_t>(b)[0] = ids.row<int32_t>(b)[0];
      for (int64_t s = 1; s < n; ++s) {
        start.row<int32_t>(b)[s] = ids.row<int32_t>(b)[s];
      }
    }
    const Tensor part = model.States({}, start, Lengths({n, n, n})).value();
    for (int64_t b = 0; b < B; ++b) {
      EXPECT_LT(MaxDifference(part[b], whole[b].Slice(0, n)), 1e-14);
    }
  }
}

TEST(Autocomplete, CountsOnlyCharactersWithAWord) {
  const Autocomplete model = Model(EncoderOf("gru"));
  const CrossEntropyLoss loss =
      model.Loss({}, Text(), Lengths(kLengths), Targets(), {});
  EXPECT_EQ(loss.tokens, 6 + 2 + 4 - 1);
  // Words are about equally probable without training.
  EXPECT_NEAR(loss.nll / static_cast<double>(loss.tokens), std::log(V), 0.2);
}

TEST(Autocomplete, ATransformerMayStandInThePlaceOfARecurrence) {
  Encoder encoder;
  encoder.Choose("transformer");
  SetPreset(FieldsOf(*encoder), "layers=1 width=8 heads=2 dropout=0");
  encoder->Fill({.causal = true, .length = S});
  const Autocomplete model = Model(encoder);
  const Tensor states = model.States({}, Text(), Lengths(kLengths)).value();
  EXPECT_EQ(model.Scores({}, states).shape(), (Shape{B, S, V}));
  Tensor other = Text();
  other.row<int32_t>(0)[S - 1] =
      (other.row<int32_t>(0)[S - 1] + 1) % kCharacters;
  const Tensor moved = model.States({}, other, Lengths(kLengths)).value();
  EXPECT_EQ(MaxDifference(moved[0].Slice(0, S - 1), states[0].Slice(0, S - 1)),
            0);
  EXPECT_GT(MaxDifference(moved[0][S - 1], states[0][S - 1]), 0.01);
}

TEST(Autocomplete, RefusesWhatIsNoText) {
  const Autocomplete model = Model(EncoderOf("rnn"));
  EXPECT_THROW(model.States({}, Tensor::Zeros({S}, DType::kI32), Lengths({S})),
               ShapeError);
  EXPECT_THROW(model.States({}, Text(), Lengths({1, 1})), ShapeError);
}

}  // namespace
}  // namespace heed::autocomplete_test
