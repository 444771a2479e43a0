#include "heed/serve/detect.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(DetectionsOf, TheBestFitComesFirst) {
  const auto found = DetectionsOf({{"de", -0.15}, {"en", -0.4}, {"fr", -0.35}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].language, "de");
  EXPECT_GT(found[0].confidence, 95);
  EXPECT_EQ(found[1].language, "fr");
  EXPECT_LE(found[0].confidence + found[1].confidence + found[2].confidence,
            100.2);
}

TEST(DetectionsOf, WhatFitsNobodyIsNotTrusted) {
  EXPECT_LT(DetectionsOf({{"de", -0.8}})[0].confidence, 1);
  EXPECT_GT(DetectionsOf({{"de", -0.13}})[0].confidence, 99);
}

TEST(SourceFit, IsByTheCharactersOfTheLongerSide) {
  const std::vector<std::string> lines = {"the cat"};
  const Vocabulary words =
      Vocabulary::Train(lines, {VocabularyKind::kWords, 0, 1});
  Translation translation;
  translation.text = "die katze";
  translation.log_probability = -1.8;
  const std::vector<Translations> found = {{translation}};
  EXPECT_DOUBLE_EQ(SourceFit(words, lines, found), -0.2);
  const std::vector<std::string> unknown = {"a dog 12"};
  EXPECT_LT(SourceFit(words, unknown, found), -0.5);
}

}  // namespace
}  // namespace heed
