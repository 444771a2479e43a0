#include "heed/data/documents.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Strings = std::vector<std::string>;

Strings SentencesOf(const std::string& text) {
  const std::vector<size_t> begins = FindSentences(text);
  Strings sentences;
  for (size_t i = 0; i < begins.size(); ++i) {
    const size_t end = i + 1 < begins.size() ? begins[i + 1] : text.size();
    sentences.push_back(text.substr(begins[i], end - begins[i]));
  }
  return sentences;
}

TEST(Documents, ALineHasTheSentencesOfUnicode) {
  EXPECT_EQ(SentencesOf("It rains. Does it? Yes!"),
            (Strings{"It rains. ", "Does it? ", "Yes!"}));
  EXPECT_EQ(SentencesOf("no border"), (Strings{"no border"}));
}

TEST(Documents, OfSeveralLinesEachIsASentence) {
  EXPECT_EQ(SentencesOf("a. B c.\n\n \nd\n"),
            (Strings{"a. B c.\n\n \n", "d\n"}));
  // A line end after a single line does not add a sentence.
  EXPECT_EQ(SentencesOf("It rains. Yes!\n"), (Strings{"It rains. ", "Yes!\n"}));
}

TEST(Documents, BlankTextHasNoSentence) {
  EXPECT_TRUE(FindSentences("").empty());
  EXPECT_TRUE(FindSentences(" \n\t\r\n ").empty());
}

class MarkedDocuments : public testing::Test {
 protected:
  MarkedDocument Mark(const std::string& text, int max_length = 0,
                      bool lowercase = true) const {
    return MarkDocument(vocabulary_, text, FindSentences(text), max_length,
                        lowercase);
  }

  const Vocabulary vocabulary_ = Vocabulary::Train(
      Strings{"a good film , not bad !"}, {.kind = VocabularyKind::kWords});
};

TEST_F(MarkedDocuments, HaveTheirSentencesOneBehindTheOther) {
  const MarkedDocument d = Mark("A good film, really. Not bad!");
  EXPECT_EQ(d.pieces, (Strings{"a", "good", "film", ",", "really", ".", "not",
                               "bad", "!"}));
  EXPECT_EQ(d.sentences, (std::vector<int32_t>{6, 3}));
  EXPECT_EQ(d.sentence_of, (Strings{"A good film, really.", "Not bad!"}));
  EXPECT_EQ(d.ids.size(), d.pieces.size());
  EXPECT_EQ(d.ids[4], kUnk);
  EXPECT_NE(d.ids[3], kUnk);
  EXPECT_FALSE(d.cut);
}

TEST_F(MarkedDocuments, LoseTheirEndBeyondTheLimit) {
  const MarkedDocument d = Mark("a good film\nnot bad\nbad", 4);
  EXPECT_EQ(d.pieces, (Strings{"a", "good", "film", "not"}));
  EXPECT_EQ(d.sentences, (std::vector<int32_t>{3, 1}));
  EXPECT_EQ(d.sentence_of, (Strings{"a good film", "not bad"}));
  EXPECT_TRUE(d.cut);
  EXPECT_FALSE(Mark("a good film\nnot", 4).cut);
  EXPECT_TRUE(Mark("a good film not\nbad", 4).cut);
}

TEST_F(MarkedDocuments, AreNeverEmpty) {
  for (const char* text : {"", "  \n ", "\x01"}) {
    const MarkedDocument d = Mark(text);
    EXPECT_EQ(d.ids, (std::vector<int32_t>{kEos}));
    EXPECT_EQ(d.sentences, (std::vector<int32_t>{1}));
  }
  EXPECT_EQ(Mark("word").sentences, (std::vector<int32_t>{1}));
}

TEST_F(MarkedDocuments, LeaveOutSentencesWithoutATerm) {
  const MarkedDocument d = Mark("a film\n\x01\nbad");
  EXPECT_EQ(d.sentences, (std::vector<int32_t>{2, 1}));
}

TEST_F(MarkedDocuments, OfManySentencesTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "Not bad. ";
  const MarkedDocument d = Mark(text, 20000);
  EXPECT_EQ(d.ids.size(), 20000u);
  EXPECT_TRUE(d.cut);
}

}  // namespace
}  // namespace heed
