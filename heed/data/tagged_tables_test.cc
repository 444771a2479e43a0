#include "heed/data/tagged_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::HasSubstr;
using Strings = std::vector<std::string>;

class TaggedTables : public testing::Test {
 protected:
  std::vector<TaggedSentence> Read(const std::string& name,
                                   const std::string& text) {
    return ReadTaggedTable(folder_.Put(name, text), {"words", "tags"});
  }

  TemporaryFolder folder_;
};

TEST_F(TaggedTables, ColumnsHaveTheirUsualNames) {
  for (const auto& [name, text] : std::vector<std::pair<Strings, Strings>>{
           {{"a.csv"}, {"words,tags\nNew York,B-LOC I-LOC\n"}},
           {{"b.csv"}, {",tokens,labels\n0,New York,B-LOC I-LOC\n"}},
           {{"c.csv"}, {"sep=;\ntags;tokens\nB-LOC I-LOC;New York\n"}},
           {{"d.jsonl"},
            {R"({"id": "0", "tokens": ["New", "York"],)"
             R"( "ner_tags": ["B-LOC", "I-LOC"]})"
             "\n"}}}) {
    const auto sentences = Read(name.front(), text.front());
    ASSERT_EQ(sentences.size(), 1U) << name.front();
    EXPECT_EQ(sentences[0].words, (Strings{"New", "York"}));
    EXPECT_EQ(sentences[0].tags, (Strings{"B-LOC", "I-LOC"}));
  }
}

TEST_F(TaggedTables, MissingColumnsAreNamedWithThoseThatAreThere) {
  EXPECT_THAT(MessageOf<ConfigError>([this] {
                Read("a.csv", "Sentence #,Word,POS,Tag\nSentence: 1,a,NN,O\n");
              }),
              HasSubstr("no column 'words'; the first line names Sentence #, "
                        "Word, POS, Tag; each row holds a sentence"));
}

TEST_F(TaggedTables, TheTextOfAListIsRefused) {
  EXPECT_THAT(MessageOf<FormatError>([this] {
                Read(
                    "a.csv",
                    "words,tags\n\"['New', 'York']\",\"['B-LOC', 'I-LOC']\"\n");
              }),
              HasSubstr("a.csv:2: the tags are the text of a list"));
}

}  // namespace
}  // namespace heed
