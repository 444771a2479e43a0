#include "heed/data/text_blocks.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/data/batches.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<int32_t>;

// Ids of a b c are 4 5 6.
Vocabulary BlockWords() {
  return Vocabulary::Train(Strings{"a a a b b c"},
                           {.kind = VocabularyKind::kWords, .size = 0});
}

const Strings kLines = {"a b c", "", "c", "b b b b"};

TEST(TextBlocks, LinesStandAlone) {
  const Corpus corpus = EncodeTextBlocks(kLines, BlockWords(), {});
  EXPECT_EQ(corpus.target,
            (std::vector<Ids>{{4, 5, 6, kEos}, {6, kEos}, {5, 5, 5, 5, kEos}}));
  EXPECT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.dropped_empty, 1);
}

TEST(TextBlocks, LongLinesAreCut) {
  const Corpus corpus = EncodeTextBlocks(kLines, BlockWords(), {.length = 4});
  EXPECT_EQ(
      corpus.target,
      (std::vector<Ids>{{4, 5, 6, kEos}, {6, kEos}, {5, 5, 5, 5}, {kEos}}));
}

TEST(TextBlocks, AStreamHasEveryTokenOnceInBlocksOfOneLength) {
  const Corpus corpus =
      EncodeTextBlocks(kLines, BlockWords(), {.length = 4, .stream = true});
  EXPECT_EQ(corpus.target,
            (std::vector<Ids>{{4, 5, 6, kEos}, {6, kEos, 5, 5}, {5, 5, kEos}}));
}

TEST(TextBlocks, BatchesPredictEachTokenFromTheOneBefore) {
  const Corpus corpus =
      EncodeTextBlocks(kLines, BlockWords(), {.length = 4, .stream = true});
  const Batch batch = MakeBatch(corpus, std::vector<int64_t>{1, 2});
  EXPECT_EQ(batch.S, 0);
  EXPECT_EQ(batch.target_in, (Ids{kBos, kBos, 6, 5, kEos, 5, 5, kPad}));
  EXPECT_EQ(batch.target_out, (Ids{6, 5, kEos, 5, 5, kEos, 5, kIgnored}));
  EXPECT_EQ(batch.target_tokens, 7);
}

TEST(TextBlocks, LowercaseIsAnOption) {
  EXPECT_EQ(EncodeTextBlocks(Strings{"A"}, BlockWords(), {.lowercase = true})
                .target.at(0),
            (Ids{4, kEos}));
}

TEST(TextBlocks, NothingToReadIsAConfigError) {
  EXPECT_THROW(EncodeTextBlocks(Strings{"", " "}, BlockWords(), {}),
               ConfigError);
  EXPECT_THROW(EncodeTextBlocks({}, BlockWords(), {}), ConfigError);
  EXPECT_THROW(EncodeTextBlocks(kLines, BlockWords(), {.length = 0}),
               ConfigError);
}

}  // namespace
}  // namespace heed
