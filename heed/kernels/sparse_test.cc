#include "heed/kernels/sparse.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <string>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::sparse_test {
namespace {

/// Random pattern: each element with probability 1/2, none in every third row.
SparsePattern RandomPattern(int64_t rows, int64_t cols, uint64_t seed) {
  Rng rng(seed);
  std::vector<int32_t> offsets{0};
  std::vector<int32_t> columns;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; r % 3 != 1 && c < cols; ++c) {
      if (rng.Uniform() < 0.5) columns.push_back(static_cast<int32_t>(c));
    }
    offsets.push_back(static_cast<int32_t>(columns.size()));
  }
  return MakeSparsePattern(Tensor::Of(offsets, {rows + 1}),
                           Tensor::Of(columns, {std::ssize(columns)}), cols);
}

struct Sizes {
  int64_t rows, cols, width, groups;
};

struct Case {
  Case(const Sizes& n, DType dtype)
      : sizes(n),
        pattern(RandomPattern(n.rows, n.cols, 3)),
        values(Random({n.groups, pattern.entries()}, dtype, 4)),
        w(Random({n.cols, n.width}, dtype, 5)),
        dy(Random({n.rows, n.width}, dtype, 6)) {}

  /// Element of the sparse matrix X [rows, cols] of a group of columns.
  double X(int64_t group, int64_t r, int64_t c) const {
    const auto* offsets = pattern.offsets.data<int32_t>();
    for (int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
      if (pattern.columns.data<int32_t>()[e] == c) return At(values, group, e);
    }
    return 0;
  }
  int64_t Group(int64_t c) const { return c / (sizes.width / sizes.groups); }
  double Loss() const { return Dot(SparseMultiply(pattern, values, w), dy); }

  Sizes sizes;
  SparsePattern pattern;
  Tensor values, w, dy;
};

template <typename Body>
void ForCases(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Sizes& n : std::vector<Sizes>{{0, 3, 2, 1},
                                             {3, 0, 2, 1},
                                             {2, 1, 1, 1},
                                             {17, 17, 8, 8},
                                             {9, 7, 60, 4},
                                             {5, 40, 17, 1},
                                             {5, 6, 128, 2},
                                             {4, 5, 129, 3},
                                             {70, 90, 64, 8},
                                             {33, 21, 67, 1},
                                             {6, 5, 255, 1}}) {
      SCOPED_TRACE(testing::Message() << Name(dtype) << " " << n.rows << " x "
                                      << n.cols << " x " << n.width);
      body(Case(n, dtype));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class SparseKernels : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(SparseKernels);

TEST_P(SparseKernels, ProductIsThatOfTheDenseMatrix) {
  ForCases([](const Case& n) {
    const Tensor y = SparseMultiply(n.pattern, n.values, n.w);
    ASSERT_EQ(y.shape(), (Shape{n.sizes.rows, n.sizes.width}));
    ExpectEach(y, 2e-5, [&](int64_t r, int64_t c) {
      double sum = 0;
      for (int64_t j = 0; j < n.sizes.cols; ++j) {
        sum += n.X(n.Group(c), r, j) * At(n.w, j, c);
      }
      return sum;
    });
  });
}

TEST_P(SparseKernels, TransposedProductAddsThatOfTheDenseMatrix) {
  ForCases([](const Case& n) {
    Tensor dw = Tensor::Full(n.w.shape(), 1, n.w.dtype());
    SparseMultiplyTransposedTo(dw, n.pattern, n.values, n.dy);
    ExpectEach(dw, 2e-5, [&](int64_t j, int64_t c) {
      double sum = 1;
      for (int64_t r = 0; r < n.sizes.rows; ++r) {
        sum += n.X(n.Group(c), r, j) * At(n.dy, r, c);
      }
      return sum;
    });
  });
}

TEST_P(SparseKernels, GradientsAreTheDifferences) {
  for (const Sizes& n : {Sizes{7, 5, 12, 4}, Sizes{6, 9, 17, 1}}) {
    Case c(n, DType::kF64);
    Tensor dw = Tensor::Zeros(c.w.shape(), DType::kF64);
    SparseMultiplyTransposedTo(dw, c.pattern, c.values, c.dy);
    ExpectGradient(dw, c.w, [&] { return c.Loss(); });
    ExpectGradient(SparseValuesGrad(c.pattern, n.groups, c.w, c.dy), c.values,
                   [&] { return c.Loss(); });
  }
}

TEST_P(SparseKernels, WithoutValuesTheyAreOne) {
  Case n({9, 7, 12, 1}, DType::kF32);
  n.values.Fill(1);
  EXPECT_EQ(SparseMultiply(n.pattern, {}, n.w).ToVector<float>(),
            SparseMultiply(n.pattern, n.values, n.w).ToVector<float>());
  Tensor without = Tensor::Zeros(n.w.shape());
  Tensor with = Tensor::Zeros(n.w.shape());
  SparseMultiplyTransposedTo(without, n.pattern, {}, n.dy);
  SparseMultiplyTransposedTo(with, n.pattern, n.values, n.dy);
  EXPECT_EQ(without.ToVector<float>(), with.ToVector<float>());
}

TEST_P(SparseKernels, RowsOfASliceAreThoseOfACopy) {
  const Case n({9, 7, 12, 1}, DType::kF32);
  const Tensor slice = n.w.Columns(3, 10);
  EXPECT_EQ(
      SparseMultiply(n.pattern, n.values, slice).ToVector<float>(),
      SparseMultiply(n.pattern, n.values, slice.Clone()).ToVector<float>());
}

TEST(Sparse, ResultsDoNotDependOnTheNumberOfThreads) {
  const Case n({900, 700, 64, 8}, DType::kF32);
  const auto both = [&] {
    Tensor dw = Tensor::Zeros(n.w.shape());
    SparseMultiplyTransposedTo(dw, n.pattern, n.values, n.dy);
    std::vector<float> all = dw.ToVector<float>();
    for (const Tensor& x :
         {SparseMultiply(n.pattern, n.values, n.w),
          SparseValuesGrad(n.pattern, n.sizes.groups, n.w, n.dy)}) {
      const std::vector<float> part = x.ToVector<float>();
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  std::vector<float> one;
  {
    const ThreadLimit limit(1);
    one = both();
  }
  const ThreadLimit limit(2);
  EXPECT_EQ(both(), one);
}

TEST(Sparse, AColumnThatComesTwiceCountsTwice) {
  const SparsePattern twice = MakeSparsePattern(
      Tensor::Of<int32_t>({0, 2}, {2}), Tensor::Of<int32_t>({1, 1}, {2}), 2);
  const Tensor w = Tensor::Of<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(SparseMultiply(twice, {}, w).ToVector<float>(),
            (std::vector<float>{6, 8}));
  Tensor dw = Tensor::Zeros({2, 2});
  SparseMultiplyTransposedTo(dw, twice, {}, Tensor::Of<float>({1, 5}, {1, 2}));
  EXPECT_EQ(dw.ToVector<float>(), (std::vector<float>{0, 0, 2, 10}));
}

}  // namespace
}  // namespace heed::kernels::sparse_test
