#include "heed/text/markup/text_split.h"

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

/// Text with its marks inserted; "*" precedes kept marks and "?" stray ones.
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
       {std::string("a. b.\r\n\tc  d.e §\n"), words, long_sentence,
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

TEST(SplitText, KeepsWhiteSpaceBetweenSentences) {
  for (const std::string space :
       {" ", "\u00A0", "\u3000", "\u2003", "\u2028", "\t", "  ", "\r\n",
        "\u202F", "\u1680", "\n\n", " \u200B"}) {
    const std::string text = "\uFEFFAnna runs!" + space + "The man sleeps.";
    const auto segments = SplitText(text);
    EXPECT_EQ(Sentences(segments), (Texts{"Anna runs!", "The man sleeps."}));
    EXPECT_EQ(JoinSegments(segments, Texts{"A!", "B."}),
              "\uFEFFA!" + space + "B.");
  }
  const auto segments = SplitHtml("<p>Anna runs!&nbsp;The man sleeps.</p>");
  EXPECT_EQ(JoinSegments(segments, Texts{"A!", "B."}), "<p>A!&nbsp;B.</p>");
}

TEST(SplitText, KeepsNumbersAndBulletsOfLists) {
  const auto segments = SplitText("1. The man sleeps.\n 2) Run!\n- A\n• B");
  EXPECT_EQ(Sentences(segments), (Texts{"The man sleeps.", "Run!", "A", "B"}));
  EXPECT_EQ(Joined(segments), "1. The man sleeps.\n 2) Run!\n- A\n• B");
  EXPECT_EQ(Sentences(SplitText("1.1. The man sleeps.\n(2) Run!\na) Go on.")),
            (Texts{"The man sleeps.", "Run!", "Go on."}));
  EXPECT_EQ(Sentences(SplitText("3. Mai 2020.", {.language = "de"})),
            Texts{"3. Mai 2020."});
  EXPECT_EQ(Sentences(SplitText("-5 degrees")), Texts{"-5 degrees"});
}

TEST(SplitText, TakesEmojiOutUnlessTheModelKnowsThem) {
  for (const std::string emoji :
       {"😆", "👩‍👩‍👧", "👍🏽", "🇩🇪", "❤️", "1️⃣",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏳️‍🌈"}) {
    for (const std::string& text :
         Texts{"The man sleeps " + emoji + ". The dog runs.",
               emoji + " The man sleeps. The dog runs.",
               "The man sleeps. " + emoji + " The dog runs.",
               "The man sleeps." + emoji + " The dog runs.",
               "The man" + emoji + "sleeps. The dog runs.",
               "The man sleeps. The dog runs. " + emoji}) {
      EXPECT_EQ(Sentences(SplitText(text)),
                (Texts{"The man sleeps.", "The dog runs."}))
          << text;
    }
    const SplitOptions knowing = {
        .knows = [&](std::string_view other) { return other == emoji; }};
    EXPECT_EQ(Sentences(SplitText("A " + emoji + " b.", knowing)),
              Texts{"A " + emoji + " b."});
  }
  EXPECT_EQ(Marked(SplitText("Like 👍🏽😆 this © 2024™.")),
            Texts{"Like *👍🏽😆this © 2024™."});
}

TEST(SplitText, AMarkThatTouchesAFullStopEndsNoSentenceLater) {
  for (const std::string mark :
       {"[1]", "[2] [3]", "@anna", "(https://a.b)", "{x}", "#tag", "%s",
        "[citation_needed]", "😀"}) {
    for (const std::string stop : {".", "!", "?", ".\"", ".)", "?“"}) {
      const std::string first = "The man sleeps" + stop;
      const std::string text = first + mark + " Anna runs!";
      const auto segments = SplitText(text);
      EXPECT_EQ(Marked(segments), (Texts{first + "*" + mark, "Anna runs!"}));
      EXPECT_EQ(JoinSegments(segments, Texts{"A" + mark, "B"}),
                "A" + mark + " B");
    }
  }
  EXPECT_EQ(Marked(SplitText("Dr.[1] Smith sees file.{x} and {y}. {z} runs.")),
            (Texts{"Dr.*[1] Smith sees file.*{x} and*{y}.", "*{z}runs."}));
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

TEST(SplitHtml, AMarkThatTouchesAFullStopEndsNoSentenceLater) {
  for (const std::string mark :
       {"<sup>[1]</sup>", "<sup>1</sup>", "<sup>[1]</sup><sup>[2]</sup>",
        "<sup><a href=x>1</a></sup>", "<sup>[<a href=x>1</a>]</sup>",
        "<!-- c -->", "<img src=x>", "<wbr>", "<code>x</code>"}) {
    const std::string text = "<p>The man sleeps." + mark + " Anna runs!</p>";
    const auto segments = SplitHtml(text);
    EXPECT_EQ(Sentences(segments), (Texts{"The man sleeps.", "Anna runs!"}))
        << text;
    ASSERT_FALSE(segments[1].marks.empty());
    EXPECT_EQ(segments[1].marks[0].at, segments[1].text.size());
  }
  for (const std::string mark : {"<!-- c -->", "<img src=x>", "<wbr>"}) {
    EXPECT_EQ(Sentences(SplitHtml("It is no. " + mark + " so")),
              Texts{"It is no. so"});
  }
  EXPECT_EQ(Sentences(SplitHtml("It has 10<sup>2</sup> men.")),
            Texts{"It has 102 men."});
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
  EXPECT_EQ(Marked(SplitHtml("a &nosuch; b &amp c")),
            Texts{"a *&nosuch;b & c"});
}

TEST(SplitHtml, ReadsEntitiesAsBrowsersDo) {
  EXPECT_EQ(Sentences(SplitHtml("&copy 2024 &amp;lt; &notit; &NotEqualTilde; "
                                "&#150;&#x80; &#233a &#0; &#xD800; &AMP;x")),
            Texts{"© 2024 &lt; ¬it; ≂̸ –€ éa \uFFFD \uFFFD &x"});
  EXPECT_EQ(Sentences(SplitHtml("AT&T, a & b, &; &#; &x y &eacut e")),
            Texts{"AT&T, a & b, &; &#; &x y &eacut e"});
}

TEST(SplitHtml, KeepsNamesInTheMarkupOfSocialNetworks) {
  for (const std::string name :
       {"<a href=\"https://m.example/tags/x\" class=\"mention hashtag\" "
        "rel=\"tag\">#<span>Straßenbahn</span></a>",
        "<span class=\"h-card\"><a href=\"https://m.example/@u\" class=\"u-url "
        "mention\">@<span>user</span></a></span>",
        "<a href=x rel=tag>#Caf&eacute;</a>", "<a href=x>@user@host.tld</a>",
        "<a href=x><s>@</s><b>müller</b></a>",
        "<a href=x><span class=\"invisible\">https://</span><span>x.example/a"
        "</span><span class=\"invisible\">bcd</span></a>",
        "<span class=\"mention\" data-id=1>Anna Müller</span>", "&lt;@123&gt;",
        "#Stra&szlig;enbahn"}) {
    const auto segments = SplitHtml("<p>The man sees " + name + " today.</p>");
    EXPECT_EQ(Marked(segments), Texts{"The man sees *" + name + "today."});
  }
  EXPECT_EQ(Sentences(SplitHtml("See <a href=x>the #winter page</a>.")),
            Texts{"See the page."});
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
