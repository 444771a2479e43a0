#include "heed/base/memory.h"

#include <gtest/gtest.h>

#include <new>

namespace heed {
namespace {

TEST(RequireMemory, ThrowsForMoreThanThereIs) {
  EXPECT_NO_THROW(RequireMemory(1 << 20));
  EXPECT_THROW(RequireMemory(size_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace heed
