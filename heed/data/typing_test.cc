#include "heed/data/typing.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<int32_t>;

TEST(TypedText, HasASpaceBeforeEachWord) {
  EXPECT_EQ(TypedText("The cat's  hat", TypedForm::kLetters), " the cat s hat");
  EXPECT_EQ(TypedText("The cat's hat", TypedForm::kLowercase),
            " the cat's hat");
  EXPECT_EQ(TypedText("\tThe cat", TypedForm::kAsIs), " The cat");
}

TEST(TypedText, InvisibleDifferencesOfTextsAreNone) {
  for (const auto form :
       {TypedForm::kLetters, TypedForm::kLowercase, TypedForm::kAsIs}) {
    EXPECT_EQ(TypedText("cafe\u0301\u00A0wo\u00ADman\u3000", form),
              TypedText("caf\u00E9 woman ", form));
  }
  // J with caron has no upper-case code point.
  EXPECT_EQ(TypedText("J\u030C", TypedForm::kLowercase), " \u01F0");
}

TEST(TypedText, EndsWithASpaceWhereTheNextWordBegins) {
  EXPECT_EQ(TypedText("the cat ", TypedForm::kLetters), " the cat ");
  EXPECT_EQ(TypedText("the cat.", TypedForm::kLetters), " the cat ");
  EXPECT_EQ(TypedText("the cat.", TypedForm::kLowercase), " the cat.");
  EXPECT_EQ(TypedText("", TypedForm::kLetters), " ");
  EXPECT_EQ(TypedText("1 2", TypedForm::kLetters), " ");
}

TEST(TypedSequences, HoldWholeWordsUpToTheirLength) {
  TypingOptions options;
  options.length = 10;
  EXPECT_EQ(
      TypedSequences(Strings{"one two three", "", "größte fünf"}, options),
      (Strings{" one two", " three", " größte", " fünf"}));
  EXPECT_EQ(TypedSequences(Strings{"a verylongword b"}, options),
            Strings{" a b"});
  options.lines = false;
  EXPECT_EQ(TypedSequences(Strings{"one", "two", "three"}, options),
            (Strings{" one two", " three"}));
}

TEST(TypingCodec, CharactersBelongToWordsAndSpacesToTheNextOne) {
  const Strings text = {" the cat the", " the dog"};
  const TypingCodec codec = TypingCodec::Learn(text, 2, 1);
  ASSERT_EQ(codec.word_count(), 2);
  EXPECT_EQ(codec.Word(0), "the");
  const Ids words = codec.Words(" the dog cat ");
  ASSERT_EQ(words.size(), 13U);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(words[i], 0);
  // One of the two words is known; nothing follows the last space.
  EXPECT_EQ(words[4] + words[8], 0);
  EXPECT_EQ(words[12], -1);
  EXPECT_EQ(codec.Characters(" the dog").size(), 8U);
  const Corpus corpus = codec.Encode(text);
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.source[0].size(), corpus.target[0].size());
  EXPECT_EQ(corpus.target[1], codec.Words(text[1]));
}

TEST(TypingCodec, RareWordsAreNotGuessed) {
  const Strings text = {" the cat the"};
  EXPECT_EQ(TypingCodec::Learn(text, 10, 2).word_count(), 1);
  EXPECT_THROW(TypingCodec::Learn(Strings{}, 10, 1), ConfigError);
}

TEST(CharactersSeen, CountsFromTheSpace) {
  EXPECT_EQ(CharactersSeen(" the ö "), (Ids{0, 1, 2, 3, 0, 1, 0}));
}

}  // namespace
}  // namespace heed
