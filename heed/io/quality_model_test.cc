#include "heed/io/quality_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

/// Firefox's English-Spanish model.
constexpr QualityModel kSpanish = {{0.2677F, 0.3385F, 0.9847F, 0.0596F},
                                   {-0.1683F, -0.2219F, 1.5857F, -0.0951F},
                                   {-0.0916F, -0.9651F, 0.4800F, -0.4956F},
                                   0.1670F};

std::string QualityError(const std::string& bytes) {
  return MessageOf<FormatError>([&] { ParseQualityModel(bytes, "q.bin"); });
}

TEST(QualityModel, ProbabilityEqualsValuesComputedByHand) {
  // At the means, z is the intercept.
  EXPECT_NEAR(kSpanish.ProbabilityOfBad(kSpanish.means),
              1 / (1 + std::exp(-0.1670)), 1e-6);
  // One piece with log p -0.1 in a sentence with mean -0.05: the terms are
  // -0.02337, -0.34755, -0.28550 and -0.37503, so z = -0.86445.
  EXPECT_NEAR(kSpanish.ProbabilityOfBad({-0.1F, -0.1F, 1, -0.05F}), 0.296410,
              1e-5);
  // Three pieces with log p -3, -2 and -1: z = 12.77076.
  EXPECT_NEAR(kSpanish.ProbabilityOfBad({-2, -3, 3, -0.5F}), 0.99999716, 1e-7);
}

TEST(QualityModel, ParsesWhatItSerializes) {
  const std::string bytes = kSpanish.Serialize();
  EXPECT_EQ(bytes.size(), 68U);
  const QualityModel read = ParseQualityModel(bytes, "q.bin");
  EXPECT_EQ(read.stds, kSpanish.stds);
  EXPECT_EQ(read.means, kSpanish.means);
  EXPECT_EQ(read.coefficients, kSpanish.coefficients);
  EXPECT_EQ(read.intercept, kSpanish.intercept);
}

TEST(QualityModel, BadFilesAreRefusedWithTheField) {
  const std::string good = kSpanish.Serialize();
  EXPECT_NE(QualityError(good.substr(0, 15)).find("magic"), std::string::npos);
  EXPECT_NE(QualityError(good.substr(0, 67)).find("has 67 bytes"),
            std::string::npos);
  EXPECT_NE(QualityError(good + "x").find("has 69 bytes"), std::string::npos);
  std::string changed = good;
  changed[8] = 5;
  EXPECT_NE(QualityError(changed).find("number of features is 5"),
            std::string::npos);
  changed[8] = 4;
  changed[15] = '\x80';  // 2^63 + 4
  EXPECT_NE(QualityError(changed).find("number of features"),
            std::string::npos);
  QualityModel model = kSpanish;
  model.stds[2] = 0;
  EXPECT_NE(
      QualityError(model.Serialize()).find("q.bin: standard deviation 3 is 0"),
      std::string::npos);
  model = kSpanish;
  model.means[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(QualityError(model.Serialize()).find("mean 1 is nan"),
            std::string::npos);
  model = kSpanish;
  model.coefficients[3] = std::numeric_limits<float>::infinity();
  EXPECT_NE(QualityError(model.Serialize()).find("coefficient 4 is inf"),
            std::string::npos);
  model = kSpanish;
  model.intercept = -std::numeric_limits<float>::infinity();
  EXPECT_NE(QualityError(model.Serialize()).find("intercept is -inf"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
