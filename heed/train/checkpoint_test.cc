#include "heed/train/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

class Checkpoint : public testing::Test {
 protected:
  struct Run {
    explicit Run(uint64_t seed) : parameters(seed, DType::kF32, {}) {
      parameters.Add("w", {2, 3}, {});
      parameters.Add("b", {3}, {});
      optimizer.emplace(parameters, OptimizerConfig());
      average.emplace(parameters, 0.5);
    }
    void Step() {
      for (const auto& p : parameters.all()) {
        p->mutable_gradient() = Tensor::Full(p->value().shape(), 0.3);
      }
      optimizer->Step(1, 0.1);
      average->Update(1);
    }
    void Write(const std::string& path, const TrainingState& state) const {
      WriteCheckpoint(path, parameters, *optimizer, &*average, state);
    }
    TrainingState Read(const std::string& path) {
      return ReadCheckpoint(path, parameters, *optimizer, &*average);
    }
    ParameterSet parameters;
    std::optional<Optimizer> optimizer;
    std::optional<WeightAverage> average;
  };

  static TrainingState State() {
    TrainingState s;
    s.step = 12;
    s.epoch = 3;
    s.batch = 4;
    s.tokens = int64_t{1} << 40;
    s.rng_position = ~uint64_t{0};
    s.valid.has_best = true;
    s.valid.best = 0.1 + 0.2;
    s.valid.best_loss = 1.0 / 3;
    s.valid.best_step = 9;
    s.valid.stale = 2;
    s.valid.kept = {3, 9, 12};
    s.examples = "abcd";
    s.objective = {{"baseline", Tensor::Full({1}, 1.0 / 3, DType::kF64)},
                   {"counts", Tensor::Of(std::vector<int32_t>{7, 8}, {2})}};
    return s;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.Path("training.safetensors");
};

TEST_F(Checkpoint, GivesEverythingBack) {
  Run run(1);
  run.Step();
  run.Write(path_, State());
  Run other(2);
  const TrainingState s = other.Read(path_);
  EXPECT_EQ(s.step, 12);
  EXPECT_EQ(s.epoch, 3);
  EXPECT_EQ(s.batch, 4);
  EXPECT_EQ(s.tokens, int64_t{1} << 40);
  EXPECT_EQ(s.rng_position, ~uint64_t{0});
  EXPECT_TRUE(s.valid.has_best);
  EXPECT_EQ(s.valid.best, 0.1 + 0.2);
  EXPECT_EQ(s.valid.best_loss, 1.0 / 3);
  EXPECT_EQ(s.valid.best_step, 9);
  EXPECT_EQ(s.valid.stale, 2);
  EXPECT_EQ(s.valid.kept, (std::vector<int64_t>{3, 9, 12}));
  EXPECT_EQ(s.examples, "abcd");
  ASSERT_EQ(s.objective.size(), 2);
  EXPECT_EQ(s.objective[0].name, "baseline");
  EXPECT_EQ(s.objective[0].value.item(), 1.0 / 3);
  EXPECT_EQ(s.objective[1].name, "counts");
  EXPECT_EQ(s.objective[1].value.ToVector<int32_t>(),
            (std::vector<int32_t>{7, 8}));
  // Rewriting gives equal bytes: weights, optimiser and average are restored.
  const std::string bytes = ReadFile(path_);
  other.Write(path_, s);
  EXPECT_EQ(ReadFile(path_), bytes);
}

TEST_F(Checkpoint, OneWithoutAnAverageGivesNone) {
  Run run(1);
  WriteCheckpoint(path_, run.parameters, *run.optimizer, nullptr, State());
  EXPECT_EQ(ReadCheckpoint(path_, run.parameters, *run.optimizer, nullptr).step,
            12);
  EXPECT_NE(MessageOf<FormatError>([&] { run.Read(path_); }).find("average.w"),
            std::string::npos);
}

TEST_F(Checkpoint, WeightsThatAreNotFiniteAreNotWritten) {
  Run run(1);
  run.Write(path_, State());
  const std::string bytes = ReadFile(path_);
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    run.parameters.Find("b")->mutable_value().data<float>()[1] = bad;
    EXPECT_EQ(MessageOf<NumericError>([&] { run.Write(path_, State()); }),
              "b is not finite");
  }
  EXPECT_EQ(ReadFile(path_), bytes);
}

TEST_F(Checkpoint, StateOfTheObjectiveThatIsNotFiniteIsNotWritten) {
  Run run(1);
  TrainingState state = State();
  state.objective[0].value =
      Tensor::Full({1}, std::numeric_limits<double>::infinity(), DType::kF64);
  EXPECT_EQ(MessageOf<NumericError>([&] { run.Write(path_, state); }),
            "objective.baseline is not finite");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Checkpoint, StateOfTheObjectiveComesInItsOrder) {
  const std::vector<NamedTensor> expected = {
      {"counts", Tensor::Zeros({2}, DType::kI32)},
      {"baseline", Tensor::Zeros({1}, DType::kF64)}};
  const auto found = ObjectiveState(State(), expected, path_);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].name, "counts");
  EXPECT_EQ(found[0].value.ToVector<int32_t>(), (std::vector<int32_t>{7, 8}));
  EXPECT_EQ(found[1].name, "baseline");
  EXPECT_EQ(found[1].value.item(), 1.0 / 3);
  EXPECT_TRUE(ObjectiveState(TrainingState(), {}, path_).empty());
}

TEST_F(Checkpoint, StateOfAnotherObjectiveIsNamed) {
  const NamedTensor baseline = {"baseline", Tensor::Zeros({1}, DType::kF64)};
  const NamedTensor counts = {"counts", Tensor::Zeros({2}, DType::kI32)};
  const auto error = [&](const std::vector<NamedTensor>& expected) {
    return MessageOf<FormatError>(
        [&] { ObjectiveState(State(), expected, path_); });
  };
  EXPECT_EQ(error({baseline, counts}), "no error");
  EXPECT_EQ(error({baseline}),
            path_ + ": tensor 'objective.counts' is of another objective");
  EXPECT_EQ(error({}),
            path_ + ": tensor 'objective.baseline' is of another objective");
  EXPECT_EQ(error({baseline, counts, {"mean", Tensor::Zeros({1})}}),
            path_ + ": tensor 'objective.mean' is missing");
  EXPECT_EQ(error({baseline, {"counts", Tensor::Zeros({3}, DType::kI32)}}),
            path_ + ": tensor 'objective.counts' is i32 [2], expected i32 [3]");
  EXPECT_EQ(
      error({{"baseline", Tensor::Zeros({1})}, counts}),
      path_ + ": tensor 'objective.baseline' is f64 [1], expected f32 [1]");
}

TEST_F(Checkpoint, ModelIsNoCheckpoint) {
  Run run(1);
  WriteTensors(path_, run.parameters.Tensors(), {});
  EXPECT_THROW(run.Read(path_), FormatError);
  for (const char* state : {"", "{}", "[1]", R"({"step":"one"})"}) {
    WriteTensors(path_, run.parameters.Tensors(), {{"heed.training", state}});
    EXPECT_NE(MessageOf<FormatError>([&] { run.Read(path_); }).find(path_),
              std::string::npos)
        << state;
  }
}

TEST_F(Checkpoint, TruncatedOrMissingFilesAreNamed) {
  Run run(1);
  const auto read = [&] { run.Read(path_); };
  EXPECT_NE(MessageOf<IoError>(read).find(path_), std::string::npos);
  run.Write(path_, State());
  for (auto size = std::filesystem::file_size(path_); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    ASSERT_NE(MessageOf<FormatError>(read).find(path_), std::string::npos)
        << size;
  }
}

}  // namespace
}  // namespace heed
