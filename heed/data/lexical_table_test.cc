#include "heed/data/lexical_table.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

using TableIds = std::vector<int32_t>;

TableIds WordsOf(std::span<const int32_t> row) {
  return {row.begin(), row.end()};
}

TEST(LexicalTable, HoldsTheWordsThatOccurTogetherAndNoOthers) {
  const std::vector<TableIds> source = {{0, 2, 0}, {2}, {}, {3}};
  const std::vector<TableIds> target = {{4, 1}, {1, 0, 1}, {2}, {}};
  const LexicalTable table({source, target}, 4, 5, false, 0.5);
  EXPECT_EQ(table.rows(), 4);
  EXPECT_EQ(WordsOf(table.targets(0)), (TableIds{1, 4}));
  EXPECT_EQ(WordsOf(table.targets(1)), TableIds{});
  EXPECT_EQ(WordsOf(table.targets(2)), (TableIds{0, 1, 4}));
  EXPECT_EQ(WordsOf(table.targets(3)), TableIds{});
  EXPECT_EQ(table.size(), 5);
  EXPECT_EQ(table.Place(0, 4), 1);
  EXPECT_EQ(table.Place(2, 0), 2);
  EXPECT_EQ(table.Place(2, 4), 4);
  EXPECT_EQ(table.Place(0, 0), -1);
  EXPECT_EQ(table.Place(1, 1), -1);
  EXPECT_EQ(table.value(4), 0.5);
}

TEST(LexicalTable, TheEmptyWordStandsBesideAllWords) {
  const std::vector<TableIds> source = {{1}, {0}};
  const std::vector<TableIds> target = {{2}, {0}};
  const LexicalTable table({source, target}, 2, 3, true, 1);
  EXPECT_EQ(table.rows(), 3);
  EXPECT_EQ(WordsOf(table.targets(2)), (TableIds{0, 1, 2}));
  EXPECT_EQ(table.Place(2, 1), 3);
  EXPECT_EQ(table.Place(2, 3), -1);
}

TEST(LexicalTable, MemoryGrowsWithPairsThatOccurNotWithVocabularies) {
  std::vector<TableIds> source;
  std::vector<TableIds> target;
  constexpr int32_t kWords = 20000;
  for (int32_t i = 0; i < kWords; ++i) {
    source.push_back({i});
    target.push_back({kWords - 1 - i});
  }
  const LexicalTable table({source, target}, kWords, kWords, false, 1);
  EXPECT_EQ(table.size(), kWords);
  EXPECT_EQ(WordsOf(table.targets(7)), TableIds{kWords - 8});
}

TEST(LexicalTable, RefusesWhatDoesNotFit) {
  const std::vector<TableIds> one = {{0}};
  const std::vector<TableIds> two = {{0}, {1}};
  EXPECT_THROW(LexicalTable({one, two}, 2, 2, true, 1), ShapeError);
  EXPECT_THROW(LexicalTable({two, two}, 1, 2, true, 1), ShapeError);
  EXPECT_THROW(LexicalTable({two, two}, 2, 1, true, 1), ShapeError);
  const std::vector<TableIds> negative = {{-1}, {0}};
  EXPECT_THROW(LexicalTable({negative, two}, 2, 2, true, 1), ShapeError);
}

}  // namespace
}  // namespace heed
