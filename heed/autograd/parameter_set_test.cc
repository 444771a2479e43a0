#include "heed/autograd/parameter_set.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr auto kNative = kernels::Precision::kNative;

Tensor Initial(const Shape& shape, Init init, uint64_t seed = 1) {
  ParameterSet set(seed, DType::kF64, kNative);
  return set.Add("p", shape, init).value();
}

/// Rows (or columns, if they are fewer) of `block` have length `scale` and are
/// orthogonal.
void ExpectOrthogonal(const Tensor& block, double scale) {
  const bool by_rows = block.rows() <= block.cols();
  const int64_t count = by_rows ? block.rows() : block.cols();
  const int64_t length = by_rows ? block.cols() : block.rows();
  const auto at = [&](int64_t i, int64_t k) {
    return by_rows ? kernels::At(block, i, k) : kernels::At(block, k, i);
  };
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < count; ++j) {
      double dot = 0;
      for (int64_t k = 0; k < length; ++k) dot += at(i, k) * at(j, k);
      ASSERT_NEAR(dot, i == j ? scale * scale : 0, 1e-12) << i << " " << j;
    }
  }
}

TEST(ParameterSet, NamesByPath) {
  ParameterSet set(1, DType::kF32, kNative);
  const Scope scope = Scope(set, "decoder") / "layers.0";
  EXPECT_EQ(scope.path(), "decoder.layers.0");
  Parameter& weight = scope.Add("weight", {2, 3}, {});
  EXPECT_EQ(weight.name(), "decoder.layers.0.weight");
  EXPECT_EQ(weight.value().dtype(), DType::kF32);
  EXPECT_EQ(Scope(set, "").Add("bias", {3}, {}).name(), "bias");
  EXPECT_EQ(set.Find("decoder.layers.0.weight"), &weight);
  EXPECT_EQ(set.Find("decoder"), nullptr);
  EXPECT_EQ(set.elements(), 9);
  EXPECT_EQ(set.all().size(), 2U);
}

TEST(ParameterSet, RefusesANameTwice) {
  ParameterSet set(1, DType::kF32, kNative);
  set.Add("w", {1}, {});
  EXPECT_THROW(set.Add("w", {1}, {}), ConfigError);
}

TEST(ParameterSet, RefusesAShapeWithoutElements) {
  ParameterSet set(1, DType::kF32, kNative);
  EXPECT_THROW(set.Add("p", {8, 0}, {}), ConfigError);
}

TEST(ParameterSet, SameSeedSameValues) {
  for (const auto kind : {Init::Kind::kUniform, Init::Kind::kNormal,
                          Init::Kind::kGlorot, Init::Kind::kOrthogonal}) {
    const Init init = {kind, 0.5};
    EXPECT_EQ(MaxDifference(Initial({4, 6}, init, 7), Initial({4, 6}, init, 7)),
              0);
    EXPECT_GT(MaxDifference(Initial({4, 6}, init, 7), Initial({4, 6}, init, 8)),
              0);
  }
}

TEST(ParameterSet, InitialValuesHaveTheirDistribution) {
  const auto moments = [](const Tensor& x) {
    double sum = 0;
    double squares = 0;
    double greatest = 0;
    for (const double v : x.ToVector<double>()) {
      sum += v;
      squares += v * v;
      greatest = std::max(greatest, std::abs(v));
    }
    const auto n = static_cast<double>(x.numel());
    return std::array<double, 3>{sum / n, squares / n, greatest};
  };
  const auto uniform =
      moments(Initial({200, 300}, {Init::Kind::kUniform, 0.3}));
  EXPECT_NEAR(uniform[0], 0, 0.005);
  EXPECT_NEAR(uniform[1], 0.3 * 0.3 / 3, 0.001);
  EXPECT_LE(uniform[2], 0.3);
  const auto normal = moments(Initial({200, 300}, {Init::Kind::kNormal, 0.3}));
  EXPECT_NEAR(normal[0], 0, 0.01);
  EXPECT_NEAR(normal[1], 0.09, 0.003);
  const auto glorot = moments(Initial({200, 300}, {Init::Kind::kGlorot, 1}));
  EXPECT_NEAR(glorot[1], 2.0 / 500, 0.0002);
  EXPECT_LE(glorot[2], std::sqrt(6.0 / 500));
  EXPECT_EQ(Initial({3}, {Init::Kind::kConstant, 4}).ToVector<double>(),
            (std::vector<double>{4, 4, 4}));
}

TEST(ParameterSet, OrthogonalRowsOrColumnsAreOrthonormal) {
  ExpectOrthogonal(Initial({20, 20}, {Init::Kind::kOrthogonal, 1}), 1);
  ExpectOrthogonal(Initial({7, 20}, {Init::Kind::kOrthogonal, 1}), 1);
  ExpectOrthogonal(Initial({20, 7}, {Init::Kind::kOrthogonal, 2}), 2);
}

TEST(ParameterSet, GatesSideBySideAreOrthogonalOneByOne) {
  const Tensor gates = Initial({12, 36}, {Init::Kind::kOrthogonal, 1});
  for (int64_t g = 0; g < 3; ++g) {
    ExpectOrthogonal(gates.Columns(12 * g, 12 * (g + 1)), 1);
  }
}

/// x times the packed parameter.
TEST(ParameterSet, MoreThanTheMachineHasIsRefusedAtOnce) {
  ParameterSet set(1, DType::kF32, kNative);
  set.Add("small", {2, 2}, {});
  EXPECT_THROW(set.Add("large", {int64_t{1} << 22, int64_t{1} << 22}, {}),
               ConfigError);
  EXPECT_EQ(set.elements(), 4);
}

Tensor Times(const Tensor& x, const Parameter& w, bool transpose) {
  const kernels::PackedMatrix& packed = w.Packed(transpose);
  Tensor y({x.dim(0), packed.n});
  kernels::Multiply(x, packed, false, y);
  return y;
}

TEST(Parameter, PacksAgainAfterAChange) {
  Parameter w("w", Tensor::Full({3, 2}, 1), kNative);
  const Tensor x = Tensor::Full({1, 3}, 1);
  EXPECT_EQ(Times(x, w, false).ToVector<float>(), (std::vector<float>{3, 3}));
  w.mutable_value().Fill(2);
  w.Changed();
  EXPECT_EQ(Times(x, w, false).ToVector<float>(), (std::vector<float>{6, 6}));
  EXPECT_EQ(Times(Tensor::Full({1, 2}, 1), w, true).ToVector<float>(),
            (std::vector<float>{4, 4, 4}));
}

TEST(Parameter, IsPackedOnceForManyThreads) {
  // Large enough that packing is itself a parallel loop.
  const Parameter w("w", RandomTensor({400, 700}, 1, DType::kF32), kNative);
  std::vector<const void*> seen(64);
  ParallelFor(64, 1, [&](int64_t i, int64_t) {
    seen[static_cast<size_t>(i)] = w.Packed(false).data.raw();
  });
  for (const void* data : seen) EXPECT_EQ(data, seen[0]);
}

}  // namespace
}  // namespace heed
