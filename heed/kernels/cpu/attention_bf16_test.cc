#include "heed/kernels/cpu/attention_bf16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels::cpu::attention_bf16_test {
namespace {

using Floats = std::vector<float>;

constexpr int64_t kPanel = 4 * kBF16Lanes;

int64_t Padded(int64_t n) {
  return (n + kBF16Lanes - 1) / kBF16Lanes * kBF16Lanes;
}

/// NaN for elements that must not be read or must not count.
Floats Unset(int64_t n) {
  return Floats(static_cast<size_t>(n),
                std::numeric_limits<float>::quiet_NaN());
}

Floats Random(int64_t n, uint64_t seed) {
  Rng rng(seed);
  Floats values(static_cast<size_t>(n));
  for (float& x : values) x = static_cast<float>(rng.Uniform(-1, 1));
  return values;
}

/// Elements rounded to bf16.
Floats Rounded(const Floats& x) {
  return Tensor::Of(x, {std::ssize(x)})
      .To(DType::kBF16)
      .To(DType::kF32)
      .ToVector<float>();
}

/// Factors a [rows, sum] and b [sum, cols], packed for products.
struct Factors {
  Factors(int64_t rows_in, int64_t sum_in, int64_t cols_in, bool transposed)
      : rows(rows_in),
        sum(sum_in),
        cols(cols_in),
        words((sum + 1) / 2),
        a(Rounded(Random(rows * sum, 1))),
        b(Rounded(Random(sum * cols, 2))),
        right_words(Unset((words + 1) * Padded(cols))),
        left_words(
            Unset(transposed ? words * Padded(rows) : rows * Padded(words))) {
    PairRows(sum, cols, b.data(), cols, 1, right_words.data(), Padded(cols));
    right = {right_words.data(), Padded(cols), kPanel};
    if (!transposed) {
      PairColumns(rows, sum, a.data(), sum, 1, left_words.data(),
                  Padded(words));
      left = {left_words.data(), Padded(words), 1};
      return;
    }
    Floats turned(a.size());
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < sum; ++i) {
        At(turned, i * rows + r) = At(a, r * sum + i);
      }
    }
    PairRows(sum, rows, turned.data(), rows, 1, left_words.data(),
             Padded(rows));
    left = {left_words.data(), 1, Padded(rows)};
  }

  /// Element (r, c) of the product, in f64.
  double Expected(int64_t r, int64_t c) const {
    double total = 0;
    for (int64_t i = 0; i < sum; ++i) {
      total += double{At(a, r * sum + i)} * double{At(b, i * cols + c)};
    }
    return total;
  }

  int64_t rows, sum, cols, words;
  Floats a, b, right_words, left_words;
  LeftWords left;
  RightWords right;
};

class ProductsBF16 : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
    if (GetParam() && !HasTiles()) GTEST_SKIP() << "no AMX on this machine";
  }
  static void Multiply(const Factors& f, int64_t rows, const LeftWords& left,
                       bool add, Floats& c) {
    const auto product = GetParam() ? ProductByTiles : ProductByDots;
    product(rows, f.words, f.cols, left, f.right, add,
            {c.data(), Padded(f.cols)}, nullptr);
  }
};

TEST_P(ProductsBF16, AreThoseOfF64) {
  for (const int64_t rows : {1, 7, 16, 17, 64}) {
    for (const int64_t sum : {1, 2, 31, 32, 33, 64, 130}) {
      for (const int64_t cols : {1, 16, 40, 64, 65, 128}) {
        for (const bool transposed : {false, true}) {
          const Factors f(rows, sum, cols, transposed);
          Floats c = Unset(rows * Padded(cols));
          Multiply(f, rows, f.left, false, c);
          Multiply(f, rows, f.left, true, c);
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t col = 0; col < cols; ++col) {
              ASSERT_NEAR(At(c, r * Padded(cols) + col), 2 * f.Expected(r, col),
                          1e-5 * (1 + std::sqrt(sum)))
                  << rows << " " << sum << " " << cols << " " << transposed;
            }
          }
        }
      }
    }
  }
}

TEST_P(ProductsBF16, OfTilesAreTheSameWithWorkMeanwhile) {
  if (!GetParam()) GTEST_SKIP() << "of tiles alone";
  for (const int64_t rows : {1, 17, 64}) {
    for (const int64_t sum : {1, 32, 64, 130, 300}) {
      const Factors f(rows, sum, 65, false);
      Floats c = Unset(rows * Padded(f.cols));
      Floats expected = c;
      Multiply(f, rows, f.left, false, expected);
      int calls = 0;
      const Meanwhile meanwhile([](void* work) { ++*static_cast<int*>(work); },
                                &calls);
      ProductByTilesWith(meanwhile, rows, f.words, f.cols, f.left, f.right,
                         false, {c.data(), Padded(f.cols)});
      EXPECT_EQ(
          std::memcmp(c.data(), expected.data(), c.size() * sizeof(float)), 0);
      // Blocks are 16 rows of 64 columns, with steps of 16 words.
      EXPECT_EQ(calls, (rows + 15) / 16 * 2 * (f.words / 16));
    }
  }
}

TEST_P(ProductsBF16, OfARowDoNotDependOnTheOthers) {
  const Factors f(37, 70, 65, false);
  Floats all = Unset(f.rows * Padded(f.cols));
  Multiply(f, f.rows, f.left, false, all);
  for (int64_t r = 0; r < f.rows; ++r) {
    Floats alone = Unset(Padded(f.cols));
    Multiply(f, 1, f.left.Rows(r), false, alone);
    for (int64_t c = 0; c < f.cols; ++c) {
      EXPECT_EQ(At(alone, c), At(all, r * Padded(f.cols) + c));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(By, ProductsBF16, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Tiles" : "Dots";
                         });

/// Element `c` of a row of pairs.
float OfPair(const float* words, int64_t c) {
  uint16_t parts[2];
  std::memcpy(parts, words + c / 2, sizeof(parts));
  return std::bit_cast<float>(uint32_t{parts[c % 2]} << 16);
}

TEST(WeightsBF16, ArePowersOfTwoRoundedAndTheirSumsAreNot) {
  if (!HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
  constexpr int64_t kRows = 3;
  const Floats shifts = {0.25F, -3, 80};
  for (const int64_t cols : {1, 15, 16, 17, 32, 33, 128}) {
    for (const float to_log2 : {1.0F, 1.4426950F}) {
      const int64_t stride = Padded(cols) + 16;
      Floats e(static_cast<size_t>(kRows * stride),
               -std::numeric_limits<float>::infinity());
      Rng rng(static_cast<uint64_t>(cols));
      for (int64_t r = 0; r < kRows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
          At(e, r * stride + c) =
              static_cast<float>(rng.Uniform(-20, 7)) + At(shifts, r);
        }
      }
      // Cases: underflow, masked, and exact.
      e[0] = shifts[0] - 300;
      At(e, stride) = -std::numeric_limits<float>::infinity();
      At(e, 2 * stride) = shifts[2];
      Floats sums(kRows * kBF16Lanes, 1.0F);
      Floats words = Unset(kRows * Padded((cols + 1) / 2));
      PairWeights(kRows, cols, e.data(), stride, to_log2, shifts.data(),
                  sums.data(), words.data(), Padded((cols + 1) / 2));
      for (int64_t r = 0; r < kRows; ++r) {
        const float* row = words.data() + r * Padded((cols + 1) / 2);
        double total = kBF16Lanes;
        for (int64_t c = 0; c < cols; ++c) {
          const double x = double{to_log2} * (double{At(e, r * stride + c)} -
                                              double{At(shifts, r)});
          const double w = x < -126 ? 0 : std::exp2(x);
          total += w;
          ASSERT_NEAR(OfPair(row, c), w, w * (0x1p-8 + 0x1p-12))
              << cols << " " << r << " " << c;
        }
        for (int64_t c = cols; c < 2 * Padded((cols + 1) / 2); ++c) {
          ASSERT_EQ(OfPair(row, c), 0) << cols << " " << r << " " << c;
        }
        double sum = 0;
        for (int64_t lane = 0; lane < kBF16Lanes; ++lane) {
          sum += double{At(sums, r * kBF16Lanes + lane)};
        }
        ASSERT_NEAR(sum, total, total * 0x1p-13) << cols << " " << r;
      }
      EXPECT_EQ(OfPair(words.data() + 2 * Padded((cols + 1) / 2), 0), 1);
    }
  }
}

TEST(WeightsBF16, OfNaNAreNaN) {
  if (!HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
  const Floats e = Unset(kBF16Lanes);
  const Floats shifts(1);
  Floats sums(kBF16Lanes);
  Floats words(kBF16Lanes);
  PairWeights(1, kBF16Lanes, e.data(), kBF16Lanes, 1, shifts.data(),
              sums.data(), words.data(), kBF16Lanes);
  EXPECT_TRUE(std::isnan(OfPair(words.data(), 3)));
  EXPECT_TRUE(std::isnan(sums[3]));
}

}  // namespace
}  // namespace heed::kernels::cpu::attention_bf16_test
