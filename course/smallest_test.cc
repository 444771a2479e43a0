#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "course/smallest_picture.h"
#include "course/smallest_translator.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

/// Returns a trained translator.
const SmallestTranslator& Trained() {
  static const SmallestTranslator& model = []() -> SmallestTranslator& {
    static SmallestTranslator own(1);
    TrainSmallest(own, 500, [](int64_t, double) {});
    return own;
  }();
  return model;
}

TEST(Smallest, LearnsBothSentences) {
  for (const SmallestPair& pair : kSmallestPairs) {
    const TracedTranslation traced = Trained().Translate(pair);
    EXPECT_EQ(traced.written, (std::vector<std::string>{pair.target, "<EOS>"}));
    EXPECT_EQ(traced.read,
              (std::vector<std::string>{pair.source[0], pair.source[1], "<EOS>",
                                        pair.target}));
  }
}

// Traced values match the model's forward pass.
TEST(Smallest, TheTracedProbabilitiesAreTheModels) {
  const Tensor p = Softmax(Trained().Scores({})).value();
  for (size_t b = 0; b < kSmallestPairs.size(); ++b) {
    const TracedTranslation traced = Trained().Translate(kSmallestPairs[b]);
    for (size_t t = 0; t < 2; ++t) {
      const double* row =
          p[static_cast<int64_t>(t)].row<double>(static_cast<int64_t>(b));
      const std::vector<double>& own = traced.Line("p").of_steps[2 + t];
      for (size_t v = 0; v < own.size(); ++v) {
        EXPECT_NEAR(own[v], row[v], 1e-9);
      }
    }
  }
}

TEST(Smallest, EachLineFollowsFromThoseAbove) {
  const TracedTranslation traced = Trained().Translate(kSmallestPairs[0]);
  const auto at = [&](const char* name, size_t t, size_t k) {
    return traced.Line(name).of_steps[t][k];
  };
  for (size_t t = 0; t < traced.read.size(); ++t) {
    for (size_t k = 0; k < 2; ++k) {
      const double before = t == 0 ? 0 : at("c", t - 1, k);
      EXPECT_NEAR(at("c", t, k),
                  at("f", t, k) * before + at("i", t, k) * at("g", t, k), 1e-9);
      EXPECT_NEAR(at("h", t, k), at("o", t, k) * std::tanh(at("c", t, k)),
                  1e-9);
    }
  }
  for (size_t t = 2; t < traced.read.size(); ++t) {
    EXPECT_NEAR(at("weight", t, 0) + at("weight", t, 1), 1, 1e-12);
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(at("context", t, k),
                  at("weight", t, 0) * at("h", 0, k) +
                      at("weight", t, 1) * at("h", 1, k),
                  1e-12);
    }
  }
  EXPECT_TRUE(traced.Line("score").of_steps[0].empty());
  EXPECT_THROW(traced.Line("nothing"), std::out_of_range);
}

TEST(Smallest, WithoutAttentionTheContextIsZero) {
  const TracedTranslation traced =
      Trained().Translate(kSmallestPairs[0], /*attends=*/false);
  EXPECT_EQ(traced.Line("context").of_steps[2], (std::vector<double>{0, 0}));
  EXPECT_NE(traced.Line("p").of_steps[2],
            Trained().Translate(kSmallestPairs[0]).Line("p").of_steps[2]);
}

TEST(Smallest, EveryNumberIsOnThePage) {
  const TracedTranslation traced = Trained().Translate(kSmallestPairs[1]);
  const TerminalOptions terminal = {.colour = false, .width = 80};
  const std::string text = TranslationText(traced, terminal);
  const std::string svg = DrawTranslation(traced).svg;
  for (const TracedNumbers& line : traced.lines) {
    for (const std::vector<double>& numbers : line.of_steps) {
      for (const double number : numbers) {
        const std::string shown = ShownNumber(number);
        EXPECT_NE(text.find(shown), std::string::npos);
        EXPECT_NE(svg.find(">" + shown + "<"), std::string::npos);
      }
    }
  }
  const std::string weights = ParametersText(Trained().parameters(), terminal);
  const std::string drawn = DrawParameters(Trained().parameters()).svg;
  for (const auto& parameter : Trained().parameters().all()) {
    EXPECT_NE(weights.find(parameter->name()), std::string::npos);
    for (const double number : parameter->value().ToVector<double>()) {
      const std::string shown = ShownNumber(number);
      EXPECT_NE(weights.find(shown), std::string::npos);
      EXPECT_NE(drawn.find(">" + shown + "<"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace heed
