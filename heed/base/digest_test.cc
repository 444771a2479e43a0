#include "heed/base/digest.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

// Reference values: http://www.isthe.com/chongo/tech/comp/fnv
TEST(Digest, IsFnv1aOf64Bits) {
  EXPECT_EQ(Digest(""), 0xcbf29ce484222325U);
  EXPECT_EQ(Digest("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(Digest("foobar"), 0x85944171f73967e8U);
}

}  // namespace
}  // namespace heed
