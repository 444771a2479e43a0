#include "heed/data/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

constexpr int kSize = 40;

/// Sentences in which target token s + 1 translates source token s (4
/// translates 39), in any order. Each target sentence also has token 5.
Corpus Neighbours() {
  Rng rng(1);
  Corpus corpus;
  for (int i = 0; i < 500; ++i) {
    Ids source, target = {5};
    for (int n = 0; n < 6; ++n) {
      const auto s = static_cast<int32_t>(4 + rng.Below(kSize - 4));
      source.push_back(s);
      target.insert(target.begin() + static_cast<long>(rng.Below(
                                         static_cast<uint64_t>(n) + 1)),
                    s == kSize - 1 ? 4 : s + 1);
    }
    source.push_back(kEos);
    target.push_back(kEos);
    corpus.source.push_back(source);
    corpus.target.push_back(target);
  }
  return corpus;
}

class ShortlistTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }

 private:
  TemporaryFolder folder_;
};

TEST_F(ShortlistTest, MostProbableTranslationIsFound) {
  const Shortlist list =
      Shortlist::Train(Neighbours(), kSize, kSize, {.frequent = 0, .best = 1});
  for (int32_t s = 4; s < kSize; ++s) {
    const int32_t t = s == kSize - 1 ? 4 : s + 1;
    const Ids outputs = list.Outputs(Ids{s});
    EXPECT_EQ(outputs, (Ids{kPad, kUnk, kBos, kEos, t})) << s;
  }
}

TEST_F(ShortlistTest, TheMostFrequentAreAlwaysThere) {
  const Shortlist list =
      Shortlist::Train(Neighbours(), kSize, kSize, {.frequent = 2, .best = 1});
  EXPECT_EQ(list.Outputs({}), (Ids{kPad, kUnk, kBos, kEos, 5}));
}

TEST_F(ShortlistTest, ABatchHasTheOutputsOfItsTokens) {
  const Shortlist list =
      Shortlist::Train(Neighbours(), kSize, kSize, {.frequent = 0, .best = 1});
  EXPECT_EQ(list.Outputs(Ids{30, 8, 30, kPad}),
            (Ids{kPad, kUnk, kBos, kEos, 9, 31}));
}

TEST_F(ShortlistTest, IsReadAsItWasWritten) {
  const Shortlist list =
      Shortlist::Train(Neighbours(), kSize, kSize, {.frequent = 3, .best = 4});
  list.Write(Path("list"));
  const Shortlist read = Shortlist::Read(Path("list"), kSize, kSize);
  for (int32_t s = 0; s < kSize; ++s) {
    EXPECT_EQ(read.Outputs(Ids{s}), list.Outputs(Ids{s}));
  }
}

TEST_F(ShortlistTest, OfAnotherModelIsAnError) {
  Shortlist::Train(Neighbours(), kSize, kSize, {}).Write(Path("list"));
  EXPECT_THROW(Shortlist::Read(Path("list"), kSize + 1, kSize), FormatError);
  EXPECT_THROW(Shortlist::Read(Path("list"), kSize, kSize - 1), FormatError);
  EXPECT_THROW(Shortlist::Read(Path("none"), kSize, kSize), IoError);
}

TEST_F(ShortlistTest, DamagedFilesAreErrors) {
  const auto write = [&](const Ids& first, const Ids& targets) {
    const NamedTensor tensors[] = {
        {"frequent", Tensor::Of(Ids{4}, {1})},
        {"first", Tensor::Of(first, {std::ssize(first)})},
        {"targets", Tensor::Of(targets, {std::ssize(targets)})}};
    WriteSafetensors(Path("list"), tensors, {});
  };
  write({0, 1, 2}, {4, 4});
  EXPECT_NO_THROW(Shortlist::Read(Path("list"), 2, 5));
  for (const Ids& first : {Ids{0, 3, 2}, Ids{1, 1, 2}, Ids{0, 1, 1}, Ids{},
                           Ids{0, -1, 2}, Ids{0, 2}}) {
    write(first, {4, 4});
    EXPECT_THROW(Shortlist::Read(Path("list"), 2, 5), FormatError);
  }
  write({0, 1, 2}, {4, 5});
  EXPECT_THROW(Shortlist::Read(Path("list"), 2, 5), FormatError);
}

TEST_F(ShortlistTest, ReadsALexicon) {
  const std::vector<std::string> english = {"the cat sat"};
  const std::vector<std::string> german = {"die katze sass der"};
  const VocabularyOptions words = {VocabularyKind::kWords, 0, 1};
  const Vocabulary source = Vocabulary::Train(english, words);
  const Vocabulary target = Vocabulary::Train(german, words);
  WriteFileAtomically(Path("lex"),
                      "die the 0.4\nder the 0.5\nkatze the 0.1\n"
                      "katze cat 0.9\nhund cat 0.1\nNULL cat 1\n");
  const auto texts = [&](const char* word, int best) {
    const Shortlist list = Shortlist::ReadLexicon(
        Path("lex"), source, target, {.frequent = 0, .best = best});
    std::vector<std::string> pieces;
    for (const int32_t id : list.Outputs(source.Encode(word))) {
      if (id >= kSpecialTokens) pieces.push_back(target.Piece(id));
    }
    std::ranges::sort(pieces);
    return pieces;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(texts("the", 2), (Words{"der", "die"}));
  EXPECT_EQ(texts("the", 9), (Words{"der", "die", "katze"}));
  EXPECT_EQ(texts("cat", 9), Words{"katze"});
  EXPECT_EQ(texts("sat", 9), Words{});
}

TEST_F(ShortlistTest, ABadLexiconIsAnErrorThatNamesTheLine) {
  const std::vector<std::string> text = {"a b"};
  const Vocabulary words =
      Vocabulary::Train(text, {VocabularyKind::kWords, 0, 1});
  for (const char* line :
       {"a b", "a b x", "a b 0.5 c", "a b -1", "a b 2", "a b nan", ""}) {
    WriteFileAtomically(Path("lex"), std::string("a b 0.5\n") + line + "\n");
    try {
      Shortlist::ReadLexicon(Path("lex"), words, words, {});
      ADD_FAILURE() << line;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("lex:2"), std::string::npos);
    }
  }
  WriteFileAtomically(Path("lex"), "x y 0.5\n");
  EXPECT_THROW(Shortlist::ReadLexicon(Path("lex"), words, words, {}),
               FormatError);
}

}  // namespace
}  // namespace heed
