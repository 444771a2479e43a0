#include "heed/data/header.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Counts = std::map<std::string, int64_t>;

TEST(Header, NamesOfColumnsAreKnown) {
  for (const Strings& cells :
       std::vector<Strings>{{"id", "text"},
                            {"query-id", "corpus-id", "score"},
                            {"Sentence1", "sentence2", "label"},
                            {"source", "target"},
                            {"en", "de"},
                            {"English", "German"}}) {
    EXPECT_TRUE(NamesColumns(cells)) << cells[0];
  }
  for (const Strings& cells : std::vector<Strings>{{"text"},
                                                   {"question", "question"},
                                                   {"a good film", "label"},
                                                   {"q1", "d7"},
                                                   {"en", "chat"}}) {
    EXPECT_FALSE(NamesColumns(cells)) << cells[0];
  }
}

FirstLine Judge(const std::string& label, const std::string& text,
                const Counts& others) {
  return JudgeFirstLine(label, Strings{text}, others);
}

TEST(Header, ItsLabelContradictsTheOthers) {
  EXPECT_EQ(Judge("label", "sentence", {{"0", 2}, {"1", 2}}),
            FirstLine::kHeader);
  EXPECT_EQ(Judge("Stimmung", "Satz", {{"gut", 3}, {"schlecht", 2}}),
            FirstLine::kHeader);
  EXPECT_EQ(Judge("sentiment", "review", {{"pos", 1}, {"neg", 1}}),
            FirstLine::kHeader);
  // No known column name: the row may be data.
  EXPECT_EQ(Judge("klass", "satz text", {{"a", 9}, {"b", 9}}),
            FirstLine::kDoubt);
}

TEST(Header, ALineLikeTheOthersIsARow) {
  EXPECT_EQ(Judge("1", "a good film", {{"0", 2}, {"1", 2}}), FirstLine::kRow);
  EXPECT_EQ(Judge("2", "a film", {{"0", 20}, {"1", 20}}), FirstLine::kDoubt);
  EXPECT_EQ(Judge("rare", "What a film, really.", {{"a", 1}, {"b", 20}}),
            FirstLine::kRow);
  EXPECT_EQ(Judge("rare", "What a film, really.", {{"a", 9}, {"b", 20}}),
            FirstLine::kDoubt);
  EXPECT_EQ(Judge("label", "text", {}), FirstLine::kRow);
}

}  // namespace
}  // namespace heed
