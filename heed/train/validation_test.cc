#include "heed/train/validation.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/train/in_memory.h"
#include "heed/train/trainer_testing.h"

namespace heed {
namespace {

/// A judge of accuracies and losses.
class Judging : public testing::Test {
 protected:
  ValidationJudge Judge(Named<PatienceMetric> rule) {
    return {toy_, {"accuracy", true}, rule};
  }
  bool Record(const ValidationJudge& judge, double accuracy, double loss) {
    return judge.Record({accuracy, loss}, ++step_, state_);
  }

  Toy toy_{RandomPoints(4, 1), RandomPoints(4, 2), {}};
  ValidationState state_;
  int64_t step_ = 0;
};

TEST_F(Judging, ByMetricTheLossDecidesBetweenEqualOnes) {
  const ValidationJudge judge = Judge(PatienceMetric::kMetric);
  EXPECT_TRUE(Record(judge, 0.5, 1));
  EXPECT_FALSE(Record(judge, 0.5, 1));
  EXPECT_EQ(state_.stale, 1);
  EXPECT_TRUE(Record(judge, 0.5, 0.9));
  EXPECT_FALSE(Record(judge, 0.4, 0.1));
  EXPECT_FALSE(Record(judge, 0.4, 0.1));
  EXPECT_EQ(state_.stale, 2);
  EXPECT_EQ(state_.best_step, 3);
}

// The rule of Veličković's code, step by step.
TEST_F(Judging, ByMetricOrLossEitherKeepsHopeAndBothKeepTheWeights) {
  const ValidationJudge judge = Judge(PatienceMetric::kMetricOrLoss);
  EXPECT_TRUE(Record(judge, 0.5, 1.0));
  EXPECT_FALSE(Record(judge, 0.6, 1.1));  // more accurate, but a higher loss
  EXPECT_EQ(state_.stale, 0);
  EXPECT_FALSE(Record(judge, 0.5, 0.9));  // a lower loss, but less accurate
  EXPECT_EQ(state_.stale, 0);
  EXPECT_EQ(state_.best_step, 1);
  EXPECT_FALSE(Record(judge, 0.55, 0.95));  // neither
  EXPECT_EQ(state_.stale, 1);
  EXPECT_TRUE(Record(judge, 0.6, 0.9));  // both at least as good as the best
  EXPECT_EQ(state_.stale, 0);
  EXPECT_EQ(state_.best_step, 5);
  EXPECT_FALSE(Record(judge, 0.6, 1.5));  // equal accuracy resets patience
  EXPECT_EQ(state_.stale, 0);
  EXPECT_EQ(state_.top, 0.6);
  EXPECT_EQ(state_.lowest_loss, 0.9);
}

TEST_F(Judging, AMeasureThatIsNotFiniteIsNamed) {
  EXPECT_EQ(
      MessageOf<NumericError>([&] {
        static_cast<void>(Judge(PatienceMetric::kMetric)
                              .OutcomeOf({{"accuracy", 1}, {"loss", NAN}}));
      }),
      "the validation's loss is not finite");
}

TEST_F(Trainer, InMemoryItTrainsToTheSameBits) {
  for (const char* rule : {"metric", "metric_or_loss"}) {
    for (const int every : {0, 1, 5}) {
      TrainingConfig config =
          ToyTraining(Out(std::string(rule) + std::to_string(every)));
      config.optimizer.learning_rate = 0.2;  // later is not always better
      config.optimizer.l2 = 0.01;
      config.run.patience = 3;
      config.run.patience_metric = std::string(rule);
      config.run.validate_every = every;
      const TrainResult with_files = Train(config);
      Toy toy(train_, valid_, options_);
      const InMemoryResult result = TrainInMemory(toy, config);
      EXPECT_EQ(result.steps, with_files.step);
      EXPECT_EQ(result.valid.best_step, with_files.best_step);
      const auto written =
          ReadTensors(config.run.out + "/model.safetensors").tensors;
      ASSERT_EQ(written.size(), toy.parameters().all().size());
      for (const NamedTensor& tensor : written) {
        EXPECT_EQ(tensor.value.ToVector<float>(),
                  toy.parameters().Find(tensor.name)->value().ToVector<float>())
            << tensor.name;
      }
    }
  }
}

TEST_F(Trainer, ResumesItsPatienceToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.run.validate_every = 1;
  config.run.patience = 2;
  config.run.patience_metric = PatienceMetric::kMetricOrLoss;
  config.optimizer.learning_rate = 0.3;
  Train(config);
  for (const int64_t stop : {1, 2, 3}) StopAndResume(config, stop);
}

}  // namespace
}  // namespace heed
