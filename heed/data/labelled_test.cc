#include "heed/data/labelled.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cerrno>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<int32_t>;

LabelledFormat Format(const std::string& name) {
  LabelledFormat format;
  format.format = name;
  return format;
}

/// What reading `content` throws.
std::string ErrorOf(const std::string& content, const LabelledFormat& format) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("file", content);
  std::string message =
      MessageOf<FormatError>([&] { ReadLabelled({.texts = {path}}, format); });
  if (message.starts_with(path)) message.erase(0, path.size());
  return message;
}

TEST(LabelledText, TsvIsLabelThenText) {
  const TemporaryFolder folder;
  const std::string file = folder.Put("a", "pos\ta good one\nneg\t\tx\n");
  const LabelledText text = ReadLabelled({.texts = {file}}, {});
  EXPECT_EQ(text.text, (Strings{"a good one", ""}));
  EXPECT_EQ(text.labels, (std::vector<Strings>{{"pos"}, {"neg"}}));
  EXPECT_FALSE(text.pairs());
}

TEST(LabelledText, ColumnsAreChosenByOptions) {
  const TemporaryFolder folder;
  const std::string file = folder.Put("a", "7\tis it\tyes it is\tyes\n");
  LabelledFormat format;
  format.text_column = 2;
  format.second_column = 3;
  format.label_column = 4;
  const LabelledText text = ReadLabelled({.texts = {file}}, format);
  EXPECT_EQ(text.text, (Strings{"is it"}));
  EXPECT_EQ(text.second, (Strings{"yes it is"}));
  EXPECT_EQ(text.labels, (std::vector<Strings>{{"yes"}}));
  format.second_column = 2;
  EXPECT_THROW(ReadLabelled({.texts = {file}}, format), ConfigError);
}

TEST(LabelledText, SeveralLabelsHaveCommasBetweenThem) {
  const TemporaryFolder folder;
  const std::string file = folder.Put("a", "b, a\tx\n\ty\nc\tz\n");
  LabelledFormat format;
  format.multi_label = true;
  EXPECT_EQ(ReadLabelled({.texts = {file}}, format).labels,
            (std::vector<Strings>{{"b", "a"}, {}, {"c"}}));
  EXPECT_NE(ErrorOf("a,,b\tx\n", format).find(":1: no label"),
            std::string::npos);
  format.multi_label = false;  // then a comma is part of the one label
  EXPECT_EQ(
      ReadLabelled({.texts = {folder.Put("b", "b, a\tx\n")}}, format).labels,
      (std::vector<Strings>{{"b, a"}}));
}

TEST(LabelledText, MistakesInTsvAreNamedWithTheirLine) {
  EXPECT_EQ(ErrorOf("a\tx\nb x\n", Format("tsv")),
            ":2: 1 columns between tabs; 2 are needed");
  EXPECT_EQ(ErrorOf("a\tx\n \tx\n", Format("tsv")), ":2: no label");
}

TEST(LabelledText, WhatHasAnotherFormatIsToldTheFormats) {
  for (const char* format : {"docs", "imdb", "tsv"}) {
    const std::string error = ErrorOf("no such thing\n", Format(format));
    EXPECT_NE(
        error.find(fmt::format("read as --format {}, others are", format)),
        std::string::npos)
        << error;
  }
}

TEST(LabelledText, NamesOfTablesTellThemInAnyFormat) {
  const TemporaryFolder folder;
  const std::string file = folder.Put("a.csv", "text,label\nx y,pos\n");
  for (const char* format : {"tsv", "lines", "docs", "imdb", "jsonl"}) {
    const LabelledText text = ReadLabelled({.texts = {file}}, Format(format));
    EXPECT_EQ(text.text, (Strings{"x y"})) << format;
  }
  // Files of labels belong to the others, in their order.
  LabelledFiles files;
  files.texts = {file, folder.Put("t", "z\n")};
  files.labels = {folder.Put("l", "neg\n")};
  EXPECT_EQ(ReadLabelled(files, Format("lines")).labels,
            (std::vector<Strings>{{"pos"}, {"neg"}}));
  files.labels.clear();
  EXPECT_THROW(ReadLabelled(files, Format("lines")), ConfigError);
}

TEST(LabelledText, LinesOfTextAndOfLabelsBelongTogether) {
  const TemporaryFolder folder;
  LabelledFiles files;
  files.texts = {folder.Put("t1", "a b\nc\n"), folder.Put("t2", "d\n")};
  files.labels = {folder.Put("l1", "X\nY\n"), folder.Put("l2", "X\n")};
  const LabelledText text = ReadLabelled(files, Format("lines"));
  EXPECT_EQ(text.text, (Strings{"a b", "c", "d"}));
  EXPECT_EQ(text.labels, (std::vector<Strings>{{"X"}, {"Y"}, {"X"}}));

  std::swap(files.labels[0], files.labels[1]);
  const std::string error =
      MessageOf<FormatError>([&] { ReadLabelled(files, Format("lines")); });
  EXPECT_NE(error.find("l2 has 1 lines but"), std::string::npos) << error;
  files.labels.pop_back();
  EXPECT_THROW(ReadLabelled(files, Format("lines")), ConfigError);
  EXPECT_THROW(ReadLabelled(files, Format("tsv")), ConfigError);
}

TEST(LabelledText, DocumentsAreChosenByTheirFold) {
  const TemporaryFolder folder;
  LabelledFiles files;
  files.texts = {folder.Put("docs",
                            "#doc a pos 0\none .\ntwo .\n\n"
                            "#doc b neg 1\nthree\n\n#doc c pos 12\n\nfour")};
  LabelledText text = ReadLabelled(files, Format("docs"));
  EXPECT_EQ(text.text, (Strings{"one . two .", "three", "four"}));
  EXPECT_EQ(text.labels, (std::vector<Strings>{{"pos"}, {"neg"}, {"pos"}}));
  files.folds = "1";
  EXPECT_EQ(ReadLabelled(files, Format("docs")).text, (Strings{"three"}));
  files.folds = "1-12";
  EXPECT_EQ(ReadLabelled(files, Format("docs")).text,
            (Strings{"three", "four"}));
  files.folds = "0,12";
  EXPECT_EQ(ReadLabelled(files, Format("docs")).text,
            (Strings{"one . two .", "four"}));
  for (const char* wrong :
       {"5", "3-1", "1-2-3", "x", "1,", "-1", "1-", "0-99999999"}) {
    files.folds = wrong;
    EXPECT_THROW(ReadLabelled(files, Format("docs")), ConfigError) << wrong;
  }
  files.folds = "1";
  EXPECT_THROW(ReadLabelled(files, Format("tsv")), ConfigError);
}

TEST(LabelledText, MistakesInDocumentsAreNamedWithTheirLine) {
  const LabelledFormat docs = Format("docs");
  EXPECT_EQ(ErrorOf("x\n#doc a pos 0\ny\n", docs).find(":1: text before"), 0u);
  EXPECT_EQ(ErrorOf("#doc a pos x\ny\n", docs).find(":1: not '#doc"), 0u);
  EXPECT_EQ(ErrorOf("#doc a\ny\n", docs).find(":1: not '#doc"), 0u);
  EXPECT_EQ(ErrorOf("#doc a b 1\n\n#doc c d 2\ny\n", docs),
            ":1: a document without a sentence");
  EXPECT_EQ(ErrorOf("#doc a b 1\ny\n#doc c d 2\n", docs),
            ":3: a document without a sentence");
}

TEST(LabelledText, RatingsOfImdbAreNegAndPos) {
  const TemporaryFolder folder;
  LabelledFiles files;
  files.texts = {folder.Put("a", "0\t10\tfine<br /><br />film\n"),
                 folder.Put("b", "1\t4\tnot mine\n")};
  const LabelledText text = ReadLabelled(files, Format("imdb"));
  EXPECT_EQ(text.text, (Strings{"fine  film", "not mine"}));
  EXPECT_EQ(text.labels, (std::vector<Strings>{{"pos"}, {"neg"}}));
  for (const char* wrong :
       {"1\t5\tx\n", "1\t11\tx\n", "1\t0\tx\n", "1\tx\ty\n", "1\t8\n"}) {
    EXPECT_EQ(ErrorOf(wrong, Format("imdb")).find(":1: not a name"), 0u)
        << wrong;
  }
}

TEST(LabelledText, GzipIsReadLikePlainText) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("a.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "pos\tx y\n");
  gzclose(file);
  EXPECT_EQ(ReadLabelled({.texts = {path}}, {}).text, (Strings{"x y"}));
}

TEST(LabelledText, NoFileAndUnknownFormatAreConfigErrors) {
  EXPECT_THROW(ReadLabelled({}, {}), ConfigError);
  EXPECT_THROW(ReadLabelled({.texts = {"x"}}, Format("xml")), ConfigError);
}

LabelledText Labelled(const std::vector<Strings>& labels) {
  LabelledText text;
  text.labels = labels;
  text.text.assign(labels.size(), "a");
  return text;
}

TEST(LabelSet, IsSortedAndComesBackFromItsText) {
  const LabelSet labels(Labelled({{"pos"}, {"neg", "new"}, {"pos"}, {}}));
  EXPECT_EQ(labels.Serialize(), "neg\nnew\npos\n");
  const LabelSet again = LabelSet::Parse(labels.Serialize(), "labels.txt");
  EXPECT_EQ(again.size(), 3);
  EXPECT_EQ(again.Id("pos"), 2);
  EXPECT_EQ(again.Name(1), "new");
}

TEST(LabelSet, OneLabelIsNotEnough) {
  EXPECT_NE(MessageOf<ConfigError>([] {
              const LabelSet labels(Labelled({{"pos"}, {"pos"}}));
            }).find("'pos'"),
            std::string::npos);
}

TEST(LabelSet, UnknownLabelListsTheKnownOnes) {
  const LabelSet labels(Labelled({{"pos"}, {"neg"}}));
  EXPECT_EQ(MessageOf<FormatError>([&] { labels.Id("neu"); }),
            "label 'neu' was not in the training text, which had neg, pos");
}

TEST(LabelSet, DamagedListsAreRefused) {
  for (const char* bytes : {"", "a\n", "a\nb", "b\na\n", "a\na\n"}) {
    EXPECT_THROW(LabelSet::Parse(bytes, "labels.txt"), FormatError) << bytes;
  }
}

class MarkTextTest : public testing::Test {
 protected:
  Ids Marked(const std::string& text, const std::string* second,
             int max_length = 0) {
    const MarkedText marked =
        MarkText(words_, text, second, {.max_length = max_length});
    EXPECT_EQ(marked.ids.size(), marked.pieces.size());
    first_ = marked.first;
    return marked.ids;
  }

  // a b c d are 4 5 6 7.
  const Vocabulary words_ =
      Vocabulary::Train(Strings{"a a a a b b b c c d"},
                        {.kind = VocabularyKind::kWords, .size = 0});
  int32_t first_ = 0;
};

TEST_F(MarkTextTest, TextsStandBetweenMarks) {
  EXPECT_EQ(Marked("a c", nullptr), (Ids{kBos, 4, 6, kEos}));
  EXPECT_EQ(first_, 4);
  const std::string second = "b";
  EXPECT_EQ(Marked("a c", &second), (Ids{kBos, 4, 6, kEos, 5, kEos}));
  EXPECT_EQ(first_, 4);
  EXPECT_EQ(Marked("", nullptr), (Ids{kBos, kEos}));
}

TEST_F(MarkTextTest, WhatIsTooLongLosesItsEnd) {
  EXPECT_EQ(Marked("a b c d", nullptr, 4), (Ids{kBos, 4, 5, kEos}));
  EXPECT_EQ(Marked("a b", nullptr, 4), (Ids{kBos, 4, 5, kEos}));
  EXPECT_EQ(Marked("a", nullptr, 1), (Ids{kBos, kEos}));
}

TEST_F(MarkTextTest, TheLongerOfAPairIsCutFirst) {
  const std::string one = "d";
  EXPECT_EQ(Marked("a b c d", &one, 6), (Ids{kBos, 4, 5, kEos, 7, kEos}));
  const std::string four = "a b c d";
  EXPECT_EQ(Marked("d", &four, 6), (Ids{kBos, 7, kEos, 4, 5, kEos}));
  EXPECT_EQ(Marked("d c b a", &four, 8),
            (Ids{kBos, 7, 6, 5, kEos, 4, 5, kEos}));
  EXPECT_EQ(first_, 5);
}

TEST_F(MarkTextTest, LowercaseIsAnOption) {
  EXPECT_EQ(MarkText(words_, "A", nullptr, {.lowercase = true}).ids,
            (Ids{kBos, 4, kEos}));
  EXPECT_EQ(MarkText(words_, "A", nullptr, {}).ids, (Ids{kBos, kUnk, kEos}));
}

TEST_F(MarkTextTest, BatchesArePaddedAndKnowTheSecondText) {
  LabelledText text;
  text.text = {"a b c", "d"};
  text.second = {"a", "b c"};
  text.labels = {{"y", "x", "y"}, {}};
  const LabelSet labels(text);
  const LabelledCorpus corpus = EncodeLabelled(text, words_, &labels, {});
  EXPECT_EQ(corpus.corpus.target, (std::vector<Ids>{{0, 1}, {}}));
  const std::vector<int64_t> indices = {1, 0};
  const LabelledBatch batch = MakeLabelledBatch(corpus, indices);
  EXPECT_EQ(batch.ids.shape(), (Shape{2, 7}));
  EXPECT_EQ(batch.ids.ToVector<int32_t>(),
            (Ids{kBos, 7, kEos, 5, 6, kEos, kPad,  //
                 kBos, 4, 5, 6, kEos, 4, kEos}));
  EXPECT_EQ(batch.segments.ToVector<int32_t>(),
            (Ids{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(batch.lengths.ToVector<int32_t>(), (Ids{6, 7}));
  EXPECT_EQ(batch.labels, (std::vector<Ids>{{}, {0, 1}}));
}

TEST_F(MarkTextTest, TextsThatAreCutAreCountedAndNamed) {
  LabelledText text;
  text.text = {"a b", "a b c", "c d a b", "d"};
  LabelledCorpus corpus =
      EncodeLabelled(text, words_, nullptr, {.max_length = 4});
  EXPECT_EQ(corpus.cut, 2);
  testing::internal::CaptureStderr();
  WarnOfCut(corpus, 4);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            std::string(program_invocation_short_name) +
                ": warning: of 2 of 4 texts, only the first 4 tokens are read "
                "(--max-length)\n");
  corpus = EncodeLabelled(text, words_, nullptr, {});
  EXPECT_EQ(corpus.cut, 0);
  testing::internal::CaptureStderr();
  WarnOfCut(corpus, 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(MarkTextTest, TextsWithoutLabelsAreEncodedToo) {
  LabelledText text;
  text.text.assign(200, "a");
  text.text[150] = "b";
  const LabelledCorpus corpus = EncodeLabelled(text, words_, nullptr, {});
  EXPECT_EQ(corpus.corpus.source[150], (Ids{kBos, 5, kEos}));
  EXPECT_EQ(corpus.corpus.target[150], Ids{});
  EXPECT_EQ(PlanBatches(corpus.corpus, {.tokens = 300}, 1, 0).size(), 2u);
}

}  // namespace
}  // namespace heed
