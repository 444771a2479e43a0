#include "heed/serve/api_keys.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(EqualInConstantTime, ComparesWholeTexts) {
  EXPECT_TRUE(EqualInConstantTime("", ""));
  EXPECT_TRUE(EqualInConstantTime("abc", "abc"));
  EXPECT_FALSE(EqualInConstantTime("abc", "abd"));
  EXPECT_FALSE(EqualInConstantTime("abc", "ab"));
  EXPECT_FALSE(EqualInConstantTime("ab", "abc"));
  EXPECT_FALSE(EqualInConstantTime(std::string("ab\0", 3), "ab"));
}

TEST(ApiKeys, AreTheFirstWordsOfLines) {
  const TemporaryFolder folder;
  ApiKeys keys(folder.Put("keys", "# note\n\n one anna\r\ntwo\n"));
  EXPECT_TRUE(keys.needed());
  EXPECT_TRUE(keys.Has("one"));
  EXPECT_TRUE(keys.Has("two"));
  for (const char* wrong : {"", "#", "anna", "one anna", "on", "ones"}) {
    EXPECT_FALSE(keys.Has(wrong)) << wrong;
  }
  EXPECT_FALSE(ApiKeys("").needed());
  EXPECT_THROW(ApiKeys(folder.Put("empty", "#\n")), ConfigError);
  EXPECT_THROW(ApiKeys(folder.Path("none")), IoError);
}

TEST(RequestLimiter, CountsEachClientByTheMinute) {
  RequestLimiter limiter(2);
  const auto start =
      RequestLimiter::Clock::time_point() + std::chrono::hours(1);
  EXPECT_EQ(limiter.Count("a", start), 0);
  EXPECT_EQ(limiter.Count("a", start), 0);
  EXPECT_EQ(limiter.Count("b", start), 0);
  EXPECT_EQ(limiter.Count("a", start + std::chrono::seconds(45)), 15);
  EXPECT_EQ(limiter.Count("a", start + std::chrono::seconds(60)), 0);
  RequestLimiter none(0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(none.Count("a", start), 0);
}

}  // namespace
}  // namespace heed
