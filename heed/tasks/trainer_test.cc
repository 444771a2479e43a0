#include "heed/train/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <set>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/models/recurrent_config.h"
#include "heed/tasks/testing.h"
#include "heed/train/checkpoint.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class Trainer : public testing::Test {
 protected:
  std::string Out(const std::string& name) const { return folder_.Path(name); }

  /// A run on files, as Resume needs them.
  TranslationConfig OnFiles(const std::string& out) const {
    TranslationConfig config = TinyConfig(Out(out));
    config.data.train.source = {folder_.Put("source", AsLines(train_.source))};
    config.data.train.target = {folder_.Put("target", AsLines(train_.target))};
    config.data.valid.source = {
        folder_.Put("valid_source", AsLines(valid_.source))};
    config.data.valid.target = {
        folder_.Put("valid_target", AsLines(valid_.target))};
    return config;
  }
  /// The same model and text under other settings.
  void Rewrite(
      const std::string& out,
      const std::function<void(nlohmann::ordered_json&)>& change) const {
    ModelDescription description = ReadModelConfig(Out(out));
    change(description.settings);
    WriteModelConfig(Out(out), description);
  }
  /// Stops a run after `steps`, and resumes it to the end of "whole". Returns
  /// the last step.
  int64_t StopAndResume(TranslationConfig config, int64_t steps) const {
    const std::string name = fmt::format("stopped-{}", steps);
    config.run.out = Out(name);
    config.run.steps = steps;
    EXPECT_EQ(TrainTranslation(config).step, steps);
    Rewrite(name, [](auto& settings) { settings["steps"] = 0; });
    const int64_t last = Resume(Out(name), true).step;
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
  ParallelText train_ = ReversedLetters(96, 1);
  ParallelText valid_ = ReversedLetters(16, 2);
};

TEST_F(Trainer, LearnsToReverse) {
  TranslationConfig config = TinyConfig(Out("model"));
  config.model.As<RecurrentConfig>().units = 32;
  config.model.As<RecurrentConfig>().dropout = 0;
  config.run.epochs = 60;
  config.optimizer.label_smoothing = 0;
  const TrainResult result = TrainTranslation(config, {train_, valid_});
  EXPECT_EQ(result.step, 60 * 6);
  EXPECT_TRUE(result.validated);
  EXPECT_LT(result.best, 0.1);
  const TranslationModel model = ReadTranslationModel(Out("model"));
  EXPECT_EQ(model.metadata.at("heed.step"), std::to_string(result.best_step));
}

TEST_F(Trainer, ResumesAtAnyStepToTheSameWeights) {
  TranslationConfig config = OnFiles("whole");
  config.run.validate_every = 1;
  config.run.keep = 2;
  TrainTranslation(config);
  for (const int64_t stop : {1, 5, 6, 7, 11}) {
    EXPECT_EQ(StopAndResume(config, stop), 12);
  }
}

TEST_F(Trainer, ResumesAMovingAverageToTheSameWeights) {
  TranslationConfig config = OnFiles("whole");
  config.run.validate_every = 2;
  config.run.ema = 0.9;
  TrainTranslation(config);
  StopAndResume(config, 5);
}

TEST_F(Trainer, ResumesBpeDropoutToTheSameWeights) {
  TranslationConfig config = OnFiles("without");
  config.run.validate_every = 2;
  config.data.vocabulary = "bpe";
  config.data.joint_vocabulary = true;
  // The letters, the space, and the space with each letter.
  config.data.source_vocabulary_size = kSpecialTokens + 9;
  TrainTranslation(config);
  config.data.bpe_dropout = 0.3;
  config.run.out = Out("whole");
  TrainTranslation(config);
  EXPECT_NE(ReadFile(Out("whole/model.safetensors")),
            ReadFile(Out("without/model.safetensors")));
  StopAndResume(config, 5);
}

TEST_F(Trainer, KeepsTheMovingAverageAndTrainsTheWeights) {
  TranslationConfig config = TinyConfig(Out("plain"));
  TrainTranslation(config, {train_, {}});
  config.run.out = Out("moving");
  config.run.ema = 0.9;
  TrainTranslation(config, {train_, {}});
  const auto plain = ReadTensors(Out("plain/training.safetensors")).tensors;
  const auto moving = ReadTensors(Out("moving/training.safetensors")).tensors;
  for (const NamedTensor& t :
       ReadTensors(Out("moving/model.safetensors")).tensors) {
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
  TranslationConfig config = OnFiles("whole");
  config.optimizer.accumulate = 4;  // of 6 batches: updates of 4 and of 2
  config.run.validate_every = 1;
  EXPECT_EQ(TrainTranslation(config).step, 4);
  StopAndResume(config, 3);
}

TEST_F(Trainer, ResumeOfAFinishedRunChangesNothing) {
  TranslationConfig config = OnFiles("model");
  config.run.average = 2;
  const TrainResult trained = TrainTranslation(config);
  const std::string weights = ReadFile(Out("model/model.safetensors"));
  const std::string state = ReadFile(Out("model/training.safetensors"));
  const TrainResult resumed = Resume(Out("model"), true);
  EXPECT_EQ(resumed.step, trained.step);
  EXPECT_EQ(resumed.best, trained.best);
  EXPECT_EQ(resumed.averaged, trained.averaged);
  EXPECT_EQ(ReadFile(Out("model/model.safetensors")), weights);
  EXPECT_EQ(ReadFile(Out("model/training.safetensors")), state);
}

TEST_F(Trainer, ResumeBeforeTheFirstCheckpointStartsAgain) {
  TranslationConfig config = OnFiles("whole");
  TrainTranslation(config);
  config.run.out = Out("begun");
  TrainTranslation(config);
  for (const char* file :
       {"begun/model.safetensors", "begun/training.safetensors"}) {
    fs::remove(Out(file));
  }
  Resume(Out("begun"), true);
  ExpectSameRun("whole", "begun");
}

TEST_F(Trainer, ResumeWithoutCheckpointKeepsTheModel) {
  TrainTranslation(OnFiles("model"));
  fs::remove(Out("model/training.safetensors"));
  const std::string weights = ReadFile(Out("model/model.safetensors"));
  EXPECT_THROW(Resume(Out("model"), true), IoError);
  EXPECT_EQ(ReadFile(Out("model/model.safetensors")), weights);
}

TEST_F(Trainer, ResumeRefusesTextThatHasChanged) {
  TrainTranslation(OnFiles("model"));
  for (const char* file :
       {"source", "target", "valid_source", "valid_target"}) {
    const std::string old = ReadFile(folder_.Path(file));
    folder_.Put(file, "a" + old.substr(1) == old ? "b" + old.substr(1)
                                                 : "a" + old.substr(1));
    EXPECT_NE(MessageOf<FormatError>([&] {
                Resume(Out("model"), true);
              }).find("not what this run began with"),
              std::string::npos)
        << file;
    folder_.Put(file, old);
  }
  EXPECT_NO_THROW(Resume(Out("model"), true));
}

TEST_F(Trainer, ResumeNeedsTextInFiles) {
  TrainTranslation(TinyConfig(Out("model")), {train_, {}});
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Resume(Out("model"), true);
            }).find("no file"),
            std::string::npos);
}

TEST_F(Trainer, AccumulatedBatchesAreOneLargerBatch) {
  ParallelText text;
  for (int i = 0; i < 8; ++i) {
    text.source.push_back(i % 2 ? "a b" : "b c");
    text.target.push_back(i % 3 ? "c a" : "b a");
  }
  TranslationConfig config = TinyConfig(Out("one"));
  config.model.As<RecurrentConfig>().dropout = 0;
  config.data.batch_sentences = 8;
  config.optimizer.optimizer = "sgd";  // Adam's first steps know only signs
  config.optimizer.learning_rate = 1;
  config.optimizer.clip = 0;
  EXPECT_EQ(TrainTranslation(config, {text, {}}).step, 2);
  config.run.out = Out("two");
  config.data.batch_sentences = 4;
  config.optimizer.accumulate = 2;
  EXPECT_EQ(TrainTranslation(config, {text, {}}).step, 2);

  const TranslationModel one = ReadTranslationModel(Out("one"));
  const TranslationModel two = ReadTranslationModel(Out("two"));
  for (const auto& parameter : one.model->parameters().all()) {
    const auto a = parameter->value().ToVector<float>();
    const auto b = two.model->parameters()
                       .Find(parameter->name())
                       ->value()
                       .ToVector<float>();
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-5) << parameter->name();
    }
  }
}

TEST_F(Trainer, StopsAfterValidationsThatAreNotBetter) {
  TranslationConfig config = TinyConfig(Out("model"));
  config.optimizer.learning_rate = 0;
  config.run.epochs = 50;
  config.run.patience = 3;
  const TrainResult result = TrainTranslation(config, {train_, valid_});
  EXPECT_EQ(result.step, 4 * 6);
  EXPECT_EQ(result.best_step, 6);
}

TEST_F(Trainer, KeepsTheWeightsOfTheLastValidations) {
  TranslationConfig config = TinyConfig(Out("model"));
  config.run.epochs = 5;
  config.run.keep = 2;
  TrainTranslation(config, {train_, valid_});
  EXPECT_EQ(Kept("model"), (std::set<std::string>{"step-24.safetensors",
                                                  "step-30.safetensors"}));
}

TEST_F(Trainer, AverageIsTheMeanOfTheKeptWeights) {
  TranslationConfig config = TinyConfig(Out("model"));
  config.optimizer.learning_rate = 0.1;  // so that the last steps go to and fro
  config.run.epochs = 12;
  config.run.average = 3;
  const TrainResult result = TrainTranslation(config, {train_, valid_});
  ASSERT_TRUE(result.averaged);
  std::vector<SafetensorsFile> kept;
  for (const std::string& name : Kept("model")) {
    if (name == "best.safetensors") continue;  // what the average replaced
    kept.push_back(ReadTensors(Out("model/checkpoints/" + name)));
  }
  ASSERT_EQ(kept.size(), 3);
  for (const NamedTensor& t :
       ReadTensors(Out("model/model.safetensors")).tensors) {
    const auto average = t.value.ToVector<double>();
    for (size_t i = 0; i < average.size(); ++i) {
      double mean = 0;
      for (const SafetensorsFile& file : kept) {
        mean += FindTensor(file.tensors, t.name, t.value, "kept")
                    .ToVector<double>()[i] /
                3;
      }
      ASSERT_NEAR(average[i], mean, 1e-6) << t.name;
    }
  }
}

TEST_F(Trainer, WithoutValidationTheLastWeightsAreTheModel) {
  const TrainResult result =
      TrainTranslation(TinyConfig(Out("model")), {train_, {}});
  EXPECT_FALSE(result.validated);
  EXPECT_EQ(ReadTranslationModel(Out("model")).metadata.at("heed.step"), "12");
}

TEST_F(Trainer, DivergenceKeepsTheBestModelAndTheLastCheckpoint) {
  TranslationConfig config = OnFiles("model");
  config.optimizer.optimizer = "sgd";
  config.optimizer.clip = 0;
  TrainTranslation(config);
  const std::string weights = ReadFile(Out("model/model.safetensors"));
  Rewrite("model", [](auto& settings) {
    settings["epochs"] = 100;
    settings["learning_rate"] = 1000;
    settings["momentum"] = 0.999;
  });
  const std::string error =
      MessageOf<NumericError>([&] { Resume(Out("model"), true); });
  EXPECT_NE(error.find("last good checkpoint"), std::string::npos) << error;
  EXPECT_EQ(ReadFile(Out("model/model.safetensors")), weights);
}

TEST_F(Trainer, HugeStepsStopWithStepParameterAndCheckpoint) {
  TranslationConfig config = TinyConfig(Out("model"));
  config.optimizer.learning_rate = 1e30;
  const std::string error = MessageOf<NumericError>([&] {
    TrainTranslation(config, {train_, valid_});
  });
  EXPECT_TRUE(error.starts_with("step 2: the gradient of ")) << error;
  EXPECT_NE(error.find("coder."), std::string::npos) << error;
  EXPECT_NE(error.find("last good checkpoint (step 0)"), std::string::npos)
      << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;

  const SafetensorsFile checkpoint =
      ReadTensors(Out("model/training.safetensors"));
  for (const NamedTensor& t : checkpoint.tensors) {
    for (const double x : t.value.ToVector<double>())
      ASSERT_TRUE(std::isfinite(x));
  }
}

TEST_F(Trainer, WeightsThatOverflowReplaceNoModel) {
  TranslationConfig config = TinyConfig(Out("model"));
  config.optimizer.learning_rate = 1e300;  // the first step goes beyond f32
  config.run.validate_every = 1;
  const std::string error = MessageOf<NumericError>([&] {
    TrainTranslation(config, {train_, {}});
  });
  EXPECT_TRUE(error.starts_with("step 1: ")) << error;
  EXPECT_NE(error.find(" is not finite"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(Out("model/model.safetensors")));
}

TEST_F(Trainer, ModelThatStandsThereIsReplacedOnlyWhenAsked) {
  TranslationConfig config = TinyConfig(Out("model"));
  TrainTranslation(config, {train_, {}});
  const std::string weights = ReadFile(Out("model/model.safetensors"));
  config.run.seed = 2;
  EXPECT_NE(MessageOf<ConfigError>([&] {
              TrainTranslation(config, {train_, {}});
            }).find("--overwrite"),
            std::string::npos);
  EXPECT_EQ(ReadFile(Out("model/model.safetensors")), weights);
  config.run.overwrite = true;
  TrainTranslation(config, {train_, {}});
  EXPECT_NE(ReadFile(Out("model/model.safetensors")), weights);
}

TEST_F(Trainer, BadTextLeavesTheOldModel) {
  TranslationConfig config = TinyConfig(Out("model"));
  TrainTranslation(config, {train_, {}});
  const std::string weights = ReadFile(Out("model/model.safetensors"));
  config.run.overwrite = true;
  config.data.max_length = 1;
  EXPECT_NE(MessageOf<ConfigError>([&] {
              TrainTranslation(config, {train_, {}});
            }).find("no training pair is left"),
            std::string::npos);
  EXPECT_EQ(ReadFile(Out("model/model.safetensors")), weights);
}

TEST_F(Trainer, FailureLeavesNoEmptyFolders) {
  TranslationConfig config = OnFiles("a/b/c");
  config.data.train.source = {folder_.Path("missing")};
  EXPECT_THROW(TrainTranslation(config), IoError);
  EXPECT_FALSE(fs::exists(Out("a")));
  EXPECT_THROW(
      TrainTranslation(TinyConfig(Out("a/b/c/")), {{{" "}, {" "}}, {}}),
      ConfigError);
  EXPECT_FALSE(fs::exists(Out("a")));
}

TEST_F(Trainer, FolderThatCannotBeMadeIsToldBeforeTheTextIsRead) {
  TranslationConfig config = OnFiles("x");
  config.data.train.source = {folder_.Path("missing")};
  config.run.out = folder_.Put("file", "content") + "/model";
  EXPECT_NE(MessageOf<IoError>([&] {
              TrainTranslation(config);
            }).find(config.run.out),
            std::string::npos);
  config.run.out = folder_.Path("file");
  EXPECT_THROW(TrainTranslation(config), IoError);
  EXPECT_EQ(ReadFile(folder_.Path("file")), "content");
  config.run.out = "";
  EXPECT_THROW(TrainTranslation(config), ConfigError);
}

}  // namespace
}  // namespace heed
