#include "heed/data/conll.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

class Conll : public testing::Test {
 protected:
  TaggedText Read(const std::string& text, const TagColumns& columns = {},
                  const std::string& name = "text") {
    return ReadTagged(folder_.Put(name, text), columns);
  }
  /// The text's error without its folder.
  std::string Error(const std::string& text, const TagColumns& columns = {},
                    const std::string& name = "text") {
    const std::string message =
        MessageOf<FormatError>([&] { Read(text, columns, name); });
    const size_t at = message.find(name);
    return at == message.npos ? message : message.substr(at);
  }

  TemporaryFolder folder_;
};

TEST_F(Conll, SentencesStandBetweenBlankLines) {
  const TaggedText text = Read("New\tB-LOC\nYork\tI-LOC\n\n\nIt\tO\r\n");
  ASSERT_EQ(text.sentences.size(), 2U);
  EXPECT_EQ(text.sentences[0].words, (Strings{"New", "York"}));
  EXPECT_EQ(text.sentences[0].tags, (Strings{"B-LOC", "I-LOC"}));
  EXPECT_EQ(text.sentences[1].words, (Strings{"It"}));
  EXPECT_EQ(text.sentences[1].tags, (Strings{"O"}));
}

TEST_F(Conll, ColumnsMayStandBetweenSpacesAndBeChosen) {
  const std::string text =
      "-DOCSTART- -X- O O\n\nEU NNP I-NP B-ORG\nrejects VBZ I-VP O\n"
      "-DOCSTART-\nGerman JJ I-NP B-MISC\n";
  const TaggedText last = Read(text);
  ASSERT_EQ(last.sentences.size(), 2U);
  EXPECT_EQ(last.sentences[0].tags, (Strings{"B-ORG", "O"}));
  EXPECT_EQ(last.sentences[1].words, (Strings{"German"}));
  TagColumns columns;
  columns.tag_column = 2;
  EXPECT_EQ(Read(text, columns).sentences[0].tags, (Strings{"NNP", "VBZ"}));
  columns.word_column = 2;
  columns.tag_column = 1;
  EXPECT_EQ(Read(text, columns).sentences[0].tags, (Strings{"EU", "rejects"}));
}

TEST_F(Conll, BetweenTabsAWordMayHoldSpacesOrNothing) {
  const TaggedText text = Read("New York\tB-LOC\n\tO\n");
  EXPECT_EQ(text.sentences[0].words, (Strings{"New York", ""}));
}

TEST_F(Conll, CommentsAreLeftOutButWordsWithHashesAreNot) {
  const TaggedText text =
      Read("# id = 1\n# text = a b\n#tag\tO\n# more\tO\n\na\tO\n");
  ASSERT_EQ(text.sentences.size(), 2U);
  EXPECT_EQ(text.sentences[0].words, (Strings{"#tag", "# more"}));
}

TEST_F(Conll, WordsAloneAreReadIfTagsAreNotNeeded) {
  TagColumns columns;
  columns.need_tags = false;
  const TaggedText text = Read("a\nb\n\nc\n", columns);
  ASSERT_EQ(text.sentences.size(), 2U);
  EXPECT_EQ(text.sentences[0].words, (Strings{"a", "b"}));
  EXPECT_TRUE(text.sentences[0].tags.empty());
  EXPECT_EQ(WithTags(text, {{{"X", "Y"}, {"Z"}}}), "a X\nb Y\n\nc Z\n");
}

TEST_F(Conll, AWrongNumberOfColumnsIsNamed) {
  EXPECT_EQ(Error("a\tO\nb\tO\tO\n"),
            "text:2: 3 columns between tabs, but line 1 has 2");
  EXPECT_EQ(Error("\na O\nb\n"),
            "text:3: 1 columns between spaces, but line 2 has 2");
  EXPECT_EQ(Error("a\tO\n# a comment inside\nb\tO\n"),
            "text:2: 1 columns between tabs, but line 1 has 2");
  EXPECT_NE(Error("a\nb\n").find("text:1: no column of tags"),
            std::string::npos);
  TagColumns columns;
  columns.tag_column = 5;
  EXPECT_EQ(Error("a\tO\n", columns),
            "text:1: column 5 is asked for, but there are 2 between tabs");
}

TEST_F(Conll, AnEmptyTagAFileWithoutWordsAndWrongBytesAreNamed) {
  EXPECT_EQ(Error("a\tO\nb\t\n"), "text:2: the tag is empty");
  EXPECT_EQ(Error("\n# only a comment\n\n"), "text holds no words");
  EXPECT_EQ(Error("-DOCSTART-\n"), "text holds no words");
  EXPECT_NE(Error("a\tO\n\xff\tO\n").find("2"), std::string::npos);
  EXPECT_NE(Error(""), "no error");
}

TEST_F(Conll, ColumnsThatCannotBeAreRefused) {
  for (const auto& [word, tag] : {std::pair{0, 0}, {1, -1}, {2, 2}}) {
    TagColumns columns;
    columns.word_column = word;
    columns.tag_column = tag;
    EXPECT_THROW(Read("a\tO\n", columns), ConfigError) << word << " " << tag;
  }
  TagColumns columns;
  columns.format = "xml";
  EXPECT_THROW(Read("a\tO\n", columns), ConfigError);
}

constexpr char kConllu[] =
    "# text = Don't go\n"
    "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tDo\tdo\tAUX\tVBP\t_\t3\taux\t_\t_\n"
    "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    "2.1\tever\tever\tADV\tRB\t_\t_\t_\t_\t_\n"
    "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
    "\n"
    "1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n";

TEST_F(Conll, ConlluGivesWordsWithoutRangesAndEmptyNodes) {
  const TaggedText text = Read(kConllu, {}, "a.conllu");
  ASSERT_EQ(text.sentences.size(), 2U);
  EXPECT_EQ(text.sentences[0].words, (Strings{"Do", "n't", "go"}));
  EXPECT_EQ(text.sentences[0].tags, (Strings{"AUX", "PART", "VERB"}));
  TagColumns columns;
  columns.format = "conllu";
  columns.conllu_column = "deprel";
  EXPECT_EQ(Read(kConllu, columns).sentences[0].tags,
            (Strings{"aux", "advmod", "root"}));
  columns.conllu_column = "pos";
  EXPECT_THROW(Read(kConllu, columns), ConfigError);
}

TEST_F(Conll, ConlluMayBeCompressed) {
  const std::string path = folder_.Path("a.conllu.gz");
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, kConllu, sizeof(kConllu) - 1);
  gzclose(file);
  EXPECT_EQ(ReadTagged(path, {}).sentences[1].tags, (Strings{"INTJ"}));
}

TEST_F(Conll, ConlluErrorsAreNamed) {
  const std::string columns = "\tx\tx\tX\tX\t_\t0\troot\t_\t_\n";
  EXPECT_EQ(Error("1" + columns + "3" + columns, {}, "a.conllu"),
            "a.conllu:2: word number '3' where 2 is expected");
  EXPECT_EQ(Error("x-y" + columns, {}, "a.conllu"),
            "a.conllu:1: word number 'x-y' where 1 is expected");
  EXPECT_EQ(Error("1\tx\tX\n", {}, "a.conllu"),
            "a.conllu:1: 3 columns between tabs; CoNLL-U has 10");
}

TEST_F(Conll, OtherTagsStandInThePlaceOfTheFirst) {
  const TaggedText text = Read(kConllu, {}, "a.conllu");
  std::string expected = kConllu;
  expected.replace(expected.find("AUX"), 3, "VERB");
  EXPECT_EQ(WithTags(text, {{{"VERB", "PART", "VERB"}, {"INTJ"}}}), expected);
  const TaggedText columns = Read("a x O\n\nb y O\n");
  EXPECT_EQ(WithTags(columns, {{{"B-X"}, {"O"}}}), "a x B-X\n\nb y O\n");
  EXPECT_THROW(WithTags(columns, {{{"B-X"}}}), ShapeError);
  EXPECT_THROW(WithTags(columns, {{{"B-X", "O"}, {"O"}}}), ShapeError);
}

class Snips : public testing::Test {
 protected:
  std::string Error(const std::string& words, const std::string& tags,
                    const std::string& labels) {
    folder_.Put("x.seq.in", words);
    folder_.Put("x.seq.out", tags);
    folder_.Put("x.label", labels);
    const std::string message =
        MessageOf<FormatError>([&] { ReadSnips(folder_.Path("x")); });
    return message.substr(message.find("x."));
  }

  TemporaryFolder folder_;
};

TEST_F(Snips, GivesWordsTagsAndIntents) {
  folder_.Put("x.seq.in", "play  jazz\nhi\n");
  folder_.Put("x.seq.out", "O B-genre\nO\n");
  folder_.Put("x.label", "PlayMusic\nHello\n");
  const auto sentences = ReadSnips(folder_.Path("x"));
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0].words, (Strings{"play", "jazz"}));
  EXPECT_EQ(sentences[0].tags, (Strings{"O", "B-genre"}));
  EXPECT_EQ(sentences[0].label, "PlayMusic");
  EXPECT_EQ(sentences[1].label, "Hello");
}

TEST_F(Snips, ErrorsAreNamed) {
  EXPECT_NE(Error("a\nb\n", "O\n", "X\nX\n").find("has 2 lines"),
            std::string::npos);
  EXPECT_NE(Error("a\na b\n", "O\nO\n", "X\nX\n").find("x.seq.out:2: 1 tags"),
            std::string::npos);
  EXPECT_EQ(Error("a\n\n", "O\n\n", "X\nX\n"),
            "x.seq.in:2: the line holds no words");
  EXPECT_EQ(Error("a\n", "O\n", "X Y\n"), "x.label:1: not one label");
  EXPECT_THROW(ReadSnips(folder_.Path("none")), IoError);
}

}  // namespace
}  // namespace heed
