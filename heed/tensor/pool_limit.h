// How much memory that is not in use the pool of tensors keeps. A header of its
// own, because every tensor includes the pool's.
#ifndef HEED_TENSOR_POOL_LIMIT_H_
#define HEED_TENSOR_POOL_LIMIT_H_

#include <cstdint>

namespace heed::pool {

/// From now on everything that waits for reuse is given back to the system
/// whenever it is more than `bytes`: for processes that stay, whose largest
/// computation may be long ago. Otherwise all is kept. Thread-safe.
void KeepAtMost(int64_t bytes);

}  // namespace heed::pool

#endif  // HEED_TENSOR_POOL_LIMIT_H_
