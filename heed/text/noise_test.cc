#include "heed/text/noise.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/text.h"

namespace heed {
namespace {

std::set<std::string> Variants(std::string_view line,
                               const NoiseOptions& options) {
  std::set<std::string> variants;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    variants.insert(AddNoise(line, options, rng));
  }
  return variants;
}

TEST(Noise, WritesAllTypingErrorsOfAWord) {
  EXPECT_EQ(Variants("äbc", {0, 1}),
            (std::set<std::string>{"bäc", "äcb", "bc", "äc", "ääbc", "äbbc"}));
  // Digits, marks and single letters have no typing errors.
  EXPECT_EQ(Variants("1a2 b c. 345 e\u0301", {0, 1}),
            (std::set<std::string>{"1a2 b c. 345 e\u0301"}));
}

TEST(Noise, WritesCapitals) {
  EXPECT_EQ(
      Variants("ein  öl, nach Wien ", {1, 0}),
      (std::set<std::string>{"EIN  ÖL, NACH WIEN ", "Ein  Öl, Nach Wien "}));
}

TEST(Noise, OccursWithItsProbability) {
  constexpr int kLines = 4000;
  const std::string line = "alpha beta gamma delta";
  Rng rng(7);
  int cased = 0;
  int mistyped = 0;
  for (int i = 0; i < kLines; ++i) {
    const std::string upper = AddNoise(line, {0.25, 0}, rng);
    cased += upper != line ? 1 : 0;
    const std::string typed = AddNoise(line, {0, 0.1}, rng);
    const auto words = SplitWhitespace(typed);
    const auto usual = SplitWhitespace(line);
    ASSERT_EQ(words.size(), 4);
    for (size_t w = 0; w < 4; ++w) mistyped += words[w] != usual[w] ? 1 : 0;
  }
  EXPECT_NEAR(cased / double{kLines}, 0.25, 0.03);
  EXPECT_NEAR(mistyped / (4.0 * kLines), 0.1, 0.015);
}

TEST(Noise, DependsOnTheSeedAlone) {
  const std::string line = "the quick brown fox jumps over the lazy dog";
  Rng a(3);
  Rng b(3);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(AddNoise(line, {0.3, 0.3}, a), AddNoise(line, {0.3, 0.3}, b));
  }
  Rng c(4);
  EXPECT_EQ(AddNoise(line, {}, c), line);
  EXPECT_EQ(c.position(), 0);
}

}  // namespace
}  // namespace heed
