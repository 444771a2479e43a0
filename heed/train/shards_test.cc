#include "heed/train/shards.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/base/at.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

void AddFloat(float& a, const float& b) { a += b; }

TEST(Shards, AreConsecutiveAndOfAboutTheSameUnits) {
  Rng rng(1);
  for (const int64_t count : {0, 1, 3, 40, 1000}) {
    for (const int64_t parts : {1, 2, 8, 64}) {
      std::vector<int64_t> units(static_cast<size_t>(count));
      for (int64_t& u : units) u = 1 + static_cast<int64_t>(rng.Below(20));
      const int64_t all = std::accumulate(units.begin(), units.end(), 0L);
      const auto shards = SplitByUnits(units, parts);
      ASSERT_EQ(std::ssize(shards), parts);
      int64_t begin = 0, sum = 0, part = 0;
      for (const Interval& shard : shards) {
        EXPECT_EQ(shard.begin, begin);
        begin = shard.end;
        for (int64_t i = shard.begin; i < shard.end; ++i) {
          sum += At(units, i);
        }
        // The border is within half an example of its exact place.
        EXPECT_NEAR(static_cast<double>(sum * parts),
                    static_cast<double>(all * ++part),
                    static_cast<double>(10 * parts));
      }
      EXPECT_EQ(begin, count);
    }
  }
}

TEST(Shards, AnExampleOfMostUnitsLeavesOthersEmpty) {
  const std::vector<int64_t> units = {1, 1000, 1};
  int64_t examples = 0, empty = 0;
  for (const Interval& shard : SplitByUnits(units, 8)) {
    examples += shard.size();
    empty += shard.size() == 0 ? 1 : 0;
  }
  EXPECT_EQ(examples, 3);
  EXPECT_GE(empty, 5);
}

TEST(Shards, NodesAreTheFewest) {
  EXPECT_EQ(NodesOf({0, 8}), (std::vector<TreeNode>{{3, 0}}));
  EXPECT_EQ(NodesOf({4, 8}), (std::vector<TreeNode>{{2, 1}}));
  EXPECT_EQ(NodesOf({2, 5}), (std::vector<TreeNode>{{1, 1}, {0, 4}}));
  EXPECT_EQ(NodesOf({5, 8}), (std::vector<TreeNode>{{0, 5}, {1, 3}}));
  EXPECT_EQ(NodesOf({3, 3}), std::vector<TreeNode>());
}

TEST(Shards, TheSumHasTheSameBitsHoweverItIsDivided) {
  constexpr int64_t kShards = 32;
  Rng rng(2);
  std::vector<float> leaves;
  for (int64_t i = 0; i < kShards; ++i) {
    leaves.push_back(static_cast<float>(std::exp(8 * rng.Normal())));
  }
  const auto leaf = [&](int64_t i) { return At(leaves, i); };
  TreeSum<float> whole(AddFloat);
  for (int64_t i = 0; i < kShards; ++i) whole.Push({0, i}, leaf(i));
  const float expected = whole.Take().front();
  for (int64_t parts = 1; parts <= kShards; ++parts) {
    TreeSum<float> sum(AddFloat);
    for (int64_t p = 0; p < parts; ++p) {
      const Interval part = EvenPart(kShards, parts, p);
      TreeSum<float> own(AddFloat);
      for (int64_t i = part.begin; i < part.end; ++i) own.Push({0, i}, leaf(i));
      const auto nodes = NodesOf(part);
      const auto values = own.Take();
      ASSERT_EQ(nodes.size(), values.size());
      for (size_t i = 0; i < nodes.size(); ++i) sum.Push(nodes[i], values[i]);
    }
    const auto total = sum.Take();
    ASSERT_EQ(total.size(), 1);
    EXPECT_EQ(total.front(), expected) << parts << " parts";
  }
  // Summing from left to right gives another result, so the test can fail.
  EXPECT_NE(std::accumulate(leaves.begin(), leaves.end(), 0.0F), expected);
}

}  // namespace
}  // namespace heed
