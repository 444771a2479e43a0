#include "heed/data/epoch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

/// Lengths of 2 to 20 tokens on each side.
PairLength LengthOf(int64_t pair) {
  const auto hash = static_cast<uint64_t>(pair) * 0x9e3779b97f4a7c15U;
  return {static_cast<int32_t>(2 + (hash >> 40) % 19),
          static_cast<int32_t>(2 + (hash >> 20) % 19)};
}

PlannedPairs Pairs(std::vector<int64_t> ends, int64_t window = 0) {
  return {.length = LengthOf, .ends = std::move(ends), .window = window};
}

std::map<int64_t, int> CountsIn(const BatchList& batches) {
  std::map<int64_t, int> counts;
  for (const auto& batch : batches) {
    for (const int64_t pair : batch) ++counts[pair];
  }
  return counts;
}

TEST(EpochPlan, EachPairStandsInOneBatchOfAnyWindow) {
  for (const int64_t window : {int64_t{0}, int64_t{1}, int64_t{10000}}) {
    EpochPlan plan = PlanPairs(Pairs({30000}, window), {.tokens = 300}, 1, 0);
    const int64_t size = plan.size();
    const BatchList batches = std::move(plan).All();
    EXPECT_EQ(std::ssize(batches), size);
    const auto counts = CountsIn(batches);
    EXPECT_EQ(counts.size(), 30000U) << window;
    EXPECT_TRUE(std::ranges::all_of(
        counts, [](const auto& count) { return count.second == 1; }));
    for (const auto& batch : batches) {
      int64_t longest = 0;
      for (const int64_t pair : batch) {
        const PairLength length = LengthOf(pair);
        longest = std::max<int64_t>({longest, length.source, length.target});
      }
      EXPECT_LE(longest * std::ssize(batch), 300);
    }
  }
}

TEST(EpochPlan, AWindowOfAllPairsChangesNothing) {
  const auto plan = [](int64_t window) {
    return PlanPairs(Pairs({20000}, window), {.tokens = 200, .sentences = 9}, 7,
                     3)
        .All();
  };
  EXPECT_EQ(plan(20000), plan(0));
  EXPECT_EQ(plan(1 << 30), plan(0));
  EXPECT_NE(plan(8192), plan(0));
}

TEST(EpochPlan, WindowsMixRunsOfPairsAnewInEachEpoch) {
  const auto first_window = [](int epoch) {
    EpochPlan plan =
        PlanPairs(Pairs({100000}, 8192), {.tokens = 4096}, 1, epoch);
    std::vector<int64_t> blocks;
    for (const auto& batch : plan.Get(0, 1)) {
      for (const int64_t pair : batch) blocks.push_back(pair / 4096);
    }
    std::ranges::sort(blocks);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
  };
  EXPECT_EQ(first_window(0).size(), 2U);  // batches of blocks of 4096 pairs
  EXPECT_NE(first_window(0), first_window(1));
  EXPECT_EQ(first_window(2), first_window(2));
}

TEST(EpochPlan, AnyPartCanBeHad) {
  const auto make = [] {
    return PlanPairs(Pairs({50000}, 8192), {.tokens = 400}, 1, 0);
  };
  EpochPlan plan = make();
  const BatchList all = make().All();
  const auto expect = [&](int64_t begin, int64_t end) {
    const auto part = plan.Get(begin, end);
    EXPECT_TRUE(std::ranges::equal(
        part, std::span(all).subspan(static_cast<size_t>(begin),
                                     static_cast<size_t>(end - begin))))
        << begin << " " << end;
  };
  for (int64_t batch = 0; batch + 7 <= plan.size(); batch += 7) {
    expect(batch, batch + 7);
  }
  expect(plan.size() - 1, plan.size());
  expect(plan.size() / 2, plan.size());  // goes back, as a resumed run may
  expect(0, plan.size());
  expect(3, 3);
}

TEST(EpochPlan, AnEmptyOneHasNoBatch) {
  EXPECT_EQ(PlanPairs(Pairs({0}), {}, 1, 0).size(), 0);
  EXPECT_EQ(PlanPairs(Pairs({0}, 5), {}, 1, 0).size(), 0);
}

TEST(EpochPlan, WeightsArePartsOfAnEpoch) {
  for (const int64_t window : {0, 5000}) {
    PlannedPairs pairs = Pairs({1000, 1000, 30000}, window);
    pairs.weights = {1, 0, 3};
    const auto counts = CountsIn(PlanPairs(pairs, {.tokens = 300}, 1, 0).All());
    int64_t of_first = 0;
    int64_t of_last = 0;
    for (const auto& [pair, count] : counts) {
      (pair < 1000 ? of_first : of_last) += count;
      // 7500 pairs from 1000: each one 7 times, and half of them once more.
      const bool expected = pair < 1000 ? count == 7 || count == 8 : count == 1;
      EXPECT_TRUE(expected) << pair << ": " << count;
    }
    EXPECT_EQ(of_first, 7500);
    EXPECT_EQ(of_last, 22500);
  }
}

TEST(EpochPlan, AChoiceIsMadeAnewInEachEpoch) {
  PlannedPairs pairs = Pairs({5000, 10000});
  pairs.weights = {1, 9};
  const auto chosen = [&](int epoch) {
    std::vector<int64_t> of_first;
    for (const auto& [pair, count] :
         CountsIn(PlanPairs(pairs, {}, 1, epoch).All())) {
      if (pair < 5000) of_first.push_back(pair);
    }
    return of_first;
  };
  EXPECT_EQ(chosen(0).size(), 1000U);
  EXPECT_NE(chosen(0), chosen(1));
}

TEST(EpochPlan, WeightsMustFit) {
  PlannedPairs pairs = Pairs({10, 10, 20});
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 2}, {0, 0, 0}, {1, -1, 1}, {1, 1, NAN}}) {
    pairs.weights = weights;
    EXPECT_THROW(PlanPairs(pairs, {}, 1, 0), ConfigError);
  }
  pairs.weights = {1, 1, 1};  // the second corpus has no pairs
  EXPECT_NE(MessageOf<ConfigError>([&] {
              PlanPairs(pairs, {}, 1, 0);
            }).find("corpus 2 of 3"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
