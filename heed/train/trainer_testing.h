// Test fixture for the trainer with toy objectives, and comparison of runs.
#ifndef HEED_TRAIN_TRAINER_TESTING_H_
#define HEED_TRAIN_TRAINER_TESTING_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"
#include "heed/train/testing.h"

namespace heed {

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
  /// Stops a run after `steps`, resumes it as another process would to the end
  /// of "whole", and compares both. Returns the last step.
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
  /// Compares the files that must not depend on when a run was stopped.
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
         std::filesystem::directory_iterator(Out(out) + "/checkpoints")) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  TemporaryFolder folder_;
  ToyPoints train_ = RandomPoints(96, 1);
  ToyPoints valid_ = RandomPoints(16, 2);
  ToyOptions options_;
};

}  // namespace heed

#endif  // HEED_TRAIN_TRAINER_TESTING_H_
