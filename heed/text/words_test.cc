#include "heed/text/words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

const std::vector<Words> kText = {{"The", "cat", "sat"},
                                  {"the", "Cat", "in", "1984"},
                                  {"in", "2001", "THE", "cat"}};

WordEncoder Learn(bool normalize_words = true, int min_count = 2,
                  int max_words = 0) {
  return WordEncoder::Train(kText, {normalize_words, min_count, max_words, {}});
}

std::string Spelling(const WordEncoder& encoder, const std::string& word) {
  const std::vector<Words> text = {{word}};
  return encoder.characters().Decode(encoder.Encode(text).characters[0]);
}

std::string Known(const WordEncoder& encoder, const std::string& word) {
  const std::vector<Words> text = {{word}};
  return encoder.words().Piece(encoder.Encode(text).words[0][0]);
}

TEST(WordEncoder, NormalisedWordsAreOneInAnyCaseAndWithAnyDigits) {
  const WordEncoder encoder = Learn();
  EXPECT_EQ(Known(encoder, "CAT"), "cat");
  EXPECT_EQ(Known(encoder, "1999"), "0000");
  EXPECT_EQ(Known(encoder, "19"), "<unk>");
  EXPECT_EQ(Known(Learn(false, 1), "CAT"), "<unk>");
  EXPECT_EQ(Known(Learn(false, 1), "Cat"), "Cat");
}

TEST(WordEncoder, RareWordsAreUnknown) {
  EXPECT_EQ(Known(Learn(), "sat"), "<unk>");
  EXPECT_EQ(Known(Learn(true, 1), "sat"), "sat");
  EXPECT_EQ(Known(Learn(true, 1, 2), "the"), "the");
  EXPECT_EQ(Known(Learn(true, 1, 2), "sat"), "<unk>");
  EXPECT_EQ(Known(Learn(true, 100), "the"), "the");  // all words are rare
}

TEST(WordEncoder, ASpellingKeepsCaseAndForgetsRareCharacters) {
  EXPECT_EQ(Spelling(Learn(), "That"), "That");
  const std::vector<Words> text = {{"Text"}};
  EXPECT_EQ(Learn().Encode(text).characters[0].size(), 4U);
  EXPECT_EQ(Learn().Encode(text).characters[0][2], kUnk) << "no x was seen";
}

TEST(WordEncoder, OfLongSpellingsBothEndsAreKept) {
  const std::string middle(100, 'i');
  EXPECT_EQ(Spelling(Learn(), "that" + middle + "the"),
            "that" + std::string(16 + 17, 'i') + "the");
}

TEST(WordEncoder, WordsThatNoVocabularyHoldsAreUnknown) {
  const WordEncoder encoder = Learn();
  for (const char* word : {"", "the cat", "<unk>", "</s>", "\n"}) {
    EXPECT_EQ(Known(encoder, word), "<unk>") << word;
  }
}

TEST(WordEncoder, InvisibleDifferencesOfWordsAreNone) {
  const std::vector<Words> text = {{"Caf\u00E9", "10\u00A0000", "x"},
                                   {"Cafe\u0301", "10 000", "\uFEFFx"}};
  const TemporaryFolder folder;
  WordOptions options;
  options.word_vectors = folder.Put("vectors", "cafe\u0301 1 2\n10 3 4\n");
  const WordEncoder encoder = WordEncoder::Train(text, options);
  EXPECT_EQ(Known(encoder, "cafe\u0301"), "caf\u00E9");
  EXPECT_EQ(Known(encoder, "20\u202F000"), "00_000");
  const WordCorpus corpus = encoder.Encode(text);
  EXPECT_EQ(corpus.words[0], corpus.words[1]);
  for (size_t t = 0; t < text[0].size(); ++t) {
    const auto a = static_cast<size_t>(corpus.spellings[0][t]);
    const auto b = static_cast<size_t>(corpus.spellings[1][t]);
    EXPECT_EQ(corpus.characters[a], corpus.characters[b]);
    EXPECT_EQ(corpus.casings[a], corpus.casings[b]);
    EXPECT_EQ(corpus.vectors[a], corpus.vectors[b]);
  }
  EXPECT_EQ(corpus.vectors[0], 0);
}

TEST(WordEncoder, EqualWordsShareASpelling) {
  const WordCorpus corpus = Learn().Encode(kText);
  EXPECT_EQ(corpus.spellings[0], (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(corpus.spellings[2], (std::vector<int32_t>{5, 7, 8, 1}));
  EXPECT_EQ(corpus.characters.size(), 9U);
  EXPECT_EQ(corpus.casings.size(), 9U);
}

TEST(CasingOf, TellsShapesApart) {
  EXPECT_EQ(CasingOf("..."), CasingOf(""));
  EXPECT_EQ(CasingOf("word"), CasingOf("schön"));
  EXPECT_EQ(CasingOf("Word"), CasingOf("Öl"));
  EXPECT_EQ(CasingOf("A"), CasingOf("Word"));
  EXPECT_EQ(CasingOf("WORD"), CasingOf("U.S."));
  EXPECT_EQ(CasingOf("iPhone"), CasingOf("McCain"));
  EXPECT_EQ(CasingOf("1,000"), CasingOf("7"));
  EXPECT_EQ(CasingOf("B52"), CasingOf("3rd"));
  std::vector<int32_t> kinds;
  for (const char* word : {"", "word", "Word", "WORD", "iPhone", "1", "3rd"}) {
    kinds.push_back(CasingOf(word));
  }
  EXPECT_EQ(kinds, (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(MakeWordBatch, PadsSentencesAndSpellings) {
  const WordCorpus corpus = Learn().Encode(kText);
  const std::vector<int64_t> indices = {1, 0};
  const WordBatch batch = MakeWordBatch(corpus, nullptr, indices);
  ASSERT_EQ(batch.words.shape(), (Shape{2, 4}));
  EXPECT_EQ(batch.lengths.ToVector<int32_t>(), (std::vector<int32_t>{4, 3}));
  EXPECT_EQ(batch.words.row<int32_t>(1)[3], kPad);
  ASSERT_EQ(batch.characters.shape(), (Shape{7, 4}));
  ASSERT_EQ(batch.casings.shape(), (Shape{7}));
  for (int64_t b = 0; b < 2; ++b) {
    const auto i = static_cast<size_t>(At(indices, b));
    for (size_t t = 0; t < kText[i].size(); ++t) {
      const int32_t u = batch.spelling.row<int32_t>(b)[static_cast<int64_t>(t)];
      std::vector<int32_t> expected =
          At(corpus.characters, corpus.spellings[i][t]);
      expected.resize(4, kPad);
      EXPECT_EQ(batch.characters[u].ToVector<int32_t>(), expected);
      EXPECT_EQ(batch.casings.data<int32_t>()[u], CasingOf(kText[i][t]));
      EXPECT_EQ(batch.words.row<int32_t>(b)[static_cast<int64_t>(t)],
                corpus.words[i][t]);
    }
  }
}

TEST(MakeWordBatch, GathersTheVectorsOfSpellings) {
  const TemporaryFolder folder;
  WordOptions options;
  options.word_vectors = folder.Put("vectors", "in 1 2\ncat 3 4\nTHE 5 6\n");
  const WordEncoder encoder = WordEncoder::Train(kText, options);
  const WordBatch batch = MakeWordBatch(
      encoder.Encode(kText), encoder.vectors(), std::vector<int64_t>{2});
  ASSERT_EQ(batch.vectors.shape(), (Shape{4, 2}));
  EXPECT_EQ(batch.vectors.ToVector<float>(),
            (std::vector<float>{1, 2, 0, 0, 5, 6, 3, 4}))
      << "in 2001 THE cat";
  options.max_vectors = 1;
  EXPECT_EQ(WordEncoder::Train(kText, options).vectors()->size(), 1);
  EXPECT_EQ(Learn().vectors(), nullptr);
}

TEST(MakeWordBatch, TakesEmptySentencesAndWords) {
  const std::vector<Words> text = {{}, {""}};
  const WordCorpus corpus = Learn().Encode(text);
  EXPECT_EQ(
      MakeWordBatch(corpus, nullptr, std::vector<int64_t>{0}).words.shape(),
      (Shape{1, 1}));
  const WordBatch both =
      MakeWordBatch(corpus, nullptr, std::vector<int64_t>{0, 1});
  EXPECT_EQ(both.lengths.ToVector<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(both.characters.shape(), (Shape{1, 1}));
}

}  // namespace
}  // namespace heed
