#include "heed/text/markup/word_links.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Texts = std::vector<std::string>;

TEST(RangesOfPieces, AreTheCharactersOfTheText) {
  const std::string text = "A große Hund.";
  const Texts pieces = {"▁A", "▁gro", "ße", "▁", "Hund", "."};
  Texts found;
  for (const TextRange& range : RangesOfPieces(text, pieces)) {
    found.push_back(text.substr(range.begin, range.end - range.begin));
  }
  EXPECT_EQ(found, (Texts{"A", "gro", "ße", "", "Hund", "."}));
}

TEST(RangesOfPieces, WhatAVocabularyChangedKeepsItsWord) {
  const std::string text = "½ cup";
  const Texts pieces = {"▁1/2", "▁cu", "p"};
  Texts found;
  for (const TextRange& range : RangesOfPieces(text, pieces)) {
    found.push_back(text.substr(range.begin, range.end - range.begin));
  }
  EXPECT_EQ(found, (Texts{"½", "cu", "p"}));
  EXPECT_EQ(RangesOfPieces("", Texts{"▁x"}).size(), 1u);
  EXPECT_EQ(RangesOfPieces("x", Texts{}).size(), 0u);
}

}  // namespace
}  // namespace heed
