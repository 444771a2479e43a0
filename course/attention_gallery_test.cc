#include "course/attention_gallery.h"

#include <gtest/gtest.h>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

GalleryOptions Short() {
  GalleryOptions options;
  options.steps = 20;
  return options;
}

TEST(AttentionGallery, LearnsToWriteBackwards) {
  const GalleryExample example = TrainGalleryExample({});
  EXPECT_GT(example.accuracy, 0.95);
  EXPECT_EQ(example.written, example.wanted);
  for (int64_t t = 0; t < 12; ++t) {
    EXPECT_EQ(At(example.wanted, t), At(example.input, 11 - t));
    EXPECT_GT(example.weights[0].row<float>(t)[11 - t], 0.5) << t;
  }
}

TEST(AttentionGallery, LearnsByReinforceWhereChoicesAreHard) {
  GalleryOptions options;
  options.normalizer = "hard";
  EXPECT_GT(TrainGalleryExample(options).accuracy, 0.95);
}

TEST(AttentionGallery, CannotKnowWhatTheMaskHides) {
  GalleryOptions options;
  options.mask = "causal";
  const GalleryExample example = TrainGalleryExample(options);
  EXPECT_GT(example.accuracy, 0.45);
  EXPECT_LT(example.accuracy, 0.6);  // half of the letters, plus chance
  EXPECT_EQ(example.weights[0].row<float>(2)[3], 0);
}

TEST(AttentionGallery, WritesEachDocumentBackwards) {
  GalleryOptions options = Short();
  options.mask = "documents(2)";
  options.documents = 2;
  const GalleryExample example = TrainGalleryExample(options);
  EXPECT_EQ(example.wanted, (Texts{"l", "s", "n", "a", "r", "t",  //
                                   "s", "n", "o", "i", "t", "a"}));
}

TEST(AttentionGallery, WantsNothingOfPadding) {
  GalleryOptions options = Short();
  options.mask = "padding(0.75)";
  options.letters = 9;
  const GalleryExample example = TrainGalleryExample(options);
  EXPECT_EQ(example.input[9], "·");
  EXPECT_EQ(example.wanted[0], "i");
  EXPECT_EQ(example.written[9], "·");
}

TEST(AttentionGallery, RunsEveryPartOfTheCatalogue) {
  for (const CataloguePart& part : AttentionCatalogue()) {
    GalleryOptions options = GalleryOptionsFor(part);
    options.steps = 2;
    const GalleryExample example = TrainGalleryExample(options);
    const std::string parts =
        options.score + options.modifiers + options.mask + options.normalizer;
    EXPECT_NE(parts.find(part.name), std::string::npos) << part.name;
    EXPECT_EQ(example.weights.shape(), example.untrained.shape()) << part.name;
    EXPECT_EQ(example.weights.dim(1),
              static_cast<int64_t>(example.written.size()))
        << part.name;
    EXPECT_GT(example.loss, 0) << part.name;
  }
}

TEST(AttentionGallery, DrawsHardChoicesWhileTrainingAlone) {
  GalleryOptions options = Short();
  options.normalizer = "hard";
  const GalleryExample example = TrainGalleryExample(options);
  for (const float weight : example.untrained.ToVector<float>()) {
    EXPECT_TRUE(weight == 0 || weight == 1) << weight;
  }
  EXPECT_LT(example.weights[0].row<float>(0)[0], 1);
}

TEST(AttentionGallery, IsTheSameAgainWithTheSameSeed) {
  GalleryOptions options = Short();
  const GalleryExample one = TrainGalleryExample(options);
  EXPECT_EQ(TrainGalleryExample(options).loss, one.loss);
  options.seed = 2;
  EXPECT_NE(TrainGalleryExample(options).loss, one.loss);
}

TEST(AttentionGallery, RefusesUnknownParts) {
  GalleryOptions options = Short();
  options.score = "fish";
  EXPECT_THROW(TrainGalleryExample(options), ConfigError);
}

}  // namespace
}  // namespace heed
