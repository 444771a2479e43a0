#include "heed/decode/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

const Ids kSource = {5, 4, 5, kEos};

std::vector<Hypothesis> Search(const FakeModel& model, const Ids& source,
                               const DecodeOptions& options) {
  const auto [ids, lengths] = SourceOf({source});
  return BeamSearch(model, {ids, lengths}, options).at(0);
}

double LogProbability(const FakeModel& model, const FakeRow& row,
                      int32_t token) {
  const std::vector<float> scores = model.Scores(row);
  double sum = 0;
  for (const float score : scores) sum += std::exp(score);
  return At(scores, token) - std::log(sum);
}

// A sequence with its log-probability.
struct Path {
  FakeRow row;  // written starts with <s> and, if it ended, ends with </s>
  double log_probability = 0;
  double score = 0;
  std::vector<float> attention;
};

Path Continue(const FakeModel& model, Path path, int32_t token) {
  path.log_probability += LogProbability(model, path.row, token);
  for (const float weight : model.Attention(path.row)) {
    path.attention.push_back(weight);
  }
  path.row.written.push_back(token);
  return path;
}

double ScoreOf(const Path& path, const DecodeOptions& options) {
  const size_t S = path.row.source.size();
  std::vector<float> coverage(S);
  for (size_t i = 0; i < path.attention.size(); ++i) {
    coverage[i % S] += path.attention[i];
  }
  double score =
      path.log_probability / std::pow((4.0 + std::ssize(path.row.written)) / 6,
                                      options.length_penalty);
  for (const float c : coverage) {
    score += options.coverage_penalty * std::log(std::min(c, 1.0F));
  }
  return score;
}

// Reference beam search: no batch, and no early stopping.
std::vector<Path> PlainSearch(const FakeModel& model, const Ids& source,
                              const DecodeOptions& options) {
  std::vector<Path> live(1), ended;
  live[0].row = {source, {kBos}};
  for (int length = 0; !live.empty(); ++length) {
    const bool last = length == options.max_length;
    std::vector<Path> next;
    for (const Path& path : live) {
      for (int32_t v = 0; v < model.V(); ++v) {
        if (v == kPad || v == kBos || (last && v != kEos)) continue;
        next.push_back(Continue(model, path, v));
      }
    }
    std::stable_sort(next.begin(), next.end(), [](auto& a, auto& b) {
      return a.log_probability > b.log_probability;
    });
    next.resize(std::min(next.size(), static_cast<size_t>(options.beam)));
    live.clear();
    for (Path& path : next) {
      path.score = ScoreOf(path, options);
      (path.row.written.back() == kEos ? ended : live).push_back(path);
    }
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](auto& a, auto& b) { return a.score > b.score; });
  ended.resize(std::min(ended.size(), static_cast<size_t>(options.nbest)));
  return ended;
}

void ExpectSame(const std::vector<Hypothesis>& found,
                const std::vector<Path>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const Ids& written = expected[i].row.written;
    EXPECT_EQ(found[i].tokens, Ids(written.begin() + 1, written.end() - 1));
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
    EXPECT_NEAR(found[i].log_probability, expected[i].log_probability, 1e-5);
    EXPECT_EQ(found[i].attention, expected[i].attention);
  }
}

void ExpectEqual(const std::vector<Hypothesis>& a,
                 const std::vector<Hypothesis>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].tokens, b[i].tokens);
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(a[i].attention, b[i].attention);
    EXPECT_EQ(a[i].source_length, b[i].source_length);
  }
}

struct Penalties {
  double length, coverage;
};

class BeamWith : public testing::TestWithParam<Penalties> {
 protected:
  DecodeOptions Options(int beam, int nbest, int max_length) const {
    DecodeOptions options;
    options.beam = beam;
    options.nbest = nbest;
    options.max_length = max_length;
    options.length_penalty = GetParam().length;
    options.coverage_penalty = GetParam().coverage;
    options.keep_attention = true;
    return options;
  }
};

// Three tokens besides </s>, so 3^0 + .. + 3^5 = 364 sequences.
TEST_P(BeamWith, AWideBeamFindsTheBestOfAllSequences) {
  const RandomModel model(6);
  for (const int32_t first : {1, 4, 5}) {
    const Ids source = {first, 4, kEos};
    const DecodeOptions options = Options(1000, 20, 5);
    ExpectSame(Search(model, source, options),
               PlainSearch(model, source, options));
  }
}

TEST_P(BeamWith, StoppingEarlyChangesNothing) {
  for (const float end_score : {-1.0F, 1.0F, 3.0F}) {
    const RandomModel model(9, end_score);
    for (const int nbest : {1, 3}) {
      for (int32_t i = 4; i < 9; ++i) {
        const Ids source = {i, 4, i, kEos};
        const DecodeOptions options = Options(3, nbest, 12);
        ExpectSame(Search(model, source, options),
                   PlainSearch(model, source, options));
      }
    }
  }
}

TEST_P(BeamWith, TheBatchChangesNothing) {
  const RandomModel model(9, 1);
  std::vector<Ids> sources;
  for (int32_t i = 0; i < 12; ++i) {
    sources.push_back(Ids(static_cast<size_t>(1 + i * 5 % 7), 4 + i % 5));
    sources.back().push_back(kEos);
  }
  DecodeOptions options = Options(4, 2, 0);
  const auto [ids, lengths] = SourceOf(sources);
  const auto together = BeamSearch(model, {ids, lengths}, options);
  ASSERT_EQ(together.size(), sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    ExpectEqual(together[i], Search(model, sources[i], options));
  }
}

// Reported prefixes are prefixes of the final result and never get shorter.
TEST_P(BeamWith, ReportedTokensAreFinal) {
  const RandomModel random(9, 1);
  const CopyModel sharp(9);
  for (const FakeModel* model : {static_cast<const FakeModel*>(&random),
                                 static_cast<const FakeModel*>(&sharp)}) {
    std::vector<Ids> sources;
    for (int32_t i = 0; i < 12; ++i) {
      sources.push_back(Ids(static_cast<size_t>(1 + i * 5 % 7), 4 + i % 5));
      sources.back().push_back(kEos);
    }
    const auto [ids, lengths] = SourceOf(sources);
    std::vector<std::vector<Ids>> reported(sources.size());
    std::vector<int> wholes(sources.size());
    SearchHooks hooks;
    hooks.observer = [&](int64_t sentence, std::span<const int32_t> tokens,
                         bool whole) {
      const auto b = static_cast<size_t>(sentence);
      EXPECT_EQ(wholes.at(b), 0) << "nothing follows the whole";
      wholes[b] += whole ? 1 : 0;
      reported.at(b).emplace_back(tokens.begin(), tokens.end());
    };
    const auto found =
        BeamSearch(*model, {ids, lengths}, Options(4, 2, 0), {}, hooks);
    EXPECT_EQ(wholes, std::vector<int>(sources.size(), 1));
    for (size_t b = 0; b < sources.size(); ++b) {
      const Ids& written = found[b][0].tokens;
      size_t before = 0;
      for (const Ids& prefix : reported[b]) {
        EXPECT_GE(prefix.size(), before);
        before = prefix.size();
        ASSERT_LE(before, written.size());
        EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), written.begin()));
      }
      EXPECT_EQ(before, written.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Penalties, BeamWith,
                         testing::Values(Penalties{0, 0}, Penalties{0.6, 0},
                                         Penalties{2, 0}, Penalties{0.6, 0.4},
                                         Penalties{0, 2}));

TEST(Beam, OneBeamIsGreedy) {
  const RandomModel model(12);
  DecodeOptions options;
  options.beam = 1;
  options.max_length = 30;
  options.max_length_factor = 30;
  for (int32_t i = 4; i < 12; ++i) {
    FakeRow row{{i, kEos}, {kBos}};
    double log_probability = 0;
    while (row.written.back() != kEos) {
      std::vector<float> scores = model.Scores(row);
      scores[kPad] = scores[kBos] = -100;
      const auto best = static_cast<int32_t>(
          std::max_element(scores.begin(), scores.end()) - scores.begin());
      const int32_t token = std::ssize(row.written) > 30 ? kEos : best;
      log_probability += LogProbability(model, row, token);
      row.written.push_back(token);
    }
    const auto found = Search(model, row.source, options);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].tokens,
              Ids(row.written.begin() + 1, row.written.end() - 1));
    EXPECT_NEAR(found[0].log_probability, log_probability, 1e-4);
  }
}

TEST(Beam, AGreedySearchReportsEachToken) {
  const CopyModel model(9);
  const auto [ids, lengths] = SourceOf({{4, 5, 6, kEos}});
  DecodeOptions options;
  options.beam = 1;
  std::vector<Ids> reported;
  SearchHooks hooks;
  hooks.observer = [&](int64_t, std::span<const int32_t> tokens, bool) {
    reported.emplace_back(tokens.begin(), tokens.end());
  };
  BeamSearch(model, {ids, lengths}, options, {}, hooks);
  EXPECT_EQ(reported, (std::vector<Ids>{{4}, {4, 5}, {4, 5, 6}, {4, 5, 6}}));
}

DecodeOptions UpTo(int max_length, int beam, int nbest) {
  DecodeOptions options;
  options.max_length = max_length;
  options.beam = beam;
  options.nbest = nbest;
  return options;
}

TEST(Beam, ACancelledSearchTakesNoFurtherStep) {
  const RandomModel endless(12, -50);
  const AfterSteps cancellation(endless, 5);
  const auto [ids, lengths] = SourceOf({kSource, kSource});
  for (const int beam : {1, 32}) {
    EXPECT_THROW(BeamSearch(endless, {ids, lengths}, UpTo(100, beam, 1), {},
                            {{}, {&cancellation, &cancellation}}),
                 Cancelled);
    EXPECT_EQ(endless.rows_of_steps.size(), 5u);
  }
}

TEST(Beam, WhatIsCancelledBeforeItsStartTakesNoStep) {
  const RandomModel model(12);
  const AfterSteps cancellation(model, 0);
  const auto [ids, lengths] = SourceOf({kSource});
  EXPECT_THROW(BeamSearch(model, {ids, lengths}, UpTo(100, 4, 1), {},
                          {{}, {&cancellation}}),
               Cancelled);
  EXPECT_TRUE(model.rows_of_steps.empty());
}

TEST(Beam, ACancelledSentenceLeavesTheOthersInPeace) {
  const RandomModel model(12, -3);
  const AfterSteps cancellation(model, 4);
  const DecodeOptions options = UpTo(20, 3, 2);
  const Ids other = {7, 4, 9, kEos};
  const auto alone = Search(model, other, options);
  const size_t steps = model.rows_of_steps.size();
  ASSERT_GT(steps, 6u);
  const auto [ids, lengths] = SourceOf({kSource, other});
  const auto found = BeamSearch(model, {ids, lengths}, options, {},
                                {{}, {&cancellation, nullptr}});
  EXPECT_TRUE(found[0].empty());
  ASSERT_EQ(found[1].size(), alone.size());
  for (size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(found[1][i].tokens, alone[i].tokens);
  }
  EXPECT_EQ(model.rows_of_steps.size(), steps);
  EXPECT_EQ(model.rows_of_steps.at(3), 6);
  EXPECT_EQ(model.rows_of_steps.at(4), 3) << "its rows have left";
}

TEST(Beam, GreedySearchMovesNoRows) {
  const RandomModel model(12);
  DecodeOptions options;
  options.beam = 1;
  Search(model, kSource, options);
  EXPECT_GT(model.rows_of_steps.size(), 1u);
  EXPECT_EQ(model.moves_of_rows + model.moves_of_sources, 0);
}

TEST(Beam, StopsOnceNothingBetterCanCome) {
  const RandomModel model(9, 8);  // </s> is far more probable than the others
  DecodeOptions options;
  options.max_length = 100;
  Search(model, kSource, options);
  EXPECT_LT(model.rows_of_steps.size(), 20u);
}

TEST(Beam, FinishedSentencesLeaveTheBatch) {
  const CopyModel model(9);
  Ids long_source(20, 5);
  long_source.push_back(kEos);
  DecodeOptions options;
  options.beam = 1;
  const auto [ids, lengths] = SourceOf({{4, kEos}, long_source, {6, kEos}});
  const auto found = BeamSearch(model, {ids, lengths}, options);
  EXPECT_EQ(found[0][0].tokens, Ids{4});
  EXPECT_EQ(found[1][0].tokens, Ids(20, 5));
  EXPECT_EQ(found[2][0].tokens, Ids{6});
  EXPECT_EQ(model.rows_of_steps.size(), 21u);
  EXPECT_EQ(model.rows_of_steps[0], 3);
  EXPECT_EQ(model.rows_of_steps[2], 1);
}

TEST(Beam, SourcesStayWhileOnlyTheBeamMoves) {
  const RandomModel model(30, -2);
  DecodeOptions options;
  options.max_length = 20;
  Search(model, kSource, options);
  EXPECT_EQ(model.moves_of_sources, 0);
  EXPECT_GT(model.moves_of_rows, 10);
}

TEST(Beam, TheNBestAreSortedAndDistinct) {
  const RandomModel model(12);
  DecodeOptions options;
  options.beam = options.nbest = 8;
  const auto found = Search(model, kSource, options);
  ASSERT_EQ(found.size(), 8u);
  std::set<Ids> distinct;
  for (size_t i = 0; i < found.size(); ++i) {
    distinct.insert(found[i].tokens);
    EXPECT_LE(found[i].score, found[0].score);
    EXPECT_GE(found[i].score, found[7].score);
  }
  EXPECT_EQ(distinct.size(), 8u);
}

TEST(Beam, PaddingAndStartAreNeverWritten) {
  const RandomModel model(9);  // padding and <s> score highest
  DecodeOptions options;
  options.nbest = 5;
  for (const Hypothesis& hypothesis : Search(model, kSource, options)) {
    EXPECT_EQ(std::ranges::count(hypothesis.tokens, kPad), 0);
    EXPECT_EQ(std::ranges::count(hypothesis.tokens, kBos), 0);
  }
}

TEST(Beam, TheLimitForcesAnEnd) {
  const RandomModel model(9, -30);
  DecodeOptions options;
  options.max_length = 7;
  const auto found = Search(model, kSource, options);
  EXPECT_EQ(found.at(0).tokens.size(), 7u);
  EXPECT_LT(found.at(0).log_probability, -25);  // includes the end
  options.max_length = 0;
  options.max_length_factor = 3;
  EXPECT_EQ(Search(model, kSource, options).at(0).tokens.size(), 22u);
}

TEST(Beam, TheLimitIsFactorTimesSourceLengthAndAnExtra) {
  const RandomModel model(9, -30);
  DecodeOptions options;
  options.max_length_factor = 1.5;
  options.max_length_extra = 0;
  for (const size_t length : {1u, 2u, 3u, 8u}) {
    Ids source(length, 5);
    source.back() = kEos;
    EXPECT_EQ(Search(model, source, options).at(0).tokens.size(),
              (3 * length + 1) / 2);
  }
}

TEST(Beam, TheLastPositionEndsAHypothesisAsTheLimitDoes) {
  RandomModel model(9, -30);
  model.position_limit = 6;
  for (const int beam : {1, 4}) {
    DecodeOptions options;
    options.beam = beam;
    const auto found = Search(model, kSource, options);
    EXPECT_EQ(found.at(0).tokens.size(), 5u);
    EXPECT_TRUE(found.at(0).at_last_position);
    options.max_length = 5;  // the same length, but no position limit
    EXPECT_EQ(Search(model, kSource, options).at(0).tokens, found[0].tokens);
    EXPECT_FALSE(Search(model, kSource, options).at(0).at_last_position);
  }
}

TEST(Beam, AHypothesisThatEndsByItselfDidNotMeetTheLastPosition) {
  RandomModel model(9, 30);
  model.position_limit = 6;
  const auto found = Search(model, kSource, {});
  EXPECT_TRUE(found.at(0).tokens.empty());
  EXPECT_FALSE(found.at(0).at_last_position);
}

TEST(Beam, SuppressedTokensAreNeverWritten) {
  const RandomModel model(9);
  DecodeOptions options;
  options.nbest = 5;
  options.suppressed_ids = {kUnk, 6};
  for (const Hypothesis& hypothesis : Search(model, kSource, options)) {
    EXPECT_EQ(std::ranges::count(hypothesis.tokens, kUnk), 0);
    EXPECT_EQ(std::ranges::count(hypothesis.tokens, 6), 0);
  }
  // A beam as wide as the remaining tokens finds as many hypotheses.
  options.suppressed_ids = {kUnk, 4, 5, 6, 7};
  EXPECT_EQ(Search(model, kSource, options).size(), 5u);
}

TEST(Beam, TheLengthCanBeGiven) {
  for (const float end_score : {-30.0F, 30.0F}) {
    const RandomModel model(9, end_score);
    DecodeOptions options;
    options.exact_length = 7;
    options.nbest = 2;
    for (const int beam : {2, 5}) {
      options.beam = beam;
      const auto found = Search(model, kSource, options);
      ASSERT_EQ(found.size(), 2u);
      EXPECT_EQ(found[0].tokens.size(), 6u);  // without </s>
      EXPECT_EQ(found[1].tokens.size(), 6u);
      EXPECT_EQ(std::ranges::count(found[0].tokens, kEos), 0);
      EXPECT_EQ(model.rows_of_steps.size(), 7u);
    }
  }
}

// A model whose output covers only some tokens of another model.
class SomeOf : public RandomModel {
 public:
  SomeOf(int V, Ids known) : RandomModel(V), known_(std::move(known)) {}
  std::vector<float> Scores(const FakeRow& row) const override {
    std::vector<float> scores = RandomModel::Scores(row);
    for (int32_t v = 0; v < V(); ++v) {
      if (std::ranges::count(known_, v) == 0) {
        At(scores, v) = -std::numeric_limits<float>::infinity();
      }
    }
    return scores;
  }

 private:
  Ids known_;
};

TEST(Beam, OutputsLimitTheSearchToSomeTokens) {
  const Ids some = {kPad, kUnk, kBos, kEos, 5, 8, 11};
  const auto [ids, lengths] = SourceOf({kSource, {7, kEos}});
  DecodeOptions options;
  options.nbest = 3;
  const RandomModel model(12);
  const auto found = BeamSearch(model, {ids, lengths}, options, {some, some});
  const auto expected = BeamSearch(SomeOf(12, some), {ids, lengths}, options);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(found[i].size(), 3u);
    for (size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(found[i][n].tokens, expected[i][n].tokens);
      EXPECT_NEAR(found[i][n].score, expected[i][n].score, 1e-6);
    }
  }
}

TEST(Beam, OutputsOfAllTokensChangeNothing) {
  const RandomModel model(12);
  Ids all(12);
  std::iota(all.begin(), all.end(), 0);
  const auto [ids, lengths] = SourceOf({kSource});
  DecodeOptions options;
  options.nbest = 5;
  ExpectEqual(BeamSearch(model, {ids, lengths}, options, {all})[0],
              Search(model, kSource, options));
}

TEST(Beam, BadOutputsAreErrors) {
  const auto [ids, lengths] = SourceOf({kSource});
  for (const Ids& bad : {Ids{}, Ids{0, 1, 2, 3}, Ids{0, 1, 2, 4, 5},
                         Ids{0, 1, 2, 3, 6, 5}, Ids{0, 1, 2, 3, 5, 5}}) {
    EXPECT_THROW(BeamSearch(CopyModel(9), {ids, lengths}, {}, {bad}),
                 ShapeError);
  }
}

TEST(Beam, AttentionHasARowForEachTokenAndForTheEnd) {
  const CopyModel model(9);
  DecodeOptions options;
  options.keep_attention = true;
  const auto [ids, lengths] = SourceOf({{4, 5, kEos}, {6, 7, 8, 4, kEos}});
  const auto found = BeamSearch(model, {ids, lengths}, options);
  EXPECT_EQ(found[0][0].source_length, 3);
  EXPECT_EQ(found[0][0].attention,
            (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(found[1][0].attention.size(), 25u);
  options.keep_attention = false;
  EXPECT_TRUE(Search(model, {4, 5, kEos}, options).at(0).attention.empty());
}

TEST(Beam, AModelWithoutAttentionGivesNone) {
  const ConstantModel model({0, 0, 0, 1, 2});
  DecodeOptions options;
  options.keep_attention = true;
  EXPECT_TRUE(Search(model, kSource, options).at(0).attention.empty());
  options.coverage_penalty = 0.2;
  EXPECT_THROW(Search(model, kSource, options), ConfigError);
}

TEST(Beam, NoSentencesGiveNoHypotheses) {
  EXPECT_TRUE(
      BeamSearch(CopyModel(9),
                 {Tensor({3, 0}, DType::kI32), Tensor({0}, DType::kI32)}, {})
          .empty());
}

TEST(Beam, MoreHypothesesThanTheBeamAreAnError) {
  DecodeOptions options;
  options.beam = 2;
  options.nbest = 3;
  EXPECT_THROW(Search(CopyModel(9), kSource, options), ConfigError);
}

TEST(Beam, BadSourcesAreErrors) {
  const CopyModel model(9);
  const auto [ids, lengths] = SourceOf({kSource});
  EXPECT_THROW(BeamSearch(model, {ids, Tensor::Full({2}, 4, DType::kI32)}, {}),
               ShapeError);
  EXPECT_THROW(BeamSearch(model, {ids, Tensor::Full({1}, 5, DType::kI32)}, {}),
               ShapeError);
  EXPECT_THROW(BeamSearch(model, {ids, Tensor::Full({1}, -1, DType::kI32)}, {}),
               ShapeError);
}

TEST(Beam, GreedyWordsAreTheSameWithoutScores) {
  const RandomModel model(30);
  DecodeOptions options;
  options.beam = 1;
  const auto [ids, lengths] = SourceOf({kSource, {4, 3}, {7, 5, 9, 6, 3}});
  const auto scored = BeamSearch(model, {ids, lengths}, options);
  options.keep_scores = false;
  const auto words = BeamSearch(model, {ids, lengths}, options);
  ASSERT_EQ(words.size(), 3u);
  for (size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(words[i].size(), 1u);
    EXPECT_EQ(words[i][0].tokens, scored[i][0].tokens);
    EXPECT_LT(scored[i][0].log_probability, 0);
    EXPECT_EQ(words[i][0].log_probability, 0);
    EXPECT_EQ(words[i][0].score, 0);
  }
  options.beam = 2;
  EXPECT_LT(BeamSearch(model, {ids, lengths}, options)[0][0].score, 0);
}

TEST(Beam, NaNScoresAreAnErrorWithoutSumsToo) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  DecodeOptions options;
  options.beam = 1;
  options.keep_scores = false;
  EXPECT_THROW(
      Search(ConstantModel({nan, nan, nan, nan, nan}), kSource, options),
      NumericError);
}

TEST(Beam, NaNScoresAreAnError) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(Search(ConstantModel({0, 0, 0, 1, nan}), kSource, {}),
               NumericError);
}

TEST(LengthPenalty, IsOneForASingleTokenOrWithoutAlpha) {
  EXPECT_EQ(LengthPenalty(1, 0.6), 1);
  EXPECT_EQ(LengthPenalty(30, 0), 1);
  EXPECT_NEAR(LengthPenalty(7, 0.5), std::sqrt(2.0), 1e-12);
}

TEST(CoveragePenalty, CountsWhatWasSeenTooLittle) {
  const std::vector<float> coverage = {0.5F, 1.5F, 0.25F};
  EXPECT_NEAR(CoveragePenalty(coverage, 0.2), 0.2 * std::log(0.125), 1e-6);
  EXPECT_TRUE(std::isfinite(CoveragePenalty(std::vector<float>{0}, 1)));
}

}  // namespace
}  // namespace heed
