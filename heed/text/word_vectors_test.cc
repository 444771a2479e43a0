#include "heed/text/word_vectors.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/safetensors.h"

namespace heed {
namespace {

class WordVectorsFile : public testing::Test {
 protected:
  WordVectors Read(const std::string& text, int max_words = 0) const {
    return WordVectors::Read(folder_.Put("vectors.txt", text), max_words);
  }
  std::string ErrorOf(const std::string& text) const {
    const std::string message = MessageOf<FormatError>([&] { Read(text); });
    const std::string path = folder_.Path("vectors.txt");
    EXPECT_EQ(message.find(path), 0U) << message;
    return message.substr(std::min(path.size(), message.size()));
  }

  TemporaryFolder folder_;
};

std::vector<float> VectorOf(const WordVectors& vectors,
                            const std::string& word) {
  const std::vector<int32_t> rows = {vectors.Find(word)};
  return vectors.Gather(rows).ToVector<float>();
}

TEST_F(WordVectorsFile, HasAWordAndItsFeaturesInEachLine) {
  const WordVectors vectors = Read("the 0.5 -1\nCafé\t2e-1   3 \n");
  EXPECT_EQ(vectors.size(), 2);
  EXPECT_EQ(vectors.features(), 2);
  EXPECT_EQ(VectorOf(vectors, "the"), (std::vector<float>{0.5F, -1}));
  EXPECT_EQ(VectorOf(vectors, "Café"), (std::vector<float>{0.2F, 3}));
  EXPECT_EQ(vectors.Find("none"), kNoVector);
  EXPECT_EQ(VectorOf(vectors, "none"), (std::vector<float>{0, 0}));
}

TEST_F(WordVectorsFile, MayBeginWithItsSize) {
  const WordVectors vectors = Read("2 3\r\na 1 2 3\r\nb 4 5 6\r\n");
  EXPECT_EQ(vectors.size(), 2);
  EXPECT_EQ(VectorOf(vectors, "b"), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(ErrorOf("3 2\na 1 2\nb 3 4\n"),
            ": 2 words, but its first line says 3 (cut short?)");
  EXPECT_EQ(ErrorOf("1 1\na 1\nb 3\n"), ": 2 words, but its first line says 1");
}

TEST_F(WordVectorsFile, MayBeCompressed) {
  const std::string path = folder_.Path("vectors.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "a 1 2\nb 3 4\n");
  gzclose(file);
  EXPECT_EQ(WordVectors::Read(path, 0).size(), 2);
}

TEST_F(WordVectorsFile, HasWordsWithSpacesAndNumbers) {
  const WordVectors vectors =
      Read("the 1 2\n. . . 3 4\n1984 5 6\nno\u00A0break 7 8\n\u00A0 9 10\n");
  EXPECT_EQ(vectors.size(), 5);
  EXPECT_EQ(VectorOf(vectors, ". . ."), (std::vector<float>{3, 4}));
  EXPECT_EQ(VectorOf(vectors, "1984"), (std::vector<float>{5, 6}));
  EXPECT_EQ(VectorOf(vectors, "no\u00A0break"), (std::vector<float>{7, 8}));
  EXPECT_EQ(VectorOf(vectors, "\u00A0"), (std::vector<float>{9, 10}));
}

TEST_F(WordVectorsFile, OfAWordThatComesTwiceTheFirstStays) {
  const WordVectors vectors = Read("3 1\na 1\na 2\nb 3\n");
  EXPECT_EQ(vectors.size(), 2);
  EXPECT_EQ(VectorOf(vectors, "a"), std::vector<float>{1});
  EXPECT_EQ(VectorOf(vectors, "b"), std::vector<float>{3});
}

TEST_F(WordVectorsFile, IsReadAsFarAsWanted) {
  const WordVectors vectors = Read("a 1\nb 2\nnot a vector at all\n", 2);
  EXPECT_EQ(vectors.size(), 2);
  EXPECT_EQ(vectors.Find("b"), 1);
  EXPECT_EQ(Read("9 1\na 1\nb 2\nc 3\n", 2).size(), 2);
}

TEST_F(WordVectorsFile, AWordIsFoundAsItIsAndElseInLowerCase) {
  const WordVectors vectors = Read("us 1\nUS 2\nécole 3\n");
  EXPECT_EQ(VectorOf(vectors, "US"), std::vector<float>{2});
  EXPECT_EQ(VectorOf(vectors, "Us"), std::vector<float>{1});
  EXPECT_EQ(VectorOf(vectors, "École"), std::vector<float>{3});
}

TEST_F(WordVectorsFile, CanonicallyEqualWordsAreOne) {
  const WordVectors vectors = Read("Cafe\u0301 1\nCaf\u00E9 2\nna\u00EFve 3\n");
  EXPECT_EQ(vectors.size(), 2);
  for (const char* word : {"Caf\u00E9", "Cafe\u0301", "Ca\u00ADf\u00E9"}) {
    EXPECT_EQ(vectors.Find(word), 0) << word;
  }
  EXPECT_EQ(vectors.Find("NAI\u0308VE"), 1);
}

TEST_F(WordVectorsFile, ErrorsNameTheLine) {
  EXPECT_EQ(ErrorOf("a 1 2\nb 1 x\n"),
            ":2: a word and 2 features are wanted, but feature 2 is 'x'");
  EXPECT_EQ(ErrorOf("a 1 2\nb 1\n"),
            ":2: a word and 2 features are wanted, but feature 1 is 'b'");
  EXPECT_EQ(ErrorOf("a 1 2\n1 2\n"), ":2: 2 features without a word");
  EXPECT_EQ(ErrorOf("a 1 2\n\n"),
            ":2: a word and 2 features are wanted, but feature 2 is ''");
  EXPECT_EQ(ErrorOf("a 1 nan\n"),
            ":1: a word and 2 features are wanted, but feature 2 is 'nan'");
  EXPECT_EQ(ErrorOf("a 1e99\n"),
            ":1: a word and 1 features are wanted, but feature 1 is '1e99'");
  EXPECT_EQ(ErrorOf("word\n"),
            ":1: not a word and its features between spaces");
  EXPECT_EQ(ErrorOf("5 0\n"), ":1: 5 words with 0 features");
  EXPECT_EQ(ErrorOf("5 999999999999\na 1\n"),
            ":1: 5 words with 999999999999 features");
  EXPECT_EQ(ErrorOf("5 3\n"), ": no vectors of words");
  EXPECT_EQ(ErrorOf("a 1\nb\xFF 1\n"), ":2: not valid UTF-8; convert the file");
  EXPECT_EQ(ErrorOf(""), " is empty");
  EXPECT_THROW(WordVectors::Read(folder_.Path("none"), 0), IoError);
}

TEST_F(WordVectorsFile, IsReadBackFromAModelsFile) {
  const WordVectors written = Read("b 1 2\na 3 4\n. . 5 6\n");
  const WordVectors vectors = WordVectors::Parse(written.Serialize(), "x");
  EXPECT_EQ(vectors.size(), 3);
  for (const char* word : {"b", "a", ". ."}) {
    EXPECT_EQ(vectors.Find(word), written.Find(word));
    EXPECT_EQ(VectorOf(vectors, word), VectorOf(written, word));
  }
}

TEST_F(WordVectorsFile, DamagedFilesOfAModelAreRefused) {
  const std::string good = Read("b 1 2\na 3 4\n").Serialize();
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(WordVectors::Parse(good.substr(0, size), "x"), FormatError);
  }
  const auto parse = [](const Tensor& words, const Tensor& vectors) {
    const NamedTensor tensors[] = {{"words", words}, {"vectors", vectors}};
    return MessageOf<FormatError>(
        [&] { WordVectors::Parse(SerializeSafetensors(tensors, {}), "x"); });
  };
  const Tensor words = Tensor::Of<uint8_t>({'a', '\n', 'b', '\n'}, {4});
  EXPECT_EQ(parse(words, Tensor::Zeros({3, 2})), "x: 2 words with 3 vectors");
  EXPECT_EQ(parse(words, Tensor::Zeros({2, 0})), "x: 2 words with 2 vectors");
  EXPECT_EQ(parse(Tensor::Of<uint8_t>({'a', '\n', 'a', '\n'}, {4}),
                  Tensor::Zeros({2, 2})),
            "x: 1 words with 2 vectors");
  EXPECT_EQ(
      parse(Tensor::Of<uint8_t>({'a', '\n', 'b'}, {3}), Tensor::Zeros({2, 2})),
      "x: a word is cut short");
  EXPECT_EQ(parse(words, Tensor::Zeros({4})),
            "x: no word vectors (no tensor 'vectors')");
  EXPECT_EQ(parse(Tensor::Zeros({2}), Tensor::Zeros({2, 2})),
            "x: no word vectors (no tensor 'words')");
}

}  // namespace
}  // namespace heed
