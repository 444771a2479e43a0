#include "course/recall.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

const std::vector<RecallKind> kAllRecallKinds = {
    RecallKind::kRecurrent, RecallKind::kBoth, RecallKind::kAttention};

TEST(Recall, TheQuestionNamesTheFactThatStandsAtTheDistance) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    const RecallBatch batch = MakeRecallBatch(20, 12, seed);
    const int64_t T = batch.first.dim(0);
    for (int64_t b = 0; b < 20; ++b) {
      const int32_t key = batch.first.row<int32_t>(T - 1)[b];
      std::vector<int64_t> places;
      for (int64_t t = 0; t < T - 1; ++t) {
        if (batch.first.row<int32_t>(t)[b] == key) places.push_back(t);
      }
      ASSERT_EQ(places, std::vector<int64_t>{T - 1 - 12});
    }
  }
  EXPECT_THROW(MakeRecallBatch(1, kRecallFacts - 1, 1), ConfigError);
}

TEST(Recall, AnswersDependOnTheFactAlone) {
  const RecallBatch batch = MakeRecallBatch(200, 10, 3);
  const int64_t T = batch.first.dim(0);
  std::set<int32_t> shifts, answers;
  for (int64_t b = 0; b < 200; ++b) {
    const int32_t answer = batch.answers.data<int32_t>()[b];
    shifts.insert(batch.second.row<int32_t>(T - 1 - 10)[b] - answer);
    answers.insert(answer);
  }
  EXPECT_EQ(shifts.size(), 1u);
  EXPECT_EQ(std::ssize(answers), kRecallValues);
}

TEST(Recall, AllScoresEndWithTheScoresOfTheQuestion) {
  const RecallBatch batch = MakeRecallBatch(3, 1500, 1);
  for (const RecallKind kind : kAllRecallKinds) {
    const RecallModel model(kind, 7);
    const Tensor last = model.Scores({}, batch).value();
    const Tensor all = model.AllScores(batch);
    for (int64_t b = 0; b < 3; ++b) {
      const float* row = all[b].row<float>(all.dim(1) - 1);
      for (int64_t v = 0; v < kRecallValues; ++v) {
        EXPECT_NEAR(row[v], last.row<float>(b)[v], 1e-4);
      }
    }
  }
}

// Without gradients, input projections are computed in parts.
TEST(Recall, StatesWithAndWithoutGradientsAreEqual) {
  const RecallBatch batch = MakeRecallBatch(2, 1500, 4);
  const RecallModel model(RecallKind::kRecurrent, 7);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Tensor with = model.Scores(ctx, batch).value();
  const Tensor without = model.Scores({}, batch).value();
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t v = 0; v < kRecallValues; ++v) {
      EXPECT_NEAR(with.row<float>(b)[v], without.row<float>(b)[v], 1e-5);
    }
  }
}

TEST(Recall, AttentionLearnsAndReachesBeyondWhatItWasTrainedAt) {
  RecallModel model(RecallKind::kAttention, 1);
  EXPECT_LT(RecallAccuracy(model, 100, 100, 2), 40);
  std::vector<double> losses;
  TrainRecall(model, {.steps = 250, .longest = 50},
              [&](int64_t, double loss) { losses.push_back(loss); });
  EXPECT_EQ(losses.size(), 250u);
  EXPECT_LT(losses.back(), losses.front() / 10);
  EXPECT_GT(RecallAccuracy(model, 300, 100, 2), 90);
}

TEST(Recall, MemoryIsLinearInTheLength) {
  for (const RecallKind kind : kAllRecallKinds) {
    const RecallModel model(kind, 1);
    const auto shorter = static_cast<double>(RecallPeakBytes(model, 3000));
    const auto longer = static_cast<double>(RecallPeakBytes(model, 6000));
    EXPECT_LT(longer / shorter, 2.5);
    EXPECT_LT(longer, 4.0 * 6000 * 6000 / 5);
  }
}

}  // namespace
}  // namespace heed
