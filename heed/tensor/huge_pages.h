// Memory on huge pages for blocks that are smaller than one, so that what a
// step of training touches needs few entries of the TLB.
#ifndef HEED_TENSOR_HUGE_PAGES_H_
#define HEED_TENSOR_HUGE_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace heed::pool {

inline constexpr size_t kHugePage = size_t{2} << 20;

/// Blocks of regions of huge pages, the first that fits. A page becomes
/// resident as a whole when a block is touched, and no longer is once none of
/// its blocks is in use. Thread-safe.
class HugePages {
 public:
  /// Of a region, and of the largest block.
  static constexpr size_t kRegion = size_t{32} << 20;

  HugePages() = default;
  /// No block may be in use.
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  /// A block, aligned to 64 bytes. Throws: bad_alloc.
  void* Take(size_t bytes);
  /// Of as many bytes as it was taken with.
  void Give(void* block, size_t bytes);

 private:
  /// Bytes of a block, by the address of the first.
  using Blocks = std::map<uintptr_t, size_t>;

  void AddRegion();
  Blocks::iterator Join(uintptr_t begin, size_t bytes);

  std::mutex mutex_;
  Blocks free_;  // no two are adjacent, but for those of two regions
  Blocks regions_;
};

}  // namespace heed::pool

#endif  // HEED_TENSOR_HUGE_PAGES_H_
