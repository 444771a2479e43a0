#include <gtest/gtest.h>

#include "heed/text/markup/mark_placement.h"
#include "heed/text/markup/markdown_blocks.h"
#include "heed/text/markup/text_split.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

/// Sentences that a translator receives.
Texts Read(const std::string& markdown) {
  Texts sentences;
  for (const Segment& segment : SplitMarkdown(markdown)) {
    if (segment.translate) sentences.push_back(segment.text);
  }
  return sentences;
}

/// Document with each sentence in capitals.
std::string Loud(const std::string& markdown) {
  const auto segments = SplitMarkdown(markdown);
  Texts written;
  for (const Segment& segment : segments) {
    if (!segment.translate) continue;
    std::string text = segment.text;
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    written.push_back(WriteSentence(segment, {.text = text}));
  }
  return JoinSegments(segments, written);
}

TEST(SplitMarkdown, MarksOfBlocksStay) {
  EXPECT_EQ(
      Loud("## The man sleeps.\n\n- The dog runs.\n- Anna sleeps.\n\n> The "
           "**man** runs."),
      "## THE MAN SLEEPS.\n\n- THE DOG RUNS.\n- ANNA SLEEPS.\n\n> THE "
      "**MAN** RUNS.");
  EXPECT_EQ(Loud("# A #\n\nb\n===\n\nc d\n---\n\n***\n\n1. e\n2. f\n   - g\n"
                 "     h\n\n10) i\n\n- [ ] j\n- [x] k\n\n> l\n> > m\n"),
            "# A #\n\nB\n===\n\nC D\n---\n\n***\n\n1. E\n2. F\n   - G\n"
            "     H\n\n10) I\n\n- [ ] J\n- [x] K\n\n> L\n> > M\n");
  EXPECT_EQ(Read("> The man\n> sleeps.\nLazy\n\n- a\n\n  b"),
            (Texts{"The man sleeps.", "Lazy", "a", "b"}));
  EXPECT_EQ(Loud("> The man\r\n> sleeps.\r\n"), "> THE MAN\r\n> SLEEPS.\r\n");
}

TEST(SplitMarkdown, CodeStays) {
  for (const char* code :
       {"```cpp\nint a;\n\n# b\n```\n", "~~~\na\n~~~~\n", "    indented code\n",
        "> ```\n> a b\n> ```\n", "- ```\n  a\n  ```\n", "```\nnever closed\n",
        "$$\na + b\n$$\n", "---\ntitle: a\n---\n",
        "[a]: https://x.example 't'\n", "***\n", "---\n\n***\n",
        "[a]: https://x.example\n  \"The title\"\n", "> [!NOTE]\n",
        "[a]: x\r\n  'The title'\r\n", "---\r\ntitle: a\r\n---\r\n",
        "> [a]: <b c>\n> (The title)\n", "\uFEFF---\ntitle: a\n---\n",
        "<!-- a comment\n\nof two -->\n", "<script>\na();\n</script>\n"}) {
    EXPECT_EQ(Read(code), Texts{}) << code;
    EXPECT_EQ(Loud(code), code);
  }
  EXPECT_EQ(Loud("run `a b` and ``c ` d`` now <https://x.example> [^1]"),
            "RUN `a b` AND ``c ` d`` NOW <https://x.example> [^1]");
  EXPECT_EQ(Read("text\n\n    code\n\ntext"), (Texts{"text", "text"}));
}

TEST(SplitMarkdown, MarksOfEmphasisAndLinksStay) {
  for (const char* text : {"A *B* **C** ***D*** _E_ __F__ ~~G~~ H",
                           "**A B** C",
                           "A **B *C* D** E",
                           "A [B C](https://x.example \"a title\") D",
                           "A [B][ref] C",
                           "A [**B** C](<a b>) D",
                           "![A B](a.png)",
                           "![A](a.png)\n\nB",
                           "[![A](a.png)](https://x.example) B",
                           "SNAKE\\_CASE 2 * 3 A_B_C",
                           "| A | B C |\n| --- | :-: |\n| D \\| E | `|` |\n",
                           "A\\\nB",
                           "A  \nB",
                           "A <b>B</b><br>C",
                           "1\\. A",
                           "\\# A",
                           "- A\n\n  B\n\n      code\n",
                           "[A B]: C",
                           "TERM[^1]\n\n[^1]: A NOTE.\n",
                           "A \\*B\\* \\[C\\](D)"}) {
    EXPECT_EQ(Loud(text), text);
  }
  EXPECT_EQ(Read("A **b** [c *d*](e) ![f](g) h."), Texts{"A b c d f h."});
  EXPECT_EQ(Read("![A man](a.png) The dog."), (Texts{"A man", "The dog."}));
  EXPECT_EQ(Read("| a | b |\n|---|---|\n| c | d |"),
            (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(Read("a\\*b &eacute; \\# c"), Texts{"a*b é # c"});
}

TEST(SplitMarkdown, AMarkThatTouchesAFullStopEndsNoSentenceLater) {
  for (const std::string mark : {"[^1]", "[1]", "`x`", "<https://a.b>",
                                 "<!-- c -->", "![](a.png)", "<sup>1</sup>"}) {
    const std::string text = "The man sleeps." + mark + " Anna runs!";
    EXPECT_EQ(Read(text), (Texts{"The man sleeps.", "Anna runs!"})) << text;
    EXPECT_EQ(Loud(text), "THE MAN SLEEPS." + mark + " ANNA RUNS!");
  }
}

TEST(SplitMarkdown, BeginsBehindAByteOrderMark) {
  EXPECT_EQ(Loud("\uFEFF# a\n"), "\uFEFF# A\n");
  EXPECT_EQ(Read("\uFEFF---\ntitle: a\n---\n# b\n"), Texts{"b"});
  EXPECT_EQ(Loud("\uFEFF[a]: x\n\nsee [a]"), "\uFEFF[a]: x\n\nSEE [A][a]");
  EXPECT_TRUE(LooksLikeMarkdown("\uFEFF# a"));
}

TEST(SplitMarkdown, ARuleIsNoFrontMatter) {
  EXPECT_EQ(Read("---\n\nThe man.\n\n---\n\nAnna.\n"),
            (Texts{"The man.", "Anna."}));
  EXPECT_EQ(Read("---\r\n\r\nThe man.\r\n\r\n---\r\n"), Texts{"The man."});
}

TEST(SplitMarkdown, TitlesAndAlertsStay) {
  EXPECT_EQ(Loud("[a]: http://x.y\n  \"The title\"\n\"b\"\n"),
            "[a]: http://x.y\n  \"The title\"\n\"B\"\n");
  EXPECT_EQ(Loud("[a]: http://x.y 't'\n\"b\"\n"),
            "[a]: http://x.y 't'\n\"B\"\n");
  EXPECT_EQ(Loud("[a]: http://x.y\n\n\"b\"\n"), "[a]: http://x.y\n\n\"B\"\n");
  EXPECT_EQ(Loud("> [!Note]\n> a b\n"), "> [!Note]\n> A B\n");
}

TEST(SplitMarkdown, ABackslashBreaksLinesOfWindowsToo) {
  EXPECT_EQ(Loud("a.\\\r\nb\r\n"), "A.\\\r\nB\r\n");
  EXPECT_EQ(Read("a b\\\r\nc d"), (Texts{"a b", "c d"}));
}

TEST(SplitMarkdown, FormulasStay) {
  for (const char* formula :
       {"$\\alpha_1$", "$a + b$", "$$a + b$$", "$\\$5$", "$f(x)$", "$a\nb$"}) {
    EXPECT_EQ(Read(std::string("see ") + formula + " here"), Texts{"see here"})
        << formula;
    EXPECT_EQ(Loud(std::string("see ") + formula + " here."),
              std::string("SEE ") + formula + " HERE.");
  }
  EXPECT_EQ(Loud("the $n$th man"), "THE $n$TH MAN");
  EXPECT_EQ(Read("a $5 and $6 b"), Texts{"a $5 and $6 b"});
  EXPECT_EQ(Read("a $5-10$15 b"), Texts{"a $5-10$15 b"});
  EXPECT_EQ(Read("5 $ or 6 $ b"), Texts{"5 $ or 6 $ b"});
  EXPECT_EQ(Loud("see $HOME/$USER here"), "SEE $HOME/$USER HERE");
}

TEST(SplitMarkdown, LabelsOfLinksStay) {
  EXPECT_EQ(Loud("See [the page] and [a][].\n\n[the page]: x\n[a]: y\n"),
            "SEE [THE PAGE][the page] AND [A][a].\n\n[the page]: x\n[a]: y\n");
  EXPECT_EQ(Loud("see [nothing] here"), "SEE [NOTHING] HERE");
}

TEST(SplitMarkdown, HtmlIsHtml) {
  EXPECT_EQ(
      Loud("<div class=\"a\">\nThe <b>man</b> &amp; dog.\n</div>\n\nText"),
      "<div class=\"a\">\nTHE <b>MAN</b> &amp; DOG.\n</div>\n\nTEXT");
}

TEST(SplitMarkdown, TranslationsDoNotBecomeMarks) {
  const auto segments = SplitMarkdown("word");
  const auto write = [&](const char* text) {
    return WriteSentence(segments[0], {.text = text});
  };
  EXPECT_EQ(write("# a"), "\\# a");
  EXPECT_EQ(write("1. a"), "1\\. a");
  EXPECT_EQ(write("- a"), "\\- a");
  EXPECT_EQ(write("*a* _b_ `c` [d](e) <f> ~~g~~ &amp;"),
            "\\*a\\* \\_b\\_ \\`c\\` \\[d](e) \\<f> \\~\\~g\\~\\~ \\&amp;");
  EXPECT_EQ(write("2 * 3 a_b c & d"), "2 * 3 a_b c & d");
}

TEST(SplitMarkdown, TakesLinearTimeWhateverItReads) {
  for (const char* part :
       {"*",       "$a ",   "$",    "$a\\",   "_a ",     "**a",   "[",
        "](",      "[a](",  "![",   "`",      "`` ` ",   "<",     "<a ",
        "<a b=\"", "> ",    "- ",   "1. ",    "#",       "|",     "|a\n",
        "| - ",    "\n",    "\\",   "~~",     "&",       "[a][",  "[^",
        "[a](b (", "[a](<", "  \n", "\t",     "<!--",    "a\n> ", "- a\n  ",
        "```\n",   "[a]:",  "*a_b", "<code>", "<https:", "]",     "!["}) {
    std::string text;
    while (text.size() < 100000) text += part;
    const auto segments = SplitMarkdown(text);
    Texts written;
    for (const Segment& segment : segments) {
      if (segment.translate) written.push_back(segment.text);
    }
    EXPECT_NO_THROW(JoinSegments(segments, written)) << part;
  }
}

}  // namespace
}  // namespace heed
