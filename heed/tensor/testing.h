// Helpers for tests of storage.
#ifndef HEED_TENSOR_TESTING_H_
#define HEED_TENSOR_TESTING_H_

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heed {

/// Resident bytes of a memory range.
inline size_t Resident(const void* memory, size_t bytes) {
  constexpr size_t kPage = 4096;
  std::vector<unsigned char> pages(bytes / kPage);
  EXPECT_EQ(mincore(const_cast<void*>(memory), bytes, pages.data()), 0);
  return kPage *
         static_cast<size_t>(std::ranges::count_if(
             pages, [](unsigned char page) { return (page & 1) != 0; }));
}

}  // namespace heed

#endif  // HEED_TENSOR_TESTING_H_
