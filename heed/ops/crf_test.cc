#include "heed/ops/crf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/ops/elementwise.h"

namespace heed::crf_test {
namespace {

constexpr int64_t B = 3;
constexpr int64_t T = 4;
constexpr int64_t C = 3;

struct Chain {
  explicit Chain(DType dtype = DType::kF64, int64_t tags_of = C,
                 int64_t steps = T, double scale = 2)
      : emissions(Random({B, steps, tags_of}, 1, scale).To(dtype)),
        transitions(Random({tags_of, tags_of}, 2, scale).To(dtype)),
        start(Random({tags_of}, 3, scale).To(dtype)),
        end(Random({tags_of}, 4, scale).To(dtype)) {}

  static Tensor Random(const Shape& shape, uint64_t seed, double scale) {
    return Scale(RandomTensor(shape, seed), scale).value();
  }
  Crf crf() const { return {emissions, transitions, start, end}; }

  Tensor emissions, transitions, start, end;
};

using Path = std::vector<int32_t>;

double ScoreOf(const Chain& x, int64_t b, const Path& path) {
  if (path.empty()) return 0;
  using kernels::At;
  double score = At(x.start, 0, path.front()) + At(x.end, 0, path.back());
  for (size_t t = 0; t < path.size(); ++t) {
    score += At(x.emissions[b], static_cast<int64_t>(t), path[t]);
    if (t > 0) score += At(x.transitions, path[t - 1], path[t]);
  }
  return score;
}

/// Calls body(path, score) for all paths of n tags in row b.
void ForPaths(const Chain& x, int64_t b, int32_t n,
              const std::function<void(const Path&, double)>& body) {
  const auto tags = static_cast<int32_t>(x.start.numel());
  Path path(static_cast<size_t>(n), 0);
  for (;;) {
    body(path, ScoreOf(x, b, path));
    size_t t = 0;
    while (t < path.size() && ++path[t] == tags) path[t++] = 0;
    if (t == path.size()) return;
  }
}

double LogSumOverPaths(const Chain& x, int64_t b, int32_t n) {
  double sum = 0;
  ForPaths(x, b, n, [&](const Path&, double score) { sum += std::exp(score); });
  return std::log(sum);
}

const std::vector<int32_t> kLengths = {4, 0, 2};
const Tensor kTags = Ids({0, 2, 1, 1, 9, 9, 9, 9, 2, 0, -7, 9}, {B, T});

TEST(CrfLoss, IsMinusLogOfTheShareOfTheTagsAmongAllPaths) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Chain x(dtype);
    const double expected = LogSumOverPaths(x, 0, 4) -
                            ScoreOf(x, 0, {0, 2, 1, 1}) +
                            LogSumOverPaths(x, 2, 2) - ScoreOf(x, 2, {2, 0});
    const CrfLossResult result =
        CrfLoss(x.crf(), kTags, Lengths(kLengths), 0.5);
    const double tolerance = dtype == DType::kF32 ? 1e-5 : 1e-12;
    EXPECT_NEAR(result.nll, expected, tolerance);
    EXPECT_NEAR(result.loss.value().item(), 0.5 * expected, tolerance);
  }
}

TEST(CrfLoss, HasTheGradientOfDifferences) {
  const auto loss = [](std::span<const Var> in) {
    return CrfLoss({in[0], in[1], in[2], in[3]}, kTags, Lengths(kLengths), 0.3)
        .loss;
  };
  const Chain x;
  ExpectGradientOf(loss, {x.emissions, x.transitions, x.start, x.end});
}

TEST(CrfLoss, HasTheGradientOfDifferencesForOneOperandAlone) {
  const Chain x;
  ExpectGradientOf(
      [&](std::span<const Var> in) {
        return CrfLoss({x.emissions, in[0], x.start, x.end}, kTags,
                       Lengths(kLengths), 1)
            .loss;
      },
      {x.transitions.Clone()});
}

TEST(CrfLogPartition, IsTheLogOfTheSumOverAllPathsOfEachRow) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Chain x(dtype);
    const Tensor sums = CrfLogPartition(x.crf(), Lengths(kLengths)).value();
    ASSERT_EQ(sums.shape(), Shape{B});
    for (int64_t b = 0; b < B; ++b) {
      const int32_t n = At(kLengths, b);
      EXPECT_NEAR(kernels::At(sums, 0, b), LogSumOverPaths(x, b, n),
                  dtype == DType::kF32 ? 1e-5 : 1e-12);
    }
  }
}

TEST(CrfLogPartition, HasTheGradientOfDifferencesForRowsOfAnyWeight) {
  const Tensor weights = Tensor::Of<double>({0.5, -3, -2}, {B});
  const auto weighted = [&](std::span<const Var> in) {
    return Sum(
        Mul(CrfLogPartition({in[0], in[1], in[2], in[3]}, Lengths(kLengths)),
            weights));
  };
  const Chain x;
  ExpectGradientOf(weighted, {x.emissions, x.transitions, x.start, x.end});
}

/// More tags than vector lanes, more rows than a chunk.
TEST(CrfLoss, OfManyTagsInF32IsCloseToF64) {
  for (const int64_t tags_of : {1, 15, 17, 33}) {
    const auto run = [&](DType dtype) {
      const Chain x(dtype, tags_of, 9);
      Tape tape;
      const Crf crf = {tape.Leaf(x.emissions), tape.Leaf(x.transitions),
                       tape.Leaf(x.start), tape.Leaf(x.end)};
      const Tensor tags = Tensor::Zeros({B, 9}, DType::kI32);
      const Var loss = CrfLoss(crf, tags, Lengths({9, 1, 5}), 1).loss;
      tape.Backward(loss);
      return std::vector<Tensor>{loss.value(), tape.Gradient(crf.emissions),
                                 tape.Gradient(crf.transitions),
                                 tape.Gradient(crf.start),
                                 tape.Gradient(crf.end)};
    };
    const auto f32 = run(DType::kF32);
    const auto f64 = run(DType::kF64);
    for (size_t i = 0; i < f32.size(); ++i) {
      EXPECT_LT(MaxDifference(f32[i], f64[i]), 2e-5) << tags_of << " " << i;
    }
  }
}

TEST(CrfLoss, OfLongRowsWithGreatScoresStaysFiniteAndExact) {
  constexpr int64_t kSteps = 5000;
  const Chain f32(DType::kF32, C, kSteps, 100);
  Chain f64 = f32;
  for (Tensor* x : {&f64.emissions, &f64.transitions, &f64.start, &f64.end}) {
    *x = x->To(DType::kF64);
  }
  const Tensor tags = Tensor::Zeros({B, kSteps}, DType::kI32);
  const Tensor lengths = Lengths({kSteps, kSteps - 1, 1});
  Tape tape;
  const Var emissions = tape.Leaf(f32.emissions);
  const CrfLossResult loss = CrfLoss(
      {emissions, f32.transitions, f32.start, f32.end}, tags, lengths, 1);
  tape.Backward(loss.loss);
  const double exact = CrfLoss(f64.crf(), tags, lengths, 1).nll;
  EXPECT_NEAR(loss.nll / exact, 1, 1e-5);
  for (const double g : tape.Gradient(emissions).ToVector<double>()) {
    ASSERT_TRUE(g >= -1.001 && g <= 1.001) << g;
  }
}

TEST(CrfLoss, OfTransitionsThatAreAsGoodAsForbiddenStaysFinite) {
  Chain x(DType::kF32);
  x.transitions.Fill(-1e30);
  const CrfLossResult loss = CrfLoss(x.crf(), kTags, Lengths(kLengths), 1);
  EXPECT_TRUE(std::isfinite(loss.nll));
}

TEST(CrfBestPaths, AreTheBestOfAllPaths) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Chain x(dtype);
    const Tensor paths = CrfBestPaths(x.crf(), Lengths(kLengths));
    for (int64_t b = 0; b < B; ++b) {
      const int32_t n = At(kLengths, b);
      Path best;
      double score = -1e9;
      ForPaths(x, b, n, [&](const Path& path, double s) {
        if (s > score) best = path;
        score = std::max(score, s);
      });
      best.resize(T, 0);
      EXPECT_EQ(paths[b].ToVector<int32_t>(), best) << b;
    }
  }
}

TEST(CrfBestPaths, OfManyTagsFollowATrailOfTransitions) {
  constexpr int64_t kTagsOf = 70;
  Chain x(DType::kF32, kTagsOf, 70, 0.1);
  for (int64_t i = 0; i + 1 < kTagsOf; ++i) {
    x.transitions.row<float>(i)[i + 1] = 5;
  }
  x.start.data<float>()[0] = 9;
  const Tensor path = CrfBestPaths(x.crf(), Lengths({70, 0, 0}))[0];
  for (int32_t t = 0; t < 70; ++t) EXPECT_EQ(path.data<int32_t>()[t], t);
}

TEST(CrfMarginals, AreTheSharesOfThePathsThroughATag) {
  const Chain x;
  const Tensor marginals = CrfMarginals(x.crf(), Lengths(kLengths));
  for (int64_t b = 0; b < B; ++b) {
    const int32_t n = At(kLengths, b);
    const double log_sum = LogSumOverPaths(x, b, n);
    Tensor expected = Tensor::Zeros({T, C}, DType::kF64);
    ForPaths(x, b, n, [&](const Path& path, double score) {
      for (size_t t = 0; t < path.size(); ++t) {
        expected.row<double>(static_cast<int64_t>(t))[path[t]] +=
            std::exp(score - log_sum);
      }
    });
    EXPECT_LT(MaxDifference(marginals[b], expected), 1e-12);
  }
}

TEST(Crf, IsTheSameWithAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const ThreadLimit limit(threads);
    Rng rng(3);
    Tape tape;
    const Crf crf = {tape.Leaf(RandomTensor({19, 30, 20}, 1, DType::kF32)),
                     tape.Leaf(RandomTensor({20, 20}, 2, DType::kF32)),
                     tape.Leaf(RandomTensor({20}, 3, DType::kF32)),
                     tape.Leaf(RandomTensor({20}, 4, DType::kF32))};
    const Tensor tags = Tensor::Zeros({19, 30}, DType::kI32);
    const Tensor lengths = Lengths(std::vector<int32_t>(19, 30));
    tape.Backward(CrfLoss(crf, tags, lengths, 1).loss);
    return tape.Gradient(crf.transitions);
  };
  EXPECT_EQ(MaxDifference(run(1), run(4)), 0);
}

TEST(Crf, RefusesWhatDoesNotFit) {
  const Chain x;
  const Crf crf = x.crf();
  const Tensor lengths = Lengths(kLengths);
  ExpectShapeError(
      [&] {
        CrfLoss(crf, Ids({0, 1}, {1, 2}), lengths, 1);
      },
      {"crf", "tags", "[1, 2]"});
  ExpectShapeError(
      [&] {
        CrfLoss(crf, kTags, Lengths({4, 4, 4}), 1);
      },
      {"crf", "tag 9 of 3"});
  ExpectShapeError(
      [&] {
        CrfLoss(crf, kTags, Lengths({5, 0, 0}), 1);
      },
      {"crf"});
  ExpectShapeError([&] { CrfLoss(crf, {}, lengths, 1); }, {"crf", "tags"});
  Crf wrong = crf;
  wrong.transitions = RandomTensor({C, C + 1}, 1);
  ExpectShapeError([&] { CrfBestPaths(wrong, lengths); }, {"crf", "[3, 4]"});
  ExpectShapeError([&] { CrfMarginals(crf, {}); }, {"crf"});
  ExpectShapeError([&] { CrfLogPartition(wrong, lengths); }, {"crf", "[3, 4]"});
}

}  // namespace
}  // namespace heed::crf_test
