// Pooled, reference-counted storage for tensors.
#ifndef HEED_TENSOR_POOL_H_
#define HEED_TENSOR_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heed {

/// Header of a memory block, followed by 64-byte aligned bytes.
struct alignas(64) Buffer {
  std::atomic<int32_t> references;
  int32_t size_class;
  size_t capacity;  // bytes after the header
  Buffer* next;     // next free buffer in the pool

  void* bytes() { return this + 1; }
};

/// Statistics of the pool, in bytes except `system`.
struct PoolStats {
  int64_t in_use = 0;  // currently allocated
  int64_t peak = 0;    // highest in_use since ResetPeak
  int64_t cached = 0;  // free buffers kept for reuse
  int64_t system = 0;  // number of allocations from the system
};

/// Process-wide free lists by size class (four per power of two), so that a
/// repeated computation allocates nothing from the system. Thread-safe.
namespace pool {

/// Physical memory of the machine in bytes. The system overcommits, and kills
/// processes that use more than this.
int64_t PhysicalMemory();

/// A buffer of at least `bytes` bytes with one reference. Throws: bad_alloc, at
/// the latest if the pool would exceed the physical memory.
Buffer* Acquire(size_t bytes);
void Release(Buffer* buffer);

PoolStats Stats();
void ResetPeak();
/// Returns cached buffers to the system.
void Trim();

}  // namespace pool
}  // namespace heed

#endif  // HEED_TENSOR_POOL_H_
