#include "heed/kernels/convolution2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::convolution2d_test {
namespace {

struct ConvolutionCase {
  int64_t images, height, width, channels, filters;
  Window2d window;

  Shape Images() const { return {images, height, width, channels}; }
  Shape Weights() const {
    return {window.size, window.size, channels, filters};
  }
  Shape Results() const {
    return {images, window.Places(height), window.Places(width), filters};
  }
};

const std::vector<ConvolutionCase> kConvolutions = {
    {1, 1, 1, 1, 1, {1, 1, 0}},     {2, 5, 4, 3, 2, {3, 1, 1}},
    {3, 7, 9, 1, 32, {3, 1, 0}},    {17, 8, 8, 3, 17, {3, 2, 1}},
    {2, 12, 11, 16, 16, {5, 1, 2}}, {9, 6, 6, 64, 33, {3, 1, 1}},
    {1, 14, 14, 1, 8, {4, 4, 0}},   {2, 3, 3, 65, 3, {3, 1, 0}},
    {5, 10, 7, 2, 4, {2, 3, 0}},
};

/// Element [b, i, j, c], 0 outside the image.
double Pixel(const Tensor& x, int64_t b, int64_t i, int64_t j, int64_t c) {
  if (i < 0 || i >= x.dim(1) || j < 0 || j >= x.dim(2)) return 0;
  return At(x, (b * x.dim(1) + i) * x.dim(2) + j, c);
}

/// Calls body(output row, f, b, y, x, c, u, v) for each product of a
/// convolution: pixel (y, x) of channel c by weight (u, v, c, f).
template <class Body>
void ForProducts(const ConvolutionCase& n, const Body& body) {
  const Shape results = n.Results();
  const Window2d& k = n.window;
  for (int64_t b = 0; b < n.images; ++b) {
    for (int64_t i = 0; i < results[1]; ++i) {
      for (int64_t j = 0; j < results[2]; ++j) {
        const int64_t row = (b * results[1] + i) * results[2] + j;
        for (int64_t u = 0; u < k.size; ++u) {
          for (int64_t v = 0; v < k.size; ++v) {
            const int64_t y = i * k.stride + u - k.padding;
            const int64_t x = j * k.stride + v - k.padding;
            if (y < 0 || y >= n.height || x < 0 || x >= n.width) continue;
            const int64_t pixel = (b * n.height + y) * n.width + x;
            for (int64_t c = 0; c < n.channels; ++c) {
              body(row, pixel, c, (u * k.size + v) * n.channels + c);
            }
          }
        }
      }
    }
  }
}

class Convolution2dKernels
    : public testing::TestWithParam<std::tuple<DType, ConvolutionCase>> {
 protected:
  DType dtype() const { return std::get<0>(GetParam()); }
  const ConvolutionCase& n() const { return std::get<1>(GetParam()); }
  Tensor Of(const Shape& shape, uint64_t seed) const {
    return Random(shape, dtype(), seed);
  }
  /// Checks x against `expected`, within the rounding of f32 or bf16.
  static void ExpectNear(const Tensor& x, const Tensor& expected,
                         double f32_tolerance) {
    ASSERT_EQ(x.shape(), expected.shape());
    ExpectEach(x, f32_tolerance,
               [&](int64_t r, int64_t c) { return At(expected, r, c); });
  }

  Tensor x = Of(n().Images(), 1);
  Tensor w = Of(n().Weights(), 2);
  Tensor bias = Of({n().filters}, 3);
  Tensor dy = Of(n().Results(), 4);
};
INSTANTIATE_TEST_SUITE_P(Sizes, Convolution2dKernels,
                         testing::Combine(testing::Values(DType::kF32,
                                                          DType::kF64),
                                          testing::ValuesIn(kConvolutions)),
                         [](const auto& info) {
                           return std::string(Name(std::get<0>(info.param))) +
                                  "_" + std::to_string(info.index);
                         });

TEST_P(Convolution2dKernels, IsTheFormula) {
  Tensor y = Tensor::Zeros(n().Results(), DType::kF64);
  for (int64_t r = 0; r < y.rows(); ++r) {
    for (int64_t f = 0; f < n().filters; ++f) SetAt(y, r, f, At(bias, 0, f));
  }
  ForProducts(n(), [&](int64_t row, int64_t pixel, int64_t c, int64_t weight) {
    for (int64_t f = 0; f < n().filters; ++f) {
      SetAt(y, row, f, At(y, row, f) + At(x, pixel, c) * At(w, weight, f));
    }
  });
  ExpectNear(Convolve2d(x, w, bias, n().window, Precision::kNative), y, 2e-4);
  const double rounded = dtype() == DType::kF64 ? 0 : 0.3;
  ExpectNear(Convolve2d(x, w, bias, n().window, Precision::kBF16), y, rounded);
}

TEST_P(Convolution2dKernels, GradientsAreTheFormula) {
  Tensor dx = Tensor::Zeros(n().Images(), DType::kF64);
  Tensor dw = Tensor::Full(n().Weights(), 1, DType::kF64);
  ForProducts(n(), [&](int64_t row, int64_t pixel, int64_t c, int64_t weight) {
    for (int64_t f = 0; f < n().filters; ++f) {
      const double d = At(dy, row, f);
      SetAt(dx, pixel, c, At(dx, pixel, c) + d * At(w, weight, f));
      SetAt(dw, weight, f, At(dw, weight, f) + d * At(x, pixel, c));
    }
  });
  for (const Precision precision : {Precision::kNative, Precision::kBF16}) {
    SCOPED_TRACE(static_cast<int>(precision));
    const double tolerance = precision == Precision::kNative ? 5e-4 : 0.5;
    ExpectNear(Convolve2dInputGrad(dy, w, n().Images(), n().window, precision),
               dx, tolerance);
    Tensor sum = Tensor::Full(n().Weights(), 1, dtype());
    Convolve2dWeightGrad(x, dy, n().window, precision, sum);
    ExpectNear(sum, dw, tolerance);
  }
}

TEST_P(Convolution2dKernels, SameBitsForAnyNumberOfThreads) {
  const auto all = [&] {
    Tensor dw = Tensor::Zeros(n().Weights(), dtype());
    Convolve2dWeightGrad(x, dy, n().window, Precision::kNative, dw);
    return std::vector<Tensor>{
        Convolve2d(x, w, bias, n().window, Precision::kNative),
        Convolve2dInputGrad(dy, w, n().Images(), n().window,
                            Precision::kNative),
        dw};
  };
  const std::vector<Tensor> many = all();
  const ThreadLimit one(1);
  const std::vector<Tensor> single = all();
  for (size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(many[i].ToVector<double>(), single[i].ToVector<double>()) << i;
  }
}

TEST(Convolution2d, OfAnImageDoesNotDependOnItsNeighbours) {
  const Window2d window{3, 1, 1};
  const Tensor x = Random({21, 9, 8, 3}, DType::kF32);
  const Tensor w = Random({3, 3, 3, 5}, DType::kF32, 2);
  const Tensor y = Convolve2d(x, w, Tensor(), window, Precision::kNative);
  for (const int64_t b : {0, 7, 16, 20}) {
    const Tensor alone =
        Convolve2d(x.Slice(b, b + 1), w, Tensor(), window, Precision::kNative);
    EXPECT_EQ(alone.ToVector<float>(), y.Slice(b, b + 1).ToVector<float>())
        << b;
  }
}

class Pool2dKernels : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(DTypes, Pool2dKernels,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(Pool2dKernels, AreTheFormulas) {
  for (const int64_t channels : {1, 3, 16, 37}) {
    for (const int64_t size : {1, 2, 3}) {
      const Shape images{2, 7, 6, channels};
      const Tensor x = Random(images, GetParam());
      Tensor places;
      const Tensor max = MaxPool2d(x, size, places);
      const Tensor mean = MeanPool2d(x, size);
      ASSERT_EQ(max.shape(), (Shape{2, 7 / size, 6 / size, channels}));
      ASSERT_EQ(mean.shape(), max.shape());
      const auto over = [&](int64_t r, const auto& f) {
        const int64_t cols = 6 / size;
        const int64_t rows = 7 / size;
        for (int64_t p = 0; p < size * size; ++p) {
          f(r / (rows * cols), r / cols % rows * size + p / size,
            r % cols * size + p % size, p);
        }
      };
      ExpectEach(max, 0, [&](int64_t r, int64_t c) {
        double result = -10;
        over(r, [&](int64_t b, int64_t i, int64_t j, int64_t) {
          result = std::max(result, Pixel(x, b, i, j, c));
        });
        return result;
      });
      ExpectEach(mean, 1e-6, [&](int64_t r, int64_t c) {
        double sum = 0;
        over(r, [&](int64_t b, int64_t i, int64_t j, int64_t) {
          sum += Pixel(x, b, i, j, c);
        });
        return sum / static_cast<double>(size * size);
      });
      // The gradient goes to the maximum, or is spread evenly.
      const Tensor dy = Random(max.shape(), GetParam(), 2);
      Tensor dmax = Tensor::Zeros(images, DType::kF64);
      Tensor dmean = Tensor::Zeros(images, DType::kF64);
      for (int64_t r = 0; r < dy.rows(); ++r) {
        over(r, [&](int64_t b, int64_t i, int64_t j, int64_t p) {
          const int64_t row = (b * 7 + i) * 6 + j;
          for (int64_t c = 0; c < channels; ++c) {
            SetAt(dmean, row, c,
                  At(dy, r, c) / static_cast<double>(size * size));
            if (At(places, r, c) == static_cast<double>(p)) {
              EXPECT_EQ(At(x, row, c), At(max, r, c));
              SetAt(dmax, row, c, At(dy, r, c));
            }
          }
        });
      }
      ExpectEach(MaxPool2dGrad(dy, places, images, size), 0,
                 [&](int64_t r, int64_t c) { return At(dmax, r, c); });
      ExpectEach(MeanPool2dGrad(dy, images, size), 1e-6,
                 [&](int64_t r, int64_t c) { return At(dmean, r, c); });
    }
  }
}

}  // namespace
}  // namespace heed::kernels::convolution2d_test
