#include "heed/explain/tsne.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/testing.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/io/safetensors.h"
#include "heed/kernels/tsne.h"

namespace heed {
namespace {

Tensor Golden(const std::string& name) {
  const SafetensorsFile file =
      ReadSafetensors(std::string(HEED_GOLDEN_DIR) + "/tsne.safetensors");
  for (const NamedTensor& tensor : file.tensors) {
    if (tensor.name == name) return tensor.value;
  }
  throw FormatError("no " + name);
}

// See tests/golden/make_golden_tsne.py.
TEST(Tsne, ChancesAreThoseOfNumpy) {
  EXPECT_LT(
      MaxDifference(TsneChances(kernels::SquaredDistances(Golden("x")), 5),
                    Golden("chances")),
      1e-7);
}

TEST(Tsne, PlacesAreThoseOfNumpy) {
  TsneOptions options;
  options.steps = 45;
  options.exaggerated = 25;
  EXPECT_LT(MaxDifference(TsneFrom(Golden("chances"), Golden("start"), options),
                          Golden("places")),
            1e-6);
}

/// Two distant clusters.
Tensor Clouds(DType dtype) {
  Tensor x = RandomTensor({60, 3}, 1);
  for (int64_t i = 0; i < 60; ++i) x.row<double>(i)[0] += i % 2 == 0 ? 20 : 0;
  return x.To(dtype);
}

TEST(Tsne, KeepsCloudsApart) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    TsneOptions options;
    options.perplexity = 10;
    const auto places = Tsne(Clouds(dtype), options);
    const auto distance = [&](size_t i, size_t j) {
      return std::hypot(places[i][0] - places[j][0],
                        places[i][1] - places[j][1]);
    };
    double within = 0;
    double between = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < 60; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if ((i + j) % 2 == 0) within = std::max(within, distance(i, j));
        if ((i + j) % 2 == 1) between = std::min(between, distance(i, j));
      }
    }
    EXPECT_GT(between, within);
  }
}

TEST(Tsne, IsTheSameForTheSameSeedAndAnyNumberOfThreads) {
  const auto places = [](uint64_t seed, int threads) {
    const ThreadLimit limit(threads);
    TsneOptions options;
    options.seed = seed;
    options.steps = 60;
    return Tsne(RandomTensor({300, 8}, 1, DType::kF32), options);
  };
  EXPECT_EQ(places(1, 1), places(1, 2));
  EXPECT_NE(places(1, 1), places(2, 1));
}

TEST(Tsne, FewAndEqualPointsHavePlaces) {
  for (const int64_t n : {1, 2, 3, 5}) {
    for (const auto& place : Tsne(Tensor::Zeros({n, 4}), {})) {
      EXPECT_TRUE(std::isfinite(place[0]) && std::isfinite(place[1])) << n;
    }
  }
}

TEST(Tsne, CanBeCancelled) {
  CancellationFlag flag;
  flag.Cancel();
  TsneOptions options;
  options.cancellation = &flag;
  EXPECT_THROW(Tsne(Clouds(DType::kF32), options), Cancelled);
}

}  // namespace
}  // namespace heed
