#include "heed/data/retrieval.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Places = std::vector<int64_t>;

std::string WithoutFolder(const std::string& message) {
  const size_t name = message.find("x.tsv");
  return name == message.npos ? message : message.substr(name);
}

/// Error of `read` for a file, without its folder.
template <typename Read>
std::string ErrorOf(const std::string& content, Read&& read) {
  const TemporaryFolder folder;
  return WithoutFolder(
      MessageOf<FormatError>([&] { read(folder.Put("x.tsv", content)); }));
}

TextCollection FourTexts() {
  TextCollection corpus;
  for (const char* id : {"10", "11", "12", "13"}) corpus.Add(id, "text");
  return corpus;
}

TextCollection Queries() {
  TextCollection queries;
  queries.Add("a", "first");
  queries.Add("b", "second");
  return queries;
}

std::vector<RetrievalQuery> Pairs(const std::string& content) {
  const TemporaryFolder folder;
  return ReadRelevantPairs({folder.Put("x.tsv", content)}, Queries(),
                           FourTexts());
}

std::vector<RetrievalQuery> Lists(const std::string& content) {
  const TemporaryFolder folder;
  return ReadCandidateLists({folder.Put("x.tsv", content)}, Queries(),
                            FourTexts());
}

std::string PairError(const std::string& content) {
  return ErrorOf(content, [](const std::string& path) {
    ReadRelevantPairs({path}, Queries(), FourTexts());
  });
}

std::string ListError(const std::string& content) {
  return ErrorOf(content, [](const std::string& path) {
    ReadCandidateLists({path}, Queries(), FourTexts());
  });
}

TEST(Texts, ATitleAndItsBodyAreOneText) {
  const TemporaryFolder folder;
  const TextCollection texts =
      ReadTexts({folder.Put("x.tsv", "7\thow to\tinstall it\n8\t\n")});
  EXPECT_EQ(texts.size(), 2);
  EXPECT_EQ(texts.Id(0), "7");
  EXPECT_EQ(texts.texts()[0], "how to install it");
  EXPECT_EQ(texts.texts()[1], "");
  EXPECT_EQ(texts.Find("8"), 1);
  EXPECT_EQ(texts.Find("9"), -1);
}

TEST(Texts, AFirstLineThatNamesTheColumnsIsLeftOut) {
  const TemporaryFolder folder;
  const TextCollection texts =
      ReadTexts({folder.Put("x.tsv", "id\ttext\n7\ta\n8\tb\n")});
  EXPECT_EQ(texts.size(), 2);
  EXPECT_EQ(texts.Find("id"), -1);
  EXPECT_EQ(ReadTexts({folder.Put("y.tsv", "doc_id\ttitle\tbody\n7\ta\tb\n")})
                .texts(),
            (std::vector<std::string>{"a b"}));
  EXPECT_EQ(ReadTexts({folder.Put("z.csv", "id;text\n7;a, b\n")}).texts(),
            (std::vector<std::string>{"a, b"}));
}

TEST(Texts, GzipIsReadToo) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("x.tsv.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "1\tpacked\n");
  gzclose(file);
  EXPECT_EQ(ReadTexts({path}).texts()[0], "packed");
}

TEST(Texts, BadLinesAreNamed) {
  const auto read = [](const std::string& path) { ReadTexts({path}); };
  EXPECT_EQ(ErrorOf("1\ta\nno tab\n", read),
            "x.tsv:2: no tab between id and text");
  EXPECT_EQ(ErrorOf("\ta\n", read), "x.tsv:1: no id before the tab");
  EXPECT_EQ(ErrorOf("1\ta\n1\tb\n", read),
            "x.tsv:2: a second text with the id '1'");
}

TEST(RelevantPairs, GatherByQuery) {
  const auto read = Pairs("b\t11\na\t10\nb\t13\nb\t11\n");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].query, 1);
  EXPECT_EQ(read[0].positives, (Places{1, 3}));
  EXPECT_TRUE(read[0].candidates.empty());
  EXPECT_EQ(read[1].query, 0);
}

TEST(RelevantPairs, LabelsMakeCandidates) {
  const auto read = Pairs("a\t10\t0\na\t12\t1\nb\t11\t0\n");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].positives, (Places{2}));
  EXPECT_EQ(read[0].candidates, (Places{0, 2}));
  EXPECT_TRUE(read[1].positives.empty());
}

TEST(RelevantPairs, BadLinesAreNamed) {
  EXPECT_EQ(
      PairError("a\n"),
      "x.tsv:1: a line must be query, tab, text, and optionally tab, 0 or "
      "1");
  EXPECT_EQ(PairError("c\t10\n"), "x.tsv:1: 'c' is not the id of a query");
  EXPECT_EQ(PairError("a\t10\na\t99\n"),
            "x.tsv:2: '99' is not the id of a text");
  EXPECT_EQ(PairError("a\t10\t2\n"),
            "x.tsv:1: the third column must be 0 or 1, not '2'");
  EXPECT_EQ(PairError("a\t10\na\t11\t1\n"),
            "x.tsv:2: a third column must stand on all lines or on none");
  EXPECT_EQ(PairError("a\t10\t1\na\t10\t0\n"),
            "x.tsv:2: the pair of an earlier line with the other label");
}

TEST(CandidateLists, HaveTheColumnsOfAskUbuntu) {
  const auto read = Lists("a\t12\t10 11 12\t3.5 2.5 1.0\nb\t\t13 12\t2 1\n");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].positives, (Places{2}));
  EXPECT_EQ(read[0].candidates, (Places{0, 1, 2}));
  EXPECT_TRUE(read[1].positives.empty());
  EXPECT_EQ(read[1].candidates, (Places{3, 2}));
}

TEST(CandidateLists, ARelevantTextIsAlwaysACandidate) {
  const auto read = Lists("a\t12 10\t10 11 11\n");
  EXPECT_EQ(read[0].candidates, (Places{0, 1, 2}));
}

TEST(CandidateLists, BadLinesAreNamed) {
  EXPECT_EQ(ListError("a\t10\n"),
            "x.tsv:1: a line must be query, relevant ids and candidate ids, "
            "and optionally scores, with tabs between");
  EXPECT_EQ(ListError("a\t10\t11\na\t10\t11\n"),
            "x.tsv:2: the query of an earlier line");
  EXPECT_EQ(ListError("a\t10\t14\n"), "x.tsv:1: '14' is not the id of a text");
  EXPECT_EQ(ListError("a\t\t\n"), "x.tsv:1: a query without candidates");
}

std::vector<RetrievalQuery> Answers(const std::string& lines,
                                    TextCollection& questions,
                                    TextCollection& texts) {
  const TemporaryFolder folder;
  return ReadAnswers({folder.Put("x.tsv", lines)}, questions, texts);
}

std::string AnswersError(const std::string& lines) {
  TextCollection questions, texts;
  const std::string message = MessageOf<FormatError>(
      [&] { static_cast<void>(Answers(lines, questions, texts)); });
  return message.substr(message.find("x.tsv"));
}

TEST(AnswersFile, GathersTheTextsOfEachQuestion) {
  TextCollection questions, texts;
  const auto read =
      Answers("who ?\t1\tshe did\nwhen ?\t0\tnever\nwho ?\t0\tit rains\n",
              questions, texts);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(questions.texts(), (std::vector<std::string>{"who ?", "when ?"}));
  EXPECT_EQ(read[0].positives, (Places{0}));
  EXPECT_EQ(read[0].candidates, (Places{0, 2}));
  EXPECT_TRUE(read[1].positives.empty());
  EXPECT_EQ(texts.Id(2), "q1.2");
  // Further files, such as validation, add new ids, even for known questions.
  const auto more = Answers("who ?\t1\tthey\n", questions, texts);
  EXPECT_EQ(more.at(0).query, 2);
  EXPECT_EQ(more.at(0).candidates, (Places{3}));
  EXPECT_EQ(texts.Id(3), "q3.1");
}

TEST(AnswersFile, BadLinesAreNamed) {
  EXPECT_EQ(AnswersError("q\t1\n"),
            "x.tsv:1: a line must be question, tab, 0 or 1, tab, text");
  EXPECT_EQ(AnswersError("q\t1\ta\nq\tyes\tb\n"),
            "x.tsv:2: the second column must be 0 or 1, not 'yes'");
  EXPECT_EQ(AnswersError(" \t1\ta\n"), "x.tsv:1: no question");
  EXPECT_EQ(AnswersError("q\t1\t \n"), "x.tsv:1: no text after the second tab");
}

}  // namespace
}  // namespace heed
