#include "heed/metrics/cider.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Captions = std::vector<std::string>;

/// Expected scores come from tests/golden/make_cider.py.
TEST(Cider, IsThatOfAPlainComputation) {
  const std::string table = ReadFile(HEED_GOLDEN_DIR "/cider.tsv");
  Captions captions;
  std::vector<References> references;
  std::vector<double> expected;
  for (const std::string_view line : SplitLines(table)) {
    const auto fields = SplitAt(line, "\t");
    expected.push_back(ParseNumber(fields[0]).value());
    if (fields.size() == 1) continue;
    captions.emplace_back(fields[1]);
    references.emplace_back(fields.begin() + 2, fields.end());
  }
  ASSERT_GT(captions.size(), 30u);
  ASSERT_EQ(expected.size(), captions.size() + 1);
  EXPECT_NEAR(CorpusCider(captions, references), expected.back(), 1e-9);
  for (size_t i = 0; i < captions.size(); ++i) {
    Captions alone(captions.size());  // empty captions score 0
    alone[i] = captions[i];
    EXPECT_NEAR(
        CorpusCider(alone, references) * static_cast<double>(captions.size()),
        expected[i], 1e-8)
        << captions[i];
  }
}

TEST(Cider, RareWordsAndLengthCount) {
  // There are two items: a word of one item weighs log 2, of both items 0.
  const std::vector<References> references = {{"a red fox"}, {"a blue hen"}};
  const auto score = [&](const std::string& first) {
    return 2 * CorpusCider(Captions{first, ""}, references);
  };
  // n-grams up to three words of the reference: three of four orders.
  EXPECT_NEAR(score("a red fox"), 10 * 3 / 4.0, 1e-12);
  // One of two words of weight, no n-gram: cos = 1 / √2 for n = 1; two words
  // fewer.
  EXPECT_NEAR(score("fox"), 10 / 4.0 / std::sqrt(2) * std::exp(-4 / 72.0),
              1e-12);
  EXPECT_EQ(score("a"), 0);
  // Repeated words are clipped: min(2, 1) · 1 / (2 · √2).
  EXPECT_NEAR(score("fox fox"),
              10 / 4.0 / (2 * std::sqrt(2)) * std::exp(-1 / 72.0), 1e-12);
}

TEST(Cider, IsAMeanOverReferences) {
  const std::vector<References> two = {{"red fox", "hare"}, {"blue hen"}};
  EXPECT_NEAR(2 * CorpusCider(Captions{"red fox", ""}, two), 10 * 2 / 4.0 / 2,
              1e-12);
}

TEST(Cider, IgnoresCaseAndPunctuation) {
  EXPECT_EQ(CiderWords("A dog, Ärmel - \"3-5\"...", BleuTokenizer::k13a),
            "a dog ärmel 3 5");
  EXPECT_EQ(CiderWords("狗 A。", BleuTokenizer::kZh), "狗 a");
  EXPECT_EQ(CiderWords("?!", BleuTokenizer::k13a), "");
  EXPECT_EQ(CiderWords("\xff x", BleuTokenizer::kNone), "x");
}

TEST(Cider, RefusesWhatDoesNotFit) {
  EXPECT_EQ(CorpusCider({}, {}), 0);
  EXPECT_EQ(CorpusCider(Captions{"a"}, std::vector<References>{{"a"}}), 0);
  EXPECT_THROW(CorpusCider(Captions{"a"}, {}), ShapeError);
  EXPECT_THROW(CorpusCider(Captions{"a"}, std::vector<References>{{}}),
               ShapeError);
}

}  // namespace
}  // namespace heed
