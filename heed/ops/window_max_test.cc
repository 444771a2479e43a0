#include "heed/ops/window_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/base/threads.h"

namespace heed::window_max_test {
namespace {

constexpr int64_t V = 6;
const std::vector<std::vector<int32_t>> kRows = {
    {3, 1, 4, 1, 5}, {2}, {}, {5, 5, 5, 2, 1, 4, 3}};

Tensor Padded(int64_t length) {
  std::vector<int32_t> ids;
  for (std::vector<int32_t> row : kRows) {
    row.resize(static_cast<size_t>(length), 0);
    ids.insert(ids.end(), row.begin(), row.end());
  }
  return Ids(ids, {static_cast<int64_t>(kRows.size()), length});
}

/// Reference by the formula, over a row with width − 1 zeros on both sides.
double Expected(const Tensor& table, std::vector<int32_t> row, int64_t width,
                int64_t f) {
  const int64_t filters = table.dim(1) / width;
  std::vector<int32_t> around(static_cast<size_t>(width - 1), 0);
  row.insert(row.begin(), around.begin(), around.end());
  row.insert(row.end(), around.begin(), around.end());
  if (row.empty()) row.push_back(0);
  row.resize(std::max(row.size(), static_cast<size_t>(width)), 0);
  double best = -1e9;
  for (size_t p = 0; p + static_cast<size_t>(width) <= row.size(); ++p) {
    double sum = 0;
    for (int64_t j = 0; j < width; ++j) {
      sum +=
          kernels::At(table, row[p + static_cast<size_t>(j)], j * filters + f);
    }
    best = std::max(best, sum);
  }
  return best;
}

TEST(WindowMax, IsTheGreatestSumOverWindowsThatTouchTheRow) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t width : {1, 2, 3, 4}) {
      for (const int64_t filters : {1, 5, 33}) {
        const Tensor table = RandomTensor({V, width * filters}, 1, dtype);
        const Tensor y = WindowMax(table, Padded(9), width).value();
        ASSERT_EQ(y.shape(), (Shape{4, filters}));
        kernels::ExpectEach(y, 1e-6, [&](int64_t u, int64_t f) {
          return Expected(table, At(kRows, u), width, f);
        });
      }
    }
  }
}

TEST(WindowMax, DoesNotDependOnPadding) {
  const Tensor table = RandomTensor({V, 3 * 7}, 1);
  EXPECT_EQ(MaxDifference(WindowMax(table, Padded(7), 3).value(),
                          WindowMax(table, Padded(20), 3).value()),
            0);
}

TEST(WindowMax, HasTheGradientOfDifferences) {
  for (const int64_t width : {1, 3}) {
    ExpectGradientOf(
        [&](std::span<const Var> in) {
          return WindowMax(in[0], Padded(8), width);
        },
        {RandomTensor({V, width * 5}, 1)});
  }
}

TEST(WindowMax, HasTheSameGradientWithAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const ThreadLimit limit(threads);
    Tape tape;
    const Var table = tape.Leaf(RandomTensor({V, 3 * 50}, 1, DType::kF32));
    tape.Backward(WindowMax(table, Padded(8), 3));
    return tape.Gradient(table);
  };
  EXPECT_EQ(MaxDifference(run(1), run(4)), 0);
}

TEST(WindowMax, RefusesWhatDoesNotFit) {
  const Tensor table = RandomTensor({V, 6}, 1);
  ExpectShapeError(
      [&] {
        WindowMax(table, Ids({1, 6}, {1, 2}), 2);
      },
      {"window max", "id 6", "6 rows"});
  ExpectShapeError(
      [&] {
        WindowMax(table, Ids({1, 2}, {1, 2}), 4);
      },
      {"window max", "windows of 4"});
}

}  // namespace
}  // namespace heed::window_max_test
