#include "heed/tensor/pool.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <new>

#include "heed/base/at.h"
#include "heed/tensor/huge_pages.h"
#include "heed/tensor/pool_limit.h"

// The address sanitizer detects use after release only if buffers are not
// cached.
#if defined(__SANITIZE_ADDRESS__)
#define HEED_POOL_KEEPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEED_POOL_KEEPS 0
#endif
#endif
#ifndef HEED_POOL_KEEPS
#define HEED_POOL_KEEPS 1
#endif

namespace heed::pool {
namespace {

constexpr int kMinLog2 = 6;
constexpr int kSteps = 4;  // classes per power of two
constexpr int kClasses = (48 - kMinLog2) * kSteps;

class SpinLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
      while (flag_.test(std::memory_order_relaxed)) {
      }
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

struct alignas(64) FreeList {
  SpinLock lock;
  Buffer* head = nullptr;
};

struct Pool {
  std::array<FreeList, kClasses> lists;
  HugePages huge_pages;
  std::atomic<int64_t> in_use{0};
  std::atomic<int64_t> peak{0};
  std::atomic<int64_t> cached{0};
  std::atomic<int64_t> system{0};
  std::atomic<int64_t> max_cached{std::numeric_limits<int64_t>::max()};
};

Pool& Instance();

/// Lock and unlock everything, so that a child of fork() finds the pool
/// unlocked and whole.
void LockAll() {
  for (FreeList& list : Instance().lists) list.lock.lock();
  Instance().huge_pages.Lock();
}
void UnlockAll() {
  Instance().huge_pages.Unlock();
  for (FreeList& list : Instance().lists) list.lock.unlock();
}

Pool& Instance() {
  // Never destroyed: tensors of static storage may be released after main().
  static Pool* const instance = [] {
    pthread_atfork(LockAll, UnlockAll, UnlockAll);
    return new Pool;
  }();
  return *instance;
}

int ClassOf(size_t bytes) {
  bytes = std::max(bytes, size_t{1} << kMinLog2);
  const int log2 = std::bit_width(bytes) - 1;
  const size_t base = size_t{1} << log2;
  const size_t step = base / kSteps;
  const int sub = static_cast<int>((bytes - base + step - 1) / step);
  return (log2 - kMinLog2) * kSteps + sub;
}

size_t CapacityOf(int size_class) {
  const size_t base = size_t{1} << (kMinLog2 + size_class / kSteps);
  return base + base / kSteps * (size_class % kSteps);
}

/// True if a buffer shares huge pages with others. Huge pages reduce TLB
/// misses: on small pages a training step took 2 to 36 % longer, see
/// docs/decisions/0004-huge-pages.md.
bool SharesHugePages(size_t capacity) {
  constexpr size_t kMin = size_t{64} << 10;
  return HEED_POOL_KEEPS && capacity >= kMin && capacity < kHugePage;
}

/// Bytes before the elements of a buffer with huge pages of its own. Elements
/// begin at a page boundary and the header is on the page before. Neither the
/// header nor full pages of elements then make a further page resident.
size_t BytesBefore(size_t capacity) {
  return capacity >= kHugePage ? kHugePage - sizeof(Buffer) : 0;
}

/// Padding after the elements, which is never accessed. The hardware prefetches
/// about 16 KB beyond the end of a sweep; without padding, cache lines that
/// another thread writes would bounce. (Attention of 8 heads by 2048 in bf16 on
/// two threads took 15.5 ms instead of 10.9.)
size_t BytesBehind(size_t capacity) {
  constexpr size_t kPage = 4096;
  return capacity >= kPage && capacity < kHugePage ? size_t{32} << 10 : 0;
}

/// Total size of a buffer that shares huge pages.
size_t SharedBytes(size_t capacity) {
  return sizeof(Buffer) + capacity + BytesBehind(capacity);
}

void ToSystem(Buffer* buffer) {
  const size_t capacity = buffer->capacity;
  if (SharesHugePages(capacity)) {
    Instance().huge_pages.Give(buffer, SharedBytes(capacity));
    return;
  }
  std::free(reinterpret_cast<std::byte*>(buffer) - BytesBefore(capacity));
}

/// Allocates a buffer that shares no huge page; returns its header. Throws:
/// bad_alloc.
void* Allocate(size_t capacity) {
  const size_t before = BytesBefore(capacity);
  const size_t alignment = before > 0 ? kHugePage : alignof(Buffer);
  const size_t total =
      before + sizeof(Buffer) + capacity + BytesBehind(capacity);
  void* memory = std::aligned_alloc(
      alignment, (total + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  auto* header = static_cast<std::byte*>(memory) + before;
  if (before > 0) {
    // Failure is harmless. The last page is huge if at least half of it is
    // used.
    const size_t pages = (capacity + kHugePage / 2) / kHugePage;
    madvise(memory, kHugePage, MADV_NOHUGEPAGE);
    madvise(header + sizeof(Buffer), pages * kHugePage, MADV_HUGEPAGE);
  }
  return header;
}

Buffer* FromSystem(int size_class) {
  const size_t capacity = CapacityOf(size_class);
  const auto exceeds = [capacity](int64_t held) {
    return held + static_cast<int64_t>(capacity) > PhysicalMemory();
  };
  if (exceeds(Instance().in_use + Instance().cached)) Trim();
  if (exceeds(Instance().in_use)) throw std::bad_alloc();
  void* header = SharesHugePages(capacity)
                     ? Instance().huge_pages.Take(SharedBytes(capacity))
                     : Allocate(capacity);
  Instance().system.fetch_add(1, std::memory_order_relaxed);
  auto* buffer = new (header) Buffer;
  buffer->size_class = size_class;
  buffer->capacity = capacity;
  return buffer;
}

}  // namespace

int64_t PhysicalMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

Buffer* Acquire(size_t bytes) {
  if (bytes > size_t{1} << 46) throw std::bad_alloc();
  const int size_class = ClassOf(bytes);
  Pool& p = Instance();
  FreeList& list = At(p.lists, size_class);
  list.lock.lock();
  Buffer* buffer = list.head;
  if (buffer != nullptr) list.head = buffer->next;
  list.lock.unlock();
  const auto capacity = static_cast<int64_t>(CapacityOf(size_class));
  if (buffer != nullptr) {
    p.cached.fetch_sub(capacity, std::memory_order_relaxed);
  } else {
    buffer = FromSystem(size_class);
  }
  buffer->references.store(1, std::memory_order_relaxed);
  const int64_t now =
      p.in_use.fetch_add(capacity, std::memory_order_relaxed) + capacity;
  int64_t peak = p.peak.load(std::memory_order_relaxed);
  while (now > peak &&
         !p.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  return buffer;
}

void Release(Buffer* buffer) {
  Pool& p = Instance();
  const auto capacity = static_cast<int64_t>(buffer->capacity);
  p.in_use.fetch_sub(capacity, std::memory_order_relaxed);
  if constexpr (!HEED_POOL_KEEPS) {
    ToSystem(buffer);
    return;
  }
  const int64_t cached =
      p.cached.fetch_add(capacity, std::memory_order_relaxed) + capacity;
  FreeList& list = At(p.lists, buffer->size_class);
  list.lock.lock();
  buffer->next = list.head;
  list.head = buffer;
  list.lock.unlock();
  if (cached > p.max_cached.load(std::memory_order_relaxed)) Trim();
}

PoolStats Stats() {
  const Pool& p = Instance();
  return {p.in_use.load(), p.peak.load(), p.cached.load(), p.system.load()};
}

void ResetPeak() { Instance().peak = Instance().in_use.load(); }

void Trim() {
  Pool& p = Instance();
  for (FreeList& list : p.lists) {
    list.lock.lock();
    Buffer* head = list.head;
    list.head = nullptr;
    list.lock.unlock();
    while (head != nullptr) {
      Buffer* next = head->next;
      p.cached.fetch_sub(static_cast<int64_t>(head->capacity));
      ToSystem(head);
      head = next;
    }
  }
  // Returns free memory between buffers that are in use.
  malloc_trim(0);
}

void KeepAtMost(int64_t bytes) { Instance().max_cached = bytes; }

}  // namespace heed::pool
