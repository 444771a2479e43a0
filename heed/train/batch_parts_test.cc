#include "heed/train/batch_parts.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/train/shards.h"
#include "heed/train/testing.h"

namespace heed {
namespace {

constexpr int kPoints = 96;

/// Gradients of a Toy after one pass over its points in `parts`.
std::vector<std::vector<float>> Gradients(int64_t parts, int threads,
                                          double dropout, int repeats = 1) {
  const ThreadLimit limit(threads);
  ToyOptions options;
  options.dropout = dropout;
  Toy toy(RandomPoints(kPoints, 3), {}, options);
  std::vector<int64_t> all(kPoints);
  std::iota(all.begin(), all.end(), 0);
  BatchParts batch;
  Rng rng(7);
  for (int i = 0; i < repeats; ++i) {
    const auto losses =
        batch.Differentiate(parts, rng, [&](const Context& ctx, int64_t part) {
          const Interval own = EvenPart(kPoints, parts, part);
          return toy.Loss(
              ctx,
              std::span(all).subspan(static_cast<size_t>(own.begin),
                                     static_cast<size_t>(own.size())),
              {.scale = 1.0 / kPoints});
        });
    EXPECT_EQ(std::ssize(losses), parts);
  }
  std::vector<std::vector<float>> gradients;
  for (const auto& parameter : toy.parameters().all()) {
    const Tensor& g = parameter->gradient();
    gradients.emplace_back(g.data<float>(), g.data<float>() + g.numel());
  }
  return gradients;
}

void ExpectNear(const std::vector<std::vector<float>>& a,
                const std::vector<std::vector<float>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (size_t k = 0; k < a[i].size(); ++k) {
      EXPECT_NEAR(a[i][k], b[i][k], 1e-6) << i << " " << k;
    }
  }
}

TEST(BatchParts, GradientsOfPartsAddUp) {
  const auto whole = Gradients(1, 1, 0);
  ExpectNear(Gradients(3, 1, 0), whole);
  ExpectNear(Gradients(16, 2, 0), whole);
}

TEST(BatchParts, BitsDoNotDependOnThreads) {
  for (const int64_t parts : {1, 4, 13}) {
    EXPECT_EQ(Gradients(parts, 1, 0.3), Gradients(parts, 2, 0.3));
  }
}

TEST(BatchParts, GradientsAccumulateOverBatches) {
  auto twice = Gradients(4, 2, 0);
  for (auto& numbers : twice) {
    for (float& x : numbers) x *= 2;
  }
  ExpectNear(Gradients(4, 2, 0, 2), twice);
}

TEST(BatchParts, AFailedPartLeavesNoGradient) {
  Toy toy(RandomPoints(kPoints, 3), {}, {});
  const std::vector<int64_t> some = {0, 1, 2, 3};
  BatchParts batch;
  Rng rng(7);
  const auto loss = [&](const Context& ctx, int64_t part) {
    if (part == 2) throw NumericError("part 2");
    return toy.Loss(ctx, some, {});
  };
  EXPECT_THROW(batch.Differentiate(4, rng, loss), NumericError);
  for (const auto& parameter : toy.parameters().all()) {
    EXPECT_FALSE(parameter->gradient().defined());
  }
}

}  // namespace
}  // namespace heed
