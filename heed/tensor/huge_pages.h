// Allocator on huge pages for blocks smaller than a page, which reduces TLB
// misses in training.
#ifndef HEED_TENSOR_HUGE_PAGES_H_
#define HEED_TENSOR_HUGE_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace heed::pool {

inline constexpr size_t kHugePage = size_t{2} << 20;

/// First-fit allocator of blocks in regions of huge pages. A page becomes
/// resident when a block on it is touched, and is released once none of its
/// blocks is in use. Thread-safe.
class HugePages {
 public:
  /// Size of a region and maximum size of a block.
  static constexpr size_t kRegion = size_t{32} << 20;

  HugePages() = default;
  /// Must not be called while blocks are in use.
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  /// Allocates a block, aligned to 64 bytes. Throws: bad_alloc.
  void* Take(size_t bytes);
  /// Frees a block; `bytes` is its size in Take.
  void Give(void* block, size_t bytes);

  /// Keep other threads from allocating and freeing, during fork().
  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

 private:
  /// Size of each block by address.
  using Blocks = std::map<uintptr_t, size_t>;

  void AddRegion();
  Blocks::iterator Join(uintptr_t begin, size_t bytes);

  std::mutex mutex_;
  Blocks free_;  // never adjacent within a region
  Blocks regions_;
};

}  // namespace heed::pool

#endif  // HEED_TENSOR_HUGE_PAGES_H_
