#include "heed/tensor/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace heed::pool {
namespace {

constexpr size_t kAlignment = 64;

constexpr size_t Up(size_t n, size_t unit) {
  return (n + unit - 1) / unit * unit;
}

void* Pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

HugePages::~HugePages() {
  for (const auto& [begin, bytes] : regions_) munmap(Pointer(begin), bytes);
}

void* HugePages::Take(size_t bytes) {
  const size_t size = Up(bytes, kAlignment);
  if (size > kRegion) throw std::bad_alloc();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto fits = [size](const auto& block) { return block.second >= size; };
  auto block = std::ranges::find_if(free_, fits);
  if (block == free_.end()) {
    AddRegion();
    block = std::ranges::find_if(free_, fits);
  }
  const auto [begin, had] = *block;
  free_.erase(block);
  if (had > size) free_.emplace(begin + size, had - size);
  return Pointer(begin);
}

void HugePages::Give(void* block, size_t bytes) {
  const size_t size = Up(bytes, kAlignment);
  const auto begin = reinterpret_cast<uintptr_t>(block);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto joined = Join(begin, size);
  const uintptr_t end = joined->first + joined->second;
  const auto region = regions_.find(joined->first);
  if (region != regions_.end() && region->second == joined->second) {
    munmap(Pointer(region->first), region->second);
    regions_.erase(region);
    free_.erase(joined);
    return;
  }
  // Pages of the block that are now entirely free.
  const uintptr_t first =
      std::max(Up(joined->first, kHugePage), begin / kHugePage * kHugePage);
  const uintptr_t last =
      std::min(end / kHugePage * kHugePage, Up(begin + size, kHugePage));
  if (first < last) madvise(Pointer(first), last - first, MADV_DONTNEED);
}

/// Adds a free region.
void HugePages::AddRegion() {
  // Regions begin at a page boundary; the rest of the mapping is released.
  constexpr size_t kBytes = kRegion + kHugePage;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = Up(begin, kHugePage);
  if (first > begin) munmap(memory, first - begin);
  munmap(Pointer(first + kRegion), begin + kBytes - first - kRegion);
  madvise(Pointer(first), kRegion, MADV_HUGEPAGE);  // failure is harmless
  regions_.emplace(first, kRegion);
  free_.emplace(first, kRegion);
}

/// Adds a free block and joins it with its neighbours in its region.
HugePages::Blocks::iterator HugePages::Join(uintptr_t begin, size_t bytes) {
  const auto joined = free_.emplace(begin, bytes).first;
  const auto meet = [&](Blocks::iterator block, Blocks::iterator next) {
    return block->first + block->second == next->first &&
           !regions_.contains(next->first);
  };
  const auto next = std::next(joined);
  if (next != free_.end() && meet(joined, next)) {
    joined->second += next->second;
    free_.erase(next);
  }
  if (joined == free_.begin() || !meet(std::prev(joined), joined)) {
    return joined;
  }
  const auto previous = std::prev(joined);
  previous->second += joined->second;
  free_.erase(joined);
  return previous;
}

}  // namespace heed::pool
