#include "heed/kernels/product_topk.h"

#include <gtest/gtest.h>

#include "heed/kernels/testing.h"

namespace heed::kernels::product_topk_test {
namespace {

struct Case {
  Precision precision;
  int64_t rows;
  int64_t words;
};

class ProductTopK : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ProductTopK,
                         testing::Values(Case{Precision::kNative, 3, 5},
                                         Case{Precision::kNative, 700, 200},
                                         Case{Precision::kBF16, 700, 129},
                                         Case{Precision::kInt8, 1, 64},
                                         Case{Precision::kInt8, 2, 5000},
                                         Case{Precision::kInt8, 700, 321}),
                         [](const auto& info) {
                           return std::to_string(
                                      static_cast<int>(info.param.precision)) +
                                  "_" + std::to_string(info.param.rows) + "_" +
                                  std::to_string(info.param.words);
                         });

TEST_P(ProductTopK, IsTheTopKOfTheProduct) {
  const auto [precision, rows, words] = GetParam();
  if (precision == Precision::kBF16 && !HasBF16()) {
    GTEST_SKIP() << "no bf16 on this machine";
  }
  Rng rng(3);
  const Tensor a = RandomSlice({rows, 12}, DType::kF32, rng);
  PackedMatrix b;
  Pack(RandomSlice({words, 12}, DType::kF32, rng), true, precision, b);
  const Tensor bias =
      RandomSlice({1, words}, DType::kF32, rng).Contiguous().Reshape({words});
  Tensor scores({rows, words});
  Multiply(a, b, {.bias = &bias}, scores);
  const TopKScores expected = FindTopK(scores, 4, 3);
  const TopKScores found = FindTopK(a, b, bias, 4, 3);
  ASSERT_TRUE(found.defined());
  EXPECT_EQ(found.values.ToVector<float>(), expected.values.ToVector<float>());
  EXPECT_EQ(found.columns.ToVector<int32_t>(),
            expected.columns.ToVector<int32_t>());
  EXPECT_EQ(found.first.ToVector<float>(), expected.first.ToVector<float>());
  ASSERT_EQ(found.first.shape(), (Shape{rows, 3}));
  for (int64_t r = 0; r < rows; ++r) {
    EXPECT_NEAR(found.log_sums.data<double>()[r],
                expected.log_sums.data<double>()[r], 1e-5);
  }
}

TEST(ProductTopK, OfNoRowsIsEmpty) {
  Rng rng(3);
  PackedMatrix b;
  Pack(RandomSlice({12, 70}, DType::kF32, rng), false, Precision::kInt8, b);
  const TopKScores found =
      FindTopK(Tensor({0, 12}), b, Tensor::Zeros({70}), 4, 3);
  EXPECT_EQ(found.values.shape(), (Shape{0, 4}));
}

}  // namespace
}  // namespace heed::kernels::product_topk_test
