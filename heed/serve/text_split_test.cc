#include "heed/serve/text_split.h"

#include <gtest/gtest.h>

#include "heed/text/sentences.h"

namespace heed {
namespace {

std::vector<std::string> Sentences(const std::vector<Segment>& segments) {
  std::vector<std::string> sentences;
  for (const Segment& segment : segments) {
    if (segment.translate) sentences.push_back(segment.text);
  }
  return sentences;
}

/// Marks in their places, "*" before those that are kept and "?" before strays.
std::string Shown(const Segment& segment) {
  std::string shown;
  size_t done = 0;
  for (const Mark& mark : segment.marks) {
    shown += segment.text.substr(done, mark.at - done);
    done = mark.at;
    if (mark.kind == Mark::Kind::kKept) shown += "*";
    if (mark.kind == Mark::Kind::kStray) shown += "?";
    shown += mark.raw;
  }
  return shown + segment.text.substr(done);
}

using Texts = std::vector<std::string>;

Texts Marked(const std::vector<Segment>& segments) {
  Texts texts;
  for (const Segment& segment : segments) {
    if (segment.translate) texts.push_back(Shown(segment));
  }
  return texts;
}

std::string Joined(const std::vector<Segment>& segments) {
  return JoinSegments(segments, Sentences(segments));
}

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
    EXPECT_EQ(Joined(SplitText(text)), text);
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

TEST(SplitText, TakesPlaceholdersOut) {
  const auto segments = SplitText(
      "Hello {{name}}, you have {0} new ({1}) files. Visit "
      "https://x.example/a?b=c. {n} end\n{{all}}\n");
  EXPECT_EQ(Sentences(segments),
            (Texts{"Hello, you have new files.", "Visit.", "end"}));
  EXPECT_EQ(Marked(segments),
            (Texts{"Hello*{{name}}, you have *{0}new *({1})files.",
                   "Visit*https://x.example/a?b=c.", "*{n}end"}));
  EXPECT_EQ(segments.back().text, "\n{{all}}\n");
}

TEST(SplitText, WhatAPlaceholderLeavesAtTheFrontIsKept) {
  const auto segments = SplitText("%s, come here!");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].text, "%s, ");
  EXPECT_EQ(segments[1].text, "come here!");
  EXPECT_TRUE(segments[1].marks.empty());
}

TEST(SplitHtml, AnInlineTagIsNoBorder) {
  EXPECT_EQ(Sentences(SplitHtml("<p>Click <b>here</b> now.\nThen <i>go</i>"
                                "<br>on</p>")),
            (Texts{"Click here now.", "Then go", "on"}));
  EXPECT_EQ(Marked(SplitHtml("Click <b>here</b> now")),
            Texts{"Click <b>here</b> now"});
  EXPECT_EQ(Marked(SplitHtml("A <x id=\"1\"/> b<wbr>c <img src=a> d")),
            Texts{"A *<x id=\"1\"/>b*<wbr>c *<img src=a>d"});
}

TEST(SplitHtml, TagsAroundASentenceStayAround) {
  const std::string html =
      "<!-- A comment. --><p class=\"a > b\"><b><i>A man &amp; a dog.</i></b> "
      "<u>Run!</u></p><script>if (a<b) x();</script> &nbsp; <br/>1 &lt; 2";
  const std::vector<Segment> segments = SplitHtml(html);
  EXPECT_EQ(Sentences(segments), (Texts{"A man & a dog.", "Run!", "1 < 2"}));
  EXPECT_EQ(Marked(segments), Sentences(segments));
  EXPECT_EQ(JoinSegments(segments, Texts{"1", "2", "3"}),
            "<!-- A comment. --><p class=\"a > b\"><b><i>1</i></b> "
            "<u>2</u></p><script>if (a<b) x();</script> &nbsp; <br/>3");
}

TEST(SplitHtml, AnElementMayReachAcrossSentences) {
  const auto segments = SplitHtml("A <b>man sleeps. A</b> dog <i>runs.</i>");
  EXPECT_EQ(Marked(segments),
            (Texts{"A <b>man sleeps.", "A</b> dog <i>runs.</i>"}));
  EXPECT_EQ(segments[0].marks[0].partner, Mark::kNoPartner);
  EXPECT_EQ(segments[2].marks[0].partner, Mark::kNoPartner);
  EXPECT_EQ(segments[2].marks[1].partner, 2u);
}

TEST(SplitHtml, WhatIsNotTranslatedIsKeptWhole) {
  EXPECT_EQ(
      Marked(SplitHtml("Run <code>ls <b>x</b></code> at <time>noon</time> "
                       "with <a translate='NO' href=x>Big <b>Co</b></a>, "
                       "<i class=\"x notranslate\">a</i> b")),
      Texts{"Run *<code>ls <b>x</b></code>at *<time>noon</time>with*<a "
            "translate='NO' href=x>Big <b>Co</b></a>, *<i class=\"x "
            "notranslate\">a</i>b"});
  EXPECT_EQ(Sentences(SplitHtml("<address>My street</address><div "
                                "translate=no>a<div>b</div>c</div>d<style>e"
                                "</style>f<span title='translate=no'> g")),
            (Texts{"d", "f g"}));
  EXPECT_EQ(Sentences(SplitHtml("<pre>One two\nthree</pre><textarea>a <b> c"
                                "</textarea>d<title>e</title>")),
            (Texts{"One two", "three", "a <b> c", "d", "e"}));
}

TEST(SplitHtml, AnElementWithoutWordsIsKept) {
  EXPECT_EQ(Marked(SplitHtml("See <a href=x><img><b>{0}</b></a> now")),
            Texts{"See *<a href=x><img><b>{0}</b></a>now"});
}

TEST(SplitHtml, CrossingTagsStandAlone) {
  EXPECT_EQ(Marked(SplitHtml("a <b>b <i>c</b> d</i> e")),
            Texts{"a <b>b ?<i>c</b> d</i> e"});
  const auto segments = SplitHtml("a <b>b</u> c</b> d");
  EXPECT_EQ(Marked(segments), Texts{"a <b>b?</u> c</b> d"});
}

TEST(SplitHtml, DecodesEntities) {
  EXPECT_EQ(
      Sentences(SplitHtml("x&#246;&#xF6;&quot;&eacute;&nbsp;y &lt;b&gt;")),
      Texts{"xöö\"é\xC2\xA0y <b>"});
  EXPECT_EQ(Marked(SplitHtml("a &bigstar; b &amp c")),
            Texts{"a *&bigstar;b &amp c"});
}

TEST(SplitHtml, BrokenHtmlIsText) {
  for (const std::string html :
       {"<p", "a < b", "<", "<!--", "<script>x", "a <b>c", "&amp", "&#xZ;",
        "&#99999999;", "</", "<![CDATA[", "<a b='", "<title>", "<pre>\n", "&;",
        "</>x", "<b></b", "<p don't>x"}) {
    EXPECT_NO_THROW(Joined(SplitHtml(html))) << html;
  }
  EXPECT_EQ(Sentences(SplitHtml("a < b")), Texts{"a < b"});
  EXPECT_EQ(Sentences(SplitHtml("<p don't>x")), Texts{"x"});
}

}  // namespace
}  // namespace heed
