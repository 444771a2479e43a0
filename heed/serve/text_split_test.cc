#include "heed/serve/text_split.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

std::vector<std::string> Sentences(const std::vector<Segment>& segments) {
  std::vector<std::string> sentences;
  for (const Segment& segment : segments) {
    if (segment.translate) sentences.push_back(segment.text);
  }
  return sentences;
}

std::string Joined(const std::vector<Segment>& segments, bool html) {
  return JoinSegments(segments, Sentences(segments), html);
}

using Texts = std::vector<std::string>;

TEST(SplitText, FindsSentences) {
  EXPECT_EQ(Sentences(SplitText(" A man sleeps.  Two dogs run!\n\nWho? 3.5 m")),
            (Texts{"A man sleeps.", "Two dogs run!", "Who?", "3.5 m"}));
  EXPECT_EQ(Sentences(SplitText("")), Texts{});
  EXPECT_EQ(Sentences(SplitText(" \n…☃ !\n")), Texts{});
}

TEST(SplitText, LosesNothing) {
  const std::string words(3000, 'x');
  std::string long_sentence;
  for (int i = 0; i < 400; ++i)
    long_sentence += "wörd" + std::to_string(i) + " ";
  for (const std::string& text :
       {std::string("a. b.\r\n\tc  d.e ☃\n"), words, long_sentence,
        std::string("\n\n"), std::string("a\0b. C", 6)}) {
    EXPECT_EQ(Joined(SplitText(text), false), text);
  }
}

TEST(SplitText, CutsWhatIsTooLong) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += i % 7 == 6 ? "word, " : "word ";
  const Texts sentences = Sentences(SplitText(text));
  EXPECT_GT(sentences.size(), 3u);
  for (const std::string& sentence : sentences) {
    EXPECT_LE(sentence.size(), static_cast<size_t>(kLongestSentence));
  }
  EXPECT_TRUE(sentences[0].ends_with("word,"));
}

TEST(SplitHtml, KeepsTags) {
  const std::string html =
      "<!-- A comment. --><p class=\"a > b\">A man &amp; a dog. <b>Run!</b></p>"
      "<script>if (a<b) x();</script> &nbsp; <br/>1 &lt; 2";
  const std::vector<Segment> segments = SplitHtml(html);
  EXPECT_EQ(Sentences(segments), (Texts{"A man & a dog.", "Run!", "1 < 2"}));
  EXPECT_EQ(Joined(segments, true), html);
}

TEST(SplitHtml, BrokenHtmlIsText) {
  for (const std::string html :
       {"<p", "a < b", "<", "<!--", "<script>x", "a <b>c", "&amp", "&#xZ;",
        "&#99999999;", "</"}) {
    EXPECT_NO_THROW(Joined(SplitHtml(html), true)) << html;
  }
  EXPECT_EQ(Sentences(SplitHtml("a < b")), Texts{"a < b"});
  EXPECT_EQ(Sentences(SplitHtml("x&#246;&#xF6;&quot;")), Texts{"xöö\""});
}

}  // namespace
}  // namespace heed
