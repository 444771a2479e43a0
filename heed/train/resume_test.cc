// Resumed and prolonged runs are bit-identical to uninterrupted ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/train/checkpoint.h"
#include "heed/train/trainer_testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

TEST_F(Trainer, ResumesAPenaltyToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.optimizer.l2 = 0.1;
  config.optimizer.l2_of = PenalizedWeights::kMatrices;
  Train(config);
  EXPECT_EQ(StopAndResume(config, 5), 12);
}

TEST_F(Trainer, ResumesRoundedWeightsToTheSameWeights) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.optimizer.quantize_bits = 8;
  config.run.validate_every = 2;
  Train(config);
  for (const int64_t stop : {1, 5, 8})
    EXPECT_EQ(StopAndResume(config, stop), 12);
  // Quantisation changes none of the saved weights.
  Toy toy(train_, valid_, options_);
  SetParameters(toy.parameters(), Tensors("whole/model.safetensors"), "file");
  for (const auto& p : toy.parameters().all()) {
    if (!p->quantizable()) continue;
    EXPECT_EQ(p->RoundedToInt8().ToVector<float>(),
              p->value().ToVector<float>())
        << p->name();
  }
}

TEST_F(Trainer, RefusesAveragesOfRoundedWeights) {
  TrainingConfig config = ToyTraining(Out("m"));
  config.optimizer.quantize_bits = 8;
  config.run.ema = 0.9;
  EXPECT_THROW(config.Resolve(), ConfigError);
  config.run.ema = 0;
  EXPECT_NO_THROW(config.Resolve());
  config.optimizer.quantize_bits = 7;
  EXPECT_THROW(config.Resolve(), ConfigError);
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
  config.optimizer.optimizer =
      OptimizerKind::kSgd;  // sensitive to the scale of a gradient
  config.optimizer.accumulate = 2;
  ToyOfRewards toy(train_, valid_, options_);
  EXPECT_EQ(TrainToy(toy, config).step, 6);
  EXPECT_GT(toy.baseline(), 0);
  for (const int64_t stop : {1, 2, 3, 5}) {
    EXPECT_EQ(StopAndResume<ToyOfRewards>(config, stop), 6);
  }
  // The baseline is in the checkpoint, but not among the weights.
  const auto expected = std::vector<double>{toy.baseline()};
  EXPECT_EQ(FindTensor(Tensors("whole/training.safetensors"),
                       "objective.baseline", "file")
                .ToVector<double>(),
            expected);
  EXPECT_EQ(Tensors("whole/model.safetensors").size(), 4);
}

/// Receives Ctrl-C in the third update.
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
  const std::string out = config.run.out;
  EXPECT_EQ(MessageOf<Interrupted>([&] { Train<StoppedByHand>(config); }),
            fmt::format("stopped after step 3 of 12 before its first "
                        "validation; {} holds unvalidated weights; continue "
                        "with: heed train --resume {}",
                        out, out));
  Resume<ToyOfRewards>(config);
  ExpectSameRun("whole", "stopped");
}

TEST_F(Trainer, StoppedTwiceBeforeAValidationKeepsTheLaterWeights) {
  TrainingConfig config = ToyTraining(Out("stopped"));
  config.run.validate_every = 1000;
  EXPECT_THROW(Train<StoppedByHand>(config), Interrupted);
  EXPECT_THAT(MessageOf<Interrupted>([&] { Resume<StoppedByHand>(config); }),
              HasSubstr("stopped after step 6 of 12 before its first "
                        "validation"));
  EXPECT_EQ(UnvalidatedNote("m", ReadWeights(Out("stopped")).metadata),
            "m has no validated weights yet (stopped at step 6 of 12)");
}

TEST_F(Trainer, WritesUnvalidatedWeightsWhenInterruptedAndSaysSo) {
  TrainingConfig config = ToyTraining(Out("stopped"));
  EXPECT_THROW(Train<StoppedByHand>(config), Interrupted);
  EXPECT_EQ(UnvalidatedNote("m", ReadWeights(Out("stopped")).metadata),
            "m has no validated weights yet (stopped at step 3 of 12)");
  EXPECT_THAT(
      UnvalidatedNote(Out("stopped"), ReadWeights(Out("stopped")).metadata),
      HasSubstr("; continue with heed train --resume"));
  // Weights of the last step, which are also in the checkpoint.
  const auto weights = Tensors("stopped/model.safetensors");
  const auto checkpoint = Tensors("stopped/training.safetensors");
  for (const NamedTensor& tensor : weights) {
    EXPECT_EQ(FindTensor(checkpoint, tensor.name, tensor.value, "checkpoint")
                  .ToVector<float>(),
              tensor.value.ToVector<float>());
  }
}

TEST_F(Trainer, ValidatedWeightsReplaceUnvalidatedOnes) {
  TrainingConfig config = ToyTraining(Out("stopped"));
  EXPECT_THROW(Train<StoppedByHand>(config), Interrupted);
  Resume<ToyOfRewards>(config);
  EXPECT_EQ(UnvalidatedNote("m", ReadWeights(Out("stopped")).metadata), "");
}

TEST_F(Trainer, KeepsValidatedWeightsWhenInterrupted) {
  TrainingConfig config = ToyTraining(Out("stopped"));
  config.run.validate_every = 2;
  EXPECT_EQ(MessageOf<Interrupted>([&] { Train<StoppedByHand>(config); }),
            "stopped after step 3 of 12; continue with: heed train --resume " +
                config.run.out);
  EXPECT_EQ(UnvalidatedNote("m", ReadWeights(Out("stopped")).metadata), "");
}

TEST_F(Trainer, AverageIsWhatIsKeptWhenInterrupted) {
  TrainingConfig config = ToyTraining(Out("stopped"));
  config.run.ema = 0.9;
  EXPECT_THROW(Train<StoppedByHand>(config), Interrupted);
  const auto weights = Tensors("stopped/model.safetensors");
  const auto checkpoint = Tensors("stopped/training.safetensors");
  EXPECT_NE(FindTensor(checkpoint, weights[0].name, weights[0].value, "file")
                .ToVector<float>(),
            weights[0].value.ToVector<float>());
}

TEST_F(Trainer, KeepsTheFormerModelWhenInterrupted) {
  TrainingConfig config = ToyTraining(Out("model"));
  Train<ToyOfRewards>(config);
  const std::string former = Weights("model");
  config.run.overwrite = true;
  EXPECT_THAT(MessageOf<Interrupted>([&] { Train<StoppedByHand>(config); }),
              HasSubstr("still holds the former model"));
  EXPECT_EQ(Weights("model"), former);
}

/// Ends at the first update like a killed process.
class Killed : public Toy {
 public:
  using Toy::Toy;
  void Updated(const Metrics& parts) override {
    Toy::Updated(parts);
    if (++updates_ == 3) throw ProcessError("killed");
  }

 private:
  int updates_ = 0;
};

TEST_F(Trainer, ExplainsAFolderThatHasNoWeightsYet) {
  TrainingConfig config = ToyTraining(Out("killed"));
  config.run.checkpoint_every = 2;
  EXPECT_THROW(Train<Killed>(config), ProcessError);
  const std::string folder = Out("killed");
  ASSERT_FALSE(fs::exists(folder + "/model.safetensors"));
  EXPECT_EQ(MessageOf<FormatError>([&] { ReadWeights(folder); }),
            fmt::format("{} has no validated weights yet (stopped at step 3 of "
                        "12); continue with heed train --resume {}",
                        folder, folder));
}

TEST_F(Trainer, ResumesWithAccumulationInTheMiddleOfAnEpoch) {
  TrainingConfig config = ToyTraining(Out("whole"));
  config.optimizer.accumulate = 4;  // 6 batches: updates of 4 and of 2
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
    // The checkpoint is also rejected if the objective differs.
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

/// Runs resumed with larger limits than they ended with.
class Prolonged : public Trainer {
 protected:
  /// Expects that a finished run, resumed with larger limits, is bit-identical
  /// to a run with these limits from its start. Returns the result of the first
  /// part.
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
  config.optimizer.learning_rate = 0.2;  // later is not always better
  bool better = false;
  for (const int steps : {4, 6, 9, 13}) {
    const TrainResult ended =
        ExpectProlonged(config, [&](RunConfig& run) { run.steps = steps; });
    better |= steps > 5 && ended.best_step == steps;
  }
  EXPECT_TRUE(better);  // than the best validation of the longer run
}

TEST_F(Prolonged, AverageIsTakenBack) {
  TrainingConfig config = ToyTraining("");
  config.run.epochs = 9;
  config.run.average = 2;
  config.optimizer.learning_rate = 0.1;
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
