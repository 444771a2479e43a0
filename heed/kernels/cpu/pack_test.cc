#include "heed/kernels/cpu/pack.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels::cpu::pack_test {
namespace {

class Packing : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Packing);

class PackingBF16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
  }
};

std::vector<float> Random(int64_t n) {
  Rng rng(static_cast<uint64_t>(n) + 1);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& x : values) x = static_cast<float>(rng.Uniform(-2, 2));
  return values;
}

/// Rounding by Tensor, which is plain scalar code.
std::vector<uint16_t> Rounded(const std::vector<float>& values) {
  const Tensor t = Tensor::Of(values, {static_cast<int64_t>(values.size())})
                       .To(DType::kBF16);
  std::vector<uint16_t> bits;
  for (int64_t i = 0; i < t.numel(); ++i) {
    bits.push_back(t.data<bfloat16>()[i].bits);
  }
  return bits;
}

/// Element (i, j) of the matrix, zero outside.
float Element(const MatrixView& b, int64_t i, int64_t j) {
  if (i >= b.k || j >= b.n) return 0;
  return b.transposed ? b.data[j * b.stride + i] : b.data[i * b.stride + j];
}

const std::vector<int64_t> kSizes = {1,  3,  15, 16, 17,  31,
                                     33, 63, 64, 65, 127, 130};

/// Calls body(view, rows) for matrices of all sizes, plain and transposed,
/// whose storage ends with the matrix.
template <typename Body>
void ForMatrices(const Body& body) {
  for (const int64_t k : kSizes) {
    for (const int64_t n : kSizes) {
      for (const bool transposed : {false, true}) {
        const int64_t width = transposed ? k : n;
        const int64_t height = transposed ? n : k;
        const int64_t stride = width + 3;
        const std::vector<float> storage =
            Random(1 + (height - 1) * stride + width);
        body(MatrixView{storage.data() + 1, k, n, stride, transposed},
             k + k % 2 * 40);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Packing, PanelsHoldTheirColumnsRowByRow) {
  ForMatrices([](const MatrixView& b, int64_t rows) {
    const int64_t padded = PaddedRows(rows, false);
    std::vector<float> out(static_cast<size_t>(padded * kPanel), 9.0F);
    for (int64_t panel = 0; panel * kPanel < b.n; ++panel) {
      PackPanel(b, panel, rows, out.data());
      for (int64_t i = 0; i < padded; ++i) {
        for (int64_t j = 0; j < kPanel; ++j) {
          ASSERT_EQ(At(out, i * kPanel + j), Element(b, i, panel * kPanel + j))
              << b.k << "x" << b.n << " at " << i << ", " << j;
        }
      }
    }
  });
}

TEST_F(PackingBF16, PanelsHoldPairsOfRows) {
  ForMatrices([](const MatrixView& b, int64_t rows) {
    const int64_t padded = PaddedRows(rows, true);
    std::vector<uint16_t> out(static_cast<size_t>(padded * kPanel), 9);
    for (int64_t panel = 0; panel * kPanel < b.n; ++panel) {
      PackPanelBF16(b, panel, rows, out.data());
      std::vector<float> order;
      for (int64_t i = 0; i < padded; i += 2) {
        for (int64_t j = 0; j < kPanel; ++j) {
          order.push_back(Element(b, i, panel * kPanel + j));
          order.push_back(Element(b, i + 1, panel * kPanel + j));
        }
      }
      ASSERT_EQ(out, Rounded(order)) << b.k << "x" << b.n;
    }
  });
}

/// Calls body(x, x_rows, stride, begin, cols, rows, expected) for
/// transpositions of all sizes.
template <typename Body>
void ForTranspositions(const Body& body) {
  for (const int64_t x_rows : kSizes) {
    for (const int64_t cols : kSizes) {
      const int64_t stride = cols + 2;
      const std::vector<float> x = Random((x_rows - 1) * stride + cols);
      const int64_t rows = (x_rows + 63) / 64 * 64;
      const int64_t begin = cols / 3;
      std::vector<float> expected;
      for (int64_t i = begin; i < cols; ++i) {
        for (int64_t j = 0; j < rows; ++j) {
          expected.push_back(j < x_rows ? At(x, j * stride + i) : 0);
        }
      }
      SCOPED_TRACE(testing::Message() << x_rows << "x" << cols);
      body(x.data(), x_rows, stride, begin, cols, rows, expected);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(Packing, PanelsMultiplyAsTheMatrixDoes) {
  for (const int64_t m : {1, 5, 13, 30}) {
    for (const int64_t n : {1, 63, 64, 65, 200}) {
      for (const int64_t k : {1, 17, 64}) {
        for (const bool accumulate : {false, true}) {
          const std::vector<float> a = Random(m * k);
          const std::vector<float> b = Random(k * n + 1);
          const std::vector<float> before = Random(m * n + 2);
          std::vector<float> packed;
          for (int64_t p = 0; p * kPanel < n; ++p) {
            std::vector<float> panel(
                static_cast<size_t>(PaddedRows(k, false) * kPanel));
            PackPanel({b.data(), k, n, n, false}, p, k, panel.data());
            packed.insert(packed.end(), panel.begin(), panel.end());
          }
          std::vector<float> c = before;
          MultiplyPanels(m, n, k, {a.data(), k, 1}, packed.data(), accumulate,
                         {c.data(), n});
          for (int64_t i = 0; i < m * n; ++i) {
            double sum = accumulate ? before[i] : 0;
            for (int64_t j = 0; j < k; ++j) {
              sum += double{a[i / n * k + j]} * b[j * n + i % n];
            }
            ASSERT_NEAR(c[i], sum, 1e-4) << m << " " << n << " " << k;
          }
          EXPECT_EQ(c[m * n], before[m * n]);
          EXPECT_EQ(c[m * n + 1], before[m * n + 1]);
        }
      }
    }
  }
}

/// Left factors are pairs along a row, right ones pairs along a column.
TEST_F(PackingBF16, PanelsMultiplyAsTheMatrixDoes) {
  for (const int64_t m : {1, 5, 13, 30}) {
    for (const int64_t n : {1, 63, 64, 65, 200}) {
      for (const int64_t k : {1, 17, 64}) {
        for (const bool columns : {false, true}) {
          for (const bool accumulate : {false, true}) {
            const std::vector<float> a = Random(m * k);
            const std::vector<float> b = Random(k * n + 1);
            const std::vector<float> before = Random(m * n + 2);
            const int64_t panel_words = PaddedRows(k, true) / 2 * kPanel;
            std::vector<float> packed(
                static_cast<size_t>(Panels(n) * panel_words));
            for (int64_t p = 0; p < Panels(n); ++p) {
              PackPanelBF16(
                  {b.data(), k, n, n, false}, p, k,
                  reinterpret_cast<uint16_t*>(packed.data() + p * panel_words));
            }
            constexpr int64_t kWords = 32;  // of a row, at most
            std::vector<float> words(static_cast<size_t>(kWords * kWords));
            LeftWords left{words.data(), kWords, 1};
            if (columns) {
              std::vector<float> turned(a.size());
              for (int64_t i = 0; i < m * k; ++i) {
                At(turned, i % k * m + i / k) = At(a, i);
              }
              PairRows(k, m, turned.data(), m, 1, words.data(), kWords);
              left = {words.data(), 1, kWords};
            } else {
              PairColumns(m, k, a.data(), k, 1, words.data(), kWords);
            }
            std::vector<float> c = before;
            MultiplyPanelsBF16(m, n, k, left, packed.data(), accumulate,
                               {c.data(), n});
            for (int64_t i = 0; i < m * n; ++i) {
              double sum = accumulate ? before[i] : 0;
              double size = 1;
              for (int64_t j = 0; j < k; ++j) {
                const double product =
                    double{a[i / n * k + j]} * b[j * n + i % n];
                sum += product;
                size += std::abs(product);
              }
              ASSERT_NEAR(c[i], sum, 0x1p-8 * size)
                  << m << " " << n << " " << k << " " << columns;
            }
            EXPECT_EQ(c[m * n], before[m * n]);
            EXPECT_EQ(c[m * n + 1], before[m * n + 1]);
          }
        }
      }
    }
  }
}

TEST_P(Packing, TransposesAndPadsWithZeros) {
  ForTranspositions([](const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t cols, int64_t rows,
                       const std::vector<float>& expected) {
    std::vector<float> out(expected.size(), 9.0F);
    TransposeRows(x, x_rows, stride, begin, cols, rows, out.data(), rows);
    ASSERT_EQ(out, expected);
  });
}

TEST_F(PackingBF16, TransposesAndPadsWithZeros) {
  ForTranspositions([](const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t cols, int64_t rows,
                       const std::vector<float>& expected) {
    const std::vector<uint16_t> rounded = Rounded(expected);
    for (const int64_t apart : {0, 32}) {
      const int64_t out_stride = rows + apart;
      std::vector<uint16_t> out((cols - begin) * out_stride, 9);
      TransposeRowsBF16(x, x_rows, stride, begin, cols, rows, out.data(),
                        out_stride);
      for (int64_t i = 0; i < cols - begin; ++i) {
        for (int64_t j = 0; j < out_stride; ++j) {
          ASSERT_EQ(out[i * out_stride + j],
                    j < rows ? rounded[i * rows + j] : 9);
        }
      }
    }
  });
}

/// Packing bf16 gives the result of packing f32 with rounding.
TEST_F(PackingBF16, ArrangesNumbersOfBF16AsThoseThatItRounds) {
  const auto rounded = [](const std::vector<float>& x) {
    std::vector<uint16_t> out(x.size());
    RoundBF16(x.data(), std::ssize(x), out.data());
    return out;
  };
  for (const int64_t k : {1, 2, 31, 33, 64}) {
    for (const int64_t n : {1, 15, 17, 64, 100}) {
      SCOPED_TRACE(testing::Message() << k << " x " << n);
      const int64_t stride = n + 3;
      const std::vector<float> x = Random(k * stride);
      const std::vector<uint16_t> bits = rounded(x);
      const int64_t rows = PaddedRows(k, true);
      for (int64_t panel = 0; panel < Panels(n); ++panel) {
        std::vector<uint16_t> expected(rows * kPanel, 9);
        std::vector<uint16_t> out(rows * kPanel, 8);
        PackPanelBF16(MatrixView{x.data(), k, n, stride, false}, panel, k,
                      expected.data());
        PackPanelBF16(MatrixViewBF16{bits.data(), k, n, stride, false}, panel,
                      k, out.data());
        ASSERT_EQ(out, expected);
      }
      std::vector<uint16_t> expected(n * rows, 9);
      std::vector<uint16_t> out(n * rows, 9);
      TransposeRowsBF16(x.data(), k, stride, 0, n, rows, expected.data(), rows);
      TransposeRowsBF16(bits.data(), k, stride, 0, n, rows, out.data(), rows);
      ASSERT_EQ(out, expected);

      const int64_t width = (n + 15) / 16 * 16;
      std::vector<float> pairs(PairWords(k) * width, 9);
      std::vector<float> out_pairs(PairWords(k) * width, 8);
      PairRows(k, n, x.data(), stride, 1, pairs.data(), width);
      PairRowsOfBF16(k, n, bits.data(), stride, out_pairs.data(), width);
      ASSERT_EQ(std::memcmp(pairs.data(), out_pairs.data(),
                            pairs.size() * sizeof(float)),
                0);
    }
  }
}

TEST_F(PackingBF16, RoundsToNearestEven) {
  std::vector<float> values = {1.0F,
                               1.0F + 0x1p-8F,
                               1.0F + 3 * 0x1p-8F,
                               -1.0F - 0x1.1p-8F,
                               0.0F,
                               -0.0F,
                               INFINITY,
                               -INFINITY,
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::denorm_min()};
  for (const int64_t n : kSizes) {
    const std::vector<float> more = Random(n);
    values.insert(values.end(), more.begin(), more.end());
    std::vector<uint16_t> out(values.size() + 1, 9);
    RoundBF16(values.data(), static_cast<int64_t>(values.size()), out.data());
    EXPECT_EQ(out.back(), 9) << "written behind the end";
    out.pop_back();
    ASSERT_EQ(out, Rounded(values));
  }
}

TEST_F(PackingBF16, KeepsNansQuiet) {
  const std::vector<float> nans(20,
                                std::numeric_limits<float>::signaling_NaN());
  std::vector<uint16_t> out(20);
  RoundBF16(nans.data(), 20, out.data());
  for (const uint16_t bits : out) {
    EXPECT_EQ(bits & 0x7fc0, 0x7fc0) << "not a quiet NaN";
  }
}

}  // namespace
}  // namespace heed::kernels::cpu::pack_test
