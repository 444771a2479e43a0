#include "heed/text/markup/mark_placement.h"

#include <gtest/gtest.h>

#include "heed/base/rng.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

Texts SpacedWordsOf(std::string_view text) {
  const auto words = SplitWhitespace(text);
  return {words.begin(), words.end()};
}

/// Owns the data that an AlignedText refers to.
struct Written {
  std::string text;
  Texts source_pieces = {};
  Texts target_pieces = {};
  std::vector<float> attention = {};

  AlignedText Aligned() const {
    return {text, source_pieces, target_pieces, attention};
  }
};

/// A translation whose target word t attends to source word links[t]; −1: to
/// nothing. Tokens are words.
Written Linked(const std::string& source, const std::string& target,
               const std::vector<int>& links) {
  Written translation;
  translation.text = target;
  translation.source_pieces = SpacedWordsOf(source);
  translation.target_pieces = SpacedWordsOf(target);
  EXPECT_EQ(links.size(), translation.target_pieces.size());
  const size_t S = translation.source_pieces.size() + 1;
  translation.attention.assign((links.size() + 1) * S, 0.1F / float(S));
  for (size_t t = 0; t < links.size(); ++t) {
    if (links[t] >= 0) {
      translation.attention[t * S + static_cast<size_t>(links[t])] = 0.9F;
    }
  }
  translation.source_pieces.push_back("</s>");
  translation.target_pieces.push_back("</s>");
  return translation;
}

/// Places the marks of a text with one sentence in its translation.
std::string Placed(const std::string& marked, const std::string& target,
                   const std::vector<int>& links, bool html = true) {
  const auto segments = html ? SplitHtml(marked) : SplitText(marked);
  Texts written;
  for (const Segment& segment : segments) {
    if (!segment.translate) continue;
    written.push_back(
        WriteSentence(segment, Linked(segment.text, target, links).Aligned()));
  }
  EXPECT_EQ(written.size(), 1u);
  return JoinSegments(segments, written);
}

TEST(WriteSentence, ATagFollowsItsWords) {
  EXPECT_EQ(Placed("The <b>small</b> dog sleeps today",
                   "heute schläft der kleine Hund", {4, 3, 0, 1, 2}),
            "heute schläft der <b>kleine</b> Hund");
  EXPECT_EQ(Placed("<b>The small dog</b> sleeps <i>today</i>",
                   "heute schläft der kleine Hund", {4, 3, 0, 1, 2}),
            "<i>heute</i> schläft <b>der kleine Hund</b>");
  EXPECT_EQ(Placed("<p>A <b>big</b>.</p>", "ein großer.", {0, 1}),
            "<p>ein <b>großer</b>.</p>");
}

TEST(WriteSentence, TagsStayNested) {
  EXPECT_EQ(Placed("<a>the <b>small <i>dog</i></b></a> sleeps",
                   "da schläft der Hund kleine", {-1, 3, 0, 2, 1}),
            "da schläft <a>der <b><i>Hund</i> kleine</b></a>");
  EXPECT_EQ(Placed("a <b><i><u>b</u></i></b> c", "x y z", {0, 1, 2}),
            "x <b><i><u>y</u></i></b> z");
}

TEST(WriteSentence, AWordOfNobodyMayStandInAnElement) {
  EXPECT_EQ(Placed("he <b>gives up</b> now", "er gibt es auf jetzt",
                   {0, 1, -1, 2, 3}),
            "er <b>gibt es auf</b> jetzt");
}

TEST(WriteSentence, APlaceholderStaysBesideItsNeighbours) {
  EXPECT_EQ(Placed("{0} files were found", "es wurden Dateien gefunden",
                   {1, 1, 0, 2}, false),
            "es wurden {0} Dateien gefunden");
  EXPECT_EQ(Placed("Hello {{name}}, how are you?", "Hallo, wie geht es?",
                   {0, 1, 2, 3}, false),
            "Hallo {{name}}, wie geht es?");
  EXPECT_EQ(
      Placed("open file{0} (%s) now", "jetzt Datei öffnen", {2, 1, 0}, false),
      "jetzt Datei{0} (%s) öffnen");
  EXPECT_EQ(Placed("see https://x.example/a", "siehe", {0}, false),
            "siehe https://x.example/a");
}

TEST(WriteSentence, AnAddressDoesNotGrow) {
  EXPECT_EQ(
      Placed("go to https://x.example/a now.", "geh jetzt.", {0, 2}, false),
      "geh https://x.example/a jetzt.");
  EXPECT_EQ(
      Placed("the dog https://x.example/a runs.", "der Hund.", {0, 1}, false),
      "der Hund https://x.example/a .");
  EXPECT_EQ(
      Placed("the dog at https://x.example/a.", "der Hund.", {0, 1}, false),
      "der Hund https://x.example/a.");
}

TEST(WriteSentence, WhatIsKeptKeepsItsBytes) {
  EXPECT_EQ(Placed("run <code>a &lt; b</code> &amp; <img alt='a>b'> go",
                   "lauf & geh", {0, 1, 2}),
            "lauf <code>a &lt; b</code> &amp; <img alt='a>b'> geh");
  EXPECT_EQ(Placed("see <span translate=\"no\">the <b>X</b></span> here",
                   "hier siehe", {1, 0}),
            "hier siehe <span translate=\"no\">the <b>X</b></span>");
}

TEST(WriteSentence, WithoutAttentionPlacesAreShares) {
  const auto segments = SplitHtml("one two <b>three four</b>");
  EXPECT_EQ(WriteSentence(segments[0], {.text = "1 2 3 4"}), "1 2 <b>3 4</b>");
}

TEST(WriteSentence, AnEmptyTranslationHasAllMarks) {
  const auto segments = SplitHtml("one <b>two {0}</b> <img> three");
  EXPECT_EQ(JoinSegments(segments, Texts{WriteSentence(segments[0], {})}),
            "<b>{0}</b> <img>");
}

/// Random sentences in random order keep every tag and placeholder once and
/// correctly nested, and all words of the translation.
TEST(WriteSentence, LosesNothingWhateverTheLinksAre) {
  Rng rng(7);
  const auto draw = [&](uint64_t n) { return rng.Next() % n; };
  for (int round = 0; round < 3000; ++round) {
    std::string source;
    Texts open;
    Texts marks;
    const auto add = [&](const std::string& mark) {
      source += mark;
      marks.push_back(mark);
    };
    size_t words = 0;
    for (uint64_t n = 2 + draw(20); n > 0; --n) {
      const std::string id = std::to_string(n) + "_" + std::to_string(round);
      switch (draw(7)) {
        case 0:
          add("<b id=" + id + ">");
          open.push_back("</b>");
          break;
        case 1:
          add("<em class='" + id + "'>");
          open.push_back("</em>");
          break;
        case 2:
          if (open.empty()) break;
          source += open.back();
          open.pop_back();
          break;
        case 3:
          add("{{v" + id + "}}");
          break;
        case 4:
          add("<img src=" + id + ">");
          break;
        default:
          source += "w" + std::string(1, static_cast<char>('a' + draw(26)));
          ++words;
      }
      if (draw(3) > 0) source += " ";
    }
    for (; !open.empty(); open.pop_back()) source += open.back();
    if (words == 0) continue;
    const auto segments = SplitHtml(source);
    Texts written;
    std::string target;
    for (const Segment& segment : segments) {
      if (!segment.translate) continue;
      std::vector<int> links;
      Texts target_words;
      const auto size = SpacedWordsOf(segment.text).size();
      for (uint64_t n = draw(2 * size + 1); n > 0; --n) {
        links.push_back(static_cast<int>(draw(size + 1)) - 1);
        target_words.push_back("t" + std::to_string(n));
      }
      std::string text;
      for (const auto& word : target_words)
        text += text.empty() ? word : " " + word;
      target += text;
      written.push_back(
          WriteSentence(segment, Linked(segment.text, text, links).Aligned()));
    }
    const std::string answer = JoinSegments(segments, written);
    for (const std::string& mark : marks) {
      const size_t at = answer.find(mark);
      ASSERT_NE(at, answer.npos) << source << "\n" << answer;
      ASSERT_EQ(answer.find(mark, at + 1), answer.npos) << answer;
    }
    Texts stack;
    std::string plain;
    for (size_t i = 0; i < answer.size();) {
      if (answer[i] != '<') {
        plain += answer[i++];
        continue;
      }
      const size_t end = answer.find('>', i) + 1;
      const std::string tag = answer.substr(i, end - i);
      if (tag == "</b>" || tag == "</em>") {
        ASSERT_FALSE(stack.empty()) << answer;
        ASSERT_EQ(stack.back(), tag) << answer;
        stack.pop_back();
      } else if (!tag.starts_with("<img")) {
        stack.push_back(tag.starts_with("<b") ? "</b>" : "</em>");
      }
      i = end;
    }
    ASSERT_TRUE(stack.empty()) << answer;
    std::string left;
    for (size_t i = 0; i < plain.size();) {
      if (plain[i] == '{') {
        i = plain.find("}}", i) + 2;
      } else {
        if (plain[i] != ' ') left += plain[i];
        ++i;
      }
    }
    std::erase(target, ' ');
    ASSERT_EQ(left, target) << source << "\n" << answer;
  }
}

}  // namespace
}  // namespace heed
