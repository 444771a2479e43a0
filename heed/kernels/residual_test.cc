#include "heed/kernels/residual.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::residual_test {
namespace {

constexpr double kEpsilon = 1e-3;

Tensor RandomRow(int64_t cols, DType dtype, uint64_t seed) {
  return Random({1, cols}, dtype, seed).Reshape({cols});
}

/// Calls body(shape, dtype, dropout).
template <typename Body>
void ForCases(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const double rate : {0.0, 0.3}) {
      for (const Shape& shape : std::vector<Shape>{{0, 3},
                                                   {1, 1},
                                                   {5, 3},
                                                   {2, 15},
                                                   {3, 17},
                                                   {4, 63},
                                                   {3, 65},
                                                   {2, 127},
                                                   {3, 129},
                                                   {90, 2001}}) {
        SCOPED_TRACE(std::string(Name(dtype)) + " " + shape.ToString() + " " +
                     std::to_string(rate));
        body(shape, dtype, DropoutKey{rate, 77});
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Dropout mask: 1 / (1 - rate) for kept elements, else 0.
Tensor Mask(const Shape& shape, DType dtype, const DropoutKey& dropout) {
  return Dropout(Tensor::Full(shape, 1, dtype), dropout.rate, dropout.key);
}

class Residual : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Residual);

TEST_P(Residual, SumDropsWhatDropoutDrops) {
  ForCases([](const Shape& shape, DType dtype, const DropoutKey& dropout) {
    const Tensor x = Random(shape, dtype, 1);
    const Tensor y = Random(shape, dtype, 2);
    const Tensor mask = Mask(shape, dtype, dropout);
    ExpectEach(AddDropped(x, y, dropout), 5e-7, [&](int64_t r, int64_t c) {
      return At(x, r, c) + At(y, r, c) * At(mask, r, c);
    });
  });
}

TEST_P(Residual, NormedIsTheNormOfTheSum) {
  ForCases([](const Shape& shape, DType dtype, const DropoutKey& dropout) {
    const int64_t n = shape[1];
    const Tensor x = Random(shape, dtype, 1);
    const Tensor y = Random(shape, dtype, 2);
    const Tensor gain = RandomRow(n, dtype, 3);
    const Tensor bias = RandomRow(n, dtype, 4);
    const AddNormResult result = AddNorm(x, y, dropout, {gain, bias, kEpsilon});
    const Tensor sum = AddDropped(x, y, dropout);
    EXPECT_EQ(result.sum.ToVector<double>(), sum.ToVector<double>());
    for (int64_t r = 0; r < shape[0]; ++r) {
      double mean = 0;
      double variance = 0;
      for (int64_t c = 0; c < n; ++c) mean += At(sum, r, c) / double(n);
      for (int64_t c = 0; c < n; ++c) {
        variance += std::pow(At(sum, r, c) - mean, 2) / double(n);
      }
      const double inv_std = 1 / std::sqrt(variance + kEpsilon);
      const double tolerance = dtype == DType::kF32 ? 1e-5 : 1e-12;
      ASSERT_NEAR(At(result.mean, 0, r), mean, tolerance);
      ASSERT_NEAR(At(result.inv_std, 0, r), inv_std, tolerance * inv_std);
      for (int64_t c = 0; c < n; ++c) {
        ASSERT_NEAR(
            At(result.normed, r, c),
            (At(sum, r, c) - mean) * inv_std * At(gain, 0, c) + At(bias, 0, c),
            tolerance);
      }
    }
  });
}

/// Gradients of AddNorm for x, y, gain and bias, in this order.
std::vector<Tensor> Gradients(const Shape& shape, DType source, DType dtype,
                              const DropoutKey& dropout, bool with_sum) {
  const auto random = [&](uint64_t seed) {
    return Random(shape, source, seed).To(dtype);
  };
  const Tensor gain = RandomRow(shape[1], source, 3).To(dtype);
  const AddNormResult result =
      AddNorm(random(1), random(2), dropout, {gain, gain, kEpsilon});
  Tensor dgain = Tensor::Full({shape[1]}, 2, dtype);
  Tensor dbias = Tensor::Full({shape[1]}, -2, dtype);
  const AddNormGrads grads =
      AddNormGrad(random(5), with_sum ? random(6) : Tensor(), result, gain,
                  dropout, dgain, dbias);
  return {grads.dx, grads.dy, dgain, dbias};
}

TEST_P(Residual, GradientsAccumulateAndAgreeWithF64) {
  ForCases([](const Shape& shape, DType dtype, const DropoutKey& dropout) {
    for (const bool with_sum : {false, true}) {
      const auto actual = Gradients(shape, dtype, dtype, dropout, with_sum);
      const auto expected =
          Gradients(shape, dtype, DType::kF64, dropout, with_sum);
      // In a row of one or few columns x - mean cancels.
      for (size_t k = 0; k < actual.size(); ++k) {
        ExpectEach(actual[k], 3e-5,
                   [&](int64_t r, int64_t c) { return At(expected[k], r, c); });
      }
    }
  });
}

TEST_P(Residual, GradientsAreThoseOfDifferences) {
  const Shape shape = {3, 19};
  for (const DropoutKey& dropout : {DropoutKey{}, DropoutKey{0.3, 77}}) {
    Tensor x = Random(shape, DType::kF64, 1);
    Tensor y = Random(shape, DType::kF64, 2);
    Tensor gain = RandomRow(shape[1], DType::kF64, 3);
    Tensor bias = RandomRow(shape[1], DType::kF64, 4);
    const Tensor dnormed = Random(shape, DType::kF64, 5);
    const Tensor dsum = Random(shape, DType::kF64, 6);
    const auto forward = [&] {
      return AddNorm(x, y, dropout, {gain, bias, kEpsilon});
    };
    const auto loss = [&] {
      const AddNormResult result = forward();
      return Dot(result.normed, dnormed) + Dot(result.sum, dsum);
    };
    Tensor dgain = Tensor::Zeros(gain.shape(), DType::kF64);
    Tensor dbias = Tensor::Zeros(gain.shape(), DType::kF64);
    const AddNormGrads grads =
        AddNormGrad(dnormed, dsum, forward(), gain, dropout, dgain, dbias);
    ExpectGradient(grads.dx, x, loss);
    ExpectGradient(grads.dy, y, loss);
    ExpectGradient(dgain, gain, loss);
    ExpectGradient(dbias, bias, loss);
  }
}

TEST_P(Residual, EmbeddingIsScaledPositionedAndDropped) {
  ForCases([](const Shape& shape, DType dtype, const DropoutKey& dropout) {
    const int64_t n = shape[1];
    const int64_t t_size = 3;
    Tensor ids({shape[0], t_size}, DType::kI32);
    Rng rng(5);
    for (int64_t i = 0; i < ids.numel(); ++i) {
      ids.data<int32_t>()[i] = static_cast<int32_t>(rng.Below(5)) - 1;
    }
    const Tensor table = Random({4, n}, dtype, 1);
    const Tensor positions = Random({9, n}, dtype, 2);
    const Shape result = {shape[0], t_size, n};
    const Tensor mask = Mask(result, dtype, dropout);
    for (const bool with_positions : {false, true}) {
      const Tensor y = EmbedScaled(
          table, ids, 2.5, with_positions ? positions : Tensor(), 4, dropout);
      ASSERT_EQ(y.shape(), result);
      ExpectEach(y, 5e-7, [&](int64_t r, int64_t c) {
        const double p = with_positions ? At(positions, 4 + r % t_size, c) : 0;
        const int32_t id = ids.data<int32_t>()[r];
        return ((id < 0 ? 0 : 2.5 * At(table, id, c)) + p) * At(mask, r, c);
      });
    }
  });
}

}  // namespace
}  // namespace heed::kernels::residual_test
