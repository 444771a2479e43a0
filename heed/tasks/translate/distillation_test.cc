#include "heed/tasks/translate/distillation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/tasks/target_loss.h"
#include "heed/tasks/translate/testing.h"

namespace heed::translate {
namespace {

using Lines = std::vector<std::string>;

TEST(BestTranslation, IsNearestToTheReference) {
  const Lines all = {"a man on a horse", "a man rides a horse", "man horse"};
  EXPECT_EQ(BestTranslation(all, "a man rides a horse"), 1);
  EXPECT_EQ(BestTranslation(all, "horse"), 2);
  // Without any match all orders count the added one, and the first of equal
  // scores is taken.
  EXPECT_EQ(BestTranslation(Lines{"x y", "z u"}, "a b"), 0);
}

TEST(FilterPairs, DropsEachKindOfBadPair) {
  ParallelText text;
  const auto add = [&](const std::string& source, const std::string& target) {
    text.source.push_back(source);
    text.target.push_back(target);
  };
  add("a dog runs in the park", "ein Hund läuft im Park");
  add("  ", "leer");
  add("empty", "");
  add("Heed  1.0", "Heed 1.0");
  add("a cat sleeps on the sofa", "eine Katze schläft auf dem Sofa");
  add("a dog runs  in the park", "ein Hund läuft im Park ");
  add("a bird sings", "ein ein ein ein ein ein ein ein ein ein ein ein ein");
  add("one two three four five six seven", "eins zwei drei vier fünf");
  add("yes", "ja, das ist so");
  const FilteredText kept = FilterPairs(text, {.max_words = 6, .max_ratio = 2});
  EXPECT_EQ(kept.text.source,
            (Lines{text.source[0], text.source[4], text.source[8]}));
  EXPECT_EQ(kept.text.target,
            (Lines{text.target[0], text.target[4], text.target[8]}));
  EXPECT_EQ(kept.empty, 2);
  EXPECT_EQ(kept.copies, 1);
  EXPECT_EQ(kept.repeated, 1);
  EXPECT_EQ(kept.longer, 2);
  EXPECT_EQ(kept.ratio, 0);
  EXPECT_EQ(FilterPairs(text, {.max_words = 20, .max_ratio = 2}).ratio, 1);
  EXPECT_EQ(FilterPairs({}, {}).text.source.size(), 0);
}

TEST(FilterPairs, ComparesLengthsWithThoseOfTheLanguages) {
  // A text of four times as many characters as usual in this pair of languages.
  ParallelText text;
  for (int i = 0; i < 9; ++i) {
    text.source.push_back(std::string(40, 'a') + std::to_string(i));
    text.target.push_back(std::string(190, 'b') + std::to_string(i));
  }
  text.source.emplace_back(std::string(40, 'c'));
  text.target.emplace_back(std::string(40, 'd'));
  const FilteredText kept = FilterPairs(text, {});
  EXPECT_EQ(kept.text.source.size(), 9);
  EXPECT_EQ(kept.ratio, 1);
}

TEST(WithoutWorst, DropsAShareAndKeepsTheOrder) {
  const ParallelText text = {{"a", "b", "c", "d"}, {"A", "B", "C", "D"}};
  const std::vector<double> scores = {-2, -INFINITY, -1, -3};
  EXPECT_EQ(WithoutWorst(text, scores, 0.5).source, (Lines{"a", "c"}));
  EXPECT_EQ(WithoutWorst(text, scores, 0.25).target, (Lines{"A", "C", "D"}));
  EXPECT_EQ(WithoutWorst(text, scores, 0.2).source, text.source);
  EXPECT_TRUE(WithoutWorst(text, scores, 1).source.empty());
}

TEST(ScoresPerWord, SumToTheLossOfTheText) {
  TemporaryFolder folder;
  const Config config = TinyConfig(folder.Path("model"));
  ParallelText text = ReversedLetters(40, 1);
  TrainTranslation(config, {text, ReversedLetters(8, 2)});
  const Model model = ReadTranslationModel(config.run.out);
  text.source[3] = "";
  int64_t last = 0;
  const std::vector<double> scores =
      ScoresPerWord(model, text, [&](int64_t done) { last = done; });
  ASSERT_EQ(scores.size(), 40);
  EXPECT_EQ(last, 39);
  EXPECT_EQ(scores[3], -INFINITY);
  for (const size_t i : {size_t{0}, size_t{7}, size_t{39}}) {
    const ParallelText one = {{text.source[i]}, {text.target[i]}};
    const Corpus corpus = EncodeMeasured(one, model.vocabularies.source,
                                         model.vocabularies.target);
    const LossSum loss = CorpusLoss({}, *model.model, corpus, {4096, 0});
    // Words are tokens, and </s> is one more.
    EXPECT_NEAR(scores[i], -loss.nll / static_cast<double>(loss.tokens), 1e-5);
  }
}

}  // namespace
}  // namespace heed::translate
