// Limit on unused memory that the tensor pool keeps. A separate header, because
// every tensor includes pool.h.
#ifndef HEED_TENSOR_POOL_LIMIT_H_
#define HEED_TENSOR_POOL_LIMIT_H_

#include <cstdint>

namespace heed::pool {

/// Returns all cached buffers to the system whenever they exceed `bytes`, for
/// long-running processes (default: no limit). Thread-safe.
void KeepAtMost(int64_t bytes);

}  // namespace heed::pool

#endif  // HEED_TENSOR_POOL_LIMIT_H_
