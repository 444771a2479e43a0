#include "heed/data/pair_files.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

TEST(PairFiles, SeveralFilesAddUpInTheirOrder) {
  const TemporaryFolder folder;
  PairFiles files;
  files.source = {folder.Put("s1", "a\nb\n"), folder.Put("s2", "c\n")};
  files.target = {folder.Put("t1", "x\ny\n"), folder.Put("t2", "z\n")};
  const ParallelText text = files.Read("");
  EXPECT_EQ(text.source, (Strings{"a", "b", "c"}));
  EXPECT_EQ(text.target, (Strings{"x", "y", "z"}));
  EXPECT_EQ(text.PlaceOf(1, true), folder.Path("s1") + ":2");
  EXPECT_EQ(text.PlaceOf(2, false), folder.Path("t2") + ":1");

  PairFiles tables;
  tables.tsv = {folder.Put("1.tsv", "c\tz\n"), folder.Put("2.tsv", "a\tx\n")};
  EXPECT_EQ(tables.Read("").source, (Strings{"c", "a"}));
}

TEST(PairFiles, EachPairOfFilesHasAsManyLines) {
  const TemporaryFolder folder;
  PairFiles files;
  // The total numbers of lines are equal, but not those of each pair of files.
  files.source = {folder.Put("s1", "a\nb\n"), folder.Put("s2", "c\n")};
  files.target = {folder.Put("t1", "x\n"), folder.Put("t2", "y\nz\n")};
  EXPECT_NE(
      MessageOf<FormatError>([&] { files.Read(""); }).find("has 2 lines but"),
      std::string::npos);
}

TEST(PairFiles, NumbersOfFilesThatDifferAreNamed) {
  PairFiles files;
  files.source = {"a", "b"};
  files.target = {"c"};
  const std::string error =
      MessageOf<ConfigError>([&] { files.Read("valid_"); });
  EXPECT_NE(error.find("--valid-source names 2 files but --valid-target 1"),
            std::string::npos)
      << error;
}

TEST(PairFiles, AreGivenOnceAndInPairs) {
  const auto error = [](const PairFiles& files) {
    return MessageOf<ConfigError>([&] { files.Read(""); });
  };
  PairFiles files;
  EXPECT_NE(error(files).find("--source and --target"), std::string::npos);
  files.source = {"s"};
  EXPECT_NE(error(files).find("--source and --target"), std::string::npos);
  files.tsv = {"pairs"};
  EXPECT_NE(error(files).find("not both"), std::string::npos);
}

TEST(ReadAllLines, ReadsFileByFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(ReadAllLines({folder.Put("1", "a\n"), folder.Put("2", "b\nc\n")}),
            (Strings{"a", "b", "c"}));
}

}  // namespace
}  // namespace heed
