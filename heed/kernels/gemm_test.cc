#include "heed/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::gemm_test {
namespace {

/// Product c [M, N] and its error scale Σ |a b|.
struct Reference {
  std::vector<double> sum, magnitude;
};

/// Elements of x after rounding to `precision`, in f64.
std::vector<double> Factors(const Tensor& x, Precision precision) {
  return precision == Precision::kBF16 ? x.To(DType::kBF16).ToVector<double>()
                                       : x.ToVector<double>();
}

/// Product of a [M, K] and b [K, N], both dense.
Reference Product(const std::vector<double>& a, const std::vector<double>& b,
                  int64_t M, int64_t K, int64_t N) {
  const auto size = static_cast<size_t>(M * N);
  Reference c = {std::vector<double>(size), std::vector<double>(size)};
  for (int64_t m = 0; m < M; ++m) {
    double* sum = c.sum.data() + m * N;
    double* magnitude = c.magnitude.data() + m * N;
    for (int64_t k = 0; k < K; ++k) {
      const double x = At(a, m * K + k);
      const double* row = b.data() + k * N;
      for (int64_t n = 0; n < N; ++n) {
        sum[n] += x * row[n];
        magnitude[n] += std::abs(x * row[n]);
      }
    }
  }
  return c;
}

std::vector<double> Transposed(const std::vector<double>& x, int64_t rows,
                               int64_t cols) {
  std::vector<double> t(x.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      At(t, c * rows + r) = At(x, r * cols + c);
    }
  }
  return t;
}

/// Checks that c is before + reference, up to rounding of f32 (or f64) sums.
void ExpectProduct(const Tensor& c, double before, const Reference& expected) {
  const double unit = c.dtype() == DType::kF64 ? 1e-15 : 4e-7;
  const std::vector<double> values = c.ToVector<double>();
  ASSERT_EQ(values.size(), expected.sum.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], before + expected.sum[i],
                unit * (1 + std::abs(before) + expected.magnitude[i]))
        << "element " << i << " of " << c.shape().ToString();
  }
}

struct Kind {
  DType dtype;
  Precision precision;
};

/// Combinations of dtype and precision that this processor supports.
std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {{DType::kF32, Precision::kNative},
                             {DType::kF64, Precision::kNative}};
  if (HasBF16()) kinds.push_back({DType::kF32, Precision::kBF16});
  return kinds;
}

/// Checks Multiply and MultiplyTransposed for these sizes, with strided
/// factors, plain and transposed, with and without accumulation.
void CheckProducts(const Kind& kind, int64_t M, int64_t K, int64_t N) {
  const Shape sizes = {M, K, N};
  SCOPED_TRACE(std::string(Name(kind.dtype)) +
               (kind.precision == Precision::kBF16 ? " bf16 " : " ") +
               sizes.ToString());
  Rng rng(static_cast<uint64_t>(M * 1000003 + K * 1009 + N));
  const Tensor a = RandomSlice({M, K}, kind.dtype, rng);
  const Tensor b = RandomSlice({K, N}, kind.dtype, rng);
  const std::vector<double> fa = Factors(a, kind.precision);
  const std::vector<double> fb = Factors(b, kind.precision);
  const Reference expected = Product(fa, fb, M, K, N);

  PackedMatrix packed;
  Tensor c = Tensor::Full({M, N}, 100, kind.dtype);
  Pack(b, false, kind.precision, packed);
  Multiply(a, packed, false, c);
  ExpectProduct(c, 0, expected);

  Tensor bt({N, K + 3}, kind.dtype);
  bt = bt.Columns(2, 2 + K);
  bt.CopyFrom(Tensor::Of(Transposed(b.ToVector<double>(), K, N), {N, K})
                  .To(kind.dtype));
  Pack(bt, true, kind.precision, packed);
  c.Fill(0.5);
  Multiply(a, packed, true, c);
  ExpectProduct(c, 0.5, expected);

  Tensor at({K, M + 1}, kind.dtype);
  at = at.Columns(1, 1 + M);
  at.CopyFrom(Tensor::Of(Transposed(a.ToVector<double>(), M, K), {K, M})
                  .To(kind.dtype));
  c.Fill(100);
  MultiplyTransposed(at, b, false, kind.precision, c);
  ExpectProduct(c, 0, expected);
  c.Fill(0.5);
  MultiplyTransposed(at, b, true, kind.precision, c);
  ExpectProduct(c, 0.5, expected);
}

TEST(Gemm, IsTheSumOfProductsForAllSmallSizes) {
  const std::vector<int64_t> sizes = {1,  3,  15,  16,  17, 63,
                                      64, 65, 127, 129, 130};
  for (const Kind& kind : Kinds()) {
    for (const int64_t M : sizes) {
      for (const int64_t K : sizes) {
        // Every third width, so that all pairs of sizes occur.
        for (size_t n = static_cast<size_t>(M + K) % 3; n < sizes.size();
             n += 3) {
          CheckProducts(kind, M, K, sizes[n]);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Gemm, IsTheSumOfProductsForLargeSizes) {
  for (const Kind& kind : Kinds()) {
    for (const int64_t large : {300, 1500, 4129}) {
      for (const int64_t other : {1, 17, 65}) {
        CheckProducts(kind, large, other, 129);
        CheckProducts(kind, other, large, 64);
        CheckProducts(kind, 16, other, large);
        if (HasFatalFailure()) return;
      }
    }
    CheckProducts(kind, 300, 300, 300);
  }
}

TEST(Gemm, NoRowsAreNoWork) {
  for (const Kind& kind : Kinds()) {
    Tensor c({0, 5}, kind.dtype);
    PackedMatrix packed;
    Pack(Tensor::Full({4, 5}, 1, kind.dtype), false, kind.precision, packed);
    EXPECT_NO_THROW(Multiply(Tensor({0, 4}, kind.dtype), packed, false, c));
  }
}

/// Empty sums: a layer without inputs, and factors without columns.
TEST(Gemm, SumsOfNoProductsAreZeroOrLeaveTheSum) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(std::string(Name(kind.dtype)));
    for (const int64_t N : {1, 64, 65, 300}) {
      for (const int64_t M : {1, 16, 600}) {
        SCOPED_TRACE(M);
        SCOPED_TRACE(N);
        const Tensor a({M, 0}, kind.dtype);
        const Tensor b({0, N}, kind.dtype);
        PackedMatrix packed;
        Pack(b, false, kind.precision, packed);
        Tensor c = Tensor::Full({M, N}, 100, kind.dtype);
        Multiply(a, packed, true, c);
        EXPECT_EQ(c.ToVector<double>(),
                  std::vector<double>(static_cast<size_t>(M * N), 100));
        Multiply(a, packed, false, c);
        EXPECT_EQ(c.ToVector<double>(),
                  std::vector<double>(static_cast<size_t>(M * N)));
      }
    }
  }
}

TEST(Gemm, TheGradientOfNoRowsIsZeroOrLeavesTheSum) {
  for (const Kind& kind : Kinds()) {
    const Tensor x({0, 4}, kind.dtype);
    const Tensor y({0, 5}, kind.dtype);
    Tensor c = Tensor::Full({4, 5}, 3, kind.dtype);
    MultiplyTransposed(x, y, true, kind.precision, c);
    EXPECT_EQ(c.ToVector<float>(), std::vector<float>(20, 3.0F));
    MultiplyTransposed(x, y, false, kind.precision, c);
    EXPECT_EQ(c.ToVector<float>(), std::vector<float>(20, 0.0F));
  }
}

TEST(Gemm, TakesAllLeadingDimensionsAsRows) {
  Rng rng(1);
  const Tensor a = RandomSlice({3, 5, 7}, DType::kF32, rng);
  const Tensor b = RandomSlice({7, 9}, DType::kF32, rng);
  PackedMatrix packed;
  Pack(b, false, Precision::kNative, packed);
  Tensor c({3, 5, 9});
  Multiply(a, packed, false, c);
  ExpectProduct(c, 0,
                Product(a.ToVector<double>(), b.ToVector<double>(), 15, 7, 9));
}

TEST(Gemm, PackReusesItsStorageUnlessSomeoneSeesIt) {
  const Tensor b = Tensor::Full({40, 70}, 1);
  PackedMatrix packed;
  Pack(b, false, Precision::kNative, packed);
  const void* storage = packed.data.raw();
  Pack(b, false, Precision::kNative, packed);
  EXPECT_EQ(packed.data.raw(), storage);
  const PackedMatrix seen = packed;
  Pack(Tensor::Full({40, 70}, 2), false, Precision::kNative, packed);
  EXPECT_NE(packed.data.raw(), storage);
  Tensor c({1, 70});
  Multiply(Tensor::Full({1, 40}, 1), seen, false, c);
  EXPECT_EQ(c.ToVector<float>(), std::vector<float>(70, 40.0F));
}

bool SameBits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
}

/// Sums over rows of several tensors equal those over one concatenated tensor.
TEST(Gemm, SumsRowsOfSeveralTensorsAsThoseOfOne) {
  for (const Kind& kind : Kinds()) {
    for (const auto& [K, N] : {std::pair{5, 7}, {70, 64}, {130, 400}}) {
      for (const std::vector<int64_t>& counts :
           {std::vector<int64_t>{64, 64, 64},
            {128, 64, 5},
            {3, 7, 70},
            {960, 192, 1100},
            {64, 0, 64}}) {
        SCOPED_TRACE(testing::Message() << Name(kind.dtype) << " " << K << " x "
                                        << N << ", " << counts[0] << " rows");
        Rng rng(4);
        int64_t rows = 0;
        for (const int64_t count : counts) rows += count;
        const Tensor x = RandomSlice({rows, K}, kind.dtype, rng);
        const Tensor y = RandomSlice({rows, N}, kind.dtype, rng);
        std::vector<RowPair> pairs;
        int64_t row = 0;
        for (const int64_t count : counts) {
          pairs.push_back(
              {x.Slice(row, row + count), y.Slice(row, row + count)});
          row += count;
        }
        for (const bool accumulate : {false, true}) {
          Tensor expected = Tensor::Full({K, N}, 3, kind.dtype);
          Tensor c = Tensor::Full({K, N}, 3, kind.dtype);
          MultiplyTransposed(x, y, accumulate, kind.precision, expected);
          MultiplyTransposed(pairs, accumulate, kind.precision, c);
          EXPECT_TRUE(SameBits(c, expected));
        }
      }
    }
  }
}

Tensor Stored(const Tensor& x) {
  Tensor stored = FactorRows(x.rows(), x.cols(), DType::kBF16);
  StoreFactor(x, stored);
  return stored;
}

/// Stored bf16 factors give results bitwise equal to rounding in the product.
TEST(Gemm, TakesStoredFactorsAndWritesThem) {
  if (!HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
  Rng rng(6);
  for (const int64_t M : {1, 64, 700, 1100}) {
    for (const auto& [K, N] : {std::pair{33, 65}, {64, 300}, {1024, 130}}) {
      SCOPED_TRACE(testing::Message() << M << " x " << K << " x " << N);
      const Tensor a = RandomSlice({M, K}, DType::kF32, rng);
      const Tensor b = RandomSlice({K, N}, DType::kF32, rng);
      const Tensor bias = RandomSlice({1, N}, DType::kF32, rng).Clone();
      PackedMatrix packed;
      Pack(b, false, Precision::kBF16, packed);
      Tensor sums({M, N});
      Tensor c({M, N});
      const Epilogue epilogue{
          .bias = &bias, .activation = Activation::kGelu, .dropout = {0.3, 5}};
      Epilogue with_sums = epilogue;
      with_sums.sums = &sums;
      Multiply(a, packed, with_sums, c);
      Tensor alone({M, N});
      Multiply(a, packed, epilogue, alone);
      EXPECT_TRUE(SameBits(alone, c));
      Tensor affine({M, N});
      Multiply(a, packed, {.bias = &bias}, affine);
      EXPECT_TRUE(SameBits(affine, sums));
      Tensor plain({M, N});
      Tensor plain_sums({M, N});
      Multiply(a, packed, {.sums = &plain_sums}, plain);
      EXPECT_TRUE(SameBits(plain, plain_sums));

      Tensor c16 = FactorRows(M, N, DType::kBF16);
      Tensor sums16 = FactorRows(M, N, DType::kBF16);
      with_sums.sums = &sums16;
      Multiply(Stored(a), packed, with_sums, c16);
      EXPECT_EQ(c16.ToVector<float>(), Stored(c).ToVector<float>());
      EXPECT_EQ(sums16.ToVector<float>(), Stored(sums).ToVector<float>());

      Tensor gradient({K, N});
      Tensor gradient16({K, N});
      MultiplyTransposed(a, c, false, Precision::kBF16, gradient);
      MultiplyTransposed(Stored(a), c16, false, Precision::kBF16, gradient16);
      EXPECT_TRUE(SameBits(gradient, gradient16));
    }
  }
}

/// MultiplyWithSlope equals a product followed by the activation's gradient.
TEST(Gemm, MultipliesBySlopes) {
  Rng rng(7);
  for (const Kind& kind : Kinds()) {
    for (const int64_t M : {1, 70, 1100}) {
      for (const Activation f : {Activation::kRelu, Activation::kGelu}) {
        for (const double rate : {0.0, 0.4}) {
          constexpr int64_t K = 33, N = 130;
          const Tensor a = RandomSlice({M, K}, kind.dtype, rng);
          const Tensor b = RandomSlice({K, N}, kind.dtype, rng);
          const Tensor z = RandomSlice({M, N}, kind.dtype, rng);
          PackedMatrix packed;
          Pack(b, false, kind.precision, packed);
          const DropoutKey drop{rate, 11};
          Tensor product({M, N}, kind.dtype);
          Multiply(a, packed, {.dropout = drop}, product);
          Tensor expected({M, N}, kind.dtype);
          Tensor expected_bias = Tensor::Full({N}, 1, kind.dtype);
          ActivateGrad(product, z.Clone(), f, 1.5, expected, &expected_bias);

          Tensor c({M, N}, kind.dtype);
          Tensor dbias = Tensor::Full({N}, 1, kind.dtype);
          SlopeEpilogue epilogue{.z = z,
                                 .activation = f,
                                 .scale = 1.5,
                                 .dropout = drop,
                                 .dbias = &dbias};
          MultiplyWithSlope(a, packed, epilogue, c);
          EXPECT_TRUE(SameBits(c, expected));
          // The order of summation differs.
          for (int64_t j = 0; j < N; ++j) {
            EXPECT_NEAR(dbias.Slice(j, j + 1).item(),
                        expected_bias.Slice(j, j + 1).item(),
                        1e-6 * static_cast<double>(M));
          }
          if (kind.precision != Precision::kBF16) continue;
          const Tensor z16 = Stored(z);
          Tensor c16 = FactorRows(M, N, DType::kBF16);
          const SlopeEpilogue rounded{
              .z = z16, .activation = f, .scale = 1.5, .dropout = drop};
          MultiplyWithSlope(a, packed, rounded, c16);
          ActivateGrad(product, z16.To(DType::kF32), f, 1.5, expected, nullptr);
          EXPECT_EQ(c16.ToVector<float>(), Stored(expected).ToVector<float>());
        }
      }
    }
  }
}

TEST(Gemm, GivesTheSameBitsForAnyNumberOfThreads) {
  Rng rng(2);
  const Tensor a = RandomSlice({700, 130}, DType::kF32, rng);
  const Tensor b = RandomSlice({130, 300}, DType::kF32, rng);
  const Tensor x = RandomSlice({2100, 100}, DType::kF32, rng);
  const Tensor y = RandomSlice({2100, 70}, DType::kF32, rng);
  for (const Kind& kind : Kinds()) {
    if (kind.dtype == DType::kF64) continue;
    std::vector<Tensor> products, gradients;
    for (const int threads : {1, 2, 0}) {
      const ThreadLimit limit(threads);
      PackedMatrix packed;
      Pack(b, false, kind.precision, packed);
      Multiply(a, packed, false, products.emplace_back(Shape{700, 300}));
      MultiplyTransposed(x, y, false, kind.precision,
                         gradients.emplace_back(Shape{100, 70}));
    }
    for (size_t i = 1; i < products.size(); ++i) {
      EXPECT_TRUE(SameBits(products[0], products[i]));
      EXPECT_TRUE(SameBits(gradients[0], gradients[i]));
    }
  }
}

TEST(Gemm, GivesTheSameBitsFromManyThreadsAtOnce) {
  constexpr int kThreads = 6;
  Rng rng(3);
  const Tensor b = RandomSlice({64, 200}, DType::kF32, rng);
  const Tensor a = RandomSlice({100, 64}, DType::kF32, rng);
  for (const Kind& kind : Kinds()) {
    if (kind.dtype == DType::kF64) continue;
    PackedMatrix packed;
    Pack(b, false, kind.precision, packed);
    Tensor alone({100, 200});
    Multiply(a, packed, false, alone);
    std::vector<int> wrong(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          Tensor c({100, 200});
          Multiply(a, packed, false, c);
          At(wrong, t) += SameBits(c, alone) ? 0 : 1;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(kThreads));
  }
}

TEST(Gemm, NansReachTheRowsTheyStandIn) {
  Tensor a = Tensor::Full({20, 30}, 1);
  a.row<float>(7)[11] = NAN;
  PackedMatrix packed;
  Pack(Tensor::Full({30, 5}, 1), false, Precision::kNative, packed);
  Tensor c({20, 5});
  Multiply(a, packed, false, c);
  for (int64_t r = 0; r < 20; ++r) {
    for (int64_t n = 0; n < 5; ++n) {
      EXPECT_EQ(std::isnan(c.row<float>(r)[n]), r == 7);
    }
  }
}

TEST(Gemm, MeasuresAPlausibleRate) {
  const double rate = MeasureProductRate(Precision::kNative, 0.02);
  EXPECT_GT(rate, 1e7);
  EXPECT_LT(rate, 1e15);
}

}  // namespace
}  // namespace heed::kernels::gemm_test
