#include "heed/train/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/train/checkpoint.h"
#include "heed/train/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class Trainer : public testing::Test {
 protected:
  std::string Out(const std::string& name) const { return folder_.Path(name); }
  std::string Weights(const std::string& out) const {
    return ReadFile(Out(out) + "/model.safetensors");
  }
  std::vector<NamedTensor> Tensors(const std::string& path) const {
    return ReadTensors(Out(path)).tensors;
  }

  template <typename Objective = Toy>
  TrainResult Train(const TrainingConfig& config) const {
    Objective toy(train_, valid_, options_);
    return TrainToy(toy, config);
  }
  template <typename Objective = Toy>
  TrainResult Resume(const TrainingConfig& config) const {
    Objective toy(train_, valid_, options_);
    return ResumeToy(toy, config);
  }
  /// Stops a run after `steps`, and resumes it, as another process would, to
  /// the end of "whole". Returns the last step.
  template <typename Objective = Toy>
  int64_t StopAndResume(TrainingConfig config, int64_t steps) const {
    const std::string name = fmt::format("stopped-{}", steps);
    config.run.out = Out(name);
    TrainingConfig shorter = config;
    shorter.run.steps = steps;
    EXPECT_EQ(Train<Objective>(shorter).step, steps);
    const int64_t last = Resume<Objective>(config).step;
    ExpectSameRun("whole", name);
    return last;
  }
  /// The files that must not depend on when a run was stopped.
  void ExpectSameRun(const std::string& a, const std::string& b) const {
    for (const char* file : {"model.safetensors", "training.safetensors"}) {
      EXPECT_EQ(ReadFile(Out(a) + "/" + file), ReadFile(Out(b) + "/" + file))
          << file;
    }
    EXPECT_EQ(Kept(a), Kept(b));
  }
  std::set<std::string> Kept(const std::string& out) const {
    std::set<std::string> names;
    for (const auto& entry :
         fs::directory_iterator(Out(out) + "/checkpoints")) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  TemporaryFolder folder_;
  ToyPoints train_ = RandomPoints(96, 1);
  ToyPoints valid_ = RandomPoints(16, 2);
  ToyOptions options_;
};

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
  // What is left in the folder is what had that loss.
  Toy toy(train_, valid_, options_, 2);
  const SafetensorsFile file = ReadTensors(Out("model/model.safetensors"));
  SetParameters(toy.parameters(), file.tensors, "file");
  EXPECT_EQ(toy.Validate("loss").at(0).second, result.best);
  EXPECT_EQ(file.metadata.at("heed.step"), std::to_string(result.best_step));
  EXPECT_EQ(file.metadata.at("heed.metric"), "loss");
}

TEST_F(Trainer, MeasuresWhatItIsAskedTo) {
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

TEST_F(Trainer, ResumesAtAnyStepToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.run.validate_every = 1;
  config.run.keep = 2;
  Train(config);
  for (const int64_t stop : {1, 5, 6, 7, 11}) {
    EXPECT_EQ(StopAndResume(config, stop), 12);
  }
}

TEST_F(Trainer, ResumesEveryOptimizerToTheSameWeights) {
  for (const char* optimizer : {"sgd", "adadelta", "adam", "adamw"}) {
    fs::remove_all(Out("stopped-5"));
    TrainingConfig config = ToyTraining(Out("whole"));
    config.run.overwrite = true;
    config.optimizer.optimizer = optimizer;
    config.optimizer.momentum = optimizer == std::string("sgd") ? 0.9 : 0;
    Train(config);
    EXPECT_EQ(StopAndResume(config, 5), 12) << optimizer;
  }
}

TEST_F(Trainer, ResumesAMovingAverageToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.run.validate_every = 2;
  config.run.ema = 0.9;
  Train(config);
  StopAndResume(config, 5);
}

TEST_F(Trainer, ResumesAMovingBaselineToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.run.validate_every = 2;
  config.optimizer.optimizer = "sgd";  // which sees the size of a gradient
  config.optimizer.accumulate = 2;
  ToyOfRewards toy(train_, valid_, options_);
  EXPECT_EQ(TrainToy(toy, config).step, 6);
  EXPECT_GT(toy.baseline(), 0);
  for (const int64_t stop : {1, 2, 3, 5}) {
    EXPECT_EQ(StopAndResume<ToyOfRewards>(config, stop), 6);
  }
  // It is in the checkpoint, and not among the weights.
  const auto expected = std::vector<double>{toy.baseline()};
  EXPECT_EQ(FindTensor(Tensors("whole/training.safetensors"),
                       "objective.baseline", "file")
                .ToVector<double>(),
            expected);
  EXPECT_EQ(Tensors("whole/model.safetensors").size(), 4);
}

/// Takes no state from a checkpoint.
class Forgetful : public ToyOfRewards {
 public:
  using ToyOfRewards::ToyOfRewards;
  void Restore(const std::vector<NamedTensor>& /*state*/) override {}
};

TEST_F(Trainer, WeightsDependOnTheBaseline) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.optimizer.optimizer = "sgd";
  Train<ToyOfRewards>(config);
  config.run.out = Out("stopped");
  config.run.steps = 5;
  Train<ToyOfRewards>(config);
  config.run.steps = 0;
  Resume<Forgetful>(config);
  EXPECT_NE(Weights("whole"), Weights("stopped"));
}

/// Ctrl-C is pressed in the third update.
class StoppedByHand : public ToyOfRewards {
 public:
  using ToyOfRewards::ToyOfRewards;
  void Updated(const Metrics& parts) override {
    ToyOfRewards::Updated(parts);
    if (++updates_ == 3) raise(SIGINT);
  }

 private:
  int updates_ = 0;
};

TEST_F(Trainer, ResumesWhatWasInterruptedToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  Train<ToyOfRewards>(config);
  config.run.out = Out("stopped");
  EXPECT_EQ(MessageOf<Interrupted>([&] { Train<StoppedByHand>(config); }),
            "stopped after step 3; continue with: heed train --resume " +
                config.run.out);
  Resume<ToyOfRewards>(config);
  ExpectSameRun("whole", "stopped");
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

/// Its baseline stops being a number.
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

TEST_F(Trainer, ResumesWithAccumulationInTheMiddleOfAnEpoch) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.optimizer.accumulate = 4;  // of 6 batches: updates of 4 and of 2
  config.run.validate_every = 1;
  EXPECT_EQ(Train(config).step, 4);
  StopAndResume(config, 3);
}

TEST_F(Trainer, ResumeOfAFinishedRunChangesNothing) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.average = 2;
  const TrainResult trained = Train(config);
  const std::string weights = Weights("model");
  const std::string state = ReadFile(Out("model/training.safetensors"));
  const TrainResult resumed = Resume(config);
  EXPECT_EQ(resumed.step, trained.step);
  EXPECT_EQ(resumed.best, trained.best);
  EXPECT_EQ(resumed.averaged, trained.averaged);
  EXPECT_EQ(Weights("model"), weights);
  EXPECT_EQ(ReadFile(Out("model/training.safetensors")), state);
}

TEST_F(Trainer, ResumeBeforeTheFirstCheckpointStartsAgain) {
  TrainingConfig config = ToyTraining(Out("whole"));
  Train(config);
  config.run.out = Out("begun");
  Train(config);
  for (const char* file :
       {"begun/model.safetensors", "begun/training.safetensors"}) {
    fs::remove(Out(file));
  }
  Resume(config);
  ExpectSameRun("whole", "begun");
}

TEST_F(Trainer, ResumeWithoutCheckpointKeepsTheModel) {
  const TrainingConfig config = ToyTraining(Out("model"));
  Train(config);
  fs::remove(Out("model/training.safetensors"));
  const std::string weights = Weights("model");
  EXPECT_THROW(Resume(config), IoError);
  EXPECT_EQ(Weights("model"), weights);
}

TEST_F(Trainer, ResumeRefusesExamplesThatHaveChanged) {
  const TrainingConfig config = ToyTraining(Out("model"));
  Train<ToyOfRewards>(config);
  for (ToyPoints* points : {&train_, &valid_}) {
    const ToyPoints old = *points;
    points->sectors.back() = (points->sectors.back() + 1) % 3;
    // Also where the objective is another because of them.
    for (const std::string& error :
         {MessageOf<FormatError>([&] { Resume<ToyOfRewards>(config); }),
          MessageOf<FormatError>([&] { Resume<Toy>(config); })}) {
      EXPECT_EQ(error, Out("model/training.safetensors") +
                           ": the examples are not what this run began with");
    }
    *points = old;
  }
  EXPECT_NO_THROW(Resume<ToyOfRewards>(config));
}

TEST_F(Trainer, AccumulatedBatchesAreOneLargerBatch) {
  train_ = RandomPoints(8, 3);
  valid_ = {};
  options_.dropout = 0;
  options_.batch = 8;
  TrainingConfig config = ToyTraining(Out("one"));
  config.optimizer.optimizer = "sgd";  // Adam's first steps know only signs
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

TEST_F(Trainer, EqualMetricsAreToldApartByTheLoss) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.run.metric = "accuracy";
  config.run.epochs = 6;
  config.run.patience = 2;
  config.optimizer.learning_rate = 1e-5;  // no point changes its sector so soon
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

/// Whose validations give these losses, one after the other.
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
  Scripted toy(train_, {4, 1, 3, 2, 0.5});  // the last one of the average
  const TrainResult result = TrainToy(toy, config);
  ASSERT_TRUE(result.averaged);
  EXPECT_EQ(result.best, 0.5);
  EXPECT_EQ(Kept("model"), (std::set<std::string>{
                               "best.safetensors", "step-12.safetensors",
                               "step-18.safetensors", "step-24.safetensors"}));
  // What the average replaced.
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
  config.optimizer.optimizer = "sgd";
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
  config.optimizer.learning_rate = 1e300;  // the first step goes beyond f32
  config.run.validate_every = 1;
  const std::string error = MessageOf<NumericError>([&] { Train(config); });
  EXPECT_TRUE(error.starts_with("step 1: ")) << error;
  EXPECT_NE(error.find(" is not finite"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(Out("model/model.safetensors")));
}

/// Runs that are given other limits than they ended with.
class Prolonged : public Trainer {
 protected:
  /// The run that ends, and is given these limits then, has the bits of one
  /// that had them from its start. Returns what it ended with.
  TrainResult ExpectProlonged(
      TrainingConfig config, const std::function<void(RunConfig&)>& end) const {
    config.run.overwrite = true;
    config.run.out = Out("whole");
    Train<ToyOfRewards>(config);
    config.run.out = Out("short");
    TrainingConfig shorter = config;
    end(shorter.run);
    const TrainResult ended = Train<ToyOfRewards>(shorter);
    EXPECT_GT(Resume<ToyOfRewards>(config).step, ended.step);
    ExpectSameRun("whole", "short");
    return ended;
  }
};

TEST_F(Prolonged, MoreEpochsGiveTheBitsOfALongerRun) {
  TrainingConfig config = ToyTraining("");
  config.run.epochs = 5;
  ExpectProlonged(config, [](RunConfig& run) { run.epochs = 2; });
}

TEST_F(Prolonged, MoreStepsGiveTheBitsOfALongerRun) {
  TrainingConfig config = ToyTraining("");
  config.run.steps = 11;
  ExpectProlonged(config, [](RunConfig& run) { run.steps = 4; });
}

TEST_F(Prolonged, ValidationThatOnlyTheEndCalledForIsTakenBack) {
  TrainingConfig config = ToyTraining("");
  config.run.epochs = 4;
  config.run.validate_every = 5;
  config.run.keep = 2;
  config.run.ema = 0.9;
  config.optimizer.learning_rate = 0.2;  // so that later is not always better
  bool better = false;
  for (const int steps : {4, 6, 9, 13}) {
    const TrainResult ended =
        ExpectProlonged(config, [&](RunConfig& run) { run.steps = steps; });
    better |= steps > 5 && ended.best_step == steps;
  }
  EXPECT_TRUE(better);  // than the best one that a longer run makes
}

TEST_F(Prolonged, AverageIsTakenBack) {
  TrainingConfig config = ToyTraining("");
  config.run.epochs = 9;
  config.run.average = 2;
  config.optimizer.learning_rate = 0.2;
  bool averaged = false;
  for (const int epochs : {3, 4, 5, 6, 7, 8}) {
    averaged |= ExpectProlonged(config, [&](RunConfig& run) {
                  run.epochs = epochs;
                }).averaged;
  }
  EXPECT_TRUE(averaged);
}

TEST_F(Prolonged, PatienceIsProlongedByPatience) {
  TrainingConfig config = ToyTraining(Out("model"));
  config.optimizer.learning_rate = 0;
  config.run.epochs = 20;
  config.run.patience = 2;
  EXPECT_EQ(Train(config).step, 3 * 6);
  config.run.epochs = 30;
  EXPECT_EQ(Resume(config).step, 3 * 6);
  config.run.patience = 4;
  EXPECT_EQ(Resume(config).step, 5 * 6);
}

}  // namespace
}  // namespace heed
