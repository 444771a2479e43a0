#include "heed/ops/reinforce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/ops/matmul.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/shape.h"

namespace heed::reinforce_test {
namespace {

using kernels::At;

// Two steps over three keys. The scores are the parameters: row 0 for the first
// step, row 1 + i for the second step after key i.
constexpr int64_t kKeys = 3;
constexpr int64_t kCount = (1 + kKeys) * kKeys;

Tensor Scores() { return RandomTensor({kCount}, 3); }

/// Reward of sampling key i, then key j: well above 0, so that a baseline
/// helps.
double RewardOf(int64_t i, int64_t j) {
  return 2 + 0.3 * static_cast<double>(i * i) -
         0.5 * static_cast<double>((i + j) % kKeys);
}

/// Probability of sampling key i, then key j.
double ProbabilityOf(const Tensor& scores, int64_t i, int64_t j) {
  const auto p = [&](int64_t row, int64_t key) {
    const double* e = scores.data<double>() + row * kKeys;
    double sum = 0;
    for (int64_t s = 0; s < kKeys; ++s) sum += std::exp(e[s]);
    return std::exp(e[key]) / sum;
  };
  return p(0, i) * p(1 + i, j);
}

double ExpectedReward(const Tensor& scores) {
  double expected = 0;
  for (int64_t i = 0; i < kKeys; ++i) {
    for (int64_t j = 0; j < kKeys; ++j)
      expected += ProbabilityOf(scores, i, j) * RewardOf(i, j);
  }
  return expected;
}

/// Gradient of the expected reward by central differences.
std::vector<double> GradientOfExpectedReward() {
  constexpr double kStep = 1e-5;
  std::vector<double> gradient;
  Tensor scores = Scores();
  for (int64_t c = 0; c < kCount; ++c) {
    double& score = scores.data<double>()[c];
    const double before = score;
    score = before + kStep;
    const double above = ExpectedReward(scores);
    score = before - kStep;
    gradient.push_back((above - ExpectedReward(scores)) / (2 * kStep));
    score = before;
  }
  return gradient;
}

int64_t KeyOf(const Tensor& weights, int64_t row) {
  int64_t key = 0;
  while (At(weights, row, key) != 1) ++key;
  return key;
}

/// Keys of both steps, their reward, and the negative gradient of the loss.
struct Walk {
  int64_t first;
  int64_t second;
  double reward;
  std::vector<double> ascent;
};

/// Samples a key for each of the rows `ids` of the scores.
HardSample Step(const Context& ctx, const Var& table,
                const std::vector<int32_t>& ids) {
  const auto n = static_cast<int64_t>(ids.size());
  return SampleHard(ctx, Reshape(Embed(table, Ids(ids, {n})), {n, 1, kKeys}));
}

/// Samples and differentiates `n` walks at once, each with its own scores.
std::vector<Walk> Draw(int64_t n, uint64_t seed, double baseline) {
  Rng rng(seed);
  Context ctx;
  ctx.rng = &rng;
  Tape tape;
  Tensor copies({n, kCount}, DType::kF64);
  std::vector<int32_t> rows;
  for (int64_t i = 0; i < n; ++i) {
    copies[i].CopyFrom(Scores());
    rows.push_back(static_cast<int32_t>(i * (1 + kKeys)));
  }
  const Var scores = tape.Leaf(copies);
  const Var table = Reshape(scores, {n * (1 + kKeys), kKeys});
  const HardSample first = Step(ctx, table, rows);
  for (int64_t i = 0; i < n; ++i) {
    At(rows, i) += 1 + static_cast<int32_t>(KeyOf(first.weights.value(), i));
  }
  const HardSample second = Step(ctx, table, rows);
  std::vector<Walk> walks;
  Tensor rewards({n}, DType::kF64);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t key = KeyOf(first.weights.value(), i);
    const int64_t next = KeyOf(second.weights.value(), i);
    walks.push_back({key, next, RewardOf(key, next), {}});
    rewards.data<double>()[i] = walks.back().reward;
  }
  tape.Backward(ReinforceLoss(ConcatColumns({first.log_probability,
                                             second.log_probability}),
                              ConcatColumns({first.entropy, second.entropy}),
                              rewards, baseline, {}),
                Tensor::Full({}, -1, DType::kF64));
  for (int64_t i = 0; i < n; ++i) {
    At(walks, i).ascent = tape.Gradient(scores)[i].ToVector<double>();
  }
  return walks;
}

/// Mean and variance of the ascent direction of each score.
struct Moments {
  std::vector<double> mean = std::vector<double>(kCount);
  std::vector<double> variance = std::vector<double>(kCount);
};

Moments MomentsOf(const std::vector<Walk>& walks) {
  Moments moments;
  const auto n = static_cast<double>(walks.size());
  for (size_t c = 0; c < kCount; ++c) {
    for (const Walk& walk : walks) moments.mean[c] += walk.ascent[c] / n;
    for (const Walk& walk : walks) {
      const double difference = walk.ascent[c] - moments.mean[c];
      moments.variance[c] += difference * difference / (n - 1);
    }
  }
  return moments;
}

/// Baseline after 100 small batches.
double LearnedBaseline() {
  MovingBaseline baseline(ReinforceOptions().baseline_decay);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    double mean = 0;
    for (const Walk& walk : Draw(10, 100 + seed, baseline.value()))
      mean += walk.reward / 10;
    baseline.Update(mean);
  }
  return baseline.value();
}

TEST(Reinforce, GradientExpectedOverAllSamplesIsThatOfTheExpectedReward) {
  const std::vector<double> exact = GradientOfExpectedReward();
  for (const double baseline : {0.0, 1.7}) {
    // The gradient of a walk depends only on its keys: one walk per pair is
    // enough.
    std::vector<Walk> walks = Draw(1000, 5, baseline);
    const auto by_keys = [](const Walk& a, const Walk& b) {
      return std::pair(a.first, a.second) < std::pair(b.first, b.second);
    };
    std::sort(walks.begin(), walks.end(), by_keys);
    std::vector<double> expected(kCount);
    int64_t distinct = 0;
    for (size_t i = 0; i < walks.size(); ++i) {
      const Walk& walk = walks[i];
      if (i > 0 && !by_keys(walks[i - 1], walk)) {
        ASSERT_EQ(walk.ascent, walks[i - 1].ascent);
        continue;
      }
      ++distinct;
      const double p = ProbabilityOf(Scores(), walk.first, walk.second);
      for (size_t c = 0; c < kCount; ++c) expected[c] += p * walk.ascent[c];
    }
    ASSERT_EQ(distinct, kKeys * kKeys);
    for (size_t c = 0; c < kCount; ++c)
      EXPECT_NEAR(expected[c], exact[c], 1e-9) << "score " << c;
  }
}

TEST(Reinforce, MeanGradientOfManySamplesIsThatOfTheExpectedReward) {
  constexpr int64_t kWalks = 20000;
  const std::vector<double> exact = GradientOfExpectedReward();
  const double learned = LearnedBaseline();
  for (const double baseline : {0.0, learned}) {
    const Moments moments = MomentsOf(Draw(kWalks, 6, baseline));
    for (size_t c = 0; c < kCount; ++c) {
      EXPECT_NEAR(moments.mean[c], exact[c],
                  4 * std::sqrt(moments.variance[c] / kWalks))
          << "score " << c;
    }
  }
}

TEST(Reinforce, MovingBaselineLowersTheVariance) {
  const double learned = LearnedBaseline();
  EXPECT_NEAR(learned, ExpectedReward(Scores()), 0.2);
  const Moments without = MomentsOf(Draw(5000, 7, 0));
  const Moments with = MomentsOf(Draw(5000, 7, learned));
  double ratio = 0;
  for (size_t c = 0; c < kCount; ++c) {
    EXPECT_LT(with.variance[c], without.variance[c]) << "score " << c;
    ratio += with.variance[c] / without.variance[c] / kCount;
  }
  EXPECT_LT(ratio, 0.2);
}

TEST(MovingBaseline, StartsAtZeroAndMovesATenthOfTheWay) {
  MovingBaseline baseline(0.9);
  EXPECT_EQ(baseline.value(), 0);
  baseline.Update(10);
  EXPECT_DOUBLE_EQ(baseline.value(), 1);
  baseline.Update(10);
  EXPECT_DOUBLE_EQ(baseline.value(), 1.9);
  EXPECT_DOUBLE_EQ(MovingBaseline(0.9, 1.9).value(), baseline.value());
}

TEST(MovingBaseline, RefusesDecaysThatDoNotForget) {
  for (const double decay : {-0.1, 1.0, double{NAN}})
    EXPECT_THROW(MovingBaseline{decay}, ConfigError) << decay;
}

class Loss : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(ReinforceDTypes, Loss,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(Loss, IsTheFormulaForRewardsOfRowsAndOfSteps) {
  const ReinforceOptions options{0.5, 0.25};
  const Tensor l = RandomTensor({2, 3}, 1, GetParam());
  const Tensor h = RandomTensor({2, 3}, 2, GetParam());
  for (const Tensor& r : {RandomTensor({2, 3}, 4), RandomTensor({2}, 4)}) {
    double sum = 0;
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t t = 0; t < 3; ++t) {
        const double reward = r.rank() == 1 ? At(r, 0, n) : At(r, n, t);
        sum += 0.5 * (reward - 0.3) * At(l, n, t) + 0.25 * At(h, n, t);
      }
    }
    const Var loss = ReinforceLoss(l, h, r, 0.3, options);
    EXPECT_EQ(loss.shape().rank(), 0);
    EXPECT_NEAR(loss.value().item(), -sum, 1e-6);
  }
}

TEST(ReinforceLoss, GradientIsThatOfDifferences) {
  const Tensor reward = RandomTensor({2}, 4);
  for (const ReinforceOptions& options :
       {ReinforceOptions{0.1, 0.002}, ReinforceOptions{}}) {
    const auto loss = [&](std::span<const Var> in) {
      return ReinforceLoss(in[0], in[1], reward, 0.3, options);
    };
    ExpectGradientOf(loss, {RandomTensor({2, 3}, 1), RandomTensor({2, 3}, 2)});
  }
}

TEST(ReinforceLoss, OfNothingIsZero) {
  const Tensor none = Tensor::Zeros({0, 3});
  EXPECT_EQ(
      ReinforceLoss(none, none, Tensor::Zeros({0}), 1, {1, 1}).value().item(),
      0);
}

TEST(ReinforceLoss, RefusesShapesThatDoNotFit) {
  const Tensor l = RandomTensor({2, 3}, 1);
  ExpectShapeError([&] { ReinforceLoss(l, l, RandomTensor({3}, 1), 0, {}); },
                   {"reinforce loss", "[3]", "[2, 3]"});
  ExpectShapeError([&] { ReinforceLoss(l, RandomTensor({2}, 1), l, 0, {}); },
                   {"reinforce loss", "[2, 3]", "[2]"});
  const Tensor row = RandomTensor({3}, 1);
  ExpectShapeError([&] { ReinforceLoss(row, row, row, 0, {}); },
                   {"reinforce loss", "[3]"});
}

}  // namespace
}  // namespace heed::reinforce_test
