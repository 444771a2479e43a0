#include "heed/text/bpe_dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

std::vector<std::string> SomeLines() {
  return {"Ein kleiner Hund läuft über die kleine Wiese.",
          "Zwei Männer spielen Fußball auf einer Straße.",
          "Ein Mann läuft mit einem kleinen Hund über die Straße.",
          "Die kleine Katze schläft auf der Wiese neben kleinen Hunden."};
}

Vocabulary LearnVocabulary(VocabularyKind kind, bool byte_fallback = false) {
  return Vocabulary::Train(SomeLines(), {.kind = kind,
                                         .size = byte_fallback ? 340 : 80,
                                         .byte_fallback = byte_fallback});
}

TEST(BpeDropout, WithoutDropoutIsWhatTheVocabularySays) {
  const Vocabulary vocabulary = LearnVocabulary(VocabularyKind::kBpe);
  const BpeDropout dropout(vocabulary, 0);
  Rng rng;
  for (const std::string& line : SomeLines()) {
    const Ids ids = vocabulary.Encode(line);
    EXPECT_EQ(dropout.Segment(ids, rng), ids);
    // Any other segmentation of the line gives the same result: here
    // characters.
    const Ids characters = BpeDropout(vocabulary, 0.999999).Segment(ids, rng);
    EXPECT_GT(characters.size(), ids.size());
    EXPECT_EQ(dropout.Segment(characters, rng), ids);
  }
}

TEST(BpeDropout, SpellsTheSameTextInMorePieces) {
  const Vocabulary vocabulary = LearnVocabulary(VocabularyKind::kBpe);
  Rng rng(3);
  size_t before = 0;
  for (const double p : {0.0, 0.1, 0.5, 0.9}) {
    const BpeDropout dropout(vocabulary, p);
    size_t pieces = 0;
    for (int i = 0; i < 50; ++i) {
      for (const std::string& line : SomeLines()) {
        const Ids ids = dropout.Segment(vocabulary.Encode(line), rng);
        EXPECT_EQ(vocabulary.Decode(ids), line);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnk), 0);
        pieces += ids.size();
      }
    }
    EXPECT_GT(pieces, before) << p;
    before = pieces;
  }
}

// The characters of a word stay separate with the probability that every pair
// of the vocabulary is dropped at the first step.
TEST(BpeDropout, DropsEachPairBeforeEachMerge) {
  std::vector<std::string> lines(40, "bb");
  lines.insert(lines.end(), 30, "abb");
  lines.insert(lines.end(), 20, "ab");
  const Vocabulary vocabulary =
      Vocabulary::Train(lines, {.kind = VocabularyKind::kBpe, .size = 11});
  const Ids whole = vocabulary.Encode("abb");
  const double p = 0.3;
  const BpeDropout dropout(vocabulary, p);
  Rng rng(5);
  std::map<size_t, int> counts;
  constexpr int kTries = 20000;
  for (int i = 0; i < kTries; ++i) ++counts[dropout.Segment(whole, rng).size()];
  const std::vector<std::string_view> characters = {"▁", "a", "b", "b"};
  int pairs = 0;
  for (size_t i = 0; i + 1 < characters.size(); ++i) {
    const std::string both =
        std::string(characters[i]) + std::string(characters[i + 1]);
    for (int id = kSpecialTokens; id < vocabulary.size(); ++id) {
      pairs += vocabulary.Piece(id) == both ? 1 : 0;
    }
  }
  ASSERT_GE(pairs, 2);
  const double all_dropped = std::pow(p, pairs);
  EXPECT_NEAR(counts[4] / double{kTries}, all_dropped,
              4 * std::sqrt(all_dropped / kTries));
}

TEST(BpeDropout, KeepsSpecialTokensAndBytes) {
  const Vocabulary vocabulary = LearnVocabulary(VocabularyKind::kBpe, true);
  Ids ids = vocabulary.Encode("Ein 日 Hund");
  const size_t size = ids.size();
  ids.push_back(kUnk);
  ids.push_back(kEos);
  Rng rng(1);
  const Ids segmented = BpeDropout(vocabulary, 0.9).Segment(ids, rng);
  EXPECT_GT(segmented.size(), size + 2);
  EXPECT_EQ(vocabulary.Decode(segmented), "Ein 日 Hund<unk>");
  EXPECT_EQ(segmented.back(), kEos);
}

TEST(BpeDropout, SameSeedSameSegments) {
  const Vocabulary vocabulary = LearnVocabulary(VocabularyKind::kBpe);
  const BpeDropout dropout(vocabulary, 0.5);
  const Ids ids = vocabulary.Encode(SomeLines()[0]);
  Rng a(7);
  Rng b(7);
  Ids last;
  bool differs = false;
  for (int i = 0; i < 10; ++i) {
    const Ids now = dropout.Segment(ids, a);
    EXPECT_EQ(now, dropout.Segment(ids, b));
    differs = differs || (i > 0 && now != last);
    last = now;
  }
  EXPECT_TRUE(differs);
}

TEST(BpeDropout, RefusesOtherVocabulariesAndProbabilities) {
  EXPECT_THROW(BpeDropout(LearnVocabulary(VocabularyKind::kUnigram), 0.1),
               ConfigError);
  const Vocabulary vocabulary = LearnVocabulary(VocabularyKind::kBpe);
  for (const double p : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THROW(BpeDropout(vocabulary, p), ConfigError) << p;
  }
}

}  // namespace
}  // namespace heed
