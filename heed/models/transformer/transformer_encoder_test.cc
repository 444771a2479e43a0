#include "heed/models/transformer/transformer_encoder.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "heed/base/at.h"
#include "heed/models/transformer/transformer_testing.h"
#include "heed/ops/loss.h"

namespace heed::transformer_encoder_test {
namespace {

constexpr int64_t S = 5;
constexpr int64_t B = 3;
constexpr int kWords = 9;
const std::vector<int32_t> kLengths = {5, 2, 4};

TEST(TransformerTextEncoder, SeesSegments) {
  TransformerConfig config = SmallTransformer();
  config.segments = 2;
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const TransformerTextEncoder encoder(Scope(set, "encoder"), Resolved(config),
                                       kWords);
  const Tensor ids = RandomIds({B, S}, kWords, 1);
  const Tensor lengths = Lengths({5, 5, 5});
  const Tensor first = Tensor::Zeros({B, S}, DType::kI32);
  const Tensor second = Tensor::Full({B, S}, 1, DType::kI32);
  const auto run = [&](const Tensor& segments) {
    return encoder({}, {ids, lengths, segments}).value();
  };
  EXPECT_EQ(MaxDifference(run({}), run(first)), 0);
  EXPECT_GT(MaxDifference(run(first), run(second)), 0.01);
}

/// Results of a row alone equal those in a batch, for vectors.
TEST(TransformerEncoder, WhatStandsBehindTheLengthChangesNothingBefore) {
  for (const int64_t inputs : {int64_t{3}, int64_t{8}}) {
    for (const bool causal : {false, true}) {
      ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
      const TransformerEncoder encoder(
          Scope(set, "encoder"), Resolved(SmallTransformer()), inputs, causal);
      EXPECT_EQ(encoder.output_size(), 8);
      const Tensor x = RandomTensor({B, S, inputs}, 3);
      const Tensor lengths = Lengths(kLengths);
      const Tensor all = encoder({}, x, lengths).value();
      for (int64_t b = 0; b < B; ++b) {
        const int32_t n = At(kLengths, b);
        const Tensor alone =
            encoder({}, x[b].Slice(0, n).Reshape({1, n, inputs}), Lengths({n}))
                .value();
        EXPECT_LT(MaxDifference(alone[0], all[b].Slice(0, n)), 1e-13);
      }
      Tensor changed = x.Clone();
      changed[0].Slice(S - 1, S).Fill(2);
      const Tensor after = encoder({}, changed, lengths).value();
      const double before_it =
          MaxDifference(after[0].Slice(0, S - 1), all[0].Slice(0, S - 1));
      EXPECT_EQ(before_it == 0, causal);
    }
  }
}

TEST(TransformerEncoder, HasTheGradientOfDifferences) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const TransformerEncoder encoder(Scope(set, "encoder"),
                                   Resolved(SmallTransformer()), 3);
  const Tensor lengths = Lengths(kLengths);
  ExpectGradientOf(
      [&](std::span<const Var> x) {
        const Var y = encoder({}, x[0], lengths);
        // The loss ignores padding.
        return CrossEntropy(y,
                            Ids({1, 2, 3, 4, 5,     //
                                 1, 2, -1, -1, -1,  //
                                 1, 2, 3, 4, -1},
                                {B, S}),
                            {})
            .loss;
      },
      {RandomTensor({B, S, 3}, 3)});
}

TEST(TransformerEncoder, RefusesOtherInputs) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const TransformerEncoder encoder(Scope(set, "encoder"),
                                   Resolved(SmallTransformer()), 3);
  EXPECT_THROW(encoder({}, Tensor::Zeros({B, S, 4}), Lengths({5, 5, 5})),
               ShapeError);
  EXPECT_THROW(encoder({}, Tensor::Zeros({B, S, 3}), {}), ShapeError);
  EXPECT_THROW(encoder({}, Tensor::Zeros({B, S, 3}), Lengths({6, 5, 5})),
               ShapeError);
}

}  // namespace
}  // namespace heed::transformer_encoder_test
