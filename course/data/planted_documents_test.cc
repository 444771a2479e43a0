#include "course/data/planted_documents.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(PlantedDocuments, OneWordIsOfOneLabelAlone) {
  std::map<std::string, std::set<std::string>> labels;  // by word
  std::map<std::string, int> counts;
  for (int64_t i = 0; i < 2000; ++i) {
    const PlantedDocument d = MakePlantedDocument({}, 3, i);
    ++counts[d.label];
    for (const auto& sentence : d.sentences) {
      EXPECT_GE(sentence.size(), 3u);
      EXPECT_LE(sentence.size(), 12u);
      for (const std::string& word : sentence) labels[word].insert(d.label);
    }
  }
  for (const char* label : {"pos", "neg", "none"}) {
    EXPECT_GT(counts[label], 600) << label;
  }
  int decisive = 0;
  for (const auto& [word, of] : labels) decisive += of.size() == 1 ? 1 : 0;
  EXPECT_EQ(decisive, 12);
  for (int64_t i = 0; i < 100; ++i) {
    const PlantedDocument d = MakePlantedDocument({}, 3, i);
    if (d.sentence < 0) continue;
    const std::string& word = d.sentences.at(static_cast<size_t>(d.sentence))
                                  .at(static_cast<size_t>(d.word));
    EXPECT_EQ(labels[word], (std::set<std::string>{d.label}));
  }
}

TEST(PlantedDocuments, AreTheSameAtAnyTime) {
  EXPECT_EQ(MakePlantedDocument({}, 3, 7).text(),
            MakePlantedDocument({}, 3, 7).text());
  EXPECT_NE(MakePlantedDocument({}, 3, 7).text(),
            MakePlantedDocument({}, 4, 7).text());
}

TEST(PlantedDocuments, AFileHasWhatIsLearntFrom) {
  const TemporaryFolder folder;
  LabelledFormat format;
  format.format = "docs";
  const LabelledText read = ReadLabelled(
      {.texts = {folder.Put("a", PlantedFile({}, 5, 10, 20))}}, format);
  const LabelledText made = PlantedText({}, 5, 10, 20);
  EXPECT_EQ(read.labels, made.labels);
  ASSERT_EQ(read.text.size(), 20u);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(SentencesOf(read, i), SentencesOf(made, i));
  }
}

TEST(PlantedDocuments, NeedRoom) {
  EXPECT_THROW(MakePlantedDocument({.sentences = 2}, 1, 0), ConfigError);
  EXPECT_THROW(MakePlantedDocument({.words = 2}, 1, 0), ConfigError);
}

}  // namespace
}  // namespace heed
