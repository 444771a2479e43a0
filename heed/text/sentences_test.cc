#include "heed/text/sentences.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

using Views = std::vector<std::string_view>;

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(SplitSentences, CutsBehindSentences) {
  EXPECT_EQ(SplitSentences("One two. Three! 四。五"),
            (Views{"One two. ", "Three! ", "四。", "五"}));
  EXPECT_TRUE(SplitSentences("").empty());
}

TEST(SplitSentences, CutsLongSentencesAtCommasSpacesOrAnywhere) {
  for (const std::string& line :
       {Repeat("word, ", 400), Repeat("word ", 400), Repeat("ä", 1500)}) {
    std::string joined;
    const Views parts = SplitSentences(line);
    EXPECT_GE(parts.size(), 3u);
    for (const std::string_view part : parts) {
      joined += part;
      int64_t characters = 0;
      for (const char c : part) characters += (c & 0xC0) != 0x80 ? 1 : 0;
      EXPECT_LE(characters, kLongestSentence);
    }
    EXPECT_EQ(joined, line);
  }
}

}  // namespace
}  // namespace heed
