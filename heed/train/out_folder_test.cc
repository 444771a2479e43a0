#include "heed/train/out_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/train/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class OutFolderTest : public testing::Test {
 protected:
  std::string Out(const std::string& name) const { return folder_.Path(name); }
  std::string Weights(const std::string& out) const {
    return ReadFile(Out(out) + "/model.safetensors");
  }
  std::string Step(const std::string& out) const {
    return ReadTensors(ModelPath(Out(out), kWeightsFile))
        .metadata.at("heed.step");
  }
  TrainResult Train(const TrainingConfig& config, uint64_t seed = 1) const {
    Toy toy(RandomPoints(96, 1), RandomPoints(16, 2), {}, seed);
    return TrainToy(toy, config);
  }

  TemporaryFolder folder_;
};

TEST_F(OutFolderTest, ExistingModelIsReplacedOnlyIfRequested) {
  TrainingConfig config = ToyTraining(Out("model"));
  Train(config);
  const std::string weights = Weights("model");
  EXPECT_NE(MessageOf<ConfigError>([&] { Train(config, 2); })
                .find(Out("model") + " holds a model already; replace it with "
                                     "--overwrite"),
            std::string::npos);
  EXPECT_EQ(Weights("model"), weights);
  config.run.overwrite = true;
  Train(config, 2);
  EXPECT_NE(Weights("model"), weights);
}

TEST_F(OutFolderTest, OldModelStaysUntilTheNewOneHasWeights) {
  TrainingConfig config = ToyTraining(Out("model"));
  Train(config);
  const std::string old = Weights("model");
  config.run.overwrite = true;
  config.run.steps = 3;
  config.optimizer.learning_rate = 1e300;  // fails before any weights are saved
  EXPECT_THROW(Train(config, 5), NumericError);
  EXPECT_EQ(Weights("model"), old);
  EXPECT_EQ(Step("model"), "12");
  config.optimizer.learning_rate = 0.01;
  Train(config, 5);
  EXPECT_EQ(Step("model"), "3");
  EXPECT_FALSE(fs::exists(Out("model/.next")));
  EXPECT_FALSE(fs::exists(Out("model/.ready")));
}

TEST_F(OutFolderTest, ReplacementThatWasKilledIsReadAndFinished) {
  Train(ToyTraining(Out("old")));
  const ModelDescription description = {{{"features", 4}},
                                        {{"other.txt", "other"}}};
  ToyOptions options;
  options.features = 4;
  Toy toy(RandomPoints(96, 1), {}, options);
  TrainToy(toy, ToyTraining(Out("new")), description);
  const std::string wanted = Weights("new");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Out("new"))) {
    names.push_back(entry.path().filename());
  }
  const auto expect_new = [&] {
    const ModelDescription read = ReadModelConfig(Out("model"));
    EXPECT_EQ(read.settings, description.settings);
    EXPECT_EQ(read.files, description.files);
    EXPECT_EQ(ReadFile(ModelPath(Out("model"), kWeightsFile)), wanted);
  };
  // The process is killed after `moved` moves.
  for (size_t moved = 0; moved <= names.size(); ++moved) {
    SCOPED_TRACE(moved);
    fs::remove_all(Out("model"));
    fs::copy(Out("old"), Out("model"), fs::copy_options::recursive);
    fs::copy(Out("new"), Out("model/.ready"), fs::copy_options::recursive);
    std::string steps = std::string("remove ") + kToyFile + "\n";
    for (size_t i = 0; i < names.size(); ++i) {
      steps += "move " + names[i] + "\n";
      if (i >= moved) continue;
      fs::remove_all(Out("model/") + names[i]);
      fs::rename(Out("model/.ready/") + names[i], Out("model/") + names[i]);
    }
    WriteFileAtomically(Out("model/.ready/.steps"), steps);
    expect_new();
    { const OutFolder out(Out("model")); }
    EXPECT_FALSE(fs::exists(Out("model/.ready")));
    EXPECT_FALSE(fs::exists(Out("model/") + kToyFile));
    EXPECT_EQ(Weights("model"), wanted);
    expect_new();
  }
}

TEST_F(OutFolderTest, WhatFailedBeforeItsFirstStepLeavesNoModel) {
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

TEST_F(OutFolderTest, ReplacementReachesNothingOutsideOfItsFolder) {
  fs::create_directories(Out("model/.ready"));
  const std::string steps = Out("model/.ready/.steps");
  WriteFileAtomically(Out("mine"), "mine");
  using namespace std::string_literals;
  for (const std::string& step :
       {"remove ../mine"s, "move ../mine"s, "remove .."s, "remove ."s,
        "remove "s, "remov"s, ""s, "remove \0"s, "move \0b"s,
        "remove mine\0"s}) {
    const bool has_nul = step.find('\0') != std::string::npos;
    WriteFileAtomically(steps, "remove a\n" + step + "\n");
    EXPECT_NE(MessageOf<FormatError>([&] {
                OutFolder{Out("model")};
              }).find(steps + (has_nul ? ":2: holds a NUL" : ":2: damaged")),
              std::string::npos)
        << step;
    EXPECT_TRUE(fs::exists(Out("mine"))) << step;
    EXPECT_TRUE(fs::exists(steps)) << step;
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

TEST_F(OutFolderTest, IsWrittenByOneAtATime) {
  TrainingConfig config = ToyTraining(Out("model"));
  Train(config);
  config.run.overwrite = true;
  const OutFolder out(Out("model"));
  Toy toy(RandomPoints(96, 1), RandomPoints(16, 2));
  for (const std::string& error :
       {MessageOf<ConfigError>([&] { Train(config); }),
        MessageOf<ConfigError>([&] { ResumeToy(toy, config); })}) {
    EXPECT_NE(error.find("is being written by process"), std::string::npos)
        << error;
  }
}

TEST_F(OutFolderTest, FailureLeavesNoEmptyFolders) {
  RunConfig run;
  run.out = Out("a/b/c/");
  { const OutFolder out(run); }
  EXPECT_FALSE(fs::exists(Out("a")));
}

TEST_F(OutFolderTest, FolderThatCannotBeMadeIsNamed) {
  RunConfig run;
  run.out = folder_.Put("file", "content") + "/model";
  EXPECT_NE(MessageOf<IoError>([&] { OutFolder{run}; }).find(run.out),
            std::string::npos);
  run.out = Out("file");
  EXPECT_THROW(OutFolder{run}, IoError);
  EXPECT_EQ(ReadFile(Out("file")), "content");
  run.out = "";
  EXPECT_THROW(OutFolder{run}, ConfigError);
  EXPECT_THROW(OutFolder{Out("none")}, IoError);
}

}  // namespace
}  // namespace heed
