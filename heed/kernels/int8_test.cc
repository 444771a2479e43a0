#include "heed/kernels/cpu/int8.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::int8_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Calls f for each instruction set of this processor and build.
void OnEachTarget(const std::function<void()>& f) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    f();
    hwy::SetSupportedTargetsForTest(0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
}

/// c = f(c + a b + bias) with the int8 sum in i64, rounded in the order of the
/// kernel: scale by scale, bias, then c.
Tensor PlainProduct(const QuantizedRows& a, const QuantizedMatrix& b,
                    const Epilogue& epilogue, const Tensor& c) {
  Tensor y = c.Clone();
  const int64_t K = b.values.rows();
  for (int64_t m = 0; m < y.rows(); ++m) {
    for (int64_t n = 0; n < y.cols(); ++n) {
      int64_t sum = 0;
      for (int64_t k = 0; k < K; ++k) {
        sum += int64_t{a.values.row<int8_t>(m)[k]} * b.values.row<int8_t>(k)[n];
      }
      volatile float value =
          a.scales.data<float>()[m] * b.scales.data<float>()[n];
      value = static_cast<float>(sum) * value;
      if (epilogue.bias != nullptr) {
        value = value + epilogue.bias->data<float>()[n];
      }
      float& to = y.row<float>(m)[n];
      if (epilogue.accumulate) value = value + to;
      const bool relu = epilogue.activation == Activation::kRelu;
      to = relu && value < 0 ? 0 : value;
    }
  }
  return y;
}

/// Random matrix of int8 values and scales.
QuantizedMatrix RandomBytes(int64_t K, int64_t N, Rng& rng) {
  QuantizedMatrix w = {Tensor({K, N}, DType::kI8), Tensor({N}), false};
  for (int64_t i = 0; i < K * N; ++i) {
    w.values.data<int8_t>()[i] =
        static_cast<int8_t>(rng.Uniform(-127.5, 127.5));
  }
  for (int64_t n = 0; n < N; ++n) {
    w.scales.data<float>()[n] = static_cast<float>(rng.Uniform(0.001, 0.1));
  }
  return w;
}

/// Checks the product for each kind of int8 instructions, in parts.
void CheckKernel(int64_t M, int64_t K, int64_t N) {
  const Shape sizes = {M, K, N};
  SCOPED_TRACE(sizes.ToString());
  Rng rng(static_cast<uint64_t>(M * 1000003 + K * 1009 + N));
  const QuantizedRows a = QuantizeRows(RandomSlice({M, K}, DType::kF32, rng));
  const QuantizedMatrix b = RandomBytes(K, N, rng);
  const Tensor bias = RandomSlice({1, N}, DType::kF32, rng).Clone();
  const Tensor before = RandomSlice({M, N}, DType::kF32, rng).Clone();
  PackedMatrix packed;
  Pack(b, false, packed);
  for (const bool whole : {true, false}) {
    const Epilogue epilogue = {whole ? &bias : nullptr,
                               whole ? Activation::kRelu : Activation::kNone,
                               whole};
    const Tensor expected = PlainProduct(a, b, epilogue, before);
    for (const auto best :
         {cpu::Int8Instructions::kTiles, cpu::Int8Instructions::kDot,
          cpu::Int8Instructions::kWidened}) {
      Tensor c = before.Clone();
      cpu::Int8Product product = {
          {a.values.data<int8_t>(), a.values.cols(), a.scales.data<float>(),
           a.sums.data<int32_t>()},
          packed.data.data<uint8_t>(),
          packed.scales.data<float>(),
          a.values.cols() / 4,
          N};
      product.bias = whole ? bias.data<float>() : nullptr;
      product.accumulate = whole;
      product.relu = whole;
      product.c = c.data<float>();
      const int64_t panels = (N + cpu::kPanel - 1) / cpu::kPanel;
      cpu::MultiplyInt8(product, {0, M / 3, 0, panels}, best);
      cpu::MultiplyInt8(product, {M / 3, M, 0, panels / 2}, best);
      cpu::MultiplyInt8(product, {M / 3, M, panels / 2, panels}, best);
      ASSERT_TRUE(SameBits(c, expected)) << static_cast<int>(best);
    }
  }
}

TEST(Int8, SumsAreExactOnEveryTargetForAllSmallSizes) {
  const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 7, 8, 13, 63, 64, 65, 130};
  OnEachTarget([&] {
    for (const int64_t M : sizes) {
      for (const int64_t K : sizes) {
        // Every third width, so that all pairs of sizes occur.
        for (size_t n = static_cast<size_t>(M + K) % 3; n < sizes.size();
             n += 3) {
          CheckKernel(M, K, sizes[n]);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
    CheckKernel(31, 1030, 200);
  });
}

/// Product in which all elements of a are `left` and all of b are `right`.
float ConstantSum(int64_t K, float left, int8_t right) {
  const QuantizedMatrix b = {Tensor::Full({K, 70}, right, DType::kI8),
                             Tensor::Full({70}, 1), false};
  PackedMatrix packed;
  Pack(b, false, packed);
  Tensor c({7, 70});
  Multiply(QuantizeRows(Tensor::Full({7, K}, left)), packed, {}, c);
  for (const float value : c.ToVector<float>()) {
    EXPECT_EQ(value, c.data<float>()[0]);
  }
  return c.data<float>()[0];
}

TEST(Int8, ExtremeBytesNeitherSaturateNorWrap) {
  OnEachTarget([] {
    for (const int64_t K : {64, 1000, 4096}) {
      const auto limit = static_cast<float>(K * 127 * 127);
      EXPECT_EQ(ConstantSum(K, 127, 127), limit);
      EXPECT_EQ(ConstantSum(K, -127, 127), -limit);
      EXPECT_EQ(ConstantSum(K, 127, -127), -limit);
      EXPECT_EQ(ConstantSum(K, -127, -127), limit);
    }
  });
  EXPECT_EQ(ConstantSum(kMaxInt8Sum, 127, -127),
            static_cast<float>(-kMaxInt8Sum * 127 * 127));
}

TEST(Int8, RowsAreRoundedToTheNearestByte) {
  OnEachTarget([] {
    Rng rng(1);
    for (const int64_t K : {1, 3, 15, 16, 17, 63, 64, 65, 127, 200}) {
      const Tensor x = RandomSlice({3, K}, DType::kF32, rng);
      const QuantizedRows q = QuantizeRows(x);
      for (int64_t r = 0; r < 3; ++r) {
        float max = 0;
        int32_t sum = 0;
        for (int64_t k = 0; k < K; ++k) {
          max = std::max(max, std::abs(x.row<float>(r)[k]));
        }
        ASSERT_EQ(q.scales.data<float>()[r], max / 127);
        for (int64_t k = 0; k < q.values.cols(); ++k) {
          const float scaled = k < K ? x.row<float>(r)[k] * (127 / max) : 0.0F;
          ASSERT_EQ(q.values.row<int8_t>(r)[k], std::nearbyint(scaled));
          sum += q.values.row<int8_t>(r)[k];
        }
        ASSERT_EQ(q.sums.data<int32_t>()[r], sum);
      }
    }
  });
}

TEST(Int8, ColumnsAreRoundedAsRowsOfTheTranspose) {
  OnEachTarget([] {
    Rng rng(2);
    for (const int64_t N : {1, 15, 16, 17, 65, 130}) {
      Tensor w = RandomSlice({9, N}, DType::kF32, rng);
      w.row<float>(4)[N / 2] = kNan;
      w.row<float>(5)[N / 3] = kInf;
      Tensor t({N, 9});
      for (int64_t i = 0; i < 9; ++i) {
        for (int64_t j = 0; j < N; ++j) t.row<float>(j)[i] = w.row<float>(i)[j];
      }
      const QuantizedMatrix by_column = Quantize(w, false);
      const QuantizedMatrix by_row = Quantize(t, true);
      ASSERT_TRUE(SameBits(by_column.scales, by_row.scales));
      for (int64_t i = 0; i < 9; ++i) {
        for (int64_t j = 0; j < N; ++j) {
          ASSERT_EQ(by_column.values.row<int8_t>(i)[j],
                    by_row.values.row<int8_t>(j)[i]);
        }
      }
    }
  });
}

/// Product of x and a matrix of ones, [1, 3].
std::vector<float> TimesOnes(const std::vector<float>& x) {
  const auto K = static_cast<int64_t>(x.size());
  PackedMatrix packed;
  Pack(Tensor::Full({K, 3}, 1), false, Precision::kInt8, packed);
  Tensor c({1, 3});
  Multiply(Tensor::Of(x, {1, K}), packed, false, c);
  return c.ToVector<float>();
}

TEST(Int8, NumbersOfAnySizeKeepTheirRelativePrecision) {
  OnEachTarget([] {
    for (const float size : {1e30F, 1e-30F, 3e38F, 1.0F}) {
      for (const float sum : TimesOnes({0, size, -size / 2, 0, 0})) {
        EXPECT_NEAR(sum / size, 0.5, 0.01) << size;
      }
    }
    EXPECT_EQ(TimesOnes({0, 0, 0}), std::vector<float>(3, 0.0F));
    EXPECT_EQ(TimesOnes({1e-44F, -1e-40F, 0}), std::vector<float>(3, 0.0F));
  });
}

TEST(Int8, NansAndInfinitiesMakeTheirRowNanAndNoOther) {
  OnEachTarget([] {
    for (const float bad : {kNan, -kNan, kInf, -kInf}) {
      for (const int64_t at : {0, 17, 69}) {
        Tensor a = Tensor::Full({9, 70}, 1);
        a.row<float>(4)[at] = bad;
        PackedMatrix packed;
        Pack(Tensor::Full({70, 66}, 1), false, Precision::kInt8, packed);
        Tensor c({9, 66});
        Multiply(a, packed, false, c);
        for (int64_t r = 0; r < 9; ++r) {
          for (int64_t n = 0; n < 66; ++n) {
            ASSERT_EQ(std::isnan(c.row<float>(r)[n]), r == 4);
          }
        }
      }
    }
  });
}

TEST(Int8, AProductIsNearThatOfTheNumbers) {
  Rng rng(3);
  const Tensor a = RandomSlice({40, 300}, DType::kF32, rng);
  const Tensor b = RandomSlice({300, 100}, DType::kF32, rng);
  PackedMatrix exact, bytes;
  Pack(b, false, Precision::kNative, exact);
  Pack(b, false, Precision::kInt8, bytes);
  Tensor c({40, 100}), d({40, 100});
  Multiply(a, exact, false, c);
  Multiply(a, bytes, false, d);
  double error = 0, size = 0;
  for (int64_t r = 0; r < 40; ++r) {
    for (int64_t n = 0; n < 100; ++n) {
      error += std::pow(At(c, r, n) - At(d, r, n), 2);
      size += std::pow(At(c, r, n), 2);
    }
  }
  EXPECT_LT(std::sqrt(error / size), 0.01);
  EXPECT_GT(error, 0) << "nothing was rounded";
}

TEST(Int8, ATransposeIsTheSameMatrix) {
  Rng rng(4);
  const Tensor a = RandomSlice({5, 37}, DType::kF32, rng);
  const Tensor b = RandomSlice({37, 90}, DType::kF32, rng);
  Tensor t({90, 37});
  for (int64_t i = 0; i < 37; ++i) {
    for (int64_t j = 0; j < 90; ++j) t.row<float>(j)[i] = b.row<float>(i)[j];
  }
  PackedMatrix plain, transposed, stored;
  Pack(b, false, Precision::kInt8, plain);
  Pack(t, true, Precision::kInt8, transposed);
  EXPECT_TRUE(SameBits(plain.data, transposed.data));
  EXPECT_TRUE(SameBits(plain.scales, transposed.scales));
  // Scales per row cannot be scales of columns.
  Pack(Quantize(t, false), true, stored);
  Tensor c({5, 90}), d({5, 90});
  Multiply(a, plain, false, c);
  Multiply(a, stored, false, d);
  ExpectEach(d, 0.2, [&](int64_t r, int64_t n) { return At(c, r, n); });
}

TEST(Int8, StoredBytesAreWhatPackingTheNumbersGives) {
  Rng rng(5);
  const Tensor b = RandomSlice({37, 90}, DType::kF32, rng);
  PackedMatrix from_numbers, from_bytes;
  Pack(b, false, Precision::kInt8, from_numbers);
  Pack(Quantize(b, false), false, from_bytes);
  EXPECT_TRUE(SameBits(from_numbers.data, from_bytes.data));
  EXPECT_TRUE(SameBits(from_numbers.scales, from_bytes.scales));
  const Tensor back = Dequantize(Quantize(b, false));
  ExpectEach(back, 2.0 / 127,
             [&](int64_t r, int64_t c) { return At(b, r, c); });
}

TEST(Int8, GathersRowsAsNumbers) {
  Rng rng(6);
  const QuantizedMatrix table =
      Quantize(RandomSlice({20, 33}, DType::kF32, rng), true);
  const Tensor all = Dequantize(table);
  const Tensor ids = Tensor::Of(std::vector<int32_t>{3, 19, 0, 3}, {2, 2});
  const Tensor rows = GatherRows(table, ids);
  EXPECT_EQ(rows.shape(), (Shape{2, 2, 33}));
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t c = 0; c < 33; ++c) {
      EXPECT_EQ(rows.row<float>(i)[c],
                all.row<float>(ids.data<int32_t>()[i])[c]);
    }
  }
}

TEST(Int8, PackedBytesGiveTheMatrixAndRowsOfItsTranspose) {
  for (const int64_t rows : {1, 3, 4, 7, 130}) {
    for (const int64_t columns : {1, 63, 64, 65, 200}) {
      Rng rng(static_cast<uint64_t>(rows * 1000 + columns));
      const Tensor w = RandomSlice({rows, columns}, DType::kF32, rng);
      for (const bool by_row : {false, true}) {
        const QuantizedMatrix q = Quantize(w, by_row);
        PackedMatrix packed;
        Pack(q, by_row, packed);
        EXPECT_TRUE(SameBits(UnpackInt8(packed, by_row), q.values));
        if (!by_row) continue;
        Tensor ids({2, 3}, DType::kI32);
        for (int64_t i = 0; i < ids.numel(); ++i) {
          ids.data<int32_t>()[i] =
              static_cast<int32_t>((rows - 1) * i / (ids.numel() - 1));
        }
        EXPECT_TRUE(SameBits(GatherColumns(packed, ids), GatherRows(q, ids)));
      }
    }
  }
}

TEST(Int8, GivesTheSameBitsForAnyNumberOfThreads) {
  Rng rng(7);
  const Tensor a = RandomSlice({700, 130}, DType::kF32, rng);
  const Tensor b = RandomSlice({130, 900}, DType::kF32, rng);
  std::vector<Tensor> products;
  for (const int threads : {1, 2, 0}) {
    const ThreadLimit limit(threads);
    PackedMatrix packed;
    Pack(b, false, Precision::kInt8, packed);
    Multiply(a, packed, false, products.emplace_back(Shape{700, 900}));
  }
  EXPECT_TRUE(SameBits(products[0], products[1]));
  EXPECT_TRUE(SameBits(products[0], products[2]));
}

TEST(Int8, LongerSumsThanBytesAllowAreNative) {
  PackedMatrix packed;
  Pack(Tensor::Full({kMaxInt8Sum + 1, 1}, 1), false, Precision::kInt8, packed);
  EXPECT_EQ(packed.precision, Precision::kNative);
  Pack(Tensor::Full({4, 1}, 1, DType::kF64), false, Precision::kInt8, packed);
  EXPECT_EQ(packed.precision, Precision::kNative);
}

/// Combination of dtype and precision.
struct Kind {
  DType dtype;
  Precision precision;
};
std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {{DType::kF32, Precision::kNative},
                             {DType::kF64, Precision::kNative},
                             {DType::kF32, Precision::kInt8}};
  if (HasBF16()) kinds.push_back({DType::kF32, Precision::kBF16});
  return kinds;
}

TEST(Gemm, AnEpilogueIsWhatFollowsTheProduct) {
  for (const Kind& kind : Kinds()) {
    for (const Activation f : {Activation::kNone, Activation::kRelu,
                               Activation::kGelu, Activation::kSwish}) {
      for (const bool accumulate : {false, true}) {
        Rng rng(8);
        const Tensor a = RandomSlice({37, 20}, kind.dtype, rng);
        const Tensor bias = RandomSlice({1, 70}, kind.dtype, rng).Clone();
        const Tensor before = RandomSlice({37, 70}, kind.dtype, rng).Clone();
        PackedMatrix packed;
        Pack(RandomSlice({20, 70}, kind.dtype, rng), false, kind.precision,
             packed);
        Tensor expected = before.Clone();
        Multiply(a, packed, accumulate, expected);
        Activate(expected, bias, f, expected);
        Tensor c = before.Clone();
        Multiply(a, packed, Epilogue{&bias, f, accumulate}, c);
        ExpectEach(c, 2e-6,
                   [&](int64_t r, int64_t n) { return At(expected, r, n); });
      }
    }
  }
}

TEST(Gemm, DropoutIsTheLastOfAnEpilogue) {
  for (const Kind& kind : Kinds()) {
    for (const int64_t rows : {1, 37, 700}) {
      Rng rng(8);
      const Tensor a = RandomSlice({rows, 20}, kind.dtype, rng);
      const Tensor bias = RandomSlice({1, 130}, kind.dtype, rng).Clone();
      PackedMatrix packed;
      Pack(RandomSlice({20, 130}, kind.dtype, rng), false, kind.precision,
           packed);
      Epilogue epilogue{&bias, Activation::kRelu};
      Tensor all({rows, 130}, kind.dtype);
      Multiply(a, packed, epilogue, all);
      const Tensor expected = Dropout(all, 0.3, 11);
      epilogue.dropout = {0.3, 11};
      Tensor c({rows, 130}, kind.dtype);
      Multiply(a, packed, epilogue, c);
      ExpectEach(c, 0,
                 [&](int64_t r, int64_t n) { return At(expected, r, n); });
    }
  }
}

TEST(Gemm, SelectedColumnsAreThoseOfTheWholeProduct) {
  for (const Kind& kind : Kinds()) {
    for (const int64_t count : {0, 1, 63, 64, 65, 200}) {
      Rng rng(9);
      const Tensor a = RandomSlice({11, 45}, kind.dtype, rng);
      PackedMatrix packed;
      Pack(RandomSlice({45, 150}, kind.dtype, rng), false, kind.precision,
           packed);
      Tensor all({11, 150}, kind.dtype);
      Multiply(a, packed, false, all);
      Tensor ids({count}, DType::kI32);
      for (int64_t i = 0; i < count; ++i) {
        ids.data<int32_t>()[i] = static_cast<int32_t>(i * 37 % 150);
      }
      const PackedMatrix selected = SelectColumns(packed, ids);
      EXPECT_EQ(selected.n, count);
      Tensor some({11, count}, kind.dtype);
      Multiply(a, selected, false, some);
      for (int64_t r = 0; r < 11; ++r) {
        for (int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(At(some, r, i), At(all, r, ids.data<int32_t>()[i]));
        }
      }
    }
  }
}

/// Product by the definition: numbers times a multiplier, rounded and clamped.
double PlainFixed(const Tensor& a, const QuantizedMatrix& b, float multiplier,
                  int64_t m, int64_t n) {
  int64_t sum = 0;
  for (int64_t k = 0; k < b.values.rows(); ++k) {
    const float x = a.row<float>(m)[k] * multiplier;
    const auto q = static_cast<int64_t>(
        std::nearbyint(std::min(127.0F, std::max(-127.0F, x))));
    sum += q * b.values.row<int8_t>(k)[n];
  }
  return static_cast<double>(sum) * b.scales.data<float>()[n] / multiplier;
}

TEST(FixedMultipliers, ScaleTheLeftFactorOfEachBlockOfColumns) {
  Rng rng(3);
  const Tensor a = Random({5, 45}, DType::kF32, 1);
  for (const int64_t width : {20, 64, 100}) {
    const QuantizedMatrix b = RandomBytes(45, 3 * width, rng);
    const Tensor bias = Random({3 * width}, DType::kF32, 2);
    const Tensor multipliers =
        Tensor::Of(std::vector<float>{20, 127, 400}, {3});
    PackedMatrix packed;
    Pack(b, false, packed);
    packed.left_multipliers = multipliers;
    OnEachTarget([&] {
      Tensor c = Tensor::Full({5, 3 * width}, 1);
      Multiply(a, packed, {.bias = &bias, .accumulate = true}, c);
      ExpectEach(c, 1e-3, [&](int64_t m, int64_t n) {
        return 1 + bias.data<float>()[n] +
               PlainFixed(a, b, multipliers.data<float>()[n / width], m, n);
      });
    });
  }
}

TEST(FixedMultipliers, OfOneBlockHoldForSelectedColumns) {
  Rng rng(3);
  const Tensor a = Random({4, 32}, DType::kF32, 1);
  const QuantizedMatrix b = RandomBytes(32, 70, rng);
  PackedMatrix packed;
  Pack(b, false, packed);
  packed.left_multipliers = Tensor::Of(std::vector<float>{90}, {1});
  const Tensor ids = Tensor::Of(std::vector<int32_t>{0, 7, 69}, {3});
  Tensor c({4, 3});
  Multiply(a, SelectColumns(packed, ids), {}, c);
  ExpectEach(c, 1e-3, [&](int64_t m, int64_t n) {
    return PlainFixed(a, b, 90, m, ids.data<int32_t>()[n]);
  });
}

}  // namespace
}  // namespace heed::kernels::int8_test
