// Pooled, reference-counted storage for tensors.
#ifndef HEED_TENSOR_POOL_H_
#define HEED_TENSOR_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heed {

/// One block of memory: this header, then 64-byte aligned bytes.
struct alignas(64) Buffer {
  std::atomic<int32_t> references;
  int32_t size_class;
  size_t capacity;  // bytes that follow the header
  Buffer* next;     // while it waits in the pool

  void* bytes() { return this + 1; }
};

/// What the pool holds, in bytes.
struct PoolStats {
  int64_t in_use = 0;  // handed out now
  int64_t peak = 0;    // highest in_use since ResetPeak
  int64_t cached = 0;  // waiting for reuse
  int64_t system = 0;  // number of requests that reached the system so far
};

/// Process-wide free lists by size class (four per power of two), so that a
/// steady computation asks the system for nothing. Thread-safe.
namespace pool {

/// Bytes of memory that the machine has. The system promises more, and ends the
/// process that takes the promise at its word.
int64_t PhysicalMemory();

/// A buffer of at least `bytes` bytes with one reference.
/// Throws: bad_alloc, at the latest when the pool would hold more than there
/// is.
Buffer* Acquire(size_t bytes);
void Release(Buffer* buffer);

PoolStats Stats();
void ResetPeak();
/// Gives cached buffers back to the system.
void Trim();

}  // namespace pool
}  // namespace heed

#endif  // HEED_TENSOR_POOL_H_
