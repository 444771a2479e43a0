#include "heed/autograd/parameter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/autograd/testing.h"
#include "heed/base/errors.h"
#include "heed/tensor/pool.h"

namespace heed {
namespace {

using kernels::Precision;

bool AreEqual(const Tensor& a, const Tensor& b) {
  const Tensor x = a.Contiguous();
  const Tensor y = b.Contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         std::memcmp(x.raw(), y.raw(), static_cast<size_t>(x.bytes())) == 0;
}

Tensor Multiplied(const Tensor& x, const Parameter& w, bool transpose) {
  const kernels::PackedMatrix& packed = w.Packed(transpose);
  Tensor y({x.dim(0), packed.n});
  kernels::Multiply(x, packed, false, y);
  return y;
}

/// A matrix, a table that scores tokens, a table of positions and a bias.
struct Weights {
  explicit Weights(uint64_t seed)
      : set(seed, DType::kF32, Precision::kNative),
        matrix(set.Add("matrix", {21, 6}, {}, ParameterUse::kMatrix)),
        table(set.Add("table", {70, 21}, {}, ParameterUse::kTable)),
        positions(set.Add("positions", {5, 21}, {}, ParameterUse::kTable)),
        bias(set.Add("bias", {6}, {})) {
    table.SetScoresTokens();
  }
  std::vector<const Parameter*> compressible() const {
    return {&matrix, &table, &positions};
  }

  ParameterSet set;
  Parameter& matrix;
  Parameter& table;
  Parameter& positions;
  Parameter& bias;
};

/// f32 weights with the values of `from`.
void Widened(const Weights& from, Weights& to) {
  to.set.SetTensors(from.set.Tensors(), "file");
  to.set.Widen();
}

TEST(StoredInBF16, MatricesAndTablesAreRoundedAndOthersAreNot) {
  Weights exact(1);
  Weights half(1);
  half.set.StoreInBF16();
  for (const Parameter* p : half.compressible()) {
    EXPECT_TRUE(p->compact());
    EXPECT_FALSE(p->quantized());
    EXPECT_EQ(p->dtype(), DType::kF32);
    EXPECT_TRUE(AreEqual(p->numbers(),
                         exact.set.Find(p->name())->value().To(DType::kBF16)));
  }
  EXPECT_FALSE(half.bias.compact());
  EXPECT_TRUE(AreEqual(half.bias.value(), exact.bias.value()));
  ParameterSet f64(1, DType::kF64, Precision::kNative);
  const Parameter& p = f64.Add("p", {2, 3}, {}, ParameterUse::kMatrix);
  f64.StoreInBF16();
  EXPECT_EQ(p.value().dtype(), DType::kF64);
}

TEST(StoredInBF16, ComputesAsF32OfItsValues) {
  Weights half(1);
  half.set.StoreInBF16();
  Weights wide(2);
  Widened(half, wide);
  const Tensor ids = Ids({4, 0, 4}, {3, 1});
  for (const bool arranged : {false, true}) {
    if (arranged) half.set.Arrange();
    for (const bool transpose : {false, true}) {
      const Tensor x = RandomTensor({3, transpose ? 6 : 21}, 3, DType::kF32);
      EXPECT_TRUE(AreEqual(Multiplied(x, half.matrix, transpose),
                           Multiplied(x, wide.matrix, transpose)));
      const Tensor z = RandomTensor({3, transpose ? 21 : 70}, 3, DType::kF32);
      EXPECT_TRUE(AreEqual(Multiplied(z, half.table, transpose),
                           Multiplied(z, wide.table, transpose)));
    }
    EXPECT_TRUE(AreEqual(half.table.Rows(ids), wide.table.Rows(ids)));
    EXPECT_TRUE(AreEqual(half.positions.Rows(ids), wide.positions.Rows(ids)));
  }
}

TEST(PackedF32, ComputesAsTheUnpackedAndKeepsItsBits) {
  const Weights plain(1);
  Weights packed(1);
  packed.set.Arrange();
  EXPECT_TRUE(packed.matrix.compact());
  const Tensor ids = Ids({4, 0, 4, 69}, {4});
  const Tensor x = RandomTensor({3, 21}, 3, DType::kF32);
  for (const bool transpose : {false, true}) {
    const Tensor from = RandomTensor({3, transpose ? 6 : 21}, 4, DType::kF32);
    EXPECT_TRUE(AreEqual(Multiplied(from, packed.matrix, transpose),
                         Multiplied(from, plain.matrix, transpose)));
  }
  EXPECT_TRUE(AreEqual(Multiplied(x, packed.table, true),
                       Multiplied(x, plain.table, true)));
  EXPECT_TRUE(AreEqual(packed.table.Rows(ids), plain.table.Rows(ids)));
  for (const Parameter* p : packed.compressible()) {
    EXPECT_TRUE(AreEqual(p->numbers(), plain.set.Find(p->name())->value()));
  }
  packed.set.Widen();
  EXPECT_FALSE(packed.matrix.compact());
  EXPECT_TRUE(AreEqual(packed.matrix.value(), plain.matrix.value()));
}

TEST(StoredInBF16, SurvivesAFileBitForBit) {
  Weights written(1);
  written.set.StoreInBF16();
  const std::vector<NamedTensor> before = written.set.Tensors();
  written.set.Arrange();
  const std::vector<NamedTensor> file = written.set.Tensors();
  ASSERT_EQ(file.size(), 4U);
  for (size_t i = 0; i < file.size(); ++i) {
    EXPECT_TRUE(AreEqual(file[i].value, before[i].value));
    EXPECT_EQ(file[i].value.dtype(),
              file[i].name == "bias" ? DType::kF32 : DType::kBF16);
  }
  Weights read(kNoSeed);
  read.set.TakeTensors(file, "file");
  for (const Parameter* p : read.compressible()) {
    EXPECT_TRUE(p->compact());
    EXPECT_TRUE(AreEqual(p->numbers(), written.set.Find(p->name())->numbers()));
  }
}

TEST(StoredInBF16, IsRoundedWhenAModelWithoutValuesGetsThem) {
  const Weights exact(1);
  Weights half(kNoSeed);
  half.set.StoreInBF16();
  EXPECT_FALSE(half.matrix.compact()) << "it has no values yet";
  half.matrix.Take(exact.matrix.value().Clone());
  half.table.Set(exact.table.value());
  EXPECT_TRUE(
      AreEqual(half.matrix.numbers(), exact.matrix.value().To(DType::kBF16)));
  EXPECT_TRUE(
      AreEqual(half.table.numbers(), exact.table.value().To(DType::kBF16)));
  EXPECT_THROW(half.matrix.Take(Tensor({6, 21})), ShapeError);
}

TEST(StoredInBF16, IsTrainedAfterItWasWidened) {
  Weights half(1);
  half.set.StoreInBF16();
  half.set.Arrange();
  const Tensor numbers = half.matrix.numbers().To(DType::kF32);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var leaf = ctx.Use(half.matrix);
  EXPECT_TRUE(AreEqual(leaf.value(), numbers));
  EXPECT_FALSE(half.matrix.compact());
  EXPECT_FALSE(half.set.Dequantize()) << "no weight was int8";
  EXPECT_FALSE(half.table.compact());
  half.table.Set(RandomTensor({70, 21}, 3, DType::kF32));
  EXPECT_FALSE(half.table.compact()) << "later values are not rounded";
}

TEST(StoredInBF16, TakesOtherPrecisions) {
  Weights half(1);
  half.set.StoreInBF16();
  half.set.Arrange();
  Weights wide(2);
  Widened(half, wide);
  const Tensor x = RandomTensor({3, 21}, 3, DType::kF32);
  for (const Precision precision :
       {Precision::kBF16, Precision::kNative, Precision::kInt8}) {
    half.set.SetPrecision(precision);
    wide.set.SetPrecision(precision);
    EXPECT_TRUE(AreEqual(Multiplied(x, half.matrix, false),
                         Multiplied(x, wide.matrix, false)));
    EXPECT_TRUE(AreEqual(Multiplied(x, half.table, true),
                         Multiplied(x, wide.table, true)));
  }
  EXPECT_TRUE(half.matrix.quantized());
}

/// Bytes that a matrix and a table of n x n numbers gain in memory between
/// their creation in f32 and a run of the packed model.
int64_t AddedBytes(int64_t n, bool bf16) {
  ParameterSet set(1, DType::kF32, Precision::kNative);
  const Parameter& matrix =
      set.Add("matrix", {n, n}, {}, ParameterUse::kMatrix);
  Parameter& table = set.Add("table", {n, n}, {}, ParameterUse::kTable);
  table.SetScoresTokens();
  const int64_t before = pool::Stats().in_use;
  if (bf16) set.StoreInBF16();
  set.Arrange();
  const Tensor x = RandomTensor({3, n}, 2, DType::kF32);
  Multiplied(x, matrix, false);
  Multiplied(x, table, true);
  table.Rows(Ids({5, 0, 1023}, {3}));
  return pool::Stats().in_use - before;
}

TEST(PackedWeights, AreHeldOnce) {
  constexpr int64_t kSize = 1024;
  constexpr int64_t kOther = 131072;  // x and the results
  EXPECT_LT(AddedBytes(kSize, false), kOther) << "8 MB of f32 before";
  EXPECT_LT(AddedBytes(kSize, true), kOther - 4 * kSize * kSize)
      << "8 MB of f32 before, 4 MB of bf16 then";
}

TEST(FixedActivations, ReplaceTheScaleOfEachRow) {
  Weights given(1);
  given.set.SetPrecision(Precision::kInt8);
  EXPECT_THROW(given.set.FixActivations(), ConfigError);
  given.matrix.SetActivations(Tensor::Full({1}, 20));
  given.table.SetActivations(Tensor::Full({1}, 20));
  const Tensor x = RandomTensor({3, 21}, 3, DType::kF32);
  const Tensor by_row = Multiplied(x, given.matrix, false);
  Weights read(2);
  read.set.SetTensors(given.set.Tensors(), "model");
  EXPECT_FALSE(read.matrix.has_fixed_activations());
  EXPECT_TRUE(AreEqual(Multiplied(x, read.matrix, false), by_row));
  read.set.FixActivations();
  EXPECT_TRUE(read.matrix.has_fixed_activations());
  const Tensor fixed = Multiplied(x, read.matrix, false);
  EXPECT_FALSE(AreEqual(fixed, by_row));
  EXPECT_LT(MaxDifference(fixed, by_row), 0.2);
}

TEST(FixedActivations, MustFitTheMatrix) {
  Weights weights(1);
  const Tensor one = Tensor::Full({1}, 20);
  EXPECT_THROW(weights.matrix.SetActivations(one), ConfigError) << "not int8";
  EXPECT_THROW(weights.set.FixActivations(), ConfigError);
  weights.set.SetPrecision(Precision::kInt8);
  for (const Tensor& bad : {Tensor::Full({1}, -1), Tensor::Full({11}, 20),
                            Tensor::Full({1}, NAN)}) {
    EXPECT_THROW(weights.matrix.SetActivations(bad), ConfigError);
  }
}

}  // namespace
}  // namespace heed
