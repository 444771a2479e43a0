#include "heed/metrics/spans.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"

namespace heed {
namespace {

using Tags = std::vector<std::string>;
using Entities = std::vector<Entity>;

Tags TagsIn(std::string_view text) {
  const auto tags = SplitWhitespace(text);
  return {tags.begin(), tags.end()};
}

/// Detects the scheme of sentences separated by slashes.
SpanScheme SchemeIn(std::string_view text) {
  std::vector<Tags> sentences;
  for (const std::string_view one : SplitAt(text, "/ ")) {
    sentences.push_back(TagsIn(one));
  }
  return SchemeOf(sentences);
}

Entities Read(std::string_view text) {
  const std::vector<Tags> sentences = {TagsIn(text)};
  const auto notation = NotationOf(DifferentTags(sentences));
  return notation ? notation->Read(sentences[0]) : Entities();
}

TEST(Spans, StandFromBToTheLastI) {
  EXPECT_EQ(Read("O B-LOC I-LOC O B-PER"),
            (Entities{{1, 3, "LOC"}, {4, 5, "PER"}}));
  EXPECT_EQ(Read("B-LOC B-LOC I-LOC"),
            (Entities{{0, 1, "LOC"}, {1, 3, "LOC"}}));
  EXPECT_TRUE(Read("O O").empty());
  EXPECT_TRUE(Read("").empty());
}

TEST(Spans, BeginAtAnInsideTagThatContinuesNothing) {
  EXPECT_EQ(Read("I-LOC I-LOC O I-PER"),
            (Entities{{0, 2, "LOC"}, {3, 4, "PER"}}));
  EXPECT_EQ(Read("B-LOC I-PER I-PER"),
            (Entities{{0, 1, "LOC"}, {1, 3, "PER"}}));
}

TEST(Spans, EndAtEAndS) {
  EXPECT_EQ(
      Read("S-LOC B-PER I-PER E-PER E-PER I-PER O"),
      (Entities{{0, 1, "LOC"}, {1, 4, "PER"}, {4, 5, "PER"}, {5, 6, "PER"}}));
  EXPECT_EQ(Read("S-LOC S-LOC I-LOC"),
            (Entities{{0, 1, "LOC"}, {1, 2, "LOC"}, {2, 3, "LOC"}}));
}

TEST(Spans, HaveTypesWithHyphens) {
  EXPECT_EQ(Read("B-creative-work I-creative-work"),
            (Entities{{0, 2, "creative-work"}}));
}

/// One sentence, Ann Lee | Bo | O | New York, in every notation.
TEST(Spans, AreTheSameInEveryScheme) {
  const Entities expected = {{0, 2, "PER"}, {2, 3, "PER"}, {4, 6, "LOC"}};
  for (const char* tags :
       {"B-PER I-PER B-PER O B-LOC I-LOC", "I-PER I-PER B-PER O I-LOC I-LOC",
        "I-PER E-PER I-PER O I-LOC I-LOC", "I-PER E-PER E-PER O I-LOC E-LOC",
        "B-PER E-PER S-PER O B-LOC E-LOC", "B-PER L-PER U-PER O B-LOC L-LOC",
        "B-PER M-PER S-PER O B-LOC E-LOC", "B-PER E-PER W-PER O B-LOC E-LOC",
        "PER-B PER-I PER-B O LOC-B LOC-I", "PER_B PER_E PER_S O LOC_B LOC_E",
        "B_PER I_PER B_PER O B_LOC I_LOC", "B:PER I:PER B:PER O B:LOC I:LOC",
        "b-PER i-PER b-PER o b-LOC i-LOC", "(PER* *) (PER*) * (LOC* *)",
        "(PER* *) (PER) * (LOC* *)"}) {
    EXPECT_EQ(Read(tags), expected) << tags;
  }
}

TEST(Spans, MayHaveNoPositionOrNoType) {
  EXPECT_EQ(Read("PERSON PERSON O art-music"),
            (Entities{{0, 2, "PERSON"}, {3, 4, "art-music"}}));
  EXPECT_EQ(Read("B M E S B E"),
            (Entities{{0, 3, ""}, {3, 4, ""}, {4, 6, ""}}));
  EXPECT_EQ(Read("B I O B"), (Entities{{0, 2, ""}, {3, 4, ""}}));
}

TEST(Spans, OfBracketsMayBeNested) {
  EXPECT_EQ(Read("(A0*(A1* *)) *"), (Entities{}));
  EXPECT_EQ(Read("(A0(A1* *)) *"), (Entities{{0, 2, "A0"}, {0, 2, "A1"}}));
  const TagNotation brackets = {TagForm::kBrackets, 0};
  EXPECT_EQ(brackets.Read(TagsIn("*) (A* * (B*)")), (Entities{{3, 4, "B"}}));
}

TEST(Notation, IsNoneForOtherTags) {
  const auto notation = [](std::string_view text) {
    return NotationOf(DifferentTags(std::vector<Tags>{TagsIn(text)}));
  };
  EXPECT_TRUE(notation("O B-LOC I-LOC S-X E-Y"));
  EXPECT_TRUE(notation("O O"));
  for (const char* tags :
       {"NOUN VERB", "O B-LOC NOUN", "X-LOC", "N V O S E", "B-LOC LOC-B",
        "B-LOC B_LOC", "B-LOC I-", ", . ''"}) {
    EXPECT_FALSE(notation(tags)) << tags;
  }
}

TEST(Schemes, AreDetectedFromTheEndsOfEntities) {
  for (const auto& [tags, name] : {std::pair{"I-X I-X O I-X", "IO"},
                                   {"B-X I-X O B-X", "IOB2"},
                                   {"I-X B-X I-X O I-X", "IOB1"},
                                   {"I-X E-X O E-X", "IOE2"},
                                   {"I-X E-X I-X O I-X", "IOE1"},
                                   {"B-X I-X E-X S-X", "IOBES"},
                                   {"B-X E-X O", "IOBES"},
                                   {"B-X I-X L-X U-X", "BILOU"},
                                   {"B-X M-X E-X S-X", "BMES"},
                                   {"B-X M-X E-X W-X", "BMEWO"},
                                   {"X-B X-I O X-B", "IOB2"},
                                   {"PER O LOC", "IO"},
                                   {"(X* *) *", "brackets"},
                                   {"B I O", "IOB2"}}) {
    const SpanScheme scheme = SchemeIn(tags);
    EXPECT_EQ(scheme.name, name) << tags;
    EXPECT_EQ(scheme.problem, "") << tags;
  }
}

TEST(Schemes, ThatAreMixedAreReportedWithTheFirstPlaceOfTheRarer) {
  const SpanScheme iob = SchemeIn("B-X I-X O/ B-X O I-X");
  EXPECT_EQ(iob.name, "IOB2");
  EXPECT_EQ(iob.problem, "2 entities are written in IOB2 and 1 in IOB1");
  EXPECT_EQ(iob.sentence, 1);
  EXPECT_EQ(iob.word, 2);
  const SpanScheme full = SchemeIn("B-X E-X S-X/ O B-X I-X O");
  EXPECT_EQ(full.name, "IOBES");
  EXPECT_EQ(full.problem, "2 entities are written in IOBES and 1 in IOB");
  EXPECT_EQ(full.sentence, 1);
  const SpanScheme ends = SchemeIn("I-X E-X O E-X O I-X");
  EXPECT_EQ(ends.problem, "2 entities are written in IOE2 and 1 in IOE1");
  const SpanScheme letters = SchemeIn("B-X I-X L-X/ B-X E-X");
  EXPECT_EQ(letters.problem, "both E and L are written for one position");
  EXPECT_EQ(letters.entities, 2);
}

TEST(Schemes, ATagOfNoneBesideOthersIsNamed) {
  const SpanScheme scheme = SchemeIn("O B-LOC/ I-LOC NOUN");
  EXPECT_FALSE(scheme.notation);
  EXPECT_EQ(scheme.problem, "'NOUN' is in no span scheme beside 'B-LOC'");
  EXPECT_EQ(scheme.sentence, 1);
  EXPECT_EQ(SchemeIn("NOUN VERB").problem, "");
}

}  // namespace
}  // namespace heed
