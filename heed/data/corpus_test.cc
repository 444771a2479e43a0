#include "heed/data/corpus.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/pair_files.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<int32_t>;

Vocabulary WordsOf(const Strings& lines) {
  return Vocabulary::Train(lines, {.kind = VocabularyKind::kWords, .size = 0});
}

ParallelText ReadParallel(const std::string& source,
                          const std::string& target) {
  return PairFiles{.source = {source}, .target = {target}}.Read("");
}

ParallelText ReadTsv(const std::string& path) {
  return PairFiles{.tsv = {path}}.Read("");
}

TEST(ParallelText, TwoFilesAreReadLineByLine) {
  const TemporaryFolder folder;
  const std::string source = folder.Put("source", "a\nb\n");
  const std::string target = folder.Put("target", "x\r\ny");
  const ParallelText text = ReadParallel(source, target);
  EXPECT_EQ(text.source, (Strings{"a", "b"}));
  EXPECT_EQ(text.target, (Strings{"x", "y"}));
}

TEST(ParallelText, DifferentLineCountsAreBothNamed) {
  const TemporaryFolder folder;
  const std::string source = folder.Put("longer", "a\nb\nc\n");
  const std::string target = folder.Put("shorter", "x\ny");
  const std::string error =
      MessageOf<FormatError>([&] { ReadParallel(source, target); });
  EXPECT_NE(error.find(source + " has 3 lines"), std::string::npos);
  EXPECT_NE(error.find(target + " has 2"), std::string::npos);
}

TEST(ParallelText, TsvHasSourceAndTargetAndMayHaveMore) {
  const TemporaryFolder folder;
  const std::string file = folder.Put("tsv", "a b\tx y\nc\tz\tnote\td\n\t\n");
  const ParallelText text = ReadTsv(file);
  EXPECT_EQ(text.source, (Strings{"a b", "c", ""}));
  EXPECT_EQ(text.target, (Strings{"x y", "z", ""}));
}

TEST(ParallelText, AFirstLineThatNamesTheColumnsIsLeftOut) {
  const TemporaryFolder folder;
  const Strings expected = {"a", "c"};
  for (const char* header : {"source\ttarget\n", "en\tde\n",
                             "English\tGerman\n", "src\ttrg\tscore\n", ""}) {
    const auto path = folder.Put("t", std::string(header) + "a\tb\nc\td\n");
    EXPECT_EQ(ReadTsv(path).source, expected) << header;
  }
  // A dictionary whose first entry has two equal words.
  EXPECT_EQ(
      ReadTsv(folder.Put("d", "question\tquestion\na\tb\n")).source.size(), 2U);
  PairFiles kept{.tsv = {folder.Put("k", "en\tde\na\tb\n")}};
  kept.form.header = HeaderLine::kNo;
  EXPECT_EQ(kept.Read("").source, (Strings{"en", "a"}));
}

TEST(ParallelText, OtherDelimitersAreFoundWhereNoLineHasATab) {
  const TemporaryFolder folder;
  for (const char* bytes :
       {"a, b;x\nc;y\n", "a, b|x\nc|y\n", "\"a, b\",x\nc,y\n",
        "source;target\na, b;x\nc;y\n"}) {
    const ParallelText text = ReadTsv(folder.Put("t", bytes));
    EXPECT_EQ(text.source, (Strings{"a, b", "c"})) << bytes;
    EXPECT_EQ(text.target, (Strings{"x", "y"})) << bytes;
  }
  EXPECT_EQ(ReadTsv(folder.Put("t.csv", "target;source\nx;a\n")).source,
            (Strings{"a"}));
}

TEST(ParallelText, TsvLineWithoutATabIsNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.Put("no_tab", "a\tx\nb y\n");
  EXPECT_NE(MessageOf<FormatError>([&] { ReadTsv(file); }).find(file + ":2"),
            std::string::npos);
}

TEST(Corpus, SentencesEndWithEos) {
  const Vocabulary vocabulary = WordsOf({"a b"});
  const Corpus corpus =
      EncodeCorpus({{"b a"}, {"a"}}, vocabulary, vocabulary, {});
  EXPECT_EQ(corpus.source, (std::vector<Ids>{{5, 4, kEos}}));
  EXPECT_EQ(corpus.target, (std::vector<Ids>{{4, kEos}}));
}

TEST(Corpus, LongAndEmptyPairsAreDroppedAndCounted) {
  const Vocabulary vocabulary = WordsOf({"a b"});
  const ParallelText text{{"a a", "a a a", "a", "", "b", " ", "b b"},
                          {"b", "b", "b b b", "a", "", "", "a a"}};
  const Corpus corpus =
      EncodeCorpus(text, vocabulary, vocabulary, {.max_length = 2});
  EXPECT_EQ(corpus.source, (std::vector<Ids>{{4, 4, kEos}, {5, 5, kEos}}));
  EXPECT_EQ(corpus.target, (std::vector<Ids>{{5, kEos}, {4, 4, kEos}}));
  EXPECT_EQ(corpus.dropped_long, 2);
  EXPECT_EQ(corpus.dropped_empty, 3);
  EXPECT_EQ(EncodeCorpus(text, vocabulary, vocabulary, {}).size(), 4);
}

TEST(Corpus, OrderIsKeptOverManyLines) {
  ParallelText text;
  for (int i = 0; i < 3000; ++i) {
    text.source.push_back(i % 7 == 0 ? "" : std::to_string(i));
    text.target.push_back(std::to_string(i));
  }
  const Vocabulary vocabulary = WordsOf(text.target);
  const Corpus corpus = EncodeCorpus(text, vocabulary, vocabulary, {});
  EXPECT_EQ(corpus.dropped_empty, 429);
  EXPECT_EQ(corpus.source, corpus.target);
  EXPECT_EQ(vocabulary.Decode(corpus.source[0]), "1");
  EXPECT_EQ(vocabulary.Decode(corpus.source.back()), "2999");
}

TEST(Corpus, LowercaseIsThatOfUnicode) {
  const Vocabulary vocabulary = WordsOf({"äpfel"});
  EXPECT_EQ(EncodeSentence(vocabulary, "ÄPFEL", true).ids, (Ids{4, kEos}));
  EXPECT_EQ(EncodeSentence(vocabulary, "ÄPFEL", false).ids, (Ids{kUnk, kEos}));
}

TEST(Corpus, EncodedSentenceHasAPieceForEachId) {
  const Vocabulary vocabulary = WordsOf({"a"});
  const Encoded encoded = EncodeSentence(vocabulary, "a b", false);
  EXPECT_EQ(encoded.ids, (Ids{4, kUnk, kEos}));
  EXPECT_EQ(encoded.pieces, (Strings{"a", "b", "</s>"}));
}

}  // namespace
}  // namespace heed
