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
  EXPECT_FALSE(EqualInConstantTime("ab", std::string("ab\0", 3)));
  EXPECT_FALSE(EqualInConstantTime(std::string(1 << 20, 'a'), "a"));
}

TEST(ApiKeys, AreTheFirstWordsOfLines) {
  const TemporaryFolder folder;
  ApiKeys keys(folder.Put("keys", "# note\n\n one anna\r\ntwo\n"));
  EXPECT_TRUE(keys.used());
  EXPECT_TRUE(keys.Find("one"));
  EXPECT_TRUE(keys.Find("two"));
  for (const char* wrong : {"", "#", "anna", "one anna", "on", "ones"}) {
    EXPECT_FALSE(keys.Find(wrong)) << wrong;
  }
  EXPECT_FALSE(ApiKeys("").used());
  EXPECT_THROW(ApiKeys(folder.Put("empty", "#\n")), ConfigError);
  EXPECT_THROW(ApiKeys(folder.Path("none")), IoError);
}

TEST(ApiKeys, HaveLimitsOfTheirOwn) {
  const TemporaryFolder folder;
  ApiKeys keys(
      folder.Put("keys", "a limit=600 anna\nb\nc limit=0\nd note limit=5\n"));
  EXPECT_EQ(keys.Find("a")->per_minute, 600);
  EXPECT_EQ(keys.Find("b")->per_minute, std::nullopt);
  EXPECT_EQ(keys.Find("c")->per_minute, 0);
  EXPECT_EQ(keys.Find("d")->per_minute, std::nullopt);
  for (const char* wrong : {"limit=", "limit=x", "limit=-1", "limit=5s"}) {
    const std::string path =
        folder.Put("wrong", std::string("a\nb ") + wrong + "\n");
    const std::string message =
        MessageOf<ConfigError>([&] { const ApiKeys reads(path); });
    EXPECT_TRUE(message.starts_with(path + ":2: " + wrong)) << message;
  }
}

TEST(RequestLimiter, CountsEachClientByTheMinute) {
  RequestLimiter limiter;
  const auto start =
      RequestLimiter::Clock::time_point() + std::chrono::hours(1);
  EXPECT_EQ(limiter.Count("a", 1, 2, start), 0);
  EXPECT_EQ(limiter.SecondsToWait("a", 2, start), 0);
  EXPECT_EQ(limiter.Count("a", 1, 2, start), 0);
  EXPECT_EQ(limiter.SecondsToWait("a", 2, start), 60);
  EXPECT_EQ(limiter.Count("b", 1, 2, start), 0);
  EXPECT_EQ(limiter.Count("a", 1, 2, start + std::chrono::seconds(45)), 15);
  EXPECT_EQ(limiter.Count("a", 1, 2, start + std::chrono::seconds(60)), 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(limiter.Count("c", 1, 0, start), 0);
}

TEST(RequestLimiter, CountsABatchOnlyIfAllOfItIsAllowed) {
  RequestLimiter limiter;
  const auto start =
      RequestLimiter::Clock::time_point() + std::chrono::hours(1);
  EXPECT_EQ(limiter.Count("a", 4, 5, start), 0);
  EXPECT_EQ(limiter.Count("a", 2, 5, start), 60);
  EXPECT_EQ(limiter.Count("a", 1, 5, start), 0);
  EXPECT_EQ(limiter.Count("a", 1, 5, start), 60);
  EXPECT_EQ(limiter.Count("b", int64_t{1} << 40, 5, start), 60);
}

TEST(RequestLimiter, RemembersABoundedNumberOfClients) {
  RequestLimiter limiter(100);
  const auto start =
      RequestLimiter::Clock::time_point() + std::chrono::hours(1);
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ(limiter.Count(std::to_string(i), 1, 2, start), 0);
    const int expected = i < 2 ? 0 : 60;
    EXPECT_EQ(limiter.Count("steady", 1, 2, start), expected);
    EXPECT_LE(limiter.clients(), 101u);
  }
}

}  // namespace
}  // namespace heed
