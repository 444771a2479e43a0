#include "heed/decode/divided_lines.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

class DividedLines : public testing::Test {
 protected:
  static Vocabulary Words() {
    return Vocabulary::Train(Lines{"the cat sat ? on a mat"},
                             {VocabularyKind::kWords, 0, 1});
  }
  Translator Make(const DecodeOptions& options = {}) {
    return Translator(model_, Words(), Words(), false, options);
  }
  Lines Texts(const Lines& lines, int64_t max_line) {
    Lines texts;
    for (const Translations& all :
         TranslateDivided(Make(), marks_, lines, 0, max_line)) {
      texts.push_back(all.at(0).text);
    }
    return texts;
  }
  CopyModel model_{11};
  const TargetMarks marks_{Words()};
};

TEST_F(DividedLines, OnlyLongLinesAreDivided) {
  const Lines lines = {"the cat", "the cat sat ? on a mat ? the mat", "",
                       "mat"};
  model_.batches.clear();
  EXPECT_EQ(Texts(lines, 0), lines);
  EXPECT_EQ(Texts(lines, 40), lines);
  EXPECT_EQ(Texts(lines, 10), lines);
  EXPECT_EQ(Texts({"the cat ? sat"}, 10), Lines{"the cat ? sat"});
  EXPECT_EQ(Texts({}, 10), Lines{});
}

TEST_F(DividedLines, TokensScoresAndAttentionOfSentencesFollowOneAnother) {
  DecodeOptions options;
  options.keep_attention = true;
  const Lines sentences = {"the cat ?", "on a mat"};
  const std::vector<Translations> apart = Make(options).Translate(sentences);
  const Translation whole =
      TranslateDivided(Make(options), marks_, Lines{"the cat ? on a mat"}, 0, 5)
          .at(0)
          .at(0);
  EXPECT_EQ(whole.source_pieces,
            (Lines{"the", "cat", "?", "on", "a", "mat", "</s>"}));
  EXPECT_EQ(whole.target_pieces, whole.source_pieces);
  EXPECT_DOUBLE_EQ(whole.log_probability,
                   apart[0][0].log_probability + apart[1][0].log_probability);
  if (apart[0][0].attention.empty()) return;
  ASSERT_EQ(whole.attention.size(), 49u);
  for (size_t t = 0; t < 3; ++t) {
    for (size_t s = 0; s < 7; ++s) {
      const float weight = s < 3 ? apart[0][0].attention[t * 4 + s] : 0;
      EXPECT_EQ(whole.attention[t * 7 + s], weight);
    }
  }
}

TEST_F(DividedLines, NobodyWaitsForACancelledLine) {
  CancellationFlag gone;
  gone.Cancel();
  for (const int64_t max_line : {0, 5}) {
    const std::vector<Translations> all =
        TranslateDivided(Make(), marks_, Lines{"the cat ? on a mat", "the cat"},
                         0, max_line, {nullptr, {&gone, nullptr}});
    EXPECT_EQ(all[0][0].text, "");
    EXPECT_NE(all[1][0].text, "");
  }
}

}  // namespace
}  // namespace heed
