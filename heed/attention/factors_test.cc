// Factors of weights that an attention passes to its observer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/testing.h"
#include "heed/kernels/attention_factors.h"

namespace heed {
namespace {

/// Runs an attention with an observer that requests factors.
AttentionWatch Watched(const AttentionUnderTest& test, const Mask& mask = {}) {
  AttentionWatch watch([](const AttentionInfo&) {
    return AttentionRequest{.weights = true, .factors = true};
  });
  Context ctx;
  ctx.observer = &watch;
  test.Attend(ctx, WantWeights::kNo, mask);
  return watch;
}

/// Weights of all batch rows and heads, put together from tiles.
Tensor FromTiles(const kernels::AttentionFactors& factors) {
  constexpr int64_t kTile = 50;
  const int64_t T = factors.queries(), S = factors.keys();
  Tensor all({factors.batch(), factors.heads(), T, S});
  for (int64_t i = 0; i < factors.batch() * factors.heads(); ++i) {
    const int64_t b = i / factors.heads(), h = i % factors.heads();
    for (int64_t t = 0; t < T; t += kTile) {
      for (int64_t s = 0; s < S; s += kTile) {
        const kernels::Range rows = {t, std::min(T, t + kTile)};
        const kernels::Range columns = {s, std::min(S, s + kTile)};
        all[b][h]
            .Slice(rows.begin, rows.end)
            .Columns(columns.begin, columns.end)
            .CopyFrom(factors.Tile(b, h, rows, columns));
      }
    }
  }
  return all;
}

TEST(AttentionFactors, GiveTheComposedWeights) {
  for (const char* score : {"scaled_dot", "dot", "cosine", "general",
                            "additive", "leaky_additive"}) {
    for (const char* modifiers :
         {"", "rotary", "alibi", "local_p(9)", "soft_cap(3)", "relative_bias",
          "rotary; alibi"}) {
      if (std::string(modifiers).starts_with("rotary") &&
          (std::string(score) == "additive" ||
           std::string(score) == "leaky_additive")) {
        continue;
      }
      for (const char* mask : {"none", "causal", "window(20)"}) {
        SCOPED_TRACE(std::string(score) + " " + modifiers + " " + mask);
        AttentionSpec spec = TestSpec(score, modifiers);
        spec.mask = ParseMask(mask, {2, 130, 130});
        const AttentionUnderTest test(spec, {2, 130, 130}, DType::kF32);
        const Tensor lengths = Tensor::Of(std::vector<int32_t>{130, 71}, {2});
        const Mask padding = Padding(lengths);
        const AttentionWatch watch = Watched(test, padding);
        ASSERT_EQ(watch.seen.size(), 1U);
        const AttentionWatch::Seen& seen = watch.seen.front();
        if (!test.attention().fused()) {
          EXPECT_TRUE(seen.weights.defined() && seen.factors == nullptr);
          continue;
        }
        ASSERT_TRUE(seen.factors != nullptr && !seen.weights.defined());
        Tape tape;
        Context composed;
        composed.tape = &tape;
        const Tensor expected =
            test.Attend(composed, WantWeights::kDifferentiable, padding)
                .weights.value();
        EXPECT_LT(MaxDifference(seen.factors->Weights(), expected), 1e-5);
        EXPECT_LT(MaxDifference(FromTiles(*seen.factors), expected), 1e-5);
      }
    }
  }
}

TEST(AttentionFactors, ThatAreNotAvailableAreWeights) {
  AttentionSpec sparse = TestSpec("scaled_dot", "", "sparsemax");
  const AttentionWatch watch =
      Watched(AttentionUnderTest(sparse, {2, 9, 9}, DType::kF32));
  EXPECT_TRUE(watch.seen.at(0).weights.defined());
  EXPECT_EQ(watch.seen.at(0).factors, nullptr);
  const AttentionWatch wide =
      Watched(AttentionUnderTest(TestSpec(), {2, 9, 9}, DType::kF64));
  EXPECT_TRUE(wide.seen.at(0).weights.defined());
}

TEST(AttentionFactors, KeepNoLargerTensorAlive) {
  const AttentionUnderTest test(TestSpec(), {2, 9, 30}, DType::kF32);
  const auto factors = Watched(test).seen.at(0).factors;
  // q [2, 9, 2 * 4], k [2, 30, 4], log_sum [2, 2, 9]
  EXPECT_EQ(factors->bytes(), 4 * (2 * 9 * 8 + 2 * 30 * 4 + 2 * 2 * 9));
}

}  // namespace
}  // namespace heed
