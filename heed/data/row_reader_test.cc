#include "heed/data/row_reader.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using TableRows = std::vector<TableRow>;

TableRows AllOf(const std::unique_ptr<RowReader>& reader) {
  TableRows rows;
  for (TableRow row; reader->Next(row);) rows.push_back(row);
  return rows;
}

TEST(RowReader, FilesSideBySideHaveTheirLines) {
  const TemporaryFolder folder;
  const std::string a = folder.Put("a", "1\n2\n\n");
  const std::string b = folder.Put("b", "x\r\ny\nz");
  EXPECT_EQ(AllOf(ReadSideBySide({a, b})),
            (TableRows{{"1", "x"}, {"2", "y"}, {"", "z"}}));
  EXPECT_EQ(AllOf(ReadSideBySide({a})), (TableRows{{"1"}, {"2"}, {""}}));
}

TEST(RowReader, TheLongerFileIsNamed) {
  const TemporaryFolder folder;
  const std::string a = folder.Put("a", "1\n2\n3\n");
  const std::string b = folder.Put("b", "x\n");
  EXPECT_NE(MessageOf<FormatError>([&] {
              AllOf(ReadSideBySide({a, b}));
            }).find(a + " has 3 lines but " + b + " has 1"),
            std::string::npos);
}

TEST(RowReader, TablesHaveTheirColumns) {
  const TemporaryFolder folder;
  EXPECT_EQ(AllOf(ReadTabbed(folder.Put("t", "a\tb\tc\nd\te\n"))),
            (TableRows{{"a", "b"}, {"d", "e"}}));
  const std::string table = folder.Put("t.csv", "n,text\n1,\"a\nb\"\n2,c\n");
  EXPECT_EQ(AllOf(ReadTable(table, {"text", "n"})),
            (TableRows{{"a b", "1"}, {"c", "2"}}));
  EXPECT_THROW(AllOf(ReadTable(folder.Put("u.csv", "text\n\"a\n"), {"text"})),
               FormatError);
}

TEST(RowReader, PlainFilesAndTablesHaveOneTextARow) {
  const TemporaryFolder folder;
  const auto files = PlainRowFiles(
      {folder.Put("a", "1\n2\n"), folder.Put("b.jsonl", "{\"text\":\"3\"}\n")},
      {"text"});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(AllOf(files[0].open()), (TableRows{{"1"}, {"2"}}));
  EXPECT_EQ(AllOf(files[1].open()), (TableRows{{"3"}}));
  EXPECT_THROW(PlainRowFiles({"b.jsonl"}, {"a", "b"}), ConfigError);
}

}  // namespace
}  // namespace heed
