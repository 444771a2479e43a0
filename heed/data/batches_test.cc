#include "heed/data/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;
using Plan = std::vector<std::vector<int64_t>>;

// 1000 pairs with correlated lengths from 2 to 41.
Corpus ManyPairs() {
  Corpus corpus;
  for (int i = 0; i < 1000; ++i) {
    const size_t length = static_cast<size_t>(2 + i * 37 % 40);
    corpus.source.push_back(Ids(length, 7));
    corpus.target.push_back(Ids(length / 2 + static_cast<size_t>(i % 5), 8));
    corpus.source.back().back() = kEos;
    corpus.target.back().back() = kEos;
  }
  return corpus;
}

size_t PaddedTokens(const Corpus& corpus, const std::vector<int64_t>& batch) {
  size_t longest = 0;
  for (const int64_t i : batch) {
    const size_t pair = static_cast<size_t>(i);
    longest = std::max(
        {longest, corpus.source[pair].size(), corpus.target[pair].size()});
  }
  return longest * batch.size();
}

TEST(PlanBatches, EveryPairAppearsOnce) {
  const Corpus corpus = ManyPairs();
  std::vector<int64_t> seen;
  for (const auto& batch : PlanBatches(corpus, {.tokens = 300}, 1, 0)) {
    EXPECT_FALSE(batch.empty());
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::sort(seen.begin(), seen.end());
  std::vector<int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

TEST(PlanBatches, BatchesKeepToTheBudgets) {
  const Corpus corpus = ManyPairs();
  for (const auto& batch : PlanBatches(corpus, {.tokens = 300}, 1, 0)) {
    EXPECT_LE(PaddedTokens(corpus, batch), 300u);
  }
  for (const auto& batch :
       PlanBatches(corpus, {.tokens = 300, .sentences = 6}, 1, 0)) {
    EXPECT_LE(PaddedTokens(corpus, batch), 300u);
    EXPECT_LE(batch.size(), 6u);
  }
}

TEST(PlanBatches, LittleIsPadding) {
  const Corpus corpus = ManyPairs();
  size_t padded = 0, tokens = 0;
  for (const auto& batch : PlanBatches(corpus, {.tokens = 300}, 1, 0)) {
    padded += PaddedTokens(corpus, batch);
  }
  for (const Ids& source : corpus.source) tokens += source.size();
  EXPECT_LT(static_cast<double>(padded), 1.1 * static_cast<double>(tokens));
}

TEST(PlanBatches, PairLongerThanTheBudgetStandsAlone) {
  Corpus corpus = ManyPairs();
  corpus.target[500] = Ids(5000, 8);
  const Plan plan = PlanBatches(corpus, {.tokens = 300}, 1, 0);
  EXPECT_EQ(std::count(plan.begin(), plan.end(), std::vector<int64_t>{500}), 1);
}

TEST(PlanBatches, SeedAndEpochDecideTheOrder) {
  const Corpus corpus = ManyPairs();
  const BatchOptions options{.tokens = 300};
  const Plan plan = PlanBatches(corpus, options, 1, 0);
  EXPECT_EQ(plan, PlanBatches(corpus, options, 1, 0));
  EXPECT_NE(plan, PlanBatches(corpus, options, 1, 1));
  EXPECT_NE(plan, PlanBatches(corpus, options, 2, 0));
  EXPECT_NE(plan, PlanBatches(corpus, options, uint64_t{1} << 32, 0));
}

TEST(PlanBatches, OrderIsTheSameOnEveryPlatform) {
  Corpus corpus;
  corpus.source.assign(8, Ids{kEos});
  corpus.target = corpus.source;
  EXPECT_EQ(PlanBatches(corpus, {.tokens = 3}, 7, 2),
            (Plan{{1, 3, 0}, {2, 4, 7}, {6, 5}}));
}

TEST(PlanBatches, EmptyCorpusHasNoBatches) {
  EXPECT_TRUE(PlanBatches(Corpus(), {}, 1, 0).empty());
}

TEST(PlanBatches, ImpossibleBudgetIsAConfigError) {
  EXPECT_THROW(PlanBatches(Corpus(), {.tokens = 0}, 1, 0), ConfigError);
  EXPECT_THROW(PlanBatches(Corpus(), {.tokens = 1, .sentences = -1}, 1, 0),
               ConfigError);
}

TEST(MakeBatch, IsTimeMajorAndPadded) {
  Corpus corpus;
  corpus.source = {{4, 5, 6, kEos}, {9, kEos}, {7, 8, kEos}};
  corpus.target = {{14, kEos}, {19, kEos}, {17, 18, kEos}};
  const Batch batch = MakeBatch(corpus, std::vector<int64_t>{2, 0});
  EXPECT_EQ(batch.B, 2);
  EXPECT_EQ(batch.S, 4);
  EXPECT_EQ(batch.T, 3);
  EXPECT_EQ(batch.source, (Ids{7, 4, 8, 5, kEos, 6, kPad, kEos}));
  EXPECT_EQ(batch.source_lengths, (Ids{3, 4}));
  EXPECT_EQ(batch.target_in, (Ids{kBos, kBos, 17, 14, 18, kPad}));
  EXPECT_EQ(batch.target_out, (Ids{17, 14, 18, kEos, kEos, kIgnored}));
  EXPECT_EQ(batch.target_lengths, (Ids{3, 2}));
  EXPECT_EQ(batch.indices, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(batch.target_tokens, 5);
}

TEST(MakeBatch, WithoutAStartTokenTheFirstTokenIsOnlyRead) {
  Corpus corpus;
  corpus.source = {{}, {}};
  corpus.target = {{14, 3, 9}, {17, 9}};
  corpus.start = -1;
  const Batch batch = MakeBatch(corpus, std::vector<int64_t>{0, 1});
  EXPECT_EQ(batch.T, 2);
  EXPECT_EQ(batch.target_in, (Ids{14, 17, 3, 0}));
  EXPECT_EQ(batch.target_out, (Ids{3, 9, 9, kIgnored}));
  EXPECT_EQ(batch.target_lengths, (Ids{2, 1}));
  EXPECT_EQ(batch.target_tokens, 3);
}

TEST(MakeSourceBatch, HasNoTarget) {
  const std::vector<Ids> source = {{4, kEos}, {kEos}};
  const Batch batch = MakeSourceBatch(source, std::vector<int64_t>{0, 1});
  EXPECT_EQ(batch.source, (Ids{4, kEos, kEos, kPad}));
  EXPECT_EQ(batch.source_lengths, (Ids{2, 1}));
  EXPECT_EQ(batch.T, 0);
  EXPECT_TRUE(batch.target_in.empty());
}

TEST(MakeIdRows, AreFilledBehindAndNeverEmpty) {
  const std::vector<Ids> all = {{1, 2, 3}, {}, {4}};
  const IdRows rows = MakeIdRows(all, std::vector<int64_t>{2, 0}, -1);
  EXPECT_EQ(rows.ids.ToVector<int32_t>(), (Ids{4, -1, -1, 1, 2, 3}));
  EXPECT_EQ(rows.lengths.ToVector<int32_t>(), (Ids{1, 3}));
  const IdRows none = MakeIdRows(all, std::vector<int64_t>{1}, 7);
  EXPECT_EQ(none.ids.ToVector<int32_t>(), Ids{7});
  EXPECT_EQ(none.lengths.ToVector<int32_t>(), Ids{0});
}

}  // namespace
}  // namespace heed
