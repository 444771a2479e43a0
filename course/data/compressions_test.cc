#include "course/data/compressions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

std::set<std::string> Kinds(const Lines& lines) {
  return {lines.begin(), lines.end()};
}

TEST(Compressions, AreTheSameForASeed) {
  const CompressionTask a = MakeCompressionTask(50, 5, 5, 1);
  EXPECT_EQ(a.train.source, MakeCompressionTask(50, 5, 5, 1).train.source);
  EXPECT_NE(a.train.source, MakeCompressionTask(50, 5, 5, 2).train.source);
  EXPECT_EQ(a.train.source.size(), 50u);
  EXPECT_EQ(a.valid.target.size(), 5u);
}

TEST(Compressions, PartsShareNoSentences) {
  const CompressionTask task = MakeCompressionTask(4000, 500, 500, 3);
  EXPECT_EQ(Kinds(task.train.source).size(), 4000u);
  const std::set<std::string> learned = Kinds(task.train.target);
  for (const ParallelText* part : {&task.valid, &task.test}) {
    for (const std::string& line : part->target) {
      EXPECT_FALSE(learned.contains(line)) << line;
    }
  }
}

TEST(Compressions, AreWordsOfTheSentenceInTwoOrders) {
  const CompressionTask task = MakeCompressionTask(2000, 0, 0, 4);
  int passive = 0, longest = 0;
  for (size_t i = 0; i < task.train.source.size(); ++i) {
    const std::vector<std::string_view> text =
        SplitWhitespace(task.train.source[i]);
    const std::vector<std::string_view> words =
        SplitWhitespace(task.train.target[i]);
    ASSERT_EQ(words.size(), 3u);
    for (const std::string_view word : words) {
      EXPECT_NE(std::ranges::find(text, word), text.end())
          << task.train.source[i];
    }
    passive += std::ranges::find(text, "by") != text.end() ? 1 : 0;
    longest = std::max(longest, static_cast<int>(text.size()));
  }
  EXPECT_NEAR(passive, 500, 80);
  EXPECT_GE(longest, 20);
  EXPECT_LE(longest, 40);
}

TEST(Compressions, MayHaveNamesThatNoOtherPartHas) {
  const CompressionTask task = MakeCompressionTask(2000, 200, 200, 5, true);
  EXPECT_EQ(task.train.source,
            MakeCompressionTask(2000, 200, 200, 5, true).train.source);
  std::set<std::string> learned;
  for (const std::string& line : task.train.source) {
    for (const std::string_view word : SplitWhitespace(line)) {
      learned.emplace(word);
    }
  }
  for (const ParallelText* part : {&task.valid, &task.test}) {
    for (size_t i = 0; i < part->target.size(); ++i) {
      const std::vector<std::string_view> words =
          SplitWhitespace(part->target[i]);
      ASSERT_EQ(words.size(), 3u);
      EXPECT_FALSE(learned.contains(std::string(words[0]))) << words[0];
      EXPECT_TRUE(learned.contains(std::string(words[1])));
      EXPECT_NE(part->source[i].find(words[0]), std::string::npos);
    }
  }
}

TEST(Compressions, RefuseCountsThatCannotBe) {
  EXPECT_THROW(MakeCompressionTask(-1, 0, 0, 1), ConfigError);
  EXPECT_THROW(MakeCompressionTask(0, kCompressionLimit + 1, 0, 1),
               ConfigError);
}

}  // namespace
}  // namespace heed
