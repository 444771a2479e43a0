#include "heed/train/processes.h"

#include <gtest/gtest.h>

#include <atomic>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/train/messages_testing.h"
#include "heed/train/optimizer.h"
#include "heed/train/testing.h"
#include "heed/train/update.h"

namespace heed {
namespace {

TEST(Processes, GatherGivesAllWhatEachHas) {
  for (const int size : {1, 2, 5}) {
    RunProcesses(size, [size](Processes& processes) {
      ASSERT_EQ(processes.size(), size);
      EXPECT_EQ(processes.on_this_host(), size);
      for (int round = 0; round < 3; ++round) {
        const std::string mine(static_cast<size_t>(processes.rank() * round),
                               static_cast<char>('a' + processes.rank()));
        const auto all = processes.Gather(mine);
        ASSERT_EQ(std::ssize(all), size);
        for (int rank = 0; rank < size; ++rank) {
          EXPECT_EQ(At(all, rank),
                    std::string(static_cast<size_t>(rank * round),
                                static_cast<char>('a' + rank)));
        }
      }
      EXPECT_EQ(processes.Broadcast(processes.leads() ? "yes" : "no"), "yes");
    });
  }
}

/// Values of one shard with very different magnitudes.
std::vector<float> ShardNumbers(int64_t shard, size_t count) {
  Rng rng(static_cast<uint64_t>(100 + shard));
  std::vector<float> numbers(count);
  for (float& x : numbers) x = static_cast<float>(std::exp(4 * rng.Normal()));
  return numbers;
}

/// Sums of 16 shards over `size` processes, as received by rank 0.
std::vector<float> SumOver(int size, size_t count, Wire wire) {
  constexpr int64_t kShards = 16;
  std::vector<float> result;
  RunProcesses(size, [&](Processes& processes) {
    const Interval mine = EvenPart(kShards, size, processes.rank());
    std::vector<std::vector<float>> numbers;
    for (const TreeNode& node : NodesOf(mine)) {
      TreeSum<std::vector<float>> sum(
          [](std::vector<float>& a, const std::vector<float>& b) {
            for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
          });
      const int64_t leaves = int64_t{1} << node.level;
      for (int64_t i = 0; i < leaves; ++i) {
        const int64_t shard = node.number * leaves + i;
        sum.Push({0, shard}, ShardNumbers(shard, count));
      }
      numbers.push_back(sum.Take().front());
    }
    for (int round = 0; round < 2; ++round) {  // with fresh values
      auto copies = numbers;
      std::vector<std::span<float>> nodes(copies.begin(), copies.end());
      processes.StartSum(kShards, nodes, wire);
      processes.FinishSums();
      if (processes.leads()) result = copies.front();
    }
  });
  return result;
}

TEST(Processes, SumsHaveTheSameBitsForAnyNumberOfThem) {
  for (const size_t count : {1, 7, 1000}) {
    const auto expected = SumOver(1, count, Wire::kF32);
    for (const int size : {2, 3, 4, 5, 8, 16}) {
      EXPECT_EQ(SumOver(size, count, Wire::kF32), expected) << size;
    }
  }
}

TEST(Processes, NumbersMayTravelAsBf16) {
  const auto exact = SumOver(1, 300, Wire::kF32);
  const auto rounded = SumOver(4, 300, Wire::kBf16);
  bool differ = false;
  for (size_t i = 0; i < exact.size(); ++i) {
    // Each of four sums is rounded to 8 bits, and their total as well.
    EXPECT_NEAR(rounded[i], exact[i], exact[i] / 128);
    differ |= rounded[i] != exact[i];
  }
  EXPECT_TRUE(differ);
}

TEST(Processes, OneThatFailsIsNamedByTheOthers) {
  PostOffice office(3);
  std::atomic<int> named = 0;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        Processes processes([&, rank] { return office.Of(rank); });
        if (rank == 1) return processes.Fail("cannot read x.txt");
        processes.Gather("");
      } catch (const ProcessError& error) {  // in this call or an earlier one
        const std::string text = error.what();
        EXPECT_NE(text.find(": cannot read x.txt"), std::string::npos) << text;
        EXPECT_TRUE(text.starts_with("rank 1")) << text;
        ++named;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(named, 2);
}

TEST(Processes, OneThatIsSilentIsNamedAndTheNextSpeaksForTheFirst) {
  PostOffice office(3);
  std::atomic<int> speakers = 0;
  std::atomic<int> noticed = 0;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      Processes processes([&, rank] { return office.Of(rank); },
                          {.beat = 0.05, .silence = 0.5, .grace = 60});
      processes.Gather("all have begun");
      office.CutOff(0);
      try {
        processes.Gather("");
      } catch (const ProcessError& error) {
        ++noticed;
        if (rank == 0) return;  // receives no messages
        EXPECT_NE(std::string(error.what()).find("rank 0 "), std::string::npos)
            << error.what();
        speakers += processes.speaks() ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(noticed, 3);
  EXPECT_EQ(speakers, 1);
}

TEST(Processes, WhoHasOtherExamplesIsNamed) {
  std::atomic<int> refused = 0;
  RunProcesses(3, [&](Processes& processes) {
    processes.CheckSame("seed", "1");
    try {
      processes.CheckSame("examples", processes.rank() == 2 ? "7b" : "7a");
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(),
                processes.NameOf(2) + ": examples differ from those of " +
                    processes.NameOf(0) + ": '7b' instead of '7a'");
      ++refused;
    }
  });
  EXPECT_EQ(refused, 3);
}

TEST(Processes, ThatCannotBeStartedSayWhy) {
  EXPECT_THROW(
      Processes([]() -> std::unique_ptr<Messages> { throw IoError("no MPI"); }),
      IoError);
}

/// Weights of a toy after some updates in `size` processes.
template <typename Objective>
std::vector<float> TrainedWeights(int size, int64_t shards, int accumulate,
                                  int quantize_bits = 0) {
  std::vector<float> weights;
  std::mutex mutex;
  RunProcesses(size, [&](Processes& processes) {
    Objective toy(RandomPoints(96, 1), RandomPoints(16, 2));
    OptimizerConfig config;
    config.shards = static_cast<int>(shards);
    config.quantize_bits = quantize_bits;
    Optimizer optimizer(toy.parameters(), config);
    Rng rng(3);
    Updater updater(toy, config, optimizer, rng, processes);
    int64_t step = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      EpochPlan plan = toy.PlanEpoch(1, epoch);
      for (int64_t i = 0; i + accumulate <= plan.size(); i += accumulate) {
        toy.Updated(
            updater.Update(plan.Get(i, i + accumulate), ++step, 100).parts);
      }
    }
    std::vector<float> mine;
    for (const NamedTensor& tensor : toy.parameters().Tensors()) {
      const auto values = tensor.value.template ToVector<float>();
      mine.insert(mine.end(), values.begin(), values.end());
    }
    const std::lock_guard lock(mutex);
    if (weights.empty()) weights = mine;
    EXPECT_EQ(mine, weights) << "rank " << processes.rank();
  });
  return weights;
}

TEST(Processes, TrainToTheSameBitsInAnyNumber) {
  for (const int accumulate : {1, 3}) {
    const auto expected = TrainedWeights<Toy>(1, 8, accumulate);
    for (const int size : {2, 3, 4, 8}) {
      EXPECT_EQ(TrainedWeights<Toy>(size, 8, accumulate), expected) << size;
    }
    EXPECT_NE(TrainedWeights<Toy>(1, 1, accumulate), expected);
  }
}

TEST(Processes, RoundWeightsToTheSameBits) {
  const auto expected = TrainedWeights<Toy>(1, 4, 1, 8);
  EXPECT_NE(TrainedWeights<Toy>(1, 4, 1), expected);
  for (const int size : {2, 3, 4}) {
    EXPECT_EQ(TrainedWeights<Toy>(size, 4, 1, 8), expected) << size;
  }
}

TEST(Processes, LearnFromRewardsToTheSameBits) {
  const auto expected = TrainedWeights<ToyOfRewards>(1, 4, 1);
  for (const int size : {2, 3, 4}) {
    EXPECT_EQ(TrainedWeights<ToyOfRewards>(size, 4, 1), expected) << size;
  }
}

TEST(Processes, AreNotMoreThanShards) {
  std::atomic<int> refused = 0;
  RunProcesses(3, [&](Processes& processes) {
    Toy toy(RandomPoints(96, 1), {});
    try {
      GradientSum(toy.parameters(), processes, 2, Wire::kF32);
    } catch (const ConfigError&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace heed
