#include "heed/metrics/text_measures.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/cider.h"
#include "heed/metrics/error_rate.h"
#include "heed/metrics/ter.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

TEST(TextMeasures, AreThoseOfTheFunctionsTheyName) {
  const Lines written = {"the cat sat on the mat", "a dog"};
  const Lines right = {"the cat sat on a mat", "a dog"};
  EXPECT_EQ(MeasureTexts("bleu", written, right),
            CorpusBleu(written, right).score);
  EXPECT_EQ(MeasureTexts("chrf", written, right),
            CorpusChrf(written, right).score);
  EXPECT_EQ(MeasureTexts("ter", written, right), CorpusTer(written, right));
  EXPECT_EQ(MeasureTexts("exact_match", written, right), 50);
  EXPECT_EQ(MeasureTexts("word_error_rate", written, right), 12.5);
  EXPECT_NEAR(MeasureTexts("character_error_rate", written, right), 12, 1e-9);
  EXPECT_NEAR(MeasureTexts("rouge1", written, right), 100 * (5.0 / 6 + 1) / 2,
              1e-9);
}

TEST(TextMeasures, ArePerfectWhereTextsAreEqual) {
  const Lines text = {"one two three four five"};
  for (const TextMeasure& measure : TextMeasures()) {
    EXPECT_NEAR(MeasureTexts(measure.name, text, text),
                measure.greater_is_better ? 100 : 0, 1e-9)
        << measure.name;
    EXPECT_TRUE(IsTextMeasure(measure.name));
  }
  EXPECT_FALSE(IsTextMeasure("loss"));
}

TEST(TextMeasures, TakeTheTokenizerOfBleu) {
  EXPECT_GT(MeasureTexts("bleu", Lines{"今天天气很好"}, Lines{"今天天气不好"},
                         {.tokenizer = BleuTokenizer::kZh}),
            30);
}

TEST(TextMeasures, TakeSeveralReferences) {
  const Lines written = {"a dog runs", "two cats"};
  const std::vector<References> right = {{"a dog runs", "the dog is running"},
                                         {"cats"}};
  EXPECT_EQ(MeasureTexts("exact_match", written, right), 50);
  EXPECT_EQ(MeasureTexts("bleu", written, right),
            CorpusBleu(written, right).score);
  EXPECT_EQ(MeasureTexts("cider", written, right), CorpusCider(written, right));
  EXPECT_EQ(MeasureTexts("word_error_rate", written, right),
            100 * WordErrorRate(written, right));
  EXPECT_EQ(MeasureTexts("chrf", written, right),
            CorpusChrf(Lines{"a dog runs", "a dog runs", "two cats"},
                       Lines{"a dog runs", "the dog is running", "cats"})
                .score);
  // One reference each is the plain case.
  for (const TextMeasure& measure : TextMeasures()) {
    EXPECT_EQ(MeasureTexts(measure.name, written,
                           std::vector<References>{{"a dog ran"}, {"cats"}}),
              MeasureTexts(measure.name, written, Lines{"a dog ran", "cats"}))
        << measure.name;
  }
  EXPECT_THROW(MeasureTexts("chrf", written, std::vector<References>{{"a"}}),
               ShapeError);
}

}  // namespace
}  // namespace heed
