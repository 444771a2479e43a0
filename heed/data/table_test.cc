#include "heed/data/table.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

std::vector<TableRow> CellsOf(const std::string& name, const std::string& bytes,
                              const Strings& columns) {
  const TemporaryFolder folder;
  std::vector<TableRow> rows;
  ForEachRow(folder.Put(name, bytes), columns,
             [&](TableRow row, int64_t) { rows.push_back(std::move(row)); });
  return rows;
}

std::string Refusal(const std::string& name, const std::string& bytes) {
  return MessageOf<FormatError>([&] { CellsOf(name, bytes, {"a", "b"}); });
}

TEST(Table, CsvGivesColumnsByName) {
  const std::vector<TableRow> expected = {{"1", "x"}, {"2", "y"}};
  EXPECT_EQ(CellsOf("t.csv", "b,c,a\nx,-,1\ny,-,2\n", {"a", "b"}), expected);
  EXPECT_EQ(
      CellsOf("t.csv", "\xEF\xBB\xBF\"b\",c,a\r\nx,-,1\r\ny,,2", {"a", "b"}),
      expected);
}

TEST(Table, NamesOfColumnsMayHaveBlanksAndAnotherCase) {
  const std::vector<TableRow> expected = {{"1", "x, y"}};
  for (const char* table :
       {"Label,Text\n1,\"x, y\"\n", "label, text\n1, \"x, y\"\n",
        "TEXT; label\nx, y; 1\n"}) {
    EXPECT_EQ(CellsOf("t.csv", table, {"label", "text"}), expected) << table;
  }
  // An exact match takes precedence; of several inexact ones none is chosen.
  EXPECT_EQ(CellsOf("t.csv", "A,a,b\n0,1,x\n", {"a", "b"}),
            (std::vector<TableRow>{{"1", "x"}}));
  EXPECT_THROW(CellsOf("t.csv", "A,a ,b\n0,1,x\n", {"a", "b"}), ConfigError);
}

TEST(Table, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  EXPECT_EQ(CellsOf("t.csv", "a,b\n\"x, \"\"y\"\"\",\"1\n\n2\"\n\"\",z\n",
                    {"a", "b"}),
            (std::vector<TableRow>{{"x, \"y\"", "1\n\n2"}, {"", "z"}}));
  EXPECT_EQ(CellsOf("t.csv", "a\nx\n\ny\n", {"a"}),
            (std::vector<TableRow>{{"x"}, {""}, {"y"}}));
  EXPECT_EQ(CellsOf("t.csv", "a,b\n5\" disk,z\n", {"a"}),
            (std::vector<TableRow>{{"5\" disk"}}));
}

TEST(Table, WrongCsvNamesTheLine) {
  EXPECT_NE(Refusal("t.csv", "a,b\n1,2\n3,\"x\ny\n").find("t.csv:3:2: a quote"),
            std::string::npos);
  EXPECT_NE(Refusal("t.csv", "a,b\n1,2\n3\n").find("t.csv:3: 1 fields"),
            std::string::npos);
  EXPECT_NE(Refusal("t.csv", "a,b\n\"1\"x,2\n").find("t.csv:2:1: text after"),
            std::string::npos);
  const std::string missing = MessageOf<ConfigError>([] {
    CellsOf("t.csv", "a,c\n1,2\n", {"a", "b"});
  });
  EXPECT_NE(missing.find("t.csv:1: no column 'b'; the first line names a, c"),
            std::string::npos)
      << missing;
}

TEST(Table, AnOpenQuoteDoesNotTakeAllMemory) {
  std::string bytes = "a,b\n\"";
  for (int i = 0; i < 17; ++i)
    bytes += std::string(size_t{1} << 20, 'x') + '\n';
  const std::string error = Refusal("t.csv", bytes);
  EXPECT_NE(error.find("t.csv:2:1: a field of more than 16 MB"),
            std::string::npos);
}

TEST(Table, JsonLinesGiveMembersByName) {
  EXPECT_EQ(CellsOf("t.jsonl",
                    "{\"b\": \"x\\ny\", \"a\": 1}\n\n"
                    "{\"a\": [\"u\", \"v\"], \"b\": \"\", \"c\": {}}\n",
                    {"a", "b"}),
            (std::vector<TableRow>{{"1", "x\ny"}, {"u v", ""}}));
}

TEST(Table, WrongJsonLinesNameTheLine) {
  for (const auto& [bytes, says] : std::vector<std::pair<Strings, const char*>>{
           {{"{\"a\":1,\"b\":2}\n{"}, "t.jsonl:2: is not valid JSON"},
           {{"[1]\n"}, "t.jsonl:1: is not a JSON object"},
           {{"{\"a\":1}\n"}, "t.jsonl:1: no member 'b'; there are a"},
           {{"{\"a\":{},\"b\":1}\n"}, "t.jsonl:1: member 'a' is neither"},
           {{"{\"a\":" + std::string(100000, '[')},
            "t.jsonl:1: nested more than 100 deep"}}) {
    const std::string error = Refusal("t.jsonl", bytes.front());
    EXPECT_NE(error.find(says), std::string::npos) << error;
  }
}

TEST(Table, DelimiterIsThatWithWhichTheHeaderNamesTheColumns) {
  const std::vector<TableRow> expected = {{"1", "x, y"}, {"2", "z"}};
  for (const char* bytes :
       {"b;c;a\nx, y;-;1\nz;-;2\n", "b\tc\ta\nx, y\t-\t1\nz\t-\t2\n",
        "b|c|a\nx, y|-|1\nz|-|2\n",
        "\xEF\xBB\xBF\"b\";\"a\"\n\"x, y\";1\nz;2\n",
        "sep=;\nb;a\nx, y;1\nz;2\n"}) {
    EXPECT_EQ(CellsOf("t.csv", bytes, {"a", "b"}), expected) << bytes;
  }
}

TEST(Table, DelimiterCanBeForced) {
  TableColumns columns = {"a,b"};
  columns.delimiter = Delimiter::kSemicolon;
  const TemporaryFolder folder;
  std::vector<TableRow> rows;
  ForEachRow(folder.Put("t.csv", "a,b;c\n1,2;3\n"), columns,
             [&](TableRow row, int64_t) { rows.push_back(std::move(row)); });
  EXPECT_EQ(rows, (std::vector<TableRow>{{"1,2"}}));
}

TEST(Table, ColumnsWithoutAHeaderAreNumbered) {
  EXPECT_EQ(CellsOf("t.csv", "x,-,1\ny,-,2\n", {"3", "1"}),
            (std::vector<TableRow>{{"1", "x"}, {"2", "y"}}));
  // A line of column names is skipped.
  EXPECT_EQ(CellsOf("t.csv", "source,id,target\ny,-,2\n", {"3", "1"}),
            (std::vector<TableRow>{{"2", "y"}}));
  // A header may have numbers as names.
  EXPECT_EQ(CellsOf("t.csv", "2,1\na,b\n", {"1", "2"}),
            (std::vector<TableRow>{{"b", "a"}}));
  EXPECT_NE(MessageOf<ConfigError>([] {
              CellsOf("t.csv", "x,y\n1,2\n", {"1", "3"});
            }).find("no column '1'"),
            std::string::npos);
}

TEST(Table, FormIsThatOfTheName) {
  EXPECT_EQ(TableFormOf("x.csv.gz"), "csv");
  EXPECT_EQ(TableFormOf("x.ndjson"), "jsonl");
  EXPECT_EQ(TableFormOf("x.tsv"), "");
}

}  // namespace
}  // namespace heed
