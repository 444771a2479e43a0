// Tests of every image classifier.
#include "heed/models/image_classifier.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/models/image_classifier_testing.h"
#include "heed/models/roles_testing.h"

namespace heed::image_classifier_test {
namespace {

constexpr ImageUse kSmallImages = {
    .height = 4, .width = 12, .channels = 2, .classes = 3};

Tensor SomeImages(int64_t count, uint64_t seed = 1) {
  Tensor x({count, 4, 12, 2}, DType::kF64);
  Rng rng(seed);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<double>()[i] = rng.Uniform();
  return x;
}

class EveryImageClassifier : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryImageClassifier,
                         testing::ValuesIn(VariantsIn<ImageSettings>()),
                         NameOf);

TEST_P(EveryImageClassifier, ClassifiesImages) {
  const auto settings = Small<ImageSettings>();
  settings->Fill(kSmallImages);
  ExpectFilled(*settings, [&] { settings->Fill(kSmallImages); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), kSmallImages);
  ExpectOutlined(network->Outline());
  const Tensor labels = Tensor::Of<int32_t>(std::vector<int32_t>{2, 0}, {2});
  const Tensor images = SomeImages(2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return network->Loss(ctx, images, labels, {}).loss;
  });
  EXPECT_EQ(network->Scores({}, images).shape(), (Shape{2, 3}));
  EXPECT_THROW(
      network->Scores({}, SomeImages(2).Slice(0, 1).Reshape({1, 12, 4, 2})),
      ShapeError);
}

TEST_P(EveryImageClassifier, AnImageDoesNotDependOnItsNeighbours) {
  const auto settings = Small<ImageSettings>();
  settings->Fill(kSmallImages);
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), kSmallImages);
  const Tensor images = SomeImages(3);
  const Tensor all = network->Scores({}, images).value();
  const Tensor one = network->Scores({}, images.Slice(1, 2)).value();
  EXPECT_LT(MaxDifference(one, all.Slice(1, 2)), 1e-12);
}

TEST_P(EveryImageClassifier, AnObserverMayChangeItsCells) {
  const auto settings = Small<ImageSettings>();
  settings->Fill(kSmallImages);
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto network = settings->Make(Scope(parameters, ""), kSmallImages);
  const Tensor images = SomeImages(1);
  CellWatch watch;
  Context ctx;
  ctx.observer = &watch;
  const Tensor scores = network->Scores(ctx, images).value();
  const int64_t cell = network->cell();
  EXPECT_EQ(watch.cells.shape(),
            (Shape{1, 4 / cell * (12 / cell), cell * cell * 2}));
  EXPECT_LT(MaxDifference(scores, network->Scores({}, images).value()), 1e-12);
  watch.factor = 0;
  EXPECT_LT(MaxDifference(
                network->Scores(ctx, images).value(),
                network->Scores({}, Tensor::Zeros(images.shape(), DType::kF64))
                    .value()),
            1e-12);
}

TEST(ImageCells, AreAboutSevenAlongAnImage) {
  EXPECT_EQ(UsualCell({28, 28, 1, 10}), 4);
  EXPECT_EQ(UsualCell({60, 60, 1, 10}), 10);
  EXPECT_EQ(UsualCell({224, 224, 3, 10}), 32);
  EXPECT_EQ(UsualCell({7, 11, 1, 2}), 1);
  EXPECT_THROW(CheckCell("patch", 5, {28, 28, 1, 10}), ConfigError);
}

}  // namespace
}  // namespace heed::image_classifier_test
