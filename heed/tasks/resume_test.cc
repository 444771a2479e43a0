// Runs that go on: prolonged, from another model, in a folder that has one.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/models/recurrent_config.h"
#include "heed/tasks/testing.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

RunLimits Epochs(int epochs) {
  RunLimits limits;
  limits.epochs = epochs;
  return limits;
}

RunLimits Steps(int64_t steps) {
  RunLimits limits;
  limits.steps = steps;
  return limits;
}

class GoingOn : public testing::Test {
 protected:
  std::string Out(const std::string& name) const { return folder_.Path(name); }

  TranslationConfig OnFiles(const std::string& out) const {
    const ParallelText train = ReversedLetters(96, 1);
    const ParallelText valid = ReversedLetters(16, 2);
    TranslationConfig config = TinyConfig(Out(out));
    config.data.train.source = {folder_.Put("source", AsLines(train.source))};
    config.data.train.target = {folder_.Put("target", AsLines(train.target))};
    config.data.valid.source = {folder_.Put("valid_s", AsLines(valid.source))};
    config.data.valid.target = {folder_.Put("valid_t", AsLines(valid.target))};
    return config;
  }

  /// The run that ends, and is given these limits then, has the bits of one
  /// that had them from its start.
  void ExpectProlonged(const TranslationConfig& whole,
                       const std::function<void(RunConfig&)>& end,
                       const RunLimits& limits) {
    TranslationConfig config = whole;
    config.run.out = Out("whole");
    config.run.overwrite = true;
    TrainTranslation(config);
    config.run.out = Out("short");
    end(config.run);
    const int64_t ended = TrainTranslation(config).step;
    EXPECT_GT(Resume(Out("short"), true, limits).step, ended);
    for (const char* file : {"model.safetensors", "training.safetensors"}) {
      EXPECT_EQ(ReadFile(Out("whole/") + file), ReadFile(Out("short/") + file))
          << file;
    }
    const auto wanted = ReadModelSettings(Out("whole"));
    const auto settings = ReadModelSettings(Out("short"));
    for (const auto& [key, value] : wanted.items()) {
      if (key == "out") continue;
      EXPECT_EQ(settings[key], value) << key;
    }
  }

  std::vector<float> ValuesOf(const std::string& out,
                              const std::string& name) const {
    const std::string file = Out(out) + "/model.safetensors";
    return FindTensor(ReadTensors(file).tensors, name, file).ToVector<float>();
  }

  TemporaryFolder folder_;
};

TEST_F(GoingOn, MoreEpochsGiveTheBitsOfALongerRun) {
  TranslationConfig config = OnFiles("");
  config.run.epochs = 5;
  ExpectProlonged(
      config, [](RunConfig& run) { run.epochs = 2; }, Epochs(5));
}

TEST_F(GoingOn, MoreStepsGiveTheBitsOfALongerRun) {
  TranslationConfig config = OnFiles("");
  config.run.steps = 11;
  ExpectProlonged(
      config, [](RunConfig& run) { run.steps = 4; }, Steps(11));
}

TEST_F(GoingOn, ValidationThatOnlyTheEndCalledForIsTakenBack) {
  TranslationConfig config = OnFiles("");
  config.run.epochs = 4;
  config.run.validate_every = 5;
  config.run.keep = 2;
  config.run.ema = 0.9;
  config.optimizer.learning_rate = 0.1;  // so that later is not always better
  for (const int steps : {4, 6, 9, 13}) {
    ExpectProlonged(
        config, [&](RunConfig& run) { run.steps = steps; }, Steps(0));
  }
}

TEST_F(GoingOn, AverageIsTakenBack) {
  TranslationConfig config = OnFiles("");
  config.run.epochs = 9;
  config.run.average = 2;
  config.optimizer.learning_rate = 0.1;
  ExpectProlonged(
      config, [](RunConfig& run) { run.epochs = 6; }, Epochs(9));
}

TEST_F(GoingOn, PatienceIsProlongedByPatience) {
  TranslationConfig config = OnFiles("model");
  config.optimizer.learning_rate = 0;
  config.run.epochs = 20;
  config.run.patience = 2;
  EXPECT_EQ(TrainTranslation(config).step, 3 * 6);
  EXPECT_EQ(Resume(Out("model"), true, Epochs(30)).step, 3 * 6);
  RunLimits patience;
  patience.patience = 4;
  EXPECT_EQ(Resume(Out("model"), true, patience).step, 5 * 6);
}

TEST_F(GoingOn, EqualMetricsAreToldApartByTheLoss) {
  TranslationConfig config = OnFiles("model");
  config.run.metric = "exact_match";
  config.run.epochs = 6;
  config.run.patience = 2;
  config.optimizer.learning_rate = 1e-4;  // no translation is right so soon
  const TrainResult result = TrainTranslation(config);
  EXPECT_EQ(result.best, 0);
  EXPECT_EQ(result.step, 6 * 6);
  EXPECT_EQ(result.best_step, 6 * 6);
}

TEST_F(GoingOn, AnotherModelIsTheBeginning) {
  TrainTranslation(OnFiles("first"));
  TranslationTask task;
  TakeSettings(task, Out("first"));
  EXPECT_EQ(task.model.As<RecurrentConfig>().units, 16);
  EXPECT_TRUE(task.data.train.source.empty());
  const ParallelText other = ReversedLetters(48, 7);
  task.SetText({other, {}});
  TrainingConfig training;
  training.run = TinyConfig(Out("second")).run;
  training.optimizer.learning_rate = 0;
  TrainOnExamples(task, training);
  for (const NamedTensor& t :
       ReadTensors(Out("first/model.safetensors")).tensors) {
    EXPECT_EQ(t.value.ToVector<float>(), ValuesOf("second", t.name)) << t.name;
  }
  EXPECT_EQ(ReadFile(Out("first/source.vocabulary.txt")),
            ReadFile(Out("second/source.vocabulary.txt")));
}

TEST_F(GoingOn, FrozenParametersKeepTheirBits) {
  TrainTranslation(OnFiles("first"));
  for (const double ema : {0.0, 0.9}) {
    TranslationTask task;
    TakeSettings(task, Out("first"));
    task.SetText({ReversedLetters(48, 7), ReversedLetters(8, 8)});
    TrainingConfig training;
    training.run = TinyConfig(Out("second")).run;
    training.run.overwrite = true;
    training.run.ema = ema;
    training.run.average = 2;
    training.optimizer.freeze = {"encoder.*", "*embedding*"};
    TrainOnExamples(task, training);
    int frozen = 0;
    for (const NamedTensor& t :
         ReadTensors(Out("first/model.safetensors")).tensors) {
      const bool is_frozen = t.name.starts_with("encoder.") ||
                             t.name.find("embedding") != std::string::npos;
      frozen += is_frozen ? 1 : 0;
      EXPECT_EQ(t.value.ToVector<float>() == ValuesOf("second", t.name),
                is_frozen)
          << t.name;
    }
    EXPECT_GT(frozen, 2);
    for (const NamedTensor& t :
         ReadTensors(Out("second/training.safetensors")).tensors) {
      EXPECT_FALSE(t.name.starts_with("optimizer.first.encoder.")) << t.name;
    }
  }
}

TEST_F(GoingOn, ModelsThatDoNotFitAreNamed) {
  TrainTranslation(OnFiles("first"));
  TranslationTask task;
  TakeSettings(task, Out("first"));
  task.model.As<RecurrentConfig>().units = 24;
  task.SetText({ReversedLetters(48, 7), {}});
  TrainingConfig training;
  training.run = TinyConfig(Out("second")).run;
  EXPECT_NE(MessageOf<FormatError>([&] {
              TrainOnExamples(task, training);
            }).find(Out("first/model.safetensors") + ": tensor '"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(Out("second")));
  for (const TaskInfo& info : Tasks()) {
    const std::unique_ptr<Task> other = info.make();
    if (info.name == task.name()) continue;
    EXPECT_NE(MessageOf<ConfigError>([&] {
                TakeSettings(*other, Out("first"));
              }).find("'" + task.name() + "'"),
              std::string::npos)
        << info.name;
  }
}

TEST_F(GoingOn, OldModelStaysUntilTheNewOneHasWeights) {
  TranslationConfig config = OnFiles("model");
  TrainTranslation(config);
  const std::string old = ReadFile(Out("model/model.safetensors"));
  config.run.overwrite = true;
  config.run.seed = 5;
  config.run.steps = 3;
  config.optimizer.learning_rate = 1e300;  // fails before it has any
  EXPECT_THROW(TrainTranslation(config), NumericError);
  EXPECT_EQ(ReadFile(Out("model/model.safetensors")), old);
  EXPECT_EQ(ReadTranslationModel(Out("model")).metadata.at("heed.step"), "12");
  config.optimizer.learning_rate = 0.01;
  TrainTranslation(config);
  EXPECT_EQ(ReadTranslationModel(Out("model")).metadata.at("heed.step"), "3");
  EXPECT_FALSE(fs::exists(Out("model/.next")));
  EXPECT_FALSE(fs::exists(Out("model/.ready")));
}

TEST_F(GoingOn, ReplacementThatWasKilledIsReadAndFinished) {
  TranslationConfig config = OnFiles("old");
  TrainTranslation(config);
  config.run.out = Out("new");
  config.data.vocabulary = "characters";  // other files
  TrainTranslation(config);
  const std::string wanted = ReadFile(Out("new/model.safetensors"));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Out("new"))) {
    names.push_back(entry.path().filename());
  }
  // Killed after each number of moves.
  for (size_t moved = 0; moved <= names.size(); ++moved) {
    fs::remove_all(Out("model"));
    fs::copy(Out("old"), Out("model"), fs::copy_options::recursive);
    fs::copy(Out("new"), Out("model/.ready"), fs::copy_options::recursive);
    std::string steps;
    for (size_t i = 0; i < names.size(); ++i) {
      steps += "move " + names[i] + "\n";
      if (i >= moved) continue;
      fs::remove_all(Out("model/") + names[i]);
      fs::rename(Out("model/.ready/") + names[i], Out("model/") + names[i]);
    }
    WriteFileAtomically(Out("model/.ready/.steps"), steps);
    EXPECT_EQ(ReadTranslationModel(Out("model")).data.vocabulary, "characters")
        << moved;
    { const OutFolder out(Out("model")); }
    EXPECT_FALSE(fs::exists(Out("model/.ready")));
    EXPECT_EQ(ReadFile(Out("model/model.safetensors")), wanted);
    EXPECT_EQ(ReadTranslationModel(Out("model")).data.vocabulary, "characters");
  }
}

TEST_F(GoingOn, WhatFailedBeforeItsFirstStepLeavesNoModel) {
  fs::create_directories(Out("model"));
  WriteFileAtomically(Out("model/mine"), "mine");
  RunConfig run;
  run.out = Out("model");
  for (const char* at : {"model", "model/.next"}) {
    OutFolder out(run);
    WriteFileAtomically(out.PathOf(kConfigFile), "{}");
    WriteFileAtomically(out.PathOf(kCheckpointFile), "");
    if (at == std::string("model")) out.Publish();
    EXPECT_TRUE(fs::exists(Out(at) + "/training.safetensors")) << at;
    out.Discard();
    EXPECT_FALSE(fs::exists(Out(at) + "/training.safetensors")) << at;
    EXPECT_FALSE(fs::exists(Out("model/config.json"))) << at;
  }
  EXPECT_TRUE(fs::exists(Out("model/mine")));
}

TEST_F(GoingOn, ReplacementReachesNothingOutsideOfItsFolder) {
  fs::create_directories(Out("model/.ready"));
  const std::string steps = Out("model/.ready/.steps");
  WriteFileAtomically(Out("mine"), "mine");
  for (const std::string step : {"remove ../mine", "move ../mine", "remove ..",
                                 "remove .", "remove ", "remov", ""}) {
    WriteFileAtomically(steps, "remove a\n" + step + "\n");
    EXPECT_NE(MessageOf<FormatError>([&] {
                OutFolder{Out("model")};
              }).find(steps + ":2: damaged"),
              std::string::npos)
        << step;
    EXPECT_TRUE(fs::exists(Out("mine"))) << step;
  }
  WriteFileAtomically(steps, "move " + std::string(300, 'a') + "\n");
  EXPECT_THROW(OutFolder{Out("model")}, IoError);
  WriteFileAtomically(steps, "remove " + Out("mine") + "\n");
  EXPECT_THROW(OutFolder{Out("model")}, FormatError);
  EXPECT_TRUE(fs::exists(Out("mine")));
  fs::remove(steps);
  ASSERT_EQ(mkfifo(steps.c_str(), 0600), 0);
  EXPECT_THROW(OutFolder{Out("model")}, IoError);
}

TEST_F(GoingOn, FolderIsWrittenByOneAtATime) {
  TrainTranslation(OnFiles("model"));
  TranslationConfig config = OnFiles("model");
  config.run.overwrite = true;
  const OutFolder out(Out("model"));
  for (const std::string& error :
       {MessageOf<ConfigError>([&] { TrainTranslation(config); }),
        MessageOf<ConfigError>([&] { Resume(Out("model"), true); })}) {
    EXPECT_NE(error.find("is being written by process"), std::string::npos)
        << error;
  }
}

}  // namespace
}  // namespace heed
