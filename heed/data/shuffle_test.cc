#include "heed/data/shuffle.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/at.h"

namespace heed {
namespace {

using Batches = std::vector<std::vector<int64_t>>;

TEST(Shuffle, EveryOrderComesUpAsOften) {
  Rng rng(1);
  std::vector<int> counts(6);
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> order = {0, 1, 2};
    Shuffle(order, rng);
    ++At(counts, order[0] * 2 + (order[1] > order[2] ? 1 : 0));
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(ShuffledBatches, HoldEveryNumberOnce) {
  const Batches batches = ShuffledBatches(10, 4, 1, 0);
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[2].size(), 2U);
  std::multiset<int64_t> all;
  for (const auto& batch : batches) all.insert(batch.begin(), batch.end());
  for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(all.count(i), 1U);
  EXPECT_TRUE(ShuffledBatches(0, 4, 1, 0).empty());
}

TEST(ShuffledBatches, DifferByEpochAndSeedAlone) {
  const Batches batches = ShuffledBatches(50, 50, 1, 3);
  EXPECT_EQ(batches, ShuffledBatches(50, 50, 1, 3));
  EXPECT_NE(batches, ShuffledBatches(50, 50, 1, 4));
  EXPECT_NE(batches, ShuffledBatches(50, 50, 2, 3));
}

}  // namespace
}  // namespace heed
