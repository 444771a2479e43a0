#include "heed/train/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/train/checkpoint.h"
#include "heed/train/trainer_testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

TEST_F(Trainer, LearnsWhichSectorPointsLieIn) {
  options_.dropout = 0;
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.epochs = 60;
  config.optimizer.label_smoothing = 0;
  const TrainResult result = Train(config);
  EXPECT_EQ(result.step, 60 * 6);
  EXPECT_TRUE(result.validated);
  EXPECT_EQ(result.metric, "loss");
  EXPECT_LT(result.best, 0.1);
  // The folder holds the weights with this loss.
  Toy toy(train_, valid_, options_, 2);
  const SafetensorsFile file = ReadTensors(Out("model/model.safetensors"));
  SetParameters(toy.parameters(), file.tensors, "file");
  EXPECT_EQ(toy.Validate("loss").at(0).second, result.best);
  EXPECT_EQ(file.metadata.at("heed.step"), std::to_string(result.best_step));
  EXPECT_EQ(file.metadata.at("heed.metric"), "loss");
}

TEST_F(Trainer, ReportsTheRequestedMetric) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.metric = "accuracy";
  config.run.epochs = 20;
  const TrainResult result = Train(config);
  EXPECT_EQ(result.metric, "accuracy");
  EXPECT_GT(result.best, 0.9);
  config.run.metric = "acuracy";
  config.run.out = Out("other");
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(config); }),
            "metric: 'acuracy' is not measured here, did you mean 'accuracy'? "
            "(valid: loss, accuracy)");
}

/// Does not restore its state from a checkpoint.
class Forgetful : public ToyOfRewards {
 public:
  using ToyOfRewards::ToyOfRewards;
  void Restore(const std::vector<NamedTensor>& /*state*/) override {}
};

TEST_F(Trainer, WeightsDependOnTheBaseline) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.optimizer.optimizer = OptimizerKind::kSgd;
  Train<ToyOfRewards>(config);
  config.run.out = Out("stopped");
  config.run.steps = 5;
  Train<ToyOfRewards>(config);
  config.run.steps = 0;
  Resume<Forgetful>(config);
  EXPECT_NE(Weights("whole"), Weights("stopped"));
}

TEST_F(Trainer, LearnsFromRewards) {
  options_.dropout = 0;
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.epochs = 30;
  config.run.metric = "accuracy";
  ToyOfRewards toy(train_, valid_, options_);
  EXPECT_GT(TrainToy(toy, config).best, 0.9);
  EXPECT_GT(toy.baseline(), 0.7);
}

TEST_F(Trainer, ValidationsLeaveTheBaselineAsItIs) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.run.validate_every = 5;
  config.run.ema = 0.9;
  config.run.average = 2;
  config.optimizer.learning_rate = 0.2;
  Train<ToyOfRewards>(config);
  for (const int64_t stop : {4, 5, 7, 10}) {
    EXPECT_EQ(StopAndResume<ToyOfRewards>(config, stop), 12);
  }
}

TEST_F(Trainer, StateOfAnotherObjectiveIsRefused) {
  const TrainingConfig config = ToyTraining(Out("model"));
  const std::string path = Out("model/training.safetensors");
  Train<Toy>(config);
  EXPECT_EQ(MessageOf<FormatError>([&] { Resume<ToyOfRewards>(config); }),
            path + ": tensor 'objective.baseline' is missing");
  EXPECT_NO_THROW(Resume<Toy>(config));
  fs::remove_all(Out("model"));
  Train<ToyOfRewards>(config);
  EXPECT_EQ(MessageOf<FormatError>([&] { Resume<Toy>(config); }),
            path + ": tensor 'objective.baseline' is of another objective");
  EXPECT_NO_THROW(Resume<ToyOfRewards>(config));
}

/// The baseline becomes NaN.
class NotANumber : public ToyOfRewards {
 public:
  using ToyOfRewards::ToyOfRewards;
  void Updated(const Metrics& /*parts*/) override {
    Restore({{"baseline",
              Tensor::Full({1}, std::numeric_limits<double>::quiet_NaN(),
                           DType::kF64)}});
  }
};

TEST_F(Trainer, StateThatIsNotFiniteKeepsTheLastCheckpoint) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.steps = 1;
  const std::string error =
      MessageOf<NumericError>([&] { Train<NotANumber>(config); });
  EXPECT_TRUE(error.starts_with("step 1: objective.baseline is not finite"))
      << error;
  EXPECT_NE(error.find("last good checkpoint (step 0)"), std::string::npos)
      << error;
  EXPECT_EQ(FindTensor(Tensors("model/training.safetensors"),
                       "objective.baseline", "file")
                .item(),
            0);
}

TEST_F(Trainer, KeepsTheMovingAverageAndTrainsTheWeights) {
  valid_ = {};
  TrainingConfig config = ToyTraining(Out("plain"));
  Train(config);
  config.run.out = Out("moving");
  config.run.ema = 0.9;
  Train(config);
  const auto plain = Tensors("plain/training.safetensors");
  const auto moving = Tensors("moving/training.safetensors");
  for (const NamedTensor& t : Tensors("moving/model.safetensors")) {
    const auto values = [&](const std::vector<NamedTensor>& tensors,
                            const std::string& name) {
      return FindTensor(tensors, name, t.value, "file").ToVector<double>();
    };
    EXPECT_EQ(values(plain, t.name), values(moving, t.name)) << t.name;
    EXPECT_EQ(t.value.ToVector<double>(), values(moving, "average." + t.name));
    EXPECT_NE(t.value.ToVector<double>(), values(moving, t.name)) << t.name;
  }
}

TEST_F(Trainer, AccumulatedBatchesAreOneLargerBatch) {
  train_ = RandomPoints(8, 3);
  valid_ = {};
  options_.dropout = 0;
  options_.batch = 8;
  TrainingConfig config = ToyTraining(Out("one"));
  config.optimizer.optimizer =
      OptimizerKind::kSgd;  // the first steps of Adam depend only on signs
  config.optimizer.learning_rate = 1;
  config.optimizer.clip = 0;
  EXPECT_EQ(Train(config).step, 2);
  config.run.out = Out("two");
  options_.batch = 4;
  config.optimizer.accumulate = 2;
  EXPECT_EQ(Train(config).step, 2);

  const auto one = Tensors("one/model.safetensors");
  const auto two = Tensors("two/model.safetensors");
  for (const NamedTensor& t : one) {
    const auto a = t.value.ToVector<float>();
    const auto b = FindTensor(two, t.name, t.value, "two").ToVector<float>();
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-5) << t.name;
    }
  }
}

TEST_F(Trainer, StopsAfterValidationsThatAreNotBetter) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.optimizer.learning_rate = 0;
  config.run.epochs = 50;
  config.run.patience = 3;
  const TrainResult result = Train(config);
  EXPECT_EQ(result.step, 4 * 6);
  EXPECT_EQ(result.best_step, 6);
}

TEST_F(Trainer, EqualMetricsAreOrderedByTheLoss) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.metric = "accuracy";
  config.run.epochs = 6;
  config.run.patience = 2;
  config.optimizer.learning_rate = 1e-5;  // too small to change any prediction
  Toy toy(train_, valid_, options_);
  const double accuracy = toy.Validate("accuracy").at(1).second;
  const TrainResult result = TrainToy(toy, config);
  EXPECT_EQ(result.best, accuracy);
  EXPECT_EQ(result.step, 6 * 6);
  EXPECT_EQ(result.best_step, 6 * 6);
}

TEST_F(Trainer, KeepsTheWeightsOfTheLastValidations) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.epochs = 5;
  config.run.keep = 2;
  Train(config);
  EXPECT_EQ(Kept("model"), (std::set<std::string>{"step-24.safetensors",
                                                  "step-30.safetensors"}));
}

/// Returns these validation losses in sequence.
class Scripted : public Toy {
 public:
  Scripted(ToyPoints train, std::vector<double> losses)
      : Toy(std::move(train), {}), losses_(std::move(losses)) {}

  std::vector<MeasureInfo> Measures() const override { return {{"loss"}}; }
  bool has_valid() const override { return true; }
  Metrics Validate(const std::string& /*measure*/) const override {
    return {{"loss", losses_.at(validations_++)}};
  }

 private:
  std::vector<double> losses_;
  mutable size_t validations_ = 0;
};

TEST_F(Trainer, AverageIsTheMeanOfTheKeptWeights) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.epochs = 4;
  config.run.average = 3;
  Scripted toy(train_, {4, 1, 3, 2, 0.5});  // the last is the average's
  const TrainResult result = TrainToy(toy, config);
  ASSERT_TRUE(result.averaged);
  EXPECT_EQ(result.best, 0.5);
  EXPECT_EQ(Kept("model"), (std::set<std::string>{
                               "best.safetensors", "step-12.safetensors",
                               "step-18.safetensors", "step-24.safetensors"}));
  // The best weights before averaging.
  EXPECT_EQ(ReadTensors(Out("model/checkpoints/best.safetensors"))
                .metadata.at("heed.step"),
            "12");
  std::vector<std::vector<NamedTensor>> kept;
  for (const int step : {12, 18, 24}) {
    kept.push_back(
        Tensors(fmt::format("model/checkpoints/step-{}.safetensors", step)));
  }
  for (const NamedTensor& t : Tensors("model/model.safetensors")) {
    const auto average = t.value.ToVector<double>();
    for (size_t i = 0; i < average.size(); ++i) {
      double mean = 0;
      for (const auto& tensors : kept) {
        mean +=
            FindTensor(tensors, t.name, t.value, "kept").ToVector<double>()[i] /
            3;
      }
      ASSERT_NEAR(average[i], mean, 1e-6) << t.name;
    }
  }
}

TEST_F(Trainer, AverageThatIsNotBetterLeavesTheBestModel) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.epochs = 4;
  config.run.average = 3;
  Scripted toy(train_, {4, 1, 3, 2, 1.5});
  const TrainResult result = TrainToy(toy, config);
  EXPECT_FALSE(result.averaged);
  EXPECT_EQ(result.best, 1);
  EXPECT_EQ(result.best_step, 12);
  EXPECT_EQ(Weights("model"),
            ReadFile(Out("model/checkpoints/step-12.safetensors")));
}

TEST_F(Trainer, WithoutValidationTheLastWeightsAreTheModel) {
  valid_ = {};
  EXPECT_FALSE(Train(ToyTraining(Out("model"))).validated);
  EXPECT_EQ(
      ReadTensors(Out("model/model.safetensors")).metadata.at("heed.step"),
      "12");
}

TEST_F(Trainer, FrozenParametersKeepTheirBits) {
  for (const double ema : {0.0, 0.9}) {
    TrainingConfig config = ToyTraining(Out("model"));
    config.run.overwrite = true;
    config.run.ema = ema;
    config.run.average = 2;
    config.optimizer.freeze = {"encoder.*", "*.bias"};
    Train(config);
    Toy fresh(train_, valid_, options_);
    int frozen = 0;
    for (const NamedTensor& t : Tensors("model/model.safetensors")) {
      const bool is_frozen =
          t.name.starts_with("encoder.") || t.name.ends_with(".bias");
      frozen += is_frozen ? 1 : 0;
      EXPECT_EQ(t.value.ToVector<float>() ==
                    fresh.parameters().Find(t.name)->value().ToVector<float>(),
                is_frozen)
          << t.name;
    }
    EXPECT_EQ(frozen, 3);
    for (const NamedTensor& t : Tensors("model/training.safetensors")) {
      EXPECT_FALSE(t.name.starts_with("optimizer.first.encoder.")) << t.name;
    }
  }
}

TEST_F(Trainer, DivergenceKeepsTheBestModelAndTheLastCheckpoint) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.optimizer.optimizer = OptimizerKind::kSgd;
  config.optimizer.clip = 0;
  Train(config);
  const std::string weights = Weights("model");
  config.run.epochs = 1000;
  config.optimizer.learning_rate = 1e10;
  config.optimizer.momentum = 0.999;
  const std::string error = MessageOf<NumericError>([&] { Resume(config); });
  EXPECT_NE(error.find("last good checkpoint"), std::string::npos) << error;
  EXPECT_EQ(Weights("model"), weights);
}

TEST_F(Trainer, HugeStepsStopWithStepParameterAndCheckpoint) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.optimizer.learning_rate = 1e30;
  const std::string error = MessageOf<NumericError>([&] { Train(config); });
  EXPECT_TRUE(error.starts_with("step 2: the gradient of encoder.")) << error;
  EXPECT_NE(error.find("last good checkpoint (step 0)"), std::string::npos)
      << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  for (const NamedTensor& t : Tensors("model/training.safetensors")) {
    EXPECT_TRUE(IsFinite(t.value)) << t.name;
  }
}

TEST_F(Trainer, WeightsThatOverflowReplaceNoModel) {
  valid_ = {};
  TrainingConfig config = ToyTraining(Out("model"));
  config.optimizer.learning_rate = 1e300;  // the first step overflows f32
  config.run.validate_every = 1;
  const std::string error = MessageOf<NumericError>([&] { Train(config); });
  EXPECT_TRUE(error.starts_with("step 1: ")) << error;
  EXPECT_NE(error.find(" is not finite"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(Out("model/model.safetensors")));
}

TEST(RunConfig, CountsUpdatesOfLittleAndOfMuchData) {
  RunConfig run;
  run.epochs = 10;
  run.min_steps = 2000;
  EXPECT_EQ(run.Updates(4), 2000);
  EXPECT_EQ(run.Updates(900), 9000);
  EXPECT_FALSE(run.IsOver(10, 40));
  EXPECT_TRUE(run.IsOver(500, 2000));
  EXPECT_FALSE(run.IsOver(9, 8100));
  EXPECT_TRUE(run.IsOver(10, 9000));
  run.steps = 50;
  EXPECT_EQ(run.Updates(4), 50);
  EXPECT_TRUE(run.IsOver(12, 50));
}

TEST(RunConfig, ValidatesShortEpochsTogether) {
  RunConfig run;
  EXPECT_TRUE(run.ValidatesAt(4, 4));
  run.min_steps = 200;  // 10 updates apart
  EXPECT_FALSE(run.ValidatesAt(4, 4));
  EXPECT_FALSE(run.ValidatesAt(8, 4));
  EXPECT_TRUE(run.ValidatesAt(12, 4));
  EXPECT_FALSE(run.ValidatesAt(16, 4));
  EXPECT_TRUE(run.ValidatesAt(20, 4));
  EXPECT_TRUE(run.ValidatesAt(300, 300));
}

TEST_F(Trainer, GoesOnToTheLeastUpdatesOfSmallData) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.run.min_steps = 40;
  EXPECT_EQ(Train(config).step, 40);
  EXPECT_EQ(StopAndResume(config, 17), 40);
  config.run.out = Out("many");
  config.run.epochs = 8;
  EXPECT_EQ(Train(config).step, 48);
}

TEST_F(Trainer, SaysHowARunGoesOnWhoseLastValidationWasTheBest) {
  TrainingConfig config = ToyTraining(Out("model"));
  EXPECT_EQ(Train(config).longer, "--epochs 4");
  config.run.out = Out("steps");
  config.run.steps = 9;
  EXPECT_EQ(Train(config).longer, "--epochs 4 --steps 18");
  config.run.out = Out("small");
  config.run.steps = 0;
  config.run.min_steps = 18;
  EXPECT_EQ(Train(config).longer, "--epochs 6");
}

TEST_F(Trainer, SaysNothingOfARunThatBecameNoBetter) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.epochs = 3;
  config.run.validate_every = 6;
  config.optimizer.learning_rate = 0;
  const TrainResult result = Train(config);
  ASSERT_LT(result.best_step, result.step);
  EXPECT_EQ(result.longer, "");
}

}  // namespace
}  // namespace heed
