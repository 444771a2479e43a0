#include "heed/tasks/autocomplete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/stories.h"
#include "heed/nn/recurrent.h"
#include "heed/tasks/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

/// Three words, of which the last is the first one again: to be told at its
/// space by who remembers, and its first letter says nothing.
Strings Echoes(int count, uint64_t seed) {
  const Strings echoed = {"bat", "bet", "bit", "but"};
  const Strings between = {"cap", "cat"};
  Rng rng(seed);
  Strings lines;
  for (int i = 0; i < count; ++i) {
    const std::string& first = echoed[rng.Below(4)];
    lines.push_back(first + " " + between[rng.Below(2)] + " " + first);
  }
  return lines;
}

class AutocompleteTasks : public testing::Test {
 protected:
  void SetUp() override {
    task_.encoder.rnn.units = 24;
    task_.data.batch_texts = 16;
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.01;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 12;
    training_.run.patience = 0;
    training_.run.quiet = true;
  }
  TrainResult TrainOnFiles() {
    task_.data.texts = {folder_.Put("train", AsLines(Echoes(400, 1)))};
    task_.data.valid_texts = {folder_.Put("valid", AsLines(Echoes(60, 2)))};
    return Train(task_, training_);
  }
  static std::string Predict(const Task& task, const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out;
    task.Predict(in, out);
    return out.str();
  }

  TemporaryFolder folder_;
  AutocompleteTask task_;
  TrainingConfig training_;
};

/// At each character: what the best guesser gets right.
void ExpectBest(const TypingScore& score) {
  // First words: 1/4 at the space, 1/4 at b, then all; second: 1/2 up to ca;
  // third: all.
  EXPECT_NEAR(score.seen[0].First(), (0.25 + 0.5 + 1) / 3, 0.1);
  EXPECT_NEAR(score.seen[1].First(), (0.25 + 0.5 + 1) / 3, 0.1);
  EXPECT_NEAR(score.seen[2].First(), (1 + 0.5 + 1) / 3, 0.08);
  EXPECT_GT(score.seen[3].First(), 0.995);
  EXPECT_NEAR(score.seen[0].Third(), (0.75 + 1 + 1) / 3, 0.08);
  EXPECT_NEAR(score.seen[0].Loss(), (std::log(4) + std::log(2)) / 3, 0.1);
  EXPECT_EQ(score.seen[4].characters, 0);
  EXPECT_EQ(score.unknown, 0);
}

TEST_F(AutocompleteTasks, LearnsWhatCanBeKnown) {
  TrainOnFiles();
  const LoadedTask loaded = ReadTask(training_.run.out);
  auto& task = dynamic_cast<AutocompleteTask&>(*loaded.task);
  ExpectBest(task.Score(Echoes(300, 3)));

  EXPECT_TRUE(Predict(task, "bit cat b\n").starts_with("bit\t0.9"))
      << Predict(task, "bit cat b\n");
  // Behind a space the next word is guessed.
  const std::string lines = Predict(task, "Bet Cap \nbet\n\n");
  EXPECT_TRUE(lines.starts_with("bet\t0.9")) << lines;
  EXPECT_EQ(Count(lines, "\n"), 3U);
  EXPECT_EQ(task.Suggest("but cat", 2).size(), 2U);
  EXPECT_EQ(task.Suggest("but cat", 1).front().word, "cat");
}

TEST_F(AutocompleteTasks, EveryCellLearns) {
  for (const std::string& cell : CellNames()) {
    SCOPED_TRACE(cell);
    AutocompleteTask task = AutocompleteTask();
    task.encoder.rnn.cell = cell;
    task.encoder.rnn.units = 24;
    task.data.batch_texts = 16;
    task.SetText(Echoes(400, 1), Echoes(60, 2));
    TrainingConfig training = training_;
    training.run.out = folder_.Path(cell);
    TrainOnExamples(task, training);
    ExpectBest(task.Score(Echoes(300, 3)));
  }
}

}  // namespace
}  // namespace heed
