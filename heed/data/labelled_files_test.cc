#include "heed/data/labelled_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

LabelledFormat Format(const std::string& name) {
  LabelledFormat format;
  format.format = name;
  return format;
}

/// Error for a file with this content.
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

TEST(LabelledText, PlacesAreFilesAndLines) {
  const TemporaryFolder folder;
  const std::string a =
      folder.Put("a", "label\ttext\npos\tx\nneg\ty\npos\tz\n");
  const std::string b = folder.Put("b", "neg\tv\npos\tw\n");
  const LabelledText text = ReadLabelled({.texts = {a, b}}, {});
  ASSERT_EQ(text.text.size(), 5u);
  EXPECT_EQ(text.PlaceOf(0), a + ":2");
  EXPECT_EQ(text.PlaceOf(2), a + ":4");
  EXPECT_EQ(text.PlaceOf(3), b + ":1");
  EXPECT_EQ(text.FileOf(4), b);
}

/// Labels of a file in this format.
std::vector<Strings> LabelsIn(const std::string& name,
                              const std::string& content,
                              const LabelledFormat& format = {}) {
  const TemporaryFolder folder;
  return ReadLabelled({.texts = {folder.Put(name, content)}}, format).labels;
}

TEST(LabelledText, AHeaderWhoseLabelContradictsTheOthersIsLeftOut) {
  const std::vector<Strings> expected = {{"1"}, {"0"}, {"1"}, {"0"}};
  const std::string rows = "1\tgood\n0\tbad\n1\tfine\n0\tpoor\n";
  EXPECT_EQ(LabelsIn("a.tsv", "label\tsentence\n" + rows), expected);
  EXPECT_EQ(LabelsIn("a.tsv", "Klasse\tSatz\n" + rows), expected);
  EXPECT_EQ(LabelsIn("a.tsv", rows), expected);
  // Concatenated files.
  EXPECT_EQ(LabelsIn("a.tsv", "y\tx\n1\ta\n0\tb\ny\tx\n1\tc\n0\td\n"),
            expected);
  EXPECT_EQ(LabelsIn("a.csv", "1,good\n0,bad\n1,fine\n0,poor\n",
                     {.columns = {"1", "2"}}),
            expected);
  EXPECT_EQ(LabelsIn("a.csv", "y,x\n1,good\n0,bad\n1,fine\n0,poor\n",
                     {.columns = {"1", "2"}}),
            expected);
}

TEST(LabelledText, BlanksOfAnyKindAroundALabelDoNotCount) {
  EXPECT_EQ(
      LabelsIn("a.tsv", "pos\u00A0\ta\n\u200Bneg\tb\npos\tc\n neg\u3000\td\n"),
      (std::vector<Strings>{{"pos"}, {"neg"}, {"pos"}, {"neg"}}));
  EXPECT_EQ(ErrorOf("pos\ta\n\u00A0\tb\n", {}), ":2: no label");
}

/// Messages on standard error while a file is read, without its path.
std::string WarningsOf(const std::string& name, const std::string& content) {
  const TemporaryFolder folder;
  const std::string path = folder.Put(name, content);
  testing::internal::CaptureStderr();
  WarnOfLoneLabels(ReadLabelled({.texts = {path}}, {}), {});
  std::string printed = testing::internal::GetCapturedStderr();
  const size_t at = printed.find(path);
  return at == printed.npos ? printed : printed.substr(at + path.size());
}

TEST(LabelledText, LabelsThatStandOnlyOnceAreDoubted) {
  std::string swapped;
  std::string fine;
  for (int i = 0; i < 20; ++i) {
    swapped += fmt::format("text {}\t{}\n", i, i % 2);
    fine += fmt::format("{}\ttext {}\n", i % 2, i);
  }
  EXPECT_EQ(WarningsOf("a.tsv", swapped),
            ": 20 of 20 labels occur only once, such as 'text 0'; if these are "
            "not labels, choose other columns (--label-column, "
            "--text-column)\n");
  EXPECT_EQ(WarningsOf("a.tsv", fine), "");
}

TEST(LabelledText, ColumnsThatAreReadOfMoreAreNamed) {
  EXPECT_EQ(WarningsOf("a.tsv", "0\tneg\tbad\n1\tpos\tgood\n"),
            ": reads the label of column 1 and the text of column 2, of 3 "
            "columns (--label-column, --text-column)\n");
}

TEST(LabelledText, AHeaderBelowTheFirstLineIsDoubted) {
  const char* doubt =
      ":3: 'label sentence' looks like a header, but is read as a text with "
      "its label; remove the line\n";
  EXPECT_EQ(WarningsOf("a.tsv", "1\tgood\n0\tbad\nlabel\tsentence\n"), doubt);
  EXPECT_EQ(WarningsOf("a.csv", "label,text\n1,good\nlabel,sentence\n"), doubt);
  // Another text has this label, too.
  EXPECT_EQ(WarningsOf("a.tsv", "score\tsentence\nscore\tone nil\n0\tbad\n"),
            "");
}

TEST(LabelledText, AHeaderCanBeForced) {
  const std::string rows = "label\ttext\n1\tgood\n0\tbad\n";
  EXPECT_EQ(LabelsIn("a.tsv", rows, {.header = HeaderLine::kNo}),
            (std::vector<Strings>{{"label"}, {"1"}, {"0"}}));
  EXPECT_EQ(LabelsIn("a.tsv", "1\tgood\n0\tbad\n1\tfine\n",
                     {.header = HeaderLine::kYes}),
            (std::vector<Strings>{{"0"}, {"1"}}));
}

TEST(LabelledText, ALineWithARareLabelIsNoHeader) {
  EXPECT_EQ(LabelsIn("a.tsv", "question\tWho is it?\nanswer\tIt is me.\n"),
            (std::vector<Strings>{{"question"}, {"answer"}}));
  EXPECT_EQ(LabelsIn("a.tsv", "7\tx\n1\ta\n1\tb\n2\tc\n2\td\n").size(), 5U);
}

TEST(LabelledText, HeadersOfPairsAndOfImdbAreLeftOut) {
  LabelledFormat pairs;
  pairs.label_column = 4;
  pairs.second_column = 3;
  EXPECT_EQ(LabelsIn("a.tsv",
                     "index\tsentence1\tsentence2\tlabel\n"
                     "0\ta b\tc\tentailment\n1\td\te\tneutral\n",
                     pairs),
            (std::vector<Strings>{{"entailment"}, {"neutral"}}));
  EXPECT_EQ(LabelsIn("a", "id\trating\treview\n7\t9\tgood\n8\t1\tbad\n",
                     Format("imdb")),
            (std::vector<Strings>{{"pos"}, {"neg"}}));
}

TEST(LabelledText, OtherDelimitersAreFoundWhereNoLineHasATab) {
  const std::vector<Strings> expected = {{"1"}, {"0"}};
  EXPECT_EQ(LabelsIn("a.tsv", "1;good\n0;\"bad; poor\"\n"), expected);
  EXPECT_EQ(LabelsIn("a.tsv", "1,good\n0,\"bad, poor\"\n"), expected);
  EXPECT_EQ(LabelsIn("a.csv", "label;text\n1;good\n0;bad\n"), expected);
  EXPECT_EQ(LabelsIn("a.csv", "label\ttext\n1\tgood\n0\tbad\n"), expected);
  EXPECT_EQ(LabelsIn("a.tsv", "1|good, very\n0|bad\n",
                     {.delimiter = Delimiter::kPipe}),
            expected);
  EXPECT_NE(ErrorOf("1 good\n0 bad\n", {}).find("columns between tabs"),
            std::string::npos);
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
  format.multi_label = false;  // a comma is then part of the label
  EXPECT_EQ(
      ReadLabelled({.texts = {folder.Put("b", "b, a\tx\n")}}, format).labels,
      (std::vector<Strings>{{"b, a"}}));
}

TEST(LabelledText, MistakesInTsvAreNamedWithTheirLine) {
  EXPECT_EQ(ErrorOf("a\tx\nb x\n", Format("tsv")),
            ":2: 1 columns between tabs; 2 are needed");
  EXPECT_EQ(ErrorOf("a\tx\n \tx\n", Format("tsv")), ":2: no label");
}

TEST(LabelledText, OtherFormatsAreRefusedWithTheKnownOnes) {
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
  // Label files correspond to text files by their order.
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

}  // namespace
}  // namespace heed
