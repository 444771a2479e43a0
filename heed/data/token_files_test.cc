#include "heed/data/token_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

Corpus Toy() {
  Corpus corpus;
  corpus.source = {{4, 5, kEos}, {kEos}, {6, kEos}};
  corpus.target = {{7, kEos}, {4, 4, 4, kEos}, {}};
  return corpus;
}

TokenFileInfo Info(int64_t vocabulary = 8) {
  return {.made_of = 0x123456789abcdefU,
          .source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .corpus = 1,
          .dropped_long = 2,
          .dropped_empty = 3};
}

TEST(TokenFile, IsReadAsItWasWritten) {
  for (const int64_t vocabulary : {8, 70000}) {
    Corpus toy = Toy();
    if (vocabulary > 65536) toy.target[0][0] = 69999;
    const std::string bytes = SerializeTokens(toy, Info(vocabulary));
    const TokenFile file(bytes, "tokens", Info(vocabulary));
    EXPECT_EQ(file.size(), 3);
    EXPECT_EQ(file.info().corpus, 1);
    EXPECT_EQ(file.info().dropped_long, 2);
    EXPECT_EQ(file.info().dropped_empty, 3);
    Corpus read;
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(file.LengthOf(i).source, std::ssize(At(toy.source, i)));
      EXPECT_EQ(file.LengthOf(i).target, std::ssize(At(toy.target, i)));
      file.Append(i, read);
    }
    EXPECT_EQ(read.source, toy.source);
    EXPECT_EQ(read.target, toy.target);
  }
}

TEST(TokenFile, MayHaveNoPair) {
  EXPECT_EQ(TokenFile(SerializeTokens({}, Info()), "tokens", Info()).size(), 0);
}

TEST(TokenFile, EveryByteThatIsMissingOrChangedIsNoticed) {
  const std::string bytes = SerializeTokens(Toy(), Info());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const std::string cut = bytes.substr(0, i);
    EXPECT_NE(MessageOf<FormatError>([&] {
                TokenFile(cut, "00000.tokens", Info());
              }).find("00000.tokens: "),
              std::string::npos)
        << i;
    std::string changed = bytes;
    changed[i] ^= 0x10;
    EXPECT_THROW(TokenFile(changed, "tokens", Info()), FormatError) << i;
  }
  EXPECT_THROW(TokenFile(bytes + '\0', "tokens", Info()), FormatError);
}

TEST(TokenFile, OneOfAnotherVocabularyIsRefused) {
  const std::string bytes = SerializeTokens(Toy(), Info());
  TokenFileInfo other = Info();
  ++other.made_of;
  EXPECT_NE(MessageOf<FormatError>([&] {
              TokenFile(bytes, "tokens", other);
            }).find("by another vocabulary"),
            std::string::npos);
}

TEST(TokenFile, IdsThatAVocabularyHasNotAreRefused) {
  Corpus toy = Toy();
  toy.target[0][0] = 8;
  EXPECT_THROW(TokenFile(SerializeTokens(toy, Info()), "tokens", Info()),
               FormatError);
}

TEST(TokenFiles, AreReadAsOne) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  Corpus all;
  for (int i = 0; i < 3; ++i) {
    Corpus corpus = Toy();
    corpus.source.push_back({4 + i, kEos});
    corpus.target.push_back({kEos});
    TokenFileInfo info = Info();
    info.corpus = i == 0 ? 0 : 2;
    paths.push_back(folder.Path(std::to_string(i)));
    WriteFileAtomically(paths.back(), SerializeTokens(corpus, info));
    all.source.insert(all.source.end(), corpus.source.begin(),
                      corpus.source.end());
    all.target.insert(all.target.end(), corpus.target.begin(),
                      corpus.target.end());
  }
  const TokenFiles files(paths, Info());
  EXPECT_EQ(files.size(), 12);
  EXPECT_EQ(files.dropped_long(), 6);
  EXPECT_EQ(files.dropped_empty(), 9);
  EXPECT_EQ(files.CorpusEnds(3), (std::vector<int64_t>{4, 4, 12}));
  const std::vector<int64_t> chosen = {11, 0, 4, 3};
  files.Release();
  const Corpus read = files.Read(chosen);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const auto pair = static_cast<size_t>(chosen[i]);
    EXPECT_EQ(read.source[i], all.source[pair]);
    EXPECT_EQ(read.target[i], all.target[pair]);
    EXPECT_EQ(files.LengthOf(chosen[i]).source, std::ssize(all.source[pair]));
  }
}

TEST(TokenFiles, OneThatIsDamagedIsNamed) {
  const TemporaryFolder folder;
  const std::string whole = folder.Path("whole");
  const std::string cut = folder.Path("cut");
  const std::string bytes = SerializeTokens(Toy(), Info());
  WriteFileAtomically(whole, bytes);
  WriteFileAtomically(cut, bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(MessageOf<FormatError>([&] {
              TokenFiles({whole, cut}, Info());
            }).find(cut + ": "),
            std::string::npos);
  EXPECT_THROW(TokenFiles({folder.Path("none")}, Info()), IoError);
  WriteFileAtomically(cut, "");
  EXPECT_THROW(TokenFiles({cut}, Info()), FormatError);
}

}  // namespace
}  // namespace heed
