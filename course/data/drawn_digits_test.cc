#include "course/data/drawn_digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

TEST(DrawnDigits, AreDrawnByNumber) {
  const ImageSet few = DrawDigits({.images = 20, .seed = 3});
  const ImageSet many = DrawDigits({.images = 50, .seed = 3});
  EXPECT_TRUE(std::ranges::equal(few.pixels, many.Slice(0, 20).pixels));
  EXPECT_NE(few.pixels, DrawDigits({.images = 20, .seed = 4}).pixels);
  EXPECT_EQ(few.format, (ImageFormat{28, 28, 1}));
}

TEST(DrawnDigits, AreLightOnBlackAndInside) {
  const ImageSet set = DrawDigits({.images = 200, .noise = 0});
  std::map<int32_t, int> times;
  for (int64_t i = 0; i < set.size(); ++i) {
    ++times[At(set.labels, i)];
    const std::span<const uint8_t> pixels = set.PixelsOf(i);
    const auto light =
        std::ranges::count_if(pixels, [](uint8_t p) { return p > 128; });
    EXPECT_GT(light, 25) << i;
    EXPECT_LT(light, 250) << i;
    for (size_t x = 0; x < 28; ++x) {
      EXPECT_EQ(pixels[x], 0);
      EXPECT_EQ(pixels[27 * 28 + x], 0);
    }
  }
  EXPECT_EQ(times.size(), 10u);
}

TEST(DrawnDigits, DigitsAreNearerToTheirOwnMeanThanToOthers) {
  const ImageSet set = DrawDigits({.images = 2000});
  std::vector<std::vector<double>> means(10, std::vector<double>(784));
  std::vector<double> counts(10);
  for (int64_t i = 0; i < 1500; ++i) {
    const auto label = static_cast<size_t>(At(set.labels, i));
    ++counts[label];
    for (size_t p = 0; p < 784; ++p) means[label][p] += set.PixelsOf(i)[p];
  }
  int right = 0;
  for (int64_t i = 1500; i < 2000; ++i) {
    double best = 1e30;
    size_t nearest = 0;
    for (size_t d = 0; d < 10; ++d) {
      double distance = 0;
      for (size_t p = 0; p < 784; ++p) {
        const double e = set.PixelsOf(i)[p] - means[d][p] / counts[d];
        distance += e * e;
      }
      if (distance < best) {
        best = distance;
        nearest = d;
      }
    }
    right += nearest == static_cast<size_t>(At(set.labels, i)) ? 1 : 0;
  }
  // The expected count by chance is 50.
  EXPECT_GT(right, 300);
}

TEST(DrawnDigits, ErrorsNameTheSize) {
  EXPECT_THROW(DrawDigits({.images = 0}), ConfigError);
  EXPECT_THROW(DrawDigits({.images = 1, .side = 7}), ConfigError);
}

}  // namespace
}  // namespace heed
