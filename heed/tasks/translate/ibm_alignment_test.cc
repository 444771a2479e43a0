#include "heed/tasks/translate/ibm_alignment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/translate/word_alignment.h"

namespace heed::translate {
namespace {

/// Pairs in which "TN" translates "sN", with two in ten neighbours swapped, and
/// their links.
struct IbmText {
  ParallelText text;
  std::vector<GoldAlignment> gold;
};

IbmText MadeUpWords(int pairs, uint64_t seed) {
  Rng rng(seed);
  IbmText made;
  for (int i = 0; i < pairs; ++i) {
    std::vector<uint64_t> words;
    for (uint64_t n = 3 + rng.Below(6); n > 0; --n) {
      words.push_back(rng.Below(25));
    }
    std::vector<size_t> order(words.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    for (size_t k = 1; k < order.size(); ++k) {
      if (rng.Below(10) < 2) std::swap(order[k - 1], order[k]);
    }
    std::string source;
    std::string target;
    GoldAlignment gold;
    for (size_t k = 0; k < words.size(); ++k) {
      source += fmt::format("s{} ", words[k]);
      target += fmt::format("T{} ", words[order[k]]);
      gold.sure.insert(
          {static_cast<int64_t>(order[k]), static_cast<int64_t>(k)});
    }
    gold.possible = gold.sure;
    made.text.source.push_back(source);
    made.text.target.push_back(target);
    made.gold.push_back(gold);
  }
  return made;
}

std::vector<AlignmentLinks> LinksIn(const std::vector<AlignmentView>& views) {
  std::vector<AlignmentLinks> links;
  for (const AlignmentView& view : views) links.push_back(*view.links);
  return links;
}

TEST(IbmAlignment, NamesStandForModels) {
  EXPECT_FALSE(IbmModelOf("ibm1")->diagonal);
  EXPECT_EQ(IbmModelOf("ibm1")->alpha, 0);
  EXPECT_TRUE(IbmModelOf("ibm2")->diagonal);
  EXPECT_EQ(IbmModelOf("ibm2")->alpha, 0.01);
  EXPECT_EQ(IbmModelOf("ibm3"), std::nullopt);
  IbmOptions options;
  EXPECT_EQ(options.Applied("ibm2").alpha, 0.01);
  options.alpha = 0;
  options.iterations = 7;
  EXPECT_EQ(options.Applied("ibm2").alpha, 0);
  EXPECT_EQ(options.Applied("ibm1").iterations, 7);
}

TEST(IbmAlignment, LearnsWhichWordTranslatesWhich) {
  const IbmText training = MadeUpWords(300, 1);
  const IbmText other = MadeUpWords(40, 2);
  for (const char* name : IbmModelNames()) {
    const IbmAligner aligner(training.text, *IbmModelOf(name), false);
    EXPECT_EQ(aligner.pairs(), 300);
    // Model 1 cannot distinguish equal words of a sentence.
    EXPECT_LT(ScoreAlignments(LinksIn(aligner.Align(other.text)), other.gold)
                  .error_rate,
              std::string(name) == "ibm1" ? 0.2 : 0.03)
        << name;
  }
}

TEST(IbmAlignment, WeightsAreThePosteriorOfTheLinks) {
  const IbmText training = MadeUpWords(200, 3);
  const IbmAligner aligner(training.text, *IbmModelOf("ibm2"), false);
  const AlignmentView view =
      aligner.Align({{"s3 s7  s1"}, {"T7 T3 T1 new"}}).front();
  EXPECT_EQ(view.source_tokens, (std::vector<std::string>{"s3", "s7", "s1"}));
  EXPECT_EQ(view.target_tokens,
            (std::vector<std::string>{"T7", "T3", "T1", "new"}));
  CheckAlignment(view);
  EXPECT_GT(view.weight(0, 1), 0.9);
  EXPECT_GT(view.weight(1, 0), 0.9);
  for (int64_t t = 0; t < 4; ++t) {
    const float sum = view.weight(t, 0) + view.weight(t, 1) + view.weight(t, 2);
    EXPECT_LE(sum, 1.0001F);
  }
  // "new" is unknown: the diagonal prior links it to the last word.
  EXPECT_EQ(PharaohLine(view), "1-0 0-1 2-2 2-3");
}

TEST(IbmAlignment, CaseCountsUnlessItIsLowered) {
  const ParallelText text = {{"A b", "a c", "B", "b"},
                             {"X y", "x z", "Y", "y"}};
  const auto rows = [&](bool lowercase) {
    const IbmAligner aligner(text, *IbmModelOf("ibm2"), lowercase);
    return aligner.Align({{"B c"}, {"Y z"}}).front().weight(0, 0);
  };
  EXPECT_GT(rows(true), 0.5);
  const IbmAligner cased(text, *IbmModelOf("ibm1"), false);
  const IbmAligner lowered(text, *IbmModelOf("ibm1"), true);
  // "C" is unknown, but "c" is known.
  EXPECT_EQ(lowered.Align({{"a C"}, {"X Z"}}).front().weights,
            lowered.Align({{"a c"}, {"x z"}}).front().weights);
  EXPECT_NE(cased.Align({{"a C"}, {"X Z"}}).front().weights,
            cased.Align({{"a c"}, {"x z"}}).front().weights);
}

TEST(IbmAlignment, CanonicallyEqualWordsAreOne) {
  const ParallelText text = {{"a caf\u00E9", "a cafe\u0301", "b a"},
                             {"x \u00E9", "x e\u0301", "y x"}};
  const IbmAligner aligner(text, *IbmModelOf("ibm1"), false);
  EXPECT_EQ(aligner.Align({{"a caf\u00E9"}, {"x \u00E9"}}).front().weights,
            aligner.Align({{"a cafe\u0301"}, {"x e\u0301"}}).front().weights);
}

TEST(IbmAlignment, EmptyPairsStayEmpty) {
  const IbmAligner aligner({{"a", "", "b"}, {"x", "", "y"}},
                           *IbmModelOf("ibm2"), false);
  EXPECT_EQ(aligner.pairs(), 2);
  const auto views = aligner.Align({{"", "a"}, {"", "x"}});
  EXPECT_TRUE(views[0].links->empty());
  EXPECT_EQ(PharaohLine(views[1]), "0-0");
}

class Baselines : public testing::Test {
 protected:
  Baselines() : training_(MadeUpWords(300, 4)), measured_(MadeUpWords(30, 5)) {
    std::string lines;
    for (size_t i = 0; i < training_.text.source.size(); ++i) {
      lines +=
          training_.text.source[i] + "\t" + training_.text.target[i] + "\n";
    }
    WriteFileAtomically(folder_.Path("train.tsv"), lines);
  }
  AlignmentBaselines Measure(const BaselineOptions& options,
                             const DataConfig& data) const {
    return MeasureBaselines(options, data, measured_.text, measured_.gold,
                            Symmetrization::kIntersection);
  }

  TemporaryFolder folder_;
  IbmText training_;
  IbmText measured_;
};

TEST_F(Baselines, AreThoseOfTheTrainingPairs) {
  DataConfig data;
  data.train.tsv = {folder_.Path("train.tsv")};
  const AlignmentBaselines found = Measure({}, data);
  EXPECT_EQ(found.origin, "EM on the 300 training pairs");
  std::vector<std::string> keys;
  for (const AlignmentBaseline& row : found.rows) keys.push_back(row.key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"ibm1", "ibm1_backward", "ibm1_both",
                                      "ibm2", "ibm2_backward", "ibm2_both"}));
  const IbmAligner aligner(training_.text, *IbmModelOf("ibm2"), false);
  EXPECT_EQ(
      found.rows[3].score.error_rate,
      ScoreAlignments(LinksIn(aligner.Align(measured_.text)), measured_.gold)
          .error_rate);
  // Symmetrized links are more precise than those of one direction.
  EXPECT_GE(found.rows[2].score.precision, found.rows[0].score.precision);
  EXPECT_LE(found.rows[5].score.error_rate, 0.03);
}

TEST_F(Baselines, OtherPairsCanBeNamed) {
  BaselineOptions options;
  options.learn.tsv = {folder_.Path("train.tsv")};
  DataConfig data;
  data.train.tsv = {folder_.Path("lost.tsv")};
  EXPECT_EQ(Measure(options, data).rows.size(), 6U);
  options.learn.tsv = {folder_.Path("lost.tsv")};
  EXPECT_THROW(Measure(options, data), IoError);
}

TEST_F(Baselines, AreLeftOutIfTheTrainingPairsAreNotThere) {
  DataConfig data;
  data.train.tsv = {folder_.Path("lost.tsv")};
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Measure({}, data).rows.empty());
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("lost.tsv"), std::string::npos);
  EXPECT_NE(warning.find("--learn-tsv"), std::string::npos);
  data.train.tsv = {"-"};
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Measure({}, data).rows.empty());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("standard input"),
            std::string::npos);
  BaselineOptions without;
  without.baselines = false;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Measure(without, data).rows.empty());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace heed::translate
