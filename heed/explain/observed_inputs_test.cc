#include "heed/explain/observed_inputs.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed {
namespace {

/// Two texts of two tokens of one feature.
Var TwoTexts(float first) {
  return Tensor::Of(std::vector<float>{first, 2, 3, 4}, {2, 2, 1});
}

TEST(InputWatch, KeepsVectorsInTheOrderInWhichTheyAddUp) {
  InputWatch watch({}, /*inputs=*/true);
  for (const char* name :
       {"source.sum", "source.segments", "source", "source.positions"}) {
    ASSERT_TRUE(watch.WantsInput(name)) << name;
    watch.OnInput(name, TwoTexts(1));
  }
  const std::vector<InputVectors> vectors = watch.Vectors(/*b=*/1);
  ASSERT_EQ(vectors.size(), 4U);
  EXPECT_EQ(vectors[0].name, "token");
  EXPECT_EQ(vectors[1].name, "position");
  EXPECT_EQ(vectors[2].name, "segment");
  EXPECT_EQ(vectors[3].name, "sum");
  EXPECT_EQ(vectors[0].rows, (std::vector<std::vector<float>>{{3}, {4}}));
}

TEST(InputWatch, KeepsTheFirstOfSeveralRuns) {
  InputWatch watch({}, /*inputs=*/true);
  watch.OnInput("source", TwoTexts(1));
  watch.OnInput("source", TwoTexts(9));
  ASSERT_EQ(watch.Vectors().size(), 1U);
  EXPECT_EQ(watch.Vectors()[0].rows[0][0], 1);
}

TEST(InputWatch, WantsNothingElse) {
  InputWatch watch({}, /*inputs=*/true);
  EXPECT_FALSE(watch.WantsInput("target_inputs"));
  EXPECT_FALSE(watch.WantsInput("source.other"));
  InputWatch without({}, /*inputs=*/false);
  EXPECT_FALSE(without.WantsInput("source"));
}

}  // namespace
}  // namespace heed
