#include "heed/ops/patches.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/ops/testing.h"

namespace heed::patches_test {
namespace {

TEST(ImagePatches, AreSquaresRowByRow) {
  std::vector<double> pixels(16);
  for (size_t i = 0; i < 16; ++i) pixels[i] = static_cast<double>(i);
  const Tensor image = Tensor::Of(pixels, {1, 4, 4, 1});
  const Var patches = ImagePatches(image, 2);
  EXPECT_EQ(patches.shape(), (Shape{1, 4, 4}));
  EXPECT_EQ(patches.value().ToVector<double>(),
            (std::vector<double>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11,
                                 14, 15}));
  EXPECT_EQ(ImageFromPatches(patches, 4, 4, 2).value().ToVector<double>(),
            pixels);
}

TEST(ImagePatches, GradientsAreThoseOfDifferences) {
  ExpectGradientOf([](Inputs in) { return ImagePatches(in[0], 3); },
                   {RandomTensor({2, 3, 6, 2}, 1)});
  ExpectGradientOf([](Inputs in) { return ImageFromPatches(in[0], 3, 6, 3); },
                   {RandomTensor({2, 2, 18}, 1)});
  ExpectGradientOf(
      [](Inputs in) { return ImagePatches(Columns(in[0], 1, 3), 2); },
      {RandomTensor({1, 2, 4, 4}, 1)});
}

TEST(ImagePatches, ErrorsNameTheShapes) {
  ExpectShapeError(
      [] {
        ImagePatches(RandomTensor({1, 5, 4, 1}, 1), 2);
      },
      {"patches", "[1, 5, 4, 1]"});
  ExpectShapeError(
      [] {
        ImageFromPatches(RandomTensor({1, 4, 4}, 1), 4, 6, 2);
      },
      {"from patches", "[1, 4, 4]"});
}

}  // namespace
}  // namespace heed::patches_test
