#include "heed/data/conll.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/tagged_tables.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

class Conll : public testing::Test {
 protected:
  TaggedText Read(const std::string& text, const TagColumns& columns = {},
                  const std::string& name = "text") {
    return ReadTagged(folder_.Put(name, text), columns);
  }
  /// Error for a text, without its folder.
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

TEST_F(Conll, AFirstLineThatNamesTheColumnsIsLeftOut) {
  for (const char* header : {"word\ttag\n", "Token\tLabel\n\n", ""}) {
    const TaggedText text =
        Read(std::string(header) + "New\tB-LOC\nYork\tI-LOC\n\nIt\tO\n");
    ASSERT_EQ(text.sentences.size(), 2U) << header;
    EXPECT_EQ(text.sentences[0].words, (Strings{"New", "York"})) << header;
  }
  EXPECT_EQ(Read("word\tO\nof\tO\n").sentences[0].words,
            (Strings{"word", "of"}));
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

TEST_F(Conll, InvisibleCharactersAroundColumnsDoNotCount) {
  for (const char* mark : {"\uFEFF", "\u200B", "\u200D", "\u200E", "\u200F",
                           "\u2060", "\u180E", "\u00AD"}) {
    const auto marked = [mark](const std::string& text) {
      return mark + text + mark + mark;
    };
    const TaggedText text =
        Read("it\tO\n" + marked("York") + "\t" + marked("B-LOC") + "\n");
    EXPECT_EQ(text.sentences[0].tags, (Strings{"O", "B-LOC"})) << mark;
    EXPECT_EQ(text.sentences[0].words, (Strings{"it", "York"})) << mark;
  }
  // A joiner after a Malayalam letter belongs to it.
  EXPECT_EQ(Read("\u0D05\u0D35\u0D28\u0D4D\u200D\tO\n").sentences[0].words,
            (Strings{"\u0D05\u0D35\u0D28\u0D4D\u200D"}));
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

constexpr char kMultiConer[] =
    "# id 7ed4d57b-c2ce\tdomain=en\nben _ _ B-PER\nsmith _ _ I-PER\n\n"
    "# id 35bf992d-1807\tdomain=en\nlima _ _ B-LOC\n# _ _ O\n";

TEST_F(Conll, LinesOfIdsBetweenSentencesAreComments) {
  const TaggedText text = Read(kMultiConer);
  ASSERT_EQ(text.sentences.size(), 2U);
  EXPECT_EQ(text.sentences[0].tags, (Strings{"B-PER", "I-PER"}));
  EXPECT_EQ(text.sentences[1].words, (Strings{"lima", "#"}));
  // Without a blank line before it, the line still ends a sentence.
  std::string joined = kMultiConer;
  joined.erase(joined.find("\n\n"), 1);
  EXPECT_EQ(Read(joined).sentences.size(), 2U);
}

TEST_F(Conll, CommentsOfOtherFilesAreLeftOut) {
  for (const char* comment :
       {"# sent_id = 7\n", "# text = It is O\n", "# newdoc id\tx\n", "#\n",
        "# a B-X\n", "# a O\n", "  # global.columns = FORM TAG\n"}) {
    const TaggedText tabs = Read(std::string(comment) + "It\tO\nis\tV\n");
    ASSERT_EQ(tabs.sentences.size(), 1U) << comment;
    EXPECT_EQ(tabs.sentences[0].words, (Strings{"It", "is"})) << comment;
  }
  const TaggedText spaces = Read("# a B-X\nIt O\n\n# O\nis O\n");
  ASSERT_EQ(spaces.sentences.size(), 2U);
  EXPECT_EQ(spaces.sentences[0].words, (Strings{"It"}));
  // Other lines have its tag, so it is a word.
  EXPECT_EQ(spaces.sentences[1].words, (Strings{"#", "is"}));
}

TEST_F(Conll, WhiteSpaceMakesNoNewTag) {
  const std::string nbsp = "\xC2\xA0";
  for (const std::string& text : Strings{
           "EU\tB-ORG\nsays\tO\n", "EU \t B-ORG\nsays\tO \n",
           "EU\tB-ORG\t\nsays\tO\n", "EU\tB-ORG\r\nsays\tO\r\n",
           "EU\tB-ORG" + nbsp + "\nsays\tO\n", "EU\t\tB-ORG\nsays\tO\nA\tO\n",
           "\tEU\tB-ORG\nsays\tO\nA\tO\n", "EU\tB-ORG\nsays O\n",
           "EU B-ORG\nsays O\n", " EU   B-ORG \nsays O\n",
           "EU B-ORG\t\nsays O\n", "EU B-ORG" + nbsp + "\nsays O\n",
           "EU" + nbsp + "B-ORG\nsays O\nA O\n",
           "EU B-ORG " + nbsp + "\nsays O\n", "EU B-ORG\xEF\xBB\xBF\nsays O\n",
           "EU\tB-ORG\xE2\x80\x8B\nsays\tO\n",
           "EU B-ORG\nsays O\n" + nbsp + "\nsays O\n"}) {
    const TaggedText read = Read(text);
    EXPECT_EQ(read.sentences[0].words[0], "EU") << text;
    EXPECT_EQ(read.sentences[0].tags[0], "B-ORG") << text;
    EXPECT_EQ(read.sentences[0].tags[1], "O") << text;
  }
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
            "text:1: column 5 is missing: there are 2 between tabs");
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
  EXPECT_THROW(Auto<TaggedForm>("xml"), ConfigError);
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

TEST_F(Snips, OtherWhiteSpaceIsNoTag) {
  folder_.Put("x.seq.in", "play jazz\n");
  folder_.Put("x.seq.out", "O B-genre\xC2\xA0 \xC2\xA0\n");
  folder_.Put("x.label", "PlayMusic\n");
  EXPECT_EQ(ReadSnips(folder_.Path("x"))[0].tags, (Strings{"O", "B-genre"}));
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

TEST_F(Conll, ConlluPlusIsReadByTheNamesOfItsColumns) {
  const std::string text =
      "# global.columns = ID FORM UPOS PARSEME:NE\n"
      "1-2\tvom\t_\t_\n1\tNew\tPROPN\tB-LOC\n2\tYork\tPROPN\tI-LOC\n"
      "\n1\tIt\tPRON\tO\n";
  for (const char* name : {"text", "text.conllup"}) {
    const TaggedText read = Read(text, {}, name);
    ASSERT_EQ(read.sentences.size(), 2U) << name;
    EXPECT_EQ(read.sentences[0].words, (Strings{"New", "York"}));
    EXPECT_EQ(read.sentences[0].tags, (Strings{"PROPN", "PROPN"}));
  }
  const TagColumns last = {.tag_column = 4};
  EXPECT_EQ(Read(text, last).sentences[0].tags, (Strings{"B-LOC", "I-LOC"}));
  // Without the default column, the last one holds the tags.
  EXPECT_EQ(
      Read("# global.columns = ID FORM NE\n1\tYork\tB-LOC\n").sentences[0].tags,
      (Strings{"B-LOC"}));
  EXPECT_EQ(Error("# global.columns = ID LEMMA NE\n1\tYork\tB-LOC\n", {},
                  "text.conllup"),
            "text.conllup:1: no column FORM is named");
}

TEST_F(Conll, AColumnOfWordsThatHoldsNoneIsRefused) {
  EXPECT_EQ(Error("1\tNew\tB-LOC\n2\tYork\tI-LOC\n3\tis\tO\n\n1\tIt\tO\n"),
            "text:1: column 1, that of the words, counts the words of each "
            "sentence; choose another one (--word-column) of: 1, New, B-LOC");
  EXPECT_EQ(Error("a/0 0 New B-LOC\na/0 0 York I-LOC\na/0 0 is O\n"),
            "text:1: column 1, that of the words, has one and the same word in "
            "all of a sentence; choose another one (--word-column) of: a/0, 0, "
            "New, B-LOC");
  const TagColumns second = {.word_column = 2};
  EXPECT_EQ(Read("1\tNew\tB-LOC\n2\tYork\tI-LOC\n3\tis\tO\n", second)
                .sentences[0]
                .words,
            (Strings{"New", "York", "is"}));
  EXPECT_EQ(Read("1 CD O\n2 CD O\n4 CD O\n").sentences[0].words,
            (Strings{"1", "2", "4"}));
}

}  // namespace
}  // namespace heed
