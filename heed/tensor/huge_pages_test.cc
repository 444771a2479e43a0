#include "heed/tensor/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "heed/tensor/testing.h"

namespace heed::pool {
namespace {

constexpr size_t kPage = 4096;

const char* PageOf(const void* block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  return reinterpret_cast<const char*>(address / kHugePage * kHugePage);
}

TEST(HugePages, BlocksAreAlignedAndDoNotOverlap) {
  HugePages pages;
  std::map<uintptr_t, size_t> blocks;
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    if (blocks.empty() || random() % 3 != 0) {
      const size_t bytes = 1 + random() % (3 * kHugePage / 2);
      void* block = pages.Take(bytes);
      std::memset(block, i, std::min(bytes, kPage));
      const auto begin = reinterpret_cast<uintptr_t>(block);
      ASSERT_EQ(begin % 64, 0U);
      const auto after = blocks.lower_bound(begin);
      if (after != blocks.end()) {
        ASSERT_LE(begin + bytes, after->first);
      }
      if (after != blocks.begin()) {
        const auto& [before, size] = *std::prev(after);
        ASSERT_LE(before + size, begin);
      }
      blocks.emplace(begin, bytes);
    } else {
      const auto one = std::next(blocks.begin(),
                                 static_cast<long>(random() % blocks.size()));
      pages.Give(reinterpret_cast<void*>(one->first), one->second);
      blocks.erase(one);
    }
  }
  for (const auto& [begin, bytes] : blocks) {
    pages.Give(reinterpret_cast<void*>(begin), bytes);
  }
}

TEST(HugePages, BlocksShareAPage) {
  HugePages pages;
  void* a = pages.Take(kHugePage / 4);
  void* b = pages.Take(kHugePage / 4);
  EXPECT_EQ(PageOf(a), PageOf(b));
  pages.Give(a, kHugePage / 4);
  void* c = pages.Take(kHugePage / 8);
  EXPECT_EQ(c, a) << "the first place that fits";
  pages.Give(b, kHugePage / 4);
  pages.Give(c, kHugePage / 8);
}

TEST(HugePages, NeighboursThatAreFreeBecomeOne) {
  HugePages pages;
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pages.Take(1 << 20));
  for (const size_t i : {0, 2, 1}) pages.Give(blocks[i], 1 << 20);
  EXPECT_EQ(pages.Take(3 << 20), blocks[0]);
  pages.Give(blocks[0], 3 << 20);
  pages.Give(blocks[3], 1 << 20);
}

TEST(HugePages, APageOfWhichNothingIsInUseTakesNoMemory) {
  HugePages pages;
  // Two blocks per page; the first block keeps the region alive.
  constexpr size_t kHalf = kHugePage / 2;
  std::vector<void*> blocks;
  for (int i = 0; i < 6; ++i) {
    blocks.push_back(pages.Take(kHalf));
    std::memset(blocks.back(), 1, kHalf);
  }
  const char* second = PageOf(blocks[2]);
  EXPECT_EQ(Resident(second, kHugePage), kHugePage);
  pages.Give(blocks[2], kHalf);
  EXPECT_EQ(Resident(second + kHalf, kHalf), kHalf) << "what is in use stays";
  pages.Give(blocks[3], kHalf);
  EXPECT_EQ(Resident(second, kHugePage), 0U);
  EXPECT_EQ(Resident(PageOf(blocks[0]), kHugePage), kHugePage);
  const auto* kept = static_cast<const char*>(blocks[4]);
  EXPECT_TRUE(std::all_of(kept, kept + kHalf, [](char c) { return c == 1; }));
  // The page is resident again and zeroed.
  auto* again = static_cast<char*>(pages.Take(kHalf));
  EXPECT_EQ(again, blocks[2]);
  EXPECT_EQ(*again, 0);
  pages.Give(again, kHalf);
  for (const size_t i : {0, 1, 4, 5}) pages.Give(blocks[i], kHalf);
}

TEST(HugePages, ARegionIsGivenBack) {
  HugePages pages;
  void* block = pages.Take(HugePages::kRegion);
  EXPECT_EQ(Resident(PageOf(block), HugePages::kRegion), 0U);
  pages.Give(block, HugePages::kRegion);
  unsigned char page = 0;
  EXPECT_EQ(mincore(block, kPage, &page), -1) << "still there";
}

TEST(HugePages, RefusesWhatNoRegionHolds) {
  HugePages pages;
  EXPECT_THROW(pages.Take(HugePages::kRegion + 1), std::bad_alloc);
}

TEST(HugePages, ServesManyThreads) {
  HugePages pages;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pages, t] {
      for (int i = 0; i < 500; ++i) {
        const auto bytes = static_cast<size_t>(70000 + i % 7 * 30000);
        auto* block = static_cast<char*>(pages.Take(bytes));
        block[0] = static_cast<char>(t);
        block[bytes - 1] = static_cast<char>(t);
        ASSERT_EQ(block[0], t);
        pages.Give(block, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heed::pool
