#include "course/data/stories.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

TEST(Stories, AreTheSameForTheSameSeed) {
  EXPECT_EQ(MakeStories(20, 1), MakeStories(20, 1));
  EXPECT_NE(MakeStories(20, 1), MakeStories(20, 2));
  EXPECT_TRUE(MakeStories(0, 1).empty());
  EXPECT_THROW(MakeStories(-1, 1), ConfigError);
}

TEST(Stories, EndAsTheyBegan) {
  const auto slots = StorySlots();
  for (const std::string& story : MakeStories(100, 3)) {
    const auto words = SplitWhitespace(story);
    EXPECT_EQ(words[0], words.back()) << story;
    EXPECT_EQ(words[4], words[words.size() - 4]) << story;
    const auto& trades = slots[2].phrases;
    const auto trade = std::find(trades.begin(), trades.end(), words[2]);
    ASSERT_NE(trade, trades.end()) << story;
    EXPECT_EQ(words[words.size() - 3],
              At(slots[8].phrases, trade - trades.begin()));
  }
}

TEST(Stories, SlotsAreDistinguishable) {
  for (const StorySlot& slot : StorySlots()) {
    const std::set<std::string> all(slot.phrases.begin(), slot.phrases.end());
    EXPECT_EQ(all.size(), slot.phrases.size());
    for (const std::string& a : all) {
      for (const std::string& b : all) {
        EXPECT_FALSE(b.starts_with(a + " ")) << a << " / " << b;
      }
    }
    if (slot.like) {
      EXPECT_EQ(slot.phrases.size(), StorySlots()[*slot.like].phrases.size());
    }
  }
}

/// The expected value is counted from the continuations in many stories.
TEST(Stories, BestAccuracyIsWhatCountingFinds) {
  const std::vector<std::string> stories = MakeStories(3000, 5);
  for (const int seen : {0, 1, 3}) {
    std::map<std::string, std::map<std::string, int>> next;
    int words = 0;
    for (const std::string& story : stories) {
      // Only the relevant context is kept, so that each context occurs often.
      const auto all = SplitWhitespace(story);
      const std::string start = fmt::format("{} {} {}", all[0], all[2], all[4]);
      const auto count = static_cast<int>(all.size());
      for (int i = 0; i < count; ++i) {
        const std::string word(At(all, i));
        if (static_cast<int>(word.size()) < seen) continue;
        const int from_end = count - i;
        std::string read = word.substr(0, static_cast<size_t>(seen));
        if (from_end <= 5) {
          read = fmt::format("end {} {} {}", from_end, start, read);
        } else if (i < 5) {
          read = fmt::format("start {} {}", i, read);
        } else {
          for (int j = i - 1; j >= 5; --j) {
            read = fmt::format("{} {}", At(all, j), read);
          }
          read = fmt::format("middle {}", read);
        }
        ++next[read][word];
        ++words;
      }
    }
    int right = 0;
    for (const auto& [read, counts] : next) {
      int largest = 0;
      for (const auto& [word, count] : counts) {
        largest = std::max(largest, count);
      }
      right += largest;
    }
    EXPECT_NEAR(BestStoryAccuracy(seen), static_cast<double>(right) / words,
                0.02)
        << seen;
  }
  EXPECT_LT(BestStoryAccuracy(0), BestStoryAccuracy(1));
  EXPECT_GT(BestStoryAccuracy(5), 0.99);
}

}  // namespace
}  // namespace heed
