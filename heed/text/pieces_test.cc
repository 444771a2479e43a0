#include "heed/text/pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t kUnknown = 1;
constexpr int32_t kCls = 2;
constexpr int32_t kSep = 3;

/// Ids: the special tokens 0 to 4, then a 5, ##b 6, ##c 7, u 8, s 9, the full
/// stop 10, the Chinese characters 11 and 12.
Vocabulary Parse(VocabularyKind kind = VocabularyKind::kWordPiece) {
  return Vocabulary::Parse(
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n##c\nu\ns\n.\n東\n京\n",
      kind, "test");
}

std::vector<PieceChunk> Cut(const Words& words, int max_length = 0,
                            bool lowercase = false) {
  return CutIntoPieces(Parse(), words, {max_length, lowercase});
}

TEST(CutIntoPieces, AWordStandsWhereItsFirstPieceDoes) {
  const auto chunks = Cut({"abc", "U.S.", "á", "東京", "a"});
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].ids,
            (Ids{kCls, 5, 6, 7, 8, 10, 9, 10, 5, 11, 12, 5, kSep}));
  EXPECT_EQ(chunks[0].first, (Ids{1, 4, 8, 9, 11}));
}

TEST(CutIntoPieces, WordsThatGiveNoPieceOrNoKnownOneAreUnknown) {
  const auto chunks = Cut({"\x01", "", "xyz", std::string(101, 'a'), "a"});
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].ids,
            (Ids{kCls, kUnknown, kUnknown, kUnknown, kUnknown, 5, kSep}));
  EXPECT_EQ(chunks[0].first, (Ids{1, 2, 3, 4, 5}));
}

TEST(CutIntoPieces, WhiteSpaceInsideOfAWordDoesNotMakeItTwo) {
  const auto chunks = Cut({"a u", "s"});
  EXPECT_EQ(chunks[0].ids, (Ids{kCls, 5, 8, 9, kSep}));
  EXPECT_EQ(chunks[0].first, (Ids{1, 3}));
}

TEST(CutIntoPieces, LowercasesForAVocabularyThatKeepsCase) {
  const Vocabulary cased = Parse(VocabularyKind::kWordPieceCased);
  EXPECT_EQ(CutIntoPieces(cased, {"U"}, {0, false})[0].ids[1], kUnknown);
  EXPECT_EQ(CutIntoPieces(cased, {"U"}, {0, true})[0].ids[1], 8);
}

TEST(CutIntoPieces, ALongSentenceIsSeveralChunksOfWholeWords) {
  const auto chunks = Cut({"ab", "a", "abc", "u", "s", "ab"}, 5);
  ASSERT_EQ(chunks.size(), 4U);
  EXPECT_EQ(chunks[0].ids, (Ids{kCls, 5, 6, 5, kSep}));
  EXPECT_EQ(chunks[0].first, (Ids{1, 3}));
  EXPECT_EQ(chunks[1].ids, (Ids{kCls, 5, 6, 7, kSep}));
  EXPECT_EQ(chunks[1].first, (Ids{1}));
  EXPECT_EQ(chunks[2].ids, (Ids{kCls, 8, 9, kSep}));
  EXPECT_EQ(chunks[2].first, (Ids{1, 2}));
  EXPECT_EQ(chunks[3].ids, (Ids{kCls, 5, 6, kSep}));
}

TEST(CutIntoPieces, ChunksShareAQuarterWhichEachReadsAHalfOf) {
  const auto chunks =
      Cut({"u", "s", "a", "u", "s", "a", "u", "s", "abc", "u"}, 10);
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0].ids, (Ids{kCls, 8, 9, 5, 8, 9, 5, 8, 9, kSep}));
  EXPECT_EQ(chunks[0].first, (Ids{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(chunks[1].ids, (Ids{kCls, 8, 9, 5, 6, 7, 8, kSep}));
  EXPECT_EQ(chunks[1].first, (Ids{2, 3, 6}));
}

TEST(CutIntoPieces, EveryWordIsReadOnceInOrderWhateverTheLimit) {
  const Words kinds = {"a", "ab", "abc", "u", "abcbcbcb", "s", "u.s."};
  Words words;
  Ids firsts;
  for (size_t i = 0; i < 60; ++i) {
    words.push_back(kinds[i * i % kinds.size()]);
    firsts.push_back(Parse().Encode(words.back())[0]);
  }
  for (int limit = 3; limit < 40; ++limit) {
    Ids read;
    for (const PieceChunk& chunk : Cut(words, limit)) {
      EXPECT_LE(std::ssize(chunk.ids), limit);
      EXPECT_EQ(chunk.ids.front(), kCls);
      EXPECT_EQ(chunk.ids.back(), kSep);
      for (const int32_t place : chunk.first) {
        read.push_back(At(chunk.ids, place));
      }
    }
    EXPECT_EQ(read, firsts) << limit;
  }
}

TEST(CutIntoPieces, AWordThatDoesNotFitAloneLosesItsEnd) {
  const auto chunks = Cut({"a", "abc", "u"}, 4);
  ASSERT_EQ(chunks.size(), 3U);
  EXPECT_EQ(chunks[1].ids, (Ids{kCls, 5, 6, kSep}));
  EXPECT_EQ(chunks[1].first, (Ids{1}));
  EXPECT_EQ(Cut({"abc", "abc"}, 3).size(), 2U);
}

TEST(CutIntoPieces, NoWordsAreOneChunkOfMarks) {
  const auto chunks = Cut({}, 3);
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].ids, (Ids{kCls, kSep}));
  EXPECT_TRUE(chunks[0].first.empty());
}

TEST(CutIntoPieces, ALimitWithoutRoomIsAConfigError) {
  for (const int limit : {1, 2, -1})
    EXPECT_THROW(Cut({"a"}, limit), ConfigError);
}

TEST(PieceBatch, TellsWhereTheWordsOfAllChunksStand) {
  const std::vector<Words> text = {{"a"}, {}, {"ab", "a", "abc", "u"}};
  const PieceCorpus corpus = EncodePieces(Parse(), text, {5, false});
  const PieceBatch batch =
      MakePieceBatch(corpus, std::vector<int64_t>{2, 1, 0});
  ASSERT_EQ(batch.ids.shape(), (Shape{5, 5}));
  EXPECT_EQ(
      batch.ids.ToVector<int32_t>(),
      (Ids{kCls, 5, 6,    5,    kSep, kCls, 5, 6,    7, kSep, kCls, 8, kSep,
           0,    0, kCls, kSep, 0,    0,    0, kCls, 5, kSep, 0,    0}));
  EXPECT_EQ(batch.chunk_lengths.ToVector<int32_t>(), (Ids{5, 5, 3, 2, 3}));
  ASSERT_EQ(batch.first.shape(), (Shape{3, 4}));
  EXPECT_EQ(batch.first.ToVector<int32_t>(),
            (Ids{1, 3, 6, 11, 0, 0, 0, 0, 21, 0, 0, 0}));
  EXPECT_EQ(batch.start.ToVector<int32_t>(), (Ids{0, 15, 20}));
  EXPECT_EQ(batch.lengths.ToVector<int32_t>(), (Ids{4, 0, 1}));
}

TEST(PieceBatch, OfNoWordsHasAColumn) {
  const PieceCorpus corpus =
      EncodePieces(Parse(), std::vector<Words>{{}}, {0, false});
  const PieceBatch batch = MakePieceBatch(corpus, std::vector<int64_t>{0});
  EXPECT_EQ(batch.first.shape(), (Shape{1, 1}));
}

}  // namespace
}  // namespace heed
