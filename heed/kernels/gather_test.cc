#include "heed/kernels/gather.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::gather_test {
namespace {

Tensor RandomIds(int64_t n, int64_t V, Rng& rng) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < n; ++i) {
    ids.push_back(static_cast<int32_t>(rng.Below(static_cast<uint64_t>(V))));
  }
  return Tensor::Of(ids, {n});
}

TEST(Gather, TakesRowsById) {
  Rng rng(1);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t M : {1, 3, 17, 512}) {
      const Tensor table = RandomSlice({9, M}, dtype, rng).Contiguous();
      for (const int64_t n : {0, 1, 40, 3000}) {
        const Tensor ids = RandomIds(n, 9, rng);
        const Tensor y = Gather(table, ids);
        ASSERT_EQ(y.shape(), (Shape{n, M}));
        ExpectEach(y, 0, [&](int64_t r, int64_t c) {
          return At(table, ids.data<int32_t>()[r], c);
        });
      }
    }
  }
}

TEST(Gather, KeepsTheShapesOfIdsAndRows) {
  const Tensor table = Tensor::Zeros({7, 2, 3}, DType::kBF16);
  const Tensor ids = Tensor::Zeros({4, 5}, DType::kI32);
  EXPECT_EQ(Gather(table, ids).shape(), (Shape{4, 5, 2, 3}));
}

TEST(Gather, TakesSingleIds) {
  const Tensor table = Tensor::Of(std::vector<int32_t>{5, 6, 7}, {3});
  const Tensor ids = Tensor::Of(std::vector<int32_t>{2, 0, 2, 1}, {2, 2});
  const Tensor y = Gather(table, ids);
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(y.ToVector<int32_t>(), (std::vector<int32_t>{7, 5, 7, 6}));
}

class Scatter : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Scatter);

TEST_P(Scatter, AddsEveryScaledRowAlsoOfEqualIds) {
  Rng rng(2);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t M : {1, 15, 17, 63, 129, 600}) {
      for (const int64_t n : {0, 1, 50, 2000}) {
        Tensor table = RandomSlice({30, M}, dtype, rng).Contiguous();
        const Tensor dy = RandomSlice({n, M}, dtype, rng).Contiguous();
        const Tensor ids = RandomIds(n, 30, rng);
        Tensor expected = table.To(DType::kF64);
        for (int64_t i = 0; i < n; ++i) {
          const int32_t id = ids.data<int32_t>()[i];
          for (int64_t c = 0; c < M; ++c) {
            SetAt(expected, id, c, At(expected, id, c) - 1.5 * At(dy, i, c));
          }
        }
        ScatterAddTo(table, ids, dy, -1.5);
        ExpectEach(table, 2e-5,
                   [&](int64_t r, int64_t c) { return At(expected, r, c); });
      }
    }
  }
}

TEST_P(Scatter, DoesNotDependOnThreads) {
  Rng rng(3);
  const Tensor dy = RandomSlice({3000, 300}, DType::kF32, rng).Contiguous();
  const Tensor ids = RandomIds(3000, 5, rng);
  Tensor many = Tensor::Zeros({5, 300});
  ScatterAddTo(many, ids, dy);
  const ThreadLimit one(1);
  Tensor single = Tensor::Zeros({5, 300});
  ScatterAddTo(single, ids, dy);
  EXPECT_EQ(many.ToVector<float>(), single.ToVector<float>());
}

}  // namespace
}  // namespace heed::kernels::gather_test
