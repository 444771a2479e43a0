#include "heed/ops/glimpse.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/ops/testing.h"

namespace heed::glimpse_test {
namespace {

/// Image with value x + 100 y at pixel (x, y).
Tensor RampImage(int64_t height, int64_t width) {
  Tensor image({1, height, width, 1}, DType::kF64);
  for (int64_t i = 0; i < height * width; ++i) {
    image.data<double>()[i] =
        static_cast<double>(i % width) + 100 * static_cast<double>(i / width);
  }
  return image;
}

std::vector<double> GlimpseAt(const Tensor& image, double x, double y,
                              const GlimpseShape& shape) {
  const Tensor centre = Tensor::Of<double>({x, y}, {1, 2});
  return Glimpses(Var(image), centre, shape).value().ToVector<double>();
}

TEST(GlimpsesOfImages, AreWindowsAroundTheirCentre) {
  const Tensor ramp = RampImage(5, 7);
  EXPECT_EQ(GlimpseAt(ramp, 0, 0, {1, 1}), (std::vector<double>{203}));
  EXPECT_EQ(GlimpseAt(ramp, -1, -1, {1, 1}), (std::vector<double>{0}));
  EXPECT_EQ(GlimpseAt(ramp, 1, 1, {1, 1}), (std::vector<double>{406}));
  EXPECT_EQ(GlimpseAt(ramp, 1, -1, {1, 1}), (std::vector<double>{6}));
  EXPECT_EQ(GlimpseAt(ramp, 0, 0, {3, 1}),
            (std::vector<double>{102, 103, 104, 202, 203, 204, 302, 303, 304}));
  // Pixels outside the image are zero.
  EXPECT_EQ(GlimpseAt(ramp, -1, 1, {3, 1}),
            (std::vector<double>{0, 300, 301, 0, 400, 401, 0, 0, 0}));
}

TEST(GlimpsesOfImages, LargerScalesAreMeans) {
  const Tensor ramp = RampImage(8, 8);
  const std::vector<double> both = GlimpseAt(ramp, 0, 0, {2, 2});
  ASSERT_EQ(both.size(), 8u);
  // 2 × 2 pixels, then 2 × 2 means of the 4 × 4 pixels around the same centre.
  EXPECT_EQ(both[0], 303);
  EXPECT_EQ(both[3], 404);
  EXPECT_EQ(both[4], 252.5);
  EXPECT_EQ(both[7], 454.5);
  // A glimpse entirely outside the image.
  for (const double v : GlimpseAt(ramp, 9, 9, {2, 2})) EXPECT_EQ(v, 0);
}

TEST(GlimpsesOfImages, GradientsAreThoseOfDifferences) {
  const Tensor centres =
      Tensor::Of<double>({0.1, -0.4, -1, 1, 0.9, 0.2}, {3, 2});
  ExpectGradientOf(
      [&](Inputs in) {
        return Glimpses(in[0], centres, {2, 3});
      },
      {RandomTensor({3, 5, 6, 2}, 1)});
}

TEST(GlimpsesOfImages, ErrorsNameTheShapes) {
  ExpectShapeError(
      [] {
        Glimpses(Var(RandomTensor({2, 5, 6, 1}, 1)), Tensor::Zeros({1, 2}),
                 {2, 1});
      },
      {"glimpses", "[2, 5, 6, 1]", "[1, 2]"});
}

}  // namespace
}  // namespace heed::glimpse_test
