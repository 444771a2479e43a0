#include "heed/data/epoch_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

/// Consecutive pairs that are read from files together.
constexpr int64_t kBlock = 4096;

// std::shuffle and standard distributions differ between libraries.
template <typename T>
void ShuffleBy(std::mt19937_64& random, std::vector<T>& items) {
  for (size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random() % i]);
  }
}

/// Random generator of an epoch, or of a window after the first.
std::mt19937_64 RandomOf(uint64_t seed, int epoch, int64_t window) {
  std::vector<uint32_t> parts = {static_cast<uint32_t>(seed),
                                 static_cast<uint32_t>(seed >> 32),
                                 static_cast<uint32_t>(epoch)};
  if (window > 0) parts.push_back(static_cast<uint32_t>(window));
  std::seed_seq sequence(parts.begin(), parts.end());
  return std::mt19937_64(sequence);
}

/// Pairs `begin` to `end` − 1, or a subset of them.
struct Block {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<int64_t> chosen = {};  // subset; empty: all

  int64_t size() const {
    return chosen.empty() ? end - begin : std::ssize(chosen);
  }
  void AppendTo(std::vector<int64_t>& pairs) const {
    if (!chosen.empty()) {
      pairs.insert(pairs.end(), chosen.begin(), chosen.end());
      return;
    }
    for (int64_t i = begin; i < end; ++i) pairs.push_back(i);
  }
};

std::vector<Block> BlocksOf(int64_t begin, int64_t end) {
  std::vector<Block> blocks;
  for (int64_t at = begin; at < end; at += kBlock) {
    blocks.push_back({at, std::min(end, at + kBlock)});
  }
  return blocks;
}

/// Adds a random subset of `count` pairs.
void AddSome(std::vector<Block> from, int64_t count, std::mt19937_64& random,
             std::vector<Block>& blocks) {
  ShuffleBy(random, from);
  for (Block& block : from) {
    if (count == 0) return;
    if (block.size() > count) {
      std::vector<int64_t> all;
      block.AppendTo(all);
      ShuffleBy(random, all);
      all.resize(static_cast<size_t>(count));
      std::ranges::sort(all);
      block.chosen = std::move(all);
    }
    count -= block.size();
    blocks.push_back(std::move(block));
  }
}

/// Number of an epoch's pairs from each corpus.
std::vector<int64_t> SharesOf(const PlannedPairs& pairs) {
  const auto sum =
      std::accumulate(pairs.weights.begin(), pairs.weights.end(), 0.0);
  const bool usable = pairs.weights.size() == pairs.ends.size() && sum > 0 &&
                      std::ranges::all_of(pairs.weights, [](double w) {
                        return std::isfinite(w) && w >= 0;
                      });
  if (!usable) {
    throw ConfigError(
        "{} weights for {} corpora: as many are needed, none negative and not "
        "all 0",
        pairs.weights.size(), pairs.ends.size());
  }
  const auto all = static_cast<double>(pairs.ends.back());
  std::vector<int64_t> shares;
  double before = 0;
  for (const double weight : pairs.weights) {  // rounded to the exact sum
    const double until = before + weight;
    shares.push_back(std::llround(all * until / sum) -
                     std::llround(all * before / sum));
    before = until;
  }
  return shares;
}

std::vector<Block> BlocksOfEpoch(const PlannedPairs& pairs,
                                 std::mt19937_64& random) {
  if (pairs.weights.empty()) return BlocksOf(0, pairs.ends.back());
  std::vector<Block> blocks;
  const std::vector<int64_t> shares = SharesOf(pairs);
  int64_t begin = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const int64_t end = pairs.ends[i];
    const std::vector<Block> own = BlocksOf(begin, end);
    int64_t left = shares[i];
    if (left > 0 && own.empty()) {
      throw ConfigError("corpus {} of {} has a weight, but no pair is left",
                        i + 1, shares.size());
    }
    for (; left >= end - begin && left > 0; left -= end - begin) {
      blocks.insert(blocks.end(), own.begin(), own.end());
    }
    AddSome(own, left, random, blocks);
    begin = end;
  }
  return blocks;
}

/// Groups blocks into windows, each in the order of its pairs.
std::vector<std::vector<Block>> WindowsOf(std::vector<Block> blocks,
                                          int64_t window,
                                          std::mt19937_64& random) {
  int64_t all = 0;
  for (const Block& block : blocks) all += block.size();
  if (window > 0 && window < all) ShuffleBy(random, blocks);
  std::vector<std::vector<Block>> windows;
  int64_t size = 0;
  for (Block& block : blocks) {
    if (windows.empty() || (window > 0 && size + block.size() > window)) {
      windows.emplace_back();
      size = 0;
    }
    size += block.size();
    windows.back().push_back(std::move(block));
  }
  for (auto& of_window : windows) {
    std::ranges::stable_sort(of_window, {}, &Block::begin);
  }
  return windows;
}

/// True if a pair of this length does not fit into a batch of `count` pairs.
bool NeedsNew(int64_t count, int64_t length, const BatchOptions& options) {
  return count == 0 || (count + 1) * length > options.tokens ||
         (options.sentences > 0 && count == options.sentences);
}

struct Measured {
  int32_t longest = 0;
  int32_t source = 0;
  int32_t target = 0;
  int64_t pair = 0;
};

std::vector<Measured> Measure(const std::vector<Block>& blocks,
                              const PlannedPairs& of) {
  std::vector<Measured> measured;
  std::vector<int64_t> pairs;
  for (const Block& block : blocks) {
    pairs.clear();
    block.AppendTo(pairs);
    for (const int64_t pair : pairs) {
      const auto [source, target] = of.length(pair);
      measured.push_back({std::max(source, target), source, target, pair});
    }
  }
  if (of.measured) of.measured();
  return measured;
}

BatchList BatchesOf(std::vector<Measured> pairs, const BatchOptions& options,
                    std::mt19937_64 random) {
  ShuffleBy(random, pairs);  // random order of pairs with equal lengths
  // Sorts by the longer side, which determines a batch's size. On Multi30k this
  // leaves a third less padding than sorting by source, then target.
  std::ranges::stable_sort(pairs, {}, [](const Measured& pair) {
    return std::tuple(pair.longest, pair.source, pair.target);
  });
  BatchList batches;
  for (const Measured& pair : pairs) {
    const int64_t count = batches.empty() ? 0 : std::ssize(batches.back());
    if (NeedsNew(count, pair.longest, options)) batches.emplace_back();
    batches.back().push_back(pair.pair);
  }
  ShuffleBy(random, batches);
  return batches;
}

/// Number of batches of BatchesOf, computed without sorting.
int64_t CountBatches(const std::vector<Block>& blocks,
                     const PlannedPairs& pairs, const BatchOptions& options) {
  std::vector<int64_t> of_length;
  for (const Measured& pair : Measure(blocks, pairs)) {
    const auto longest = static_cast<size_t>(pair.longest);
    if (longest >= of_length.size()) of_length.resize(longest + 1);
    ++of_length[longest];
  }
  int64_t batches = 0;
  int64_t count = 0;
  for (size_t longest = 0; longest < of_length.size(); ++longest) {
    for (int64_t i = 0; i < of_length[longest]; ++i) {
      if (NeedsNew(count, static_cast<int64_t>(longest), options)) {
        ++batches;
        count = 0;
      }
      ++count;
    }
  }
  return batches;
}

}  // namespace

EpochPlan::EpochPlan(BatchList batches)
    : starts_{0, std::ssize(batches)}, next_(1), loaded_(std::move(batches)) {}

EpochPlan::EpochPlan(const std::vector<int64_t>& counts,
                     std::function<BatchList(int64_t window)> make)
    : starts_{0}, make_(std::move(make)) {
  for (const int64_t count : counts) starts_.push_back(size() + count);
}

std::span<const std::vector<int64_t>> EpochPlan::Get(int64_t begin,
                                                     int64_t end) {
  if (begin < first_ || begin > first_ + std::ssize(loaded_)) {
    const auto behind = std::ranges::upper_bound(starts_, begin);
    next_ = behind - starts_.begin() - 1;
    first_ = At(starts_, next_);
    loaded_.clear();
  }
  while (end > first_ + std::ssize(loaded_)) {
    if (begin > first_ && !loaded_.empty()) {
      const int64_t gone = std::min(begin - first_, std::ssize(loaded_));
      loaded_.erase(loaded_.begin(), loaded_.begin() + gone);
      first_ += gone;
    }
    std::ranges::move(make_(next_), std::back_inserter(loaded_));
    ++next_;
  }
  return std::span(loaded_).subspan(static_cast<size_t>(begin - first_),
                                    static_cast<size_t>(end - begin));
}

BatchList EpochPlan::All() && {
  (void)Get(0, size());
  return std::move(loaded_);
}

EpochPlan PlanPairs(const PlannedPairs& pairs, const BatchOptions& options,
                    uint64_t seed, int epoch) {
  if (options.tokens < 1 || options.sentences < 0) {
    throw ConfigError(
        "batches: {} tokens and {} sentences; at least 1 token is needed, and "
        "0 sentences mean no limit",
        options.tokens, options.sentences);
  }
  // INT32_MAX instead of a window number, which the windows use for their own
  // order.
  std::mt19937_64 random = RandomOf(seed, epoch, INT32_MAX);
  const auto windows = std::make_shared<const std::vector<std::vector<Block>>>(
      WindowsOf(BlocksOfEpoch(pairs, random), pairs.window, random));
  if (windows->size() <= 1) {
    if (windows->empty()) return BatchList();
    return BatchesOf(Measure(windows->front(), pairs), options,
                     RandomOf(seed, epoch, 0));
  }
  std::vector<int64_t> counts;
  for (const std::vector<Block>& window : *windows) {
    counts.push_back(CountBatches(window, pairs, options));
  }
  return {counts, [=](int64_t window) {
            return BatchesOf(Measure(At((*windows), window), pairs), options,
                             RandomOf(seed, epoch, window));
          }};
}

}  // namespace heed
