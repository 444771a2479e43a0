#include "heed/autograd/parameter_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/tensor/pool.h"

namespace heed {
namespace {

constexpr auto kNative = kernels::Precision::kNative;

Tensor Initial(const Shape& shape, Init init, uint64_t seed = 1) {
  ParameterSet set(seed, DType::kF64, kNative);
  return set.Add("p", shape, init).value();
}

/// Checks that the rows (or columns, if fewer) of `block` have length `scale`
/// and are orthogonal.
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

TEST(ParameterSet, WithoutSeedWaitsForItsValues) {
  ParameterSet from(1, DType::kF32, kNative);
  const Parameter& random = from.Add("weight", {2, 3}, {});
  ParameterSet to(kNoSeed, DType::kF32, kNative);
  const Parameter& weight = to.Add("weight", {2, 3}, {});
  EXPECT_EQ(weight.value().shape(), Shape({2, 3}));
  EXPECT_EQ(weight.value().dtype(), DType::kF32);
  to.SetTensors(from.Tensors(), "memory");
  EXPECT_TRUE(std::ranges::equal(std::span(weight.value().data<float>(), 6),
                                 std::span(random.value().data<float>(), 6)));
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
    double largest = 0;
    for (const double v : x.ToVector<double>()) {
      sum += v;
      squares += v * v;
      largest = std::max(largest, std::abs(v));
    }
    const auto n = static_cast<double>(x.numel());
    return std::array<double, 3>{sum / n, squares / n, largest};
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

TEST(ParameterSet, MoreThanTheMachineHasIsRefusedAtOnce) {
  ParameterSet set(1, DType::kF32, kNative);
  set.Add("small", {2, 2}, {});
  EXPECT_THROW(set.Add("large", {int64_t{1} << 22, int64_t{1} << 22}, {}),
               ConfigError);
  EXPECT_EQ(set.elements(), 4);
}

/// x times the packed parameter.
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
    At(seen, i) = w.Packed(false).data.raw();
  });
  for (const void* data : seen) EXPECT_EQ(data, seen[0]);
}

TEST(Parameter, GivesTheFormsThatAreInUseForAnUpdate) {
  Parameter w("w", RandomTensor({70, 30}, 1, DType::kF32), kNative);
  EXPECT_FALSE(w.FormsToUpdate().any()) << "nobody has multiplied";
  w.Packed(false);
  kernels::PackedForms forms = w.FormsToUpdate();
  EXPECT_EQ(forms.plain, &w.Packed(false));
  EXPECT_EQ(forms.transposed, nullptr);
  w.Packed(true);
  forms = w.FormsToUpdate();
  EXPECT_EQ(forms.plain, &w.Packed(false));
  EXPECT_EQ(forms.transposed, &w.Packed(true));
  w.Packed(true);
  w.FormsToUpdate();
  // Unused since the last change: discarded, and packed again on demand.
  w.mutable_value().Fill(1);
  EXPECT_FALSE(w.FormsToUpdate().any());
  EXPECT_EQ(Times(Tensor::Full({1, 70}, 1), w, false).ToVector<float>(),
            std::vector<float>(30, 70));
}

TEST(Parameter, LeavesToOthersTheFormsThatTheyHold) {
  Parameter w("w", Tensor::Full({3, 2}, 1), kNative);
  const kernels::PackedMatrix held = w.Packed(false);
  EXPECT_FALSE(w.FormsToUpdate().any());
  Parameter f64("w", RandomTensor({3, 2}, 1, DType::kF64), kNative);
  f64.Packed(false);
  EXPECT_FALSE(f64.FormsToUpdate().any()) << "only f32 is arranged by blocks";
}

constexpr auto kInt8 = kernels::Precision::kInt8;

/// A matrix [20, 6], a table [6, 20] and a bias [6] in f32.
struct Model {
  explicit Model(uint64_t seed)
      : set(seed, DType::kF32, kNative),
        matrix(set.Add("matrix", {20, 6}, {}, ParameterUse::kMatrix)),
        table(set.Add("table", {6, 20}, {}, ParameterUse::kTable)),
        bias(set.Add("bias", {6}, {})) {}
  ParameterSet set;
  Parameter& matrix;
  Parameter& table;
  Parameter& bias;
};

double Distance(const Tensor& a, const Tensor& b) {
  return MaxDifference(a.To(DType::kF64), b.To(DType::kF64));
}

TEST(Quantized, BytesStandForMatricesAndTablesOnly) {
  Model numbers(1);
  Model bytes(1);
  bytes.set.SetPrecision(kInt8);
  EXPECT_TRUE(bytes.matrix.quantized() && bytes.table.quantized());
  EXPECT_FALSE(bytes.bias.quantized());
  EXPECT_EQ(bytes.matrix.bytes().values.dtype(), DType::kI8);
  EXPECT_EQ(bytes.matrix.value().shape(), (Shape{20, 6}));
  EXPECT_EQ(bytes.matrix.dtype(), DType::kF32);
  EXPECT_EQ(bytes.matrix.scale_count(), 6);
  EXPECT_EQ(bytes.table.scale_count(), 6);
  EXPECT_EQ(bytes.set.elements(), numbers.set.elements());
  const Tensor x = RandomTensor({3, 20}, 2, DType::kF32);
  for (const bool table : {false, true}) {
    const Tensor exact =
        Times(x, table ? numbers.table : numbers.matrix, table);
    const Tensor rounded = Times(x, table ? bytes.table : bytes.matrix, table);
    EXPECT_LT(Distance(exact, rounded), 0.05);
    EXPECT_GT(Distance(exact, rounded), 0);
  }
}

TEST(Quantized, RowsOfATableAreNumbers) {
  Model numbers(1);
  Model bytes(1);
  bytes.set.SetPrecision(kInt8);
  const Tensor ids = Ids({5, 0, 5}, {3, 1});
  const Tensor exact = numbers.table.Rows(ids);
  EXPECT_EQ(exact.shape(), (Shape{3, 1, 20}));
  EXPECT_LT(Distance(exact, bytes.table.Rows(ids)), 0.01);
}

TEST(Quantized, AFileOfBytesMakesASetOfBytes) {
  Model written(1);
  written.set.SetPrecision(kInt8);
  const std::vector<NamedTensor> file = written.set.Tensors();
  ASSERT_EQ(file.size(), 5U);
  EXPECT_EQ(file[0].name, "matrix");
  EXPECT_EQ(file[0].value.dtype(), DType::kI8);
  EXPECT_EQ(file[1].name, "matrix.scale");
  EXPECT_EQ(file[1].value.shape(), (Shape{6}));
  Model read(2);
  read.set.SetTensors(file, "file");
  EXPECT_TRUE(read.matrix.quantized());
  const std::vector<NamedTensor> again = read.set.Tensors();
  ASSERT_EQ(again.size(), file.size());
  for (size_t i = 0; i < file.size(); ++i) {
    EXPECT_EQ(again[i].name, file[i].name);
    EXPECT_EQ(Distance(again[i].value, file[i].value), 0);
  }
}

TEST(Quantized, AFileOfNumbersIsQuantisedByASetOfBytes) {
  Model numbers(1);
  Model expected(1);
  expected.set.SetPrecision(kInt8);
  Model read(2);
  read.set.SetPrecision(kInt8);
  const Tensor x = RandomTensor({3, 20}, 2, DType::kF32);
  const Tensor before = Times(x, read.matrix, false);
  read.set.SetTensors(numbers.set.Tensors(), "file");
  EXPECT_TRUE(read.matrix.quantized());
  EXPECT_EQ(
      Distance(read.matrix.bytes().values, expected.matrix.bytes().values), 0);
  EXPECT_EQ(Distance(read.bias.value(), numbers.bias.value()), 0);
  EXPECT_GT(Distance(before, Times(x, read.matrix, false)), 0)
      << "the old packed matrix was used";
}

/// Checks that reading `file` fails with a message that contains `part`.
void ExpectRefused(const std::vector<NamedTensor>& file,
                   const std::string& part) {
  Model model(1);
  try {
    model.set.SetTensors(file, "weights.file");
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("weights.file"),
              std::string::npos);
  }
}

TEST(Quantized, FilesThatDoNotFitAreFormatErrors) {
  Model written(1);
  written.set.SetPrecision(kInt8);
  const std::vector<NamedTensor> good = written.set.Tensors();
  std::vector<NamedTensor> bad = good;
  bad.erase(bad.begin() + 1);
  ExpectRefused(bad, "'matrix.scale' is missing");
  bad = good;
  bad[1].value = Tensor::Zeros({20});
  ExpectRefused(bad, "'matrix.scale' is f32 [20], expected f32 [6]");
  bad[1].value = Tensor::Zeros({6}, DType::kF64);
  ExpectRefused(bad, "'matrix.scale' is f64");
  bad = good;
  bad[0].value = Tensor::Zeros({6, 20}, DType::kI8);
  ExpectRefused(bad, "'matrix' is i8 [6, 20], expected i8 [20, 6]");
  bad = good;
  bad[4].value = Tensor::Zeros({6}, DType::kI8);
  ExpectRefused(bad, "'bias' is i8 [6], expected f32 [6]");
  bad = good;
  bad[0].name = "other";
  ExpectRefused(bad, "'matrix' is missing");
}

TEST(Quantized, BytesAreNotTrained) {
  Model model(1);
  model.set.SetPrecision(kInt8);
  Tape tape;
  EXPECT_THROW(tape.Leaf(model.matrix), ConfigError);
  EXPECT_NO_THROW(tape.Leaf(model.bias));
}

TEST(Quantized, OnlyInt8ComputesWithBytes) {
  Model model(1);
  model.set.SetPrecision(kernels::Precision::kBF16);
  EXPECT_EQ(model.matrix.precision(), kernels::Precision::kBF16);
  EXPECT_FALSE(model.matrix.quantized());
  model.set.SetPrecision(kInt8);
  EXPECT_NO_THROW(model.set.SetPrecision(kInt8));
  EXPECT_THROW(model.set.SetPrecision(kNative), ConfigError);
  ParameterSet f64(1, DType::kF64, kNative);
  const Parameter& p = f64.Add("p", {4, 4}, {}, ParameterUse::kMatrix);
  f64.SetPrecision(kInt8);
  EXPECT_FALSE(p.quantized());
  EXPECT_EQ(p.Packed(false).precision, kNative);
}

TEST(Quantized, KeepsItsBytesWhoeverAsksForForms) {
  Model model(1);
  model.set.SetPrecision(kInt8);
  const Tensor x = RandomTensor({3, 20}, 2, DType::kF32);
  const std::vector<float> y = Times(x, model.matrix, false).ToVector<float>();
  EXPECT_FALSE(model.matrix.FormsToUpdate().any());
  EXPECT_EQ(Times(x, model.matrix, false).ToVector<float>(), y);
}

TEST(Quantized, BytesTakeAQuarterOfTheMemory) {
  ParameterSet set(1, DType::kF32, kNative);
  set.Add("large", {1024, 1024}, {}, ParameterUse::kMatrix);
  const int64_t before = pool::Stats().in_use;
  set.SetPrecision(kInt8);
  EXPECT_LT(pool::Stats().in_use, before - 3 * 1024 * 1024 + 65536);
}

TEST(Quantized, AWeightIsHeldOnceWhateverUsesIt) {
  constexpr int64_t kSize = 1024;
  ParameterSet set(1, DType::kF32, kNative);
  set.Add("matrix", {kSize, kSize}, {}, ParameterUse::kMatrix);
  Parameter& table = set.Add("table", {kSize, kSize}, {}, ParameterUse::kTable);
  table.SetScoresTokens();
  const Tensor numbers = table.value().Clone();
  const int64_t before = pool::Stats().in_use;
  set.SetPrecision(kInt8);
  const Tensor x = RandomTensor({3, kSize}, 2, DType::kF32);
  const Tensor ids = Ids({5, 0, 1023}, {3});
  const Tensor by_matrix = Times(x, *set.Find("matrix"), false);
  const Tensor by_table = Times(x, table, true);
  const Tensor rows = table.Rows(ids);
  EXPECT_LT(pool::Stats().in_use, before - 6 * kSize * kSize + 131072)
      << "8 MB of numbers, 2 MB of bytes";
  const kernels::QuantizedMatrix plain = kernels::Quantize(numbers, true);
  EXPECT_EQ(Distance(rows, kernels::GatherRows(plain, ids)), 0);
  EXPECT_EQ(Distance(table.bytes().values, plain.values), 0);
  set.SetPrecision(kInt8);
  EXPECT_EQ(Distance(Times(x, table, true), by_table), 0);
  ParameterSet read(kNoSeed, DType::kF32, kNative);
  read.Add("matrix", {kSize, kSize}, {}, ParameterUse::kMatrix);
  Parameter& tied = read.Add("table", {kSize, kSize}, {}, ParameterUse::kTable);
  tied.SetScoresTokens();
  read.SetTensors(set.Tensors(), "file");
  EXPECT_EQ(Distance(Times(x, *read.Find("matrix"), false), by_matrix), 0);
  EXPECT_EQ(Distance(Times(x, tied, true), by_table), 0);
}

TEST(ParameterSet, TensorsAreTakenWithoutACopy) {
  constexpr int64_t kSize = 1024;
  ParameterSet from(1, DType::kF32, kNative);
  const Parameter& random =
      from.Add("matrix", {kSize, kSize}, {}, ParameterUse::kMatrix);
  const std::string file = "memory";
  for (const auto precision : {kNative, kInt8}) {
    ParameterSet to(kNoSeed, DType::kF32, kNative);
    const Parameter& matrix =
        to.Add("matrix", {kSize, kSize}, {}, ParameterUse::kMatrix);
    to.SetPrecision(precision);
    EXPECT_FALSE(matrix.quantized()) << "it has no values yet";
    std::vector<NamedTensor> tensors = {{"matrix", random.value().Clone()}};
    const void* given = tensors[0].value.raw();
    to.TakeTensors(std::move(tensors), file);
    EXPECT_EQ(matrix.quantized(), precision == kInt8);
    if (precision == kNative) {
      EXPECT_EQ(matrix.value().raw(), given);
    } else {
      EXPECT_EQ(Distance(matrix.bytes().values,
                         kernels::Quantize(random.value(), false).values),
                0);
    }
  }
}

TEST(ParameterSet, TakenTensorsAreCheckedAsOthersAre) {
  ParameterSet set(1, DType::kF32, kNative);
  set.Add("weight", {2, 3}, {});
  EXPECT_THROW(set.TakeTensors({{"weight", Tensor({3, 2})}}, "file"),
               FormatError);
  EXPECT_THROW(set.TakeTensors({}, "file"), FormatError);
}

/// Look-ups cost no multiply-adds, products do.
TEST(ParameterSet, KnowsWhatProductsCost) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const Parameter& matrix =
      set.Add("embedding.projection", {20, 6}, {}, ParameterUse::kMatrix);
  Parameter& table = set.Add("words", {50, 20}, {}, ParameterUse::kTable);
  EXPECT_EQ(matrix.multiply_adds(), 120);
  EXPECT_EQ(set.Add("bias", {6}, {}).multiply_adds(), 0);
  EXPECT_EQ(table.multiply_adds(), 0);
  EXPECT_FALSE(table.scores_tokens());
  table.SetScoresTokens();  // tied to an output
  EXPECT_EQ(table.multiply_adds(), 1000);
}

}  // namespace
}  // namespace heed
