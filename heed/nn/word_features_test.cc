#include "heed/nn/word_features.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"

namespace heed::word_features_test {
namespace {

constexpr WordSizes kSizes = {8, 7, 3, 1, 0};

/// Two sentences of words 0..3; word 0 is padding.
WordIds Some() {
  return {Ids({5, 3, 5, 2, 0, 0}, {2, 3}),
          Ids({0, 1, 0, 2, 0, 0}, {2, 3}),
          Ids({2, 3, 0, 0, 4, 0, 0, 0, 6, 5, 4, 2}, {3, 4}),
          Ids({1, 0, 2}, {3}),
          {}};
}

WordFeaturesConfig Small(const std::string& characters) {
  WordFeaturesConfig config;
  config.word_embedding = 4;
  config.characters = characters;
  config.character_embedding = 3;
  config.character_units = 6;
  config.character_widths = {"3", "2"};
  config.casing_embedding = 2;
  return config;
}

struct Model {
  explicit Model(const WordFeaturesConfig& config, DType dtype = DType::kF64,
                 const WordSizes& sizes = kSizes)
      : set(3, dtype, kernels::Precision::kNative),
        features(Scope(set, "features"), config, sizes,
                 {Init::Kind::kUniform, 0.8}) {
    for (const auto& parameter : set.all()) {
      if (parameter->value().rank() != 1) continue;
      parameter->mutable_value() =
          RandomTensor(parameter->value().shape(), 4, dtype);
    }
  }
  Tensor operator()(const WordIds& ids) const {
    return features({}, ids).value();
  }

  ParameterSet set;
  WordFeatures features;
};

class EveryReader : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(WordFeatures, EveryReader,
                         testing::Values("none", "cnn", "lstm"),
                         [](const auto& info) { return info.param; });

TEST_P(EveryReader, HasTheGradientOfDifferencesAndUsesAllParameters) {
  const Model model(Small(GetParam()));
  std::vector<Parameter*> parameters;
  for (const auto& parameter : model.set.all()) {
    parameters.push_back(parameter.get());
  }
  const Tensor w = RandomTensor({2, 3, model.features.output_size()}, 9);
  const GradientCheckResult result = CheckParameterGradient(
      [&](Tape* tape) {
        Context ctx;
        ctx.tape = tape;
        return Sum(Mul(model.features(ctx, Some()), w));
      },
      parameters, 12);
  EXPECT_LT(result.worst, 1e-6) << result.where;
  for (const Parameter* parameter : parameters) {
    EXPECT_TRUE(parameter->gradient().defined()) << parameter->name();
  }
}

TEST_P(EveryReader, EqualWordsHaveEqualFeaturesAndOthersDoNot) {
  const Tensor y = Model(Small(GetParam()))(Some());
  EXPECT_EQ(MaxDifference(y[0][0], y[0][2]), 0);
  EXPECT_GT(MaxDifference(y[0][0], y[0][1]), 0.01);
}

TEST_P(EveryReader, PaddingOfSpellingsChangesNothing) {
  const Model model(Small(GetParam()));
  WordIds longer = Some();
  longer.characters = Tensor::Zeros({3, 9}, DType::kI32);
  for (int64_t u = 0; u < 3; ++u) {
    longer.characters[u].Slice(0, 4).CopyFrom(Some().characters[u]);
  }
  EXPECT_LT(MaxDifference(model(Some()), model(longer)), 1e-15);
}

TEST_P(EveryReader, InF32IsCloseToF64) {
  EXPECT_LT(MaxDifference(Model(Small(GetParam()))(Some()),
                          Model(Small(GetParam()), DType::kF32)(Some())),
            1e-6);
}

TEST_P(EveryReader, UnknownWordsWithOtherSpellingsDiffer) {
  WordIds ids = Some();
  ids.words.Fill(kSizes.unknown);
  const Tensor y = Model(Small(GetParam()))(ids);
  const auto words = y.Columns(0, 4);
  EXPECT_EQ(MaxDifference(words[0][0], words[0][1]), 0);
  EXPECT_GT(MaxDifference(y[0][0], y[0][1]), 0.01) << "casing at least";
}

TEST(WordFeatures, AddUpToTheirSize) {
  EXPECT_EQ(Model(Small("none")).features.output_size(), 4 + 2);
  EXPECT_EQ(Model(Small("cnn")).features.output_size(), 4 + 12 + 2);
  EXPECT_EQ(Model(Small("lstm")).features.output_size(), 4 + 6 + 2);
  WordFeaturesConfig config = Small("none");
  config.casing_embedding = 0;
  EXPECT_EQ(Model(config).features.output_size(), 4);
  EXPECT_EQ(Model(config)(Some()).shape(), (Shape{2, 3, 4}));
}

TEST(WordFeatures, DropWordsOnlyWhileTraining) {
  WordFeaturesConfig config = Small("none");
  config.word_dropout = 0.5;
  const Model model(config);
  const WordIds ids = {Ids(std::vector<int32_t>(200, 4), {2, 100}),
                       Tensor::Zeros({2, 100}, DType::kI32),
                       Some().characters,
                       Some().casings,
                       {}};
  Rng rng(1);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  const Tensor y = model.features(ctx, ids).value();
  const Tensor kept = model(ids)[0][0];
  WordIds unknown = ids;
  unknown.words = Ids(std::vector<int32_t>(200, kSizes.unknown), {2, 100});
  const Tensor dropped = model(unknown)[0][0];
  int count = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const Tensor word = y[i / 100][i % 100];
    const bool is_dropped = MaxDifference(word, dropped) == 0;
    EXPECT_TRUE(is_dropped || MaxDifference(word, kept) == 0);
    count += is_dropped ? 1 : 0;
  }
  EXPECT_GT(count, 70);
  EXPECT_LT(count, 130);
}

TEST(WordFeatures, GivenVectorsStandBesideTheOthers) {
  WordSizes sizes = kSizes;
  sizes.vector_features = 2;
  const Model model(Small("none"), DType::kF64, sizes);
  EXPECT_EQ(model.features.output_size(), 4 + 2 + 2);
  WordIds ids = Some();
  ids.vectors = RandomTensor({3, 2}, 5);
  const Tensor y = model(ids);
  EXPECT_EQ(MaxDifference(y.Columns(0, 6), Model(Small("none"))(Some())), 0);
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t t = 0; t < 3; ++t) {
      const int32_t u = ids.spelling[b].data<int32_t>()[t];
      EXPECT_EQ(MaxDifference(y[b][t].Reshape({1, 8}).Columns(6, 8),
                              ids.vectors[u].Reshape({1, 2})),
                0);
    }
  }
  EXPECT_THROW(model(Some()), ShapeError);
  ids.vectors = RandomTensor({3, 2}, 5, DType::kF32);
  EXPECT_THROW(model(ids), ShapeError) << "of another dtype";
  ids.vectors = RandomTensor({3, 3}, 5);
  EXPECT_THROW(model(ids), ShapeError);
  ids.vectors = RandomTensor({2, 2}, 5);
  EXPECT_THROW(model(ids), ShapeError) << "there are three spellings";
}

TEST(WordFeatures, GivenVectorsAreDroppedByThemselves) {
  WordFeaturesConfig config = Small("none");
  config.word_dropout = 0.5;
  WordSizes sizes = kSizes;
  sizes.vector_features = 2;
  const Model model(config, DType::kF64, sizes);
  WordIds ids = {Ids(std::vector<int32_t>(400, 4), {1, 400}),
                 Tensor::Zeros({1, 400}, DType::kI32), Some().characters,
                 Some().casings, RandomTensor({3, 2}, 5)};
  Rng rng(1);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  const Tensor y = model.features(ctx, ids).value();
  const Tensor kept = model(ids);
  int counts[2][2] = {};
  for (int64_t t = 0; t < 400; ++t) {
    const double* row = y[0].row<double>(t);
    const bool word = row[0] == kept[0].row<double>(t)[0];
    const bool vector = row[6] != 0;
    if (vector) {
      EXPECT_EQ(row[6], ids.vectors.row<double>(0)[0]);
    }
    ++counts[word ? 1 : 0][vector ? 1 : 0];
  }
  for (const auto& of_words : counts) {
    for (const int count : of_words) {
      EXPECT_GT(count, 70);
      EXPECT_LT(count, 130);
    }
  }
}

TEST(WordFeatures, RefuseWhatDoesNotFit) {
  const Model model(Small("cnn"));
  WordIds ids = Some();
  ids.spelling = Ids({0, 1}, {1, 2});
  EXPECT_THROW(model(ids), ShapeError);
  ids = Some();
  ids.spelling = Ids({0, 1, 0, 3, 0, 0}, {2, 3});
  EXPECT_THROW(model(ids), ShapeError) << "there are three spellings";
  ids = Some();
  ids.characters = Ids({7}, {1, 1});
  EXPECT_THROW(model(ids), ShapeError);
  WordFeaturesConfig config = Small("cnn");
  config.character_widths = {};
  EXPECT_THROW(Model{config}, ConfigError);
}

}  // namespace
}  // namespace heed::word_features_test
