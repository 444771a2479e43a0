#include "heed/data/word_aligner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

using AlignerIds = std::vector<int32_t>;
using AlignerLinks = std::vector<int64_t>;

struct AlignerText {
  std::vector<AlignerIds> source;
  std::vector<AlignerIds> target;
  IdPairs pairs() const { return {source, target}; }
};

/// das haus / the house, das buch / the book, ein buch / a book. Source ids:
/// das 0, haus 1, buch 2, ein 3; target ids: the 0, house 1, book 2, a 3.
AlignerText Houses() {
  return {{{0, 1}, {0, 2}, {3, 2}}, {{0, 1}, {0, 2}, {3, 2}}};
}

/// Synthetic pairs. Target word s + 1 (modulo `words`) translates source word s
/// in the same order, except that two of ten neighbours are swapped. Every
/// third sentence has an additional word that translates none.
AlignerText MadeUp(int pairs, int32_t words, uint64_t seed) {
  Rng rng(seed);
  AlignerText text;
  for (int i = 0; i < pairs; ++i) {
    AlignerIds source;
    for (uint64_t n = 3 + rng.Below(8); n > 0; --n) {
      source.push_back(
          static_cast<int32_t>(rng.Below(static_cast<uint64_t>(words))));
    }
    AlignerIds target;
    for (const int32_t s : source) target.push_back((s + 1) % words);
    for (size_t k = 1; k < target.size(); ++k) {
      if (rng.Below(10) < 2) std::swap(target[k - 1], target[k]);
    }
    if (i % 3 == 0) target.push_back(words);
    text.source.push_back(source);
    text.target.push_back(target);
  }
  return text;
}

double Probability(const WordAligner& aligner, int32_t s, int32_t t) {
  const int64_t place = aligner.table().Place(s, t);
  return place < 0 ? 0 : aligner.table().value(place);
}

const AlignerOptions kModel1 = {.diagonal = false, .alpha = 0};

TEST(WordAligner, OneStepOfModel1IsWhatOneCountsByHand) {
  AlignerOptions options = kModel1;
  options.null_word = false;
  options.iterations = 1;
  const AlignerText text = Houses();
  const WordAligner aligner(text.pairs(), 4, 4, options);
  // Every word is aligned to half of each word in its pair: das to the, house,
  // the, book; haus to the, house; ein to a, book.
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 0), 0.5);
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 1), 0.25);
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 2), 0.25);
  EXPECT_DOUBLE_EQ(Probability(aligner, 1, 0), 0.5);
  EXPECT_DOUBLE_EQ(Probability(aligner, 3, 3), 0.5);
  EXPECT_EQ(Probability(aligner, 1, 3), 0);
}

TEST(WordAligner, TwoStepsOfModel1AreWhatOneCountsByHand) {
  AlignerOptions options = kModel1;
  options.null_word = false;
  options.iterations = 2;
  const AlignerText text = Houses();
  const WordAligner aligner(text.pairs(), 4, 4, options);
  // Counts of das: "the" ½/(½ + ½) and ½/(½ + ¼), "house" ¼/(¼ + ½), "book"
  // ¼/(¼ + ½); together 11/6.
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 0),
                   (1.0 / 2 + 2.0 / 3) / (11.0 / 6));
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 1), (1.0 / 3) / (11.0 / 6));
  EXPECT_DOUBLE_EQ(Probability(aligner, 1, 1), (2.0 / 3) / (2.0 / 3 + 1.0 / 2));
}

TEST(WordAligner, TheEmptyWordTakesItsShare) {
  AlignerOptions options = kModel1;
  options.iterations = 1;
  const AlignerText text = Houses();
  const WordAligner aligner(text.pairs(), 4, 4, options);
  // A third of each of six target words: two of "the", two of "book".
  EXPECT_DOUBLE_EQ(Probability(aligner, 4, 0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(Probability(aligner, 4, 1), 1.0 / 6);
  // Source words are as without the empty word.
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 0), 0.5);
}

TEST(WordAligner, AStepOfModel2IsWhatOneCountsByHand) {
  AlignerOptions options;
  options.iterations = 1;
  options.tension = 2;
  options.alpha = 0;
  const AlignerText text = {{{0, 1}}, {{0, 1}}};
  const WordAligner aligner(text.pairs(), 2, 2, options);
  // |1/2 − 1/2| = 0 and |2/2 − 1/2| = 1/2: weights 1 and exp(−1) share 0.92 for
  // each target word; the empty word has 0.08.
  const double near = 1 / (1 + std::exp(-1.0));
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 0), near);
  EXPECT_DOUBLE_EQ(Probability(aligner, 0, 1), 1 - near);
  EXPECT_DOUBLE_EQ(Probability(aligner, 2, 0), 0.5);
  const AlignerPosterior posterior =
      aligner.Posterior(AlignerIds{0, 1}, AlignerIds{0, 1});
  const double diagonal = 0.92 * near * near;
  const double off = 0.92 * (1 - near) * (1 - near);
  const double sum = 0.04 + diagonal + off;
  EXPECT_NEAR(posterior.probability(0, -1), 0.04 / sum, 1e-12);
  EXPECT_NEAR(posterior.probability(0, 0), diagonal / sum, 1e-12);
  EXPECT_NEAR(posterior.probability(0, 1), off / sum, 1e-12);
}

TEST(WordAligner, VariationalBayesTakesTheDigammaOfCounts) {
  AlignerOptions options;
  options.diagonal = false;
  options.null_word = false;
  options.iterations = 1;
  options.alpha = 0.01;
  const AlignerText text = Houses();
  const WordAligner aligner(text.pairs(), 4, 4, options);
  // Counts of das are 1, ½, ½ for three words.
  EXPECT_NEAR(Probability(aligner, 0, 0),
              std::exp(Digamma(1.01) - Digamma(2.03)), 1e-14);
  EXPECT_NEAR(Probability(aligner, 0, 1),
              std::exp(Digamma(0.51) - Digamma(2.03)), 1e-14);
}

TEST(WordAligner, DigammaIsTheSlopeOfLogGamma) {
  EXPECT_NEAR(Digamma(1), -0.57721566490153286, 1e-12);
  EXPECT_NEAR(Digamma(0.5), -0.57721566490153286 - 2 * std::log(2), 1e-12);
  for (const double x : {0.01, 0.3, 2.5, 7.9, 8.1, 1000.0}) {
    EXPECT_NEAR(Digamma(x + 1) - Digamma(x), 1 / x, 1e-11 / x);
  }
}

TEST(WordAligner, TheLikelihoodOfModel1NeverFalls) {
  AlignerOptions options = kModel1;
  options.iterations = 12;
  const AlignerText text = MadeUp(200, 15, 3);
  std::vector<double> likelihoods;
  const WordAligner aligner(text.pairs(), 15, 16, options,
                            [&](int done, double likelihood) {
                              EXPECT_EQ(done, std::ssize(likelihoods) + 1);
                              likelihoods.push_back(likelihood);
                            });
  ASSERT_EQ(likelihoods.size(), 12U);
  // At first all 16 words are equally probable.
  double words = 0;
  for (const AlignerIds& target : text.target) {
    words += static_cast<double>(target.size());
  }
  EXPECT_NEAR(likelihoods[0], -words * std::log(16), 1e-8);
  for (size_t i = 1; i < likelihoods.size(); ++i) {
    EXPECT_GT(likelihoods[i], likelihoods[i - 1]);
  }
}

TEST(WordAligner, LearnsAMadeUpDictionary) {
  const AlignerText text = MadeUp(300, 30, 1);
  for (const bool diagonal : {false, true}) {
    AlignerOptions options;
    options.diagonal = diagonal;
    options.alpha = diagonal ? 0.01 : 0;
    const WordAligner aligner(text.pairs(), 30, 31, options);
    for (int32_t s = 0; s < 30; ++s) {
      const auto values = aligner.table().values(s);
      const auto best = std::ranges::max_element(values) - values.begin();
      EXPECT_EQ(At(aligner.table().targets(s), best), (s + 1) % 30);
    }
    EXPECT_EQ(aligner.Align(AlignerIds{3, 9, 20}, AlignerIds{4, 21, 10}),
              (AlignerLinks{0, 2, 1}));
  }
}

TEST(WordAligner, TheExtraWordIsOfTheEmptyWord) {
  const AlignerText text = MadeUp(300, 30, 2);
  const WordAligner aligner(text.pairs(), 30, 31, {});
  EXPECT_EQ(aligner.Align(AlignerIds{3, 9, 20}, AlignerIds{4, 10, 21, 30}),
            (AlignerLinks{0, 1, 2, -1}));
}

TEST(WordAligner, TheTensionRisesWhereWordsKeepTheirOrder) {
  AlignerText text = MadeUp(200, 30, 4);
  const WordAligner ordered(text.pairs(), 30, 31, {});
  Rng rng(5);
  for (AlignerIds& target : text.target) {
    for (size_t k = target.size(); k > 1; --k) {
      std::swap(target[k - 1], target[rng.Below(k)]);
    }
  }
  const WordAligner shuffled(text.pairs(), 30, 31, {});
  EXPECT_GT(ordered.tension(), 6);
  EXPECT_LT(shuffled.tension(), 2);
}

TEST(WordAligner, TheTensionGoesToWhereItsGradientEnds) {
  // At the learned tension the gradient is 0: with a known dictionary, expected
  // and observed features are equal.
  AlignerOptions options;
  options.iterations = 60;
  options.alpha = 0;
  const AlignerText text = MadeUp(150, 20, 6);
  const WordAligner aligner(text.pairs(), 20, 21, options);
  EXPECT_GT(aligner.tension(), 0.2);
  EXPECT_LT(aligner.tension(), 13.9);
  options.learn_tension = false;
  double best = 0;
  double best_tension = 0;
  for (const double by : {0.8, 0.9, 1.0, 1.1, 1.25}) {
    options.tension = by * aligner.tension();
    double last = 0;
    const WordAligner fixed(text.pairs(), 20, 21, options,
                            [&](int, double likelihood) { last = likelihood; });
    if (best == 0 || last > best) {
      best = last;
      best_tension = by;
    }
  }
  EXPECT_EQ(best_tension, 1.0);
}

TEST(WordAligner, HasTheSameBitsWithAnyThreads) {
  const AlignerText text = MadeUp(6000, 200, 7);
  std::vector<std::vector<double>> tables;
  std::vector<double> tensions;
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    const WordAligner aligner(text.pairs(), 200, 201, {.iterations = 3});
    tables.emplace_back();
    for (int32_t row = 0; row < aligner.table().rows(); ++row) {
      const auto values = aligner.table().values(row);
      tables.back().insert(tables.back().end(), values.begin(), values.end());
    }
    tensions.push_back(aligner.tension());
  }
  EXPECT_EQ(tables[0], tables[1]);
  EXPECT_EQ(tables[0], tables[2]);
  EXPECT_EQ(tensions[0], tensions[1]);
  EXPECT_EQ(tensions[0], tensions[2]);
}

TEST(WordAligner, UnknownWordsGoToUnknownWordsAndElseToTheDiagonal) {
  const AlignerText text = MadeUp(300, 30, 8);
  const WordAligner aligner(text.pairs(), 30, 31, {});
  EXPECT_EQ(aligner.Align(AlignerIds{3, -1, 20}, AlignerIds{4, 99, 21}),
            (AlignerLinks{0, 1, 2}));
  EXPECT_EQ(aligner.Align(AlignerIds{3, 9, 20}, AlignerIds{4, 99, 21}),
            (AlignerLinks{0, 1, 2}));
  EXPECT_EQ(aligner.Align(AlignerIds{}, AlignerIds{4, 99}),
            (AlignerLinks{-1, -1}));
  EXPECT_EQ(aligner.Align(AlignerIds{3}, AlignerIds{}), AlignerLinks{});
}

TEST(WordAligner, PosteriorsOfAWordSumToOne) {
  const AlignerText text = MadeUp(100, 10, 9);
  const WordAligner aligner(text.pairs(), 10, 11, {});
  const AlignerIds source = {1, 7, 42, 1};
  const AlignerPosterior posterior =
      aligner.Posterior(source, AlignerIds{2, 8, -5});
  ASSERT_EQ(posterior.values.size(), 15U);
  for (size_t t = 0; t < 3; ++t) {
    double sum = 0;
    for (int64_t s = -1; s < 4; ++s) sum += posterior.probability(t, s);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(WordAligner, PairsWithAnEmptySideCountForNothing) {
  AlignerText text = Houses();
  const WordAligner without(text.pairs(), 4, 4, {});
  text.source.insert(text.source.begin(), AlignerIds{});
  text.target.insert(text.target.begin(), AlignerIds{1});
  text.source.push_back({2});
  text.target.emplace_back();
  const WordAligner with(text.pairs(), 4, 4, {});
  EXPECT_EQ(Probability(with, 0, 1), Probability(without, 0, 1));
  EXPECT_EQ(with.tension(), without.tension());
}

TEST(WordAligner, LearnsNothingFromNothing) {
  const WordAligner aligner({}, 0, 0, {});
  EXPECT_EQ(aligner.Align(AlignerIds{1, 2}, AlignerIds{1, 2}),
            (AlignerLinks{0, 1}));
}

TEST(WordAligner, RefusesOptionsOutOfRange) {
  const AlignerText text = Houses();
  const auto learn = [&](const AlignerOptions& options) {
    return WordAligner(text.pairs(), 4, 4, options);
  };
  EXPECT_THROW(learn({.iterations = 0}), ConfigError);
  EXPECT_THROW(learn({.tension = 0}), ConfigError);
  EXPECT_THROW(learn({.null_probability = 1}), ConfigError);
  EXPECT_THROW(learn({.alpha = -0.1}), ConfigError);
}

}  // namespace
}  // namespace heed
