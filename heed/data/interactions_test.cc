#include "heed/data/interactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Names = std::vector<std::vector<std::string>>;

/// Names of the items of each user.
Names NamesOf(const Histories& histories) {
  Names names;
  for (const History& history : histories.of_users) {
    names.emplace_back();
    for (const int32_t item : history) {
      names.back().push_back(At(histories.items, item));
    }
  }
  return names;
}

class Interactions : public testing::Test {
 protected:
  Histories Read(const std::string& text) {
    return ReadInteractions({folder_.Put("x", text)});
  }

  TemporaryFolder folder_;
};

TEST_F(Interactions, AreSortedByTimeInEveryFormat) {
  for (const char* text :
       {"userId,movieId,rating,timestamp\n1,b,3,20\n2,c,1,5\n1,\"x,y\",4,10\n",
        "1::b::3::978300760\n2::c::3::978300000\n1::x,y::5::978300750\n",
        "1\tb\t3\t881250949\n2\tc\t1\t881250940\n1\tx,y\t2\t881250900\n",
        "# a\n% b\n1 b 881250949\n\n2 c 881250940\n1 x,y 881250900\n",
        "item\tdate\tuser\nb\t2020-2-2\t1\nc\t2019-1-1\t2\nx,y\t2020-2-1\t1",
        "1,\"x,y\"\n2,c\n1,b\n"}) {
    EXPECT_EQ(NamesOf(Read(text)), (Names{{"x,y", "b"}, {"c"}})) << text;
  }
  const std::string header = folder_.Put("a.csv", "user,item\n1,a\n2,b\n");
  EXPECT_EQ(NamesOf(ReadInteractions({header, folder_.Put("b", "1,c\n")})),
            (Names{{"a", "c"}, {"b"}}));
}

TEST_F(Interactions, ErrorsNameTheLine) {
  for (const char* text :
       {"1,a\n,b\n", "1,a\n1\n", "alone\n", "user,item,time\n1,a,soon\n"}) {
    EXPECT_THAT(MessageOf<FormatError>([&] { Read(text); }),
                testing::ContainsRegex("x:[12]: expected user and item"));
  }
}

TEST_F(Interactions, RareItemsAndUsersAreRemovedUntilNoneIsLeft) {
  // Without item d, user 3 has one item; without user 3, item c has one user.
  Histories histories = Read("1,a\n1,b\n2,b\n2,a\n3,d\n3,c\n1,c\n");
  KeepFrequent(2, histories);
  EXPECT_EQ(NamesOf(histories), (Names{{"a", "b"}, {"b", "a"}}));
  KeepFrequent(3, histories);
  EXPECT_TRUE(histories.of_users.empty());
}

TEST_F(Interactions, TableOfItemsFindsNamesBeforeTitles) {
  EXPECT_EQ(ReadTitles(folder_.Put("m", "1::Heat::Action\n")).at("1"), "Heat");
  Histories histories = Read("u,2\nu,1\nv,2\nv,3\n");
  histories.titles = ReadTitles(
      folder_.Put("m.csv", "id,year,title\n1,,\"Heat, the film\"\n2,,1\n3\n"));
  const ItemTable table(ItemLines(histories), "items.tsv");
  EXPECT_EQ(table.text(), "2\t1\n1\tHeat, the film\n3\t\n");
  EXPECT_EQ(table.Find("Heat, the film"), 1);
  EXPECT_EQ(table.Find(" 1 "), 1) << "the name, although 2 has this title";
  EXPECT_EQ(table.Find(""), std::nullopt) << "3 has no title";
  EXPECT_EQ(table.shown(2), "3");
  EXPECT_THAT(table.Encode(Read("w,1\nv,\"Heat, the film\"\nv,3\nv,2\n"), 2),
              ElementsAre(History{2, 0}));
  for (const char* text : {"a\n", "a\t\na\t\n", "\tx\n"}) {
    EXPECT_THAT(MessageOf<FormatError>([&] { ItemTable(text, "t"); }),
                HasSubstr("expected a new item"));
  }
}

}  // namespace
}  // namespace heed
