#include "heed/text/word_tokens.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/text/bpe_dropout.h"

namespace heed {
namespace {

using Numbers = std::vector<int32_t>;

Vocabulary Trained(VocabularyKind kind, int size) {
  const std::vector<std::string> lines = {"low lower lowest new newer newest",
                                          "wide wider widest low new wide"};
  return Vocabulary::Train(lines, {.kind = kind, .size = size});
}

TEST(WordTokens, WordsAreTheTokens) {
  const Vocabulary v = Trained(VocabularyKind::kWords, 0);
  const WordTokens tokens = EncodeWordTokens(v, " low  unseen new ");
  EXPECT_EQ(tokens.words, (Numbers{0, 1, 2, -1}));
  EXPECT_EQ(tokens.ids[1], kUnk);
  EXPECT_EQ(tokens.ids[3], kEos);
  EXPECT_EQ(tokens.word_count(), 3);
}

TEST(WordTokens, SpacesAmongCharactersBelongToNoWord) {
  const Vocabulary v = Trained(VocabularyKind::kCharacters, 0);
  EXPECT_EQ(EncodeWordTokens(v, "ow  new").words,
            (Numbers{0, 0, -1, -1, 1, 1, 1, -1}));
}

TEST(WordTokens, PiecesBelongToTheWordThatTheyBegin) {
  for (const VocabularyKind kind :
       {VocabularyKind::kUnigram, VocabularyKind::kBpe}) {
    const Vocabulary v = Trained(kind, 20);
    const std::string line = "lowest wider low";
    const WordTokens tokens = EncodeWordTokens(v, line);
    EXPECT_EQ(tokens.ids, EncodeSentence(v, line, false).ids);
    ASSERT_EQ(tokens.words.size(), tokens.ids.size());
    EXPECT_EQ(tokens.word_count(), 3);
    EXPECT_EQ(tokens.words.front(), 0);
    EXPECT_EQ(tokens.words.back(), -1);
    EXPECT_TRUE(std::is_sorted(tokens.words.begin(), tokens.words.end() - 1));
  }
}

TEST(WordTokens, AVocabularyThatSplitsAWordStillHasItsTokensInOneWord) {
  // SentencePiece converts the no-break space to a space and 1½ to "1 1⁄2".
  const Vocabulary v = Trained(VocabularyKind::kBpe, 20);
  const WordTokens tokens = EncodeWordTokens(v, "low\u00a0new wide 1\u00bd");
  ASSERT_EQ(tokens.words.size(), tokens.ids.size());
  EXPECT_EQ(tokens.word_count(), 3);
  EXPECT_EQ(tokens.words.front(), 0);
  EXPECT_EQ(tokens.words[tokens.words.size() - 2], 2);
  EXPECT_EQ(tokens.ids.back(), kEos);
}

TEST(WordTokens, AnEmptyLineHasNoWords) {
  for (const VocabularyKind kind :
       {VocabularyKind::kWords, VocabularyKind::kCharacters,
        VocabularyKind::kBpe}) {
    const WordTokens tokens = EncodeWordTokens(
        Trained(kind, kind == VocabularyKind::kBpe ? 20 : 0), "");
    EXPECT_EQ(tokens.word_count(), 0);
    EXPECT_EQ(tokens.ids, (Numbers{kEos}));
    EXPECT_EQ(tokens.words, (Numbers{-1}));
  }
}

TEST(WordTokens, OtherSegmentsHaveTheSameWords) {
  const Vocabulary v = Trained(VocabularyKind::kBpe, 20);
  const WordTokens usual = EncodeWordTokens(v, "lowest wider low");
  Rng rng(1);
  const std::vector<int32_t> other = BpeDropout(v, 0.9).Segment(usual.ids, rng);
  ASSERT_GT(other.size(), usual.ids.size());
  const auto found = FindWords(v, other, 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->ids, other);
  EXPECT_EQ(found->word_count(), 3);
  EXPECT_FALSE(FindWords(v, other, 2).has_value());
}

}  // namespace
}  // namespace heed
