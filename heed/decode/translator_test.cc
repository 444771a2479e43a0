#include "heed/decode/translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

// kSpecialTokens + 6 words.
Vocabulary Words() {
  return Vocabulary::Train(Lines{"the cat sat on a mat"},
                           {VocabularyKind::kWords, 0, 1});
}

Lines Texts(const std::vector<Translations>& translations) {
  Lines texts;
  for (const Translations& of_line : translations) {
    texts.push_back(of_line.at(0).text);
  }
  return texts;
}

class TranslatorTest : public testing::Test {
 protected:
  Translator Make(const DecodeOptions& options = {}, bool lowercase = false) {
    return Translator(model_, Words(), Words(), lowercase, options);
  }
  CopyModel model_{10};
};

TEST_F(TranslatorTest, TranslationsStandInTheOrderOfTheLines) {
  Lines lines;
  for (size_t i = 0; i < 200; ++i) {
    lines.push_back("cat");
    for (size_t n = 0; n < i * 7 % 11; ++n) lines.back() += " mat";
  }
  DecodeOptions options;
  options.batch_tokens = 40;
  options.batch_sentences = 7;
  EXPECT_EQ(Texts(Make(options).Translate(lines)), lines);
}

TEST_F(TranslatorTest, SuppressedTokensAreNamedByTheirText) {
  DecodeOptions options;
  options.suppress = {"cat"};
  const Lines texts = Texts(Make(options).Translate(Lines{"the cat sat"}));
  EXPECT_EQ(texts[0].find("cat"), std::string::npos);
  options.suppress = {"dog"};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Make(options); }),
            "suppress: the target vocabulary has no token 'dog'");
}

TEST_F(TranslatorTest, SourcesAreReadAsFarAsThereArePositions) {
  model_.position_limit = 4;
  const Translator translator = Make();
  const auto found =
      translator.Translate(Lines{"the cat sat on a mat", "the cat"});
  EXPECT_EQ(found[0][0].source_pieces, (Lines{"the", "cat", "sat", "</s>"}));
  EXPECT_TRUE(found[0][0].source_cut);
  EXPECT_FALSE(found[1][0].source_cut);
  EXPECT_EQ(found[1][0].text, "the cat");
}

TEST_F(TranslatorTest, TranslationsAtTheLastPositionAreCounted) {
  model_.position_limit = 4;
  const Translator translator = Make();
  const Lines lines = {"the cat sat on a mat", "the cat", "a mat sat on"};
  testing::internal::CaptureStderr();
  WarnOfPositions(model_, translator.Translate(lines));
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("4 positions: of 3 translations"), std::string::npos)
      << warning;
  EXPECT_NE(warning.find("the end of 2 sources was not read"),
            std::string::npos);
  testing::internal::CaptureStderr();
  WarnOfPositions(model_, translator.Translate(Lines{"the cat"}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(TranslatorTest, BatchesKeepToTheLimits) {
  DecodeOptions options;
  options.beam = 1;
  options.batch_tokens = 12;
  options.batch_sentences = 3;
  const Translator translator = Make(options);
  const auto batches_of = [&](const Lines& lines) {
    model_.batches.clear();
    translator.Translate(lines);
    std::ranges::sort(model_.batches);
    return model_.batches;
  };
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(batches_of(Lines(2, "the cat sat on a mat")),  // 7 with </s>
            (Sizes{1, 1}));
  EXPECT_EQ(batches_of(Lines(3, "the cat")), Sizes{3});
  EXPECT_EQ(batches_of(Lines(4, "the")), (Sizes{1, 3}));
}

TEST_F(TranslatorTest, OneThreadTranslatesAsManyDo) {
  const RandomModel model(10, -1);
  Lines lines;
  for (size_t i = 0; i < 60; ++i) {
    lines.push_back("cat");
    for (size_t n = 0; n < i * 7 % 11; ++n) lines.back() += " mat";
  }
  DecodeOptions options;
  options.batch_sentences = 4;
  const Translator translator(model, Words(), Words(), false, options);
  const auto texts = [&](int threads) {
    const ThreadLimit limit(threads);
    return Texts(translator.Translate(lines));
  };
  EXPECT_EQ(texts(1), texts(3));
}

TEST_F(TranslatorTest, AShortlistLimitsWhatIsWritten) {
  Corpus corpus;
  for (int i = 0; i < 50; ++i) {
    const int32_t id = 4 + i % 6;
    corpus.source.push_back({id, kEos});
    // word 9 is never a target
    corpus.target.push_back({id == 9 ? 4 : id, kEos});
  }
  const Vocabulary words = Words();
  const auto texts = [&](const ShortlistOptions& list, const Lines& lines) {
    DecodeOptions options;
    options.max_length = 2;
    const Translator translator(model_, words, words, false, options,
                                std::make_shared<Shortlist>(Shortlist::Train(
                                    corpus, words.size(), words.size(), list)));
    return Texts(translator.Translate(lines));
  };
  const std::string known = words.Piece(5);
  const std::string last = words.Piece(9);
  const ShortlistOptions short_one = {.frequent = 0, .best = 1};
  EXPECT_EQ(texts(short_one, {known}), Lines{known});
  EXPECT_NE(texts(short_one, {last}), Lines{last});
  EXPECT_EQ(texts({.frequent = 10, .best = 1}, {last, known}),
            (Lines{last, known}));
}

TEST_F(TranslatorTest, LinesWithoutAWordDoNotReachTheModel) {
  const auto found = Make().Translate(Lines{"", " \t ", "\u3000", "the cat"});
  EXPECT_EQ(Texts(found), (Lines{"", "", "", "the cat"}));
  EXPECT_EQ(model_.source_steps, 3);
  EXPECT_TRUE(found[0][0].source_pieces.empty());
  EXPECT_TRUE(found[0][0].target_pieces.empty());
  EXPECT_EQ(found[0][0].score, 0);
  EXPECT_TRUE(Make().Translate({}).empty());
}

TEST_F(TranslatorTest, ALongLineIsTranslated) {
  std::string line = "the";
  for (int i = 1; i < 10000; ++i) line += i % 2 == 0 ? " cat" : " mat";
  DecodeOptions options;
  options.beam = 2;
  EXPECT_EQ(Texts(Make(options).Translate(Lines{line, "cat"})),
            (Lines{line, "cat"}));
}

TEST_F(TranslatorTest, PiecesAndAttentionFitEachOther) {
  DecodeOptions options;
  options.keep_attention = true;
  const auto found = Make(options).Translate(Lines{"the mat"});
  EXPECT_EQ(found[0][0].source_pieces, (Lines{"the", "mat", "</s>"}));
  EXPECT_EQ(found[0][0].target_pieces, (Lines{"the", "mat", "</s>"}));
  EXPECT_EQ(found[0][0].attention,
            (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_LT(found[0][0].log_probability, 0);
  EXPECT_GT(found[0][0].score, found[0][0].log_probability);
}

TEST_F(TranslatorTest, UnknownWordsAreCopiedFromTheMostAttendedToken) {
  const Lines lines = {"the Zebra sat on Bob", "Bob"};
  EXPECT_EQ(Texts(Make().Translate(lines)),
            (Lines{"the <unk> sat on <unk>", "<unk>"}));
  DecodeOptions options;
  options.replace_unknown = true;
  EXPECT_EQ(Texts(Make(options).Translate(lines)), lines);
}

TEST(Translator, UnknownWordsCannotBeReplacedByTokensOfAnotherKind) {
  const CopyModel model(10);
  const Vocabulary characters = Vocabulary::Train(
      Lines{"the cat"}, {.kind = VocabularyKind::kCharacters, .size = 0});
  DecodeOptions options;
  EXPECT_NO_THROW(Translator(model, characters, Words(), false, options));
  options.replace_unknown = true;
  EXPECT_THROW(Translator(model, characters, Words(), false, options),
               ConfigError);
}

class LooksAtTheEnd : public CopyModel {
 public:
  using CopyModel::CopyModel;
  std::vector<float> Attention(const FakeRow& row) const override {
    std::vector<float> weights = CopyModel::Attention(row);
    weights.back() += 2;
    return weights;
  }
};

TEST(Translator, TheEndIsNeverCopiedForAnUnknownWord) {
  const LooksAtTheEnd model(10);
  DecodeOptions options;
  options.replace_unknown = true;
  const Translator translator(model, Words(), Words(), false, options);
  EXPECT_EQ(Texts(translator.Translate(Lines{"the Zebra"})),
            Lines{"the Zebra"});
}

TEST_F(TranslatorTest, UnknownWordsCannotBeReplacedWithoutAttention) {
  const ConstantModel model(std::vector<float>(10, 0));
  DecodeOptions options;
  options.replace_unknown = true;
  const Translator translator(model, Words(), Words(), false, options);
  EXPECT_THROW(translator.Translate(Lines{"the"}), ConfigError);
}

TEST_F(TranslatorTest, LowercaseIsAppliedBeforeTheVocabulary) {
  EXPECT_EQ(Texts(Make().Translate(Lines{"The cat"})), Lines{"<unk> cat"});
  EXPECT_EQ(Texts(Make({}, true).Translate(Lines{"The CAT"})),
            Lines{"the cat"});
}

TEST_F(TranslatorTest, TheNBestBelongToTheirLine) {
  DecodeOptions options;
  options.nbest = 3;
  const auto found = Make(options).Translate(Lines{"the cat", "", "mat"});
  EXPECT_EQ(found[0].size(), 3u);
  EXPECT_EQ(found[1].size(), 1u);
  EXPECT_EQ(found[2].size(), 3u);
  EXPECT_EQ(found[2][0].text, "mat");
  EXPECT_GE(found[2][0].score, found[2][1].score);
}

TEST_F(TranslatorTest, IllFormedTextIsAnErrorThatNamesTheLine) {
  try {
    Make().Translate(Lines{"the", "ca\xFFt"}, 40);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("line 42"), std::string::npos);
  }
}

TEST_F(TranslatorTest, OptionsAreChecked) {
  DecodeOptions options;
  options.nbest = 9;
  EXPECT_THROW(Make(options), ConfigError);
  options.sample = true;  // samples without a beam
  EXPECT_NO_THROW(Make(options));
  options.temperature = 0;
  EXPECT_THROW(Make(options), ConfigError);
}

TEST_F(TranslatorTest, CancelledLinesAreEmptyAndTheOthersAsEver) {
  const Lines lines = {"the cat sat", "a mat", "on a mat", "the mat"};
  CancellationFlag gone;
  gone.Cancel();
  TranslateHooks hooks;
  hooks.cancellations = {&gone, nullptr, &gone, nullptr};
  DecodeOptions options;
  for (const int together : {1, 4}) {
    options.batch_sentences = together;
    EXPECT_EQ(Texts(Make(options).Translate(lines, 0, hooks)),
              (Lines{"", "a mat", "", "the mat"}));
  }
}

TEST_F(TranslatorTest, SamplesDoNotDependOnWhatIsTranslatedTogether) {
  const RandomModel model(10, -1);
  DecodeOptions options;
  options.sample = true;
  const Translator translator(model, Words(), Words(), false, options);
  const Lines lines = {"the", "the", "the", "cat", "the"};
  const Lines together = Texts(translator.Translate(lines));
  Lines alone;
  for (size_t i = 0; i < lines.size(); ++i) {
    alone.push_back(Texts(translator.Translate(std::span(lines).subspan(i, 1),
                                               static_cast<int64_t>(i)))[0]);
  }
  EXPECT_EQ(together, alone);
  EXPECT_NE(together[0], together[1]);
}

}  // namespace
}  // namespace heed
