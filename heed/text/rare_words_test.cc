#include "heed/text/rare_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {
namespace {

constexpr int32_t kOften = 5;
constexpr int32_t kSeldom = 6;
constexpr int32_t kNever = 4;
constexpr int64_t kUses = 2000;

/// kOften occurs 30 times, kSeldom twice.
std::vector<std::vector<int32_t>> Text() {
  std::vector<std::vector<int32_t>> text(10, {kOften, kOften, kOften});
  text.push_back({kSeldom, kSeldom});
  return text;
}

/// Number of dropped words among kUses.
int64_t Dropped(int32_t word, double alpha) {
  Rng rng(1);
  Tensor words = Tensor::Full({2, kUses / 2}, word, DType::kI32);
  RareWordDropout(Text(), alpha).Apply(words, rng);
  const std::vector<int32_t> ids = words.ToVector<int32_t>();
  const auto kept = std::count(ids.begin(), ids.end(), word);
  EXPECT_EQ(kept + std::count(ids.begin(), ids.end(), kUnk), kUses);
  return kUses - kept;
}

TEST(RareWordDropout, DropsAWordTheMoreOftenTheRarerItIs) {
  // α / (α + n) for n = 30 and 2, within four standard deviations.
  EXPECT_NEAR(static_cast<double>(Dropped(kOften, 10)), 0.25 * kUses, 78);
  EXPECT_NEAR(static_cast<double>(Dropped(kSeldom, 10)), kUses * 10 / 12.0, 67);
  EXPECT_NEAR(static_cast<double>(Dropped(kSeldom, 2)), 0.5 * kUses, 90);
}

TEST(RareWordDropout, LeavesPaddingAndWordsOfOtherTexts) {
  EXPECT_EQ(Dropped(kPad, 10), 0);
  EXPECT_EQ(Dropped(kNever, 10), 0);
  EXPECT_EQ(Dropped(1000, 10), 0);
  EXPECT_EQ(Dropped(kSeldom, 0), 0);
}

TEST(RareWordDropout, IsAnotherOneEachTime) {
  Rng rng(1);
  const RareWordDropout dropout(Text(), 2);
  const auto once = [&] {
    Tensor words = Tensor::Full({40}, kSeldom, DType::kI32);
    dropout.Apply(words, rng);
    return words.ToVector<int32_t>();
  };
  EXPECT_NE(once(), once());
}

}  // namespace
}  // namespace heed
