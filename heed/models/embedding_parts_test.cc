// Observation of the embeddings of a Transformer.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "heed/models/registry.h"
#include "heed/models/text_encoder.h"

namespace heed::embedding_parts_test {
namespace {

class InputKeeper : public Observer {
 public:
  bool WantsInput(const std::string& /*name*/) override { return true; }
  Var OnInput(const std::string& name, const Var& x) override {
    kept[name] = x.value().ToVector<float>();
    return x;
  }
  std::map<std::string, std::vector<float>> kept;
};

/// Observed vectors of the ids "3 1 4", whose last token has segment 1.
std::map<std::string, std::vector<float>> KeptOf(const std::string& preset,
                                                 Tensor* states) {
  ModelChoice<EncoderSettings> choice;
  choice.Choose("bert-tiny");
  SetPreset(FieldsOf(*choice),
            "layers=1 width=8 ff=8 heads=2 dropout=0 init_scale=0.5 " + preset);
  choice->Fill({.length = 8});
  ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
  const auto encoder = choice->MakeText(Scope(parameters, "encoder"),
                                        {.vocabulary = 9, .segments = 2});
  const auto ids = [](std::vector<int32_t> x) {
    const auto size = std::ssize(x);
    return Tensor::Of(x, {1, size});
  };
  TextInput text;
  text.ids = ids({3, 1, 4});
  text.lengths = Tensor::Full({1}, 3, DType::kI32);
  text.segments = ids({0, 0, 1});
  const Tensor plain = (*encoder)(Context(), text).value();
  InputKeeper keeper;
  Context ctx;
  ctx.observer = &keeper;
  *states = (*encoder)(ctx, text).value();
  const auto a = plain.ToVector<float>();
  const auto b = states->ToVector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
  return keeper.kept;
}

TEST(EmbeddingParts, AddUpToTheSum) {
  for (const char* preset : {"embedding_norm=no position=learned",
                             "embedding_norm=no position=sinusoidal"}) {
    Tensor states;
    auto kept = KeptOf(preset, &states);
    ASSERT_EQ(kept.size(), 4U) << preset;
    const auto& sum = kept["source.sum"];
    ASSERT_EQ(sum.size(), 24U);
    for (size_t i = 0; i < sum.size(); ++i) {
      EXPECT_NEAR(sum[i],
                  kept["source"][i] + kept["source.positions"][i] +
                      kept["source.segments"][i],
                  1e-5);
    }
    // Tokens of one segment share one vector.
    EXPECT_EQ(kept["source.segments"][0], kept["source.segments"][8]);
    EXPECT_NE(kept["source.segments"][0], kept["source.segments"][16]);
  }
}

TEST(EmbeddingParts, ANormalisedSumHasTheLengthOfItsFeatures) {
  Tensor states;
  auto kept = KeptOf("embedding_norm=yes", &states);
  double square = 0;
  for (size_t m = 0; m < 8; ++m) {
    square += double{kept["source.sum"][m]} * kept["source.sum"][m];
  }
  EXPECT_NEAR(std::sqrt(square / 8), 1, 0.01);
}

TEST(EmbeddingParts, WithoutPositionsThereAreNone) {
  Tensor states;
  EXPECT_FALSE(KeptOf("position=none", &states).contains("source.positions"));
}

}  // namespace
}  // namespace heed::embedding_parts_test
