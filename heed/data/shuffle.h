// Random orders that are equal on every platform.
#ifndef HEED_DATA_SHUFFLE_H_
#define HEED_DATA_SHUFFLE_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "heed/base/rng.h"

namespace heed {

/// Shuffles uniformly (Fisher and Yates).
template <typename T>
void Shuffle(std::vector<T>& items, Rng& rng) {
  for (size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[rng.Below(i)]);
  }
}

/// Batches of `size` numbers below `count` (fewer in the last one), reshuffled
/// in each epoch.
inline std::vector<std::vector<int64_t>> ShuffledBatches(int64_t count,
                                                         int64_t size,
                                                         uint64_t seed,
                                                         int epoch) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  Rng rng(Rng(seed, static_cast<uint64_t>(epoch)).Next());
  Shuffle(order, rng);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t begin = 0; begin < count; begin += size) {
    batches.emplace_back(order.begin() + begin,
                         order.begin() + std::min(begin + size, count));
  }
  return batches;
}

/// ShuffledBatches with new numbers in each epoch: item i of epoch k is example
/// k · count + i. For examples that are generated from their numbers.
inline std::vector<std::vector<int64_t>> NumberedBatches(int64_t count,
                                                         int64_t size,
                                                         uint64_t seed,
                                                         int epoch) {
  auto batches = ShuffledBatches(count, size, seed, epoch);
  for (std::vector<int64_t>& batch : batches) {
    for (int64_t& example : batch) example += epoch * count;
  }
  return batches;
}

}  // namespace heed

#endif  // HEED_DATA_SHUFFLE_H_
