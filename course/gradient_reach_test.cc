#include "course/gradient_reach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

constexpr int64_t T = 5;
constexpr int kCharacters = 6;

ModelChoice<EncoderSettings> EncoderOf(const std::string& cell, int layers) {
  ModelChoice<EncoderSettings> encoder;
  // The cell has more units than one backward pass differentiates.
  SetPreset(FieldsOf(*encoder), "units=70 dropout=0 self_attention=none cell=" +
                                    cell + " layers=" + std::to_string(layers));
  encoder->Fill({.causal = true});
  return encoder;
}

Tensor RandomTexts(int64_t rows) {
  Rng rng(2);
  Tensor ids({rows, T}, DType::kI32);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    ids.data<int32_t>()[i] = static_cast<int32_t>(rng.Below(kCharacters));
  }
  return ids;
}

/// Shifts feature i of character s.
class Moved : public Observer {
 public:
  Moved(int64_t s, int64_t i, double by) : s_(s), i_(i), by_(by) {}
  bool WantsInput(const std::string& name) override { return name == "source"; }
  Var OnInput(const std::string& /*name*/, const Var& x) override {
    Tensor moved = x.value().Clone();
    moved[0][s_].data<double>()[i_] += by_;
    return moved;
  }

 private:
  int64_t s_, i_;
  double by_;
};

TEST(GradientReach, IsTheJacobianOfDifferences) {
  for (const char* cell : {"rnn", "nested_lstm"}) {
    const Autocomplete model(*EncoderOf(cell, 2), {kCharacters, 4, 3}, 1,
                             DType::kF64);
    const Tensor ids = RandomTexts(1);
    const std::vector<double> reach = GradientReach(model, ids);
    ASSERT_EQ(reach.size(), static_cast<size_t>(T));
    const auto last = [&](int64_t s, int64_t i, double by) {
      Moved moved(s, i, by);
      Context ctx;
      ctx.observer = &moved;
      return model.States(ctx, ids, Lengths({T})).value()[0][T - 1].Clone();
    };
    constexpr double kStep = 1e-5;
    for (int64_t k = 0; k < T; ++k) {
      double squares = 0;
      for (int64_t i = 0; i < 3; ++i) {
        const auto up = last(T - 1 - k, i, kStep).ToVector<double>();
        const auto down = last(T - 1 - k, i, -kStep).ToVector<double>();
        for (size_t u = 0; u < up.size(); ++u) {
          squares += std::pow((up[u] - down[u]) / (2 * kStep), 2);
        }
      }
      EXPECT_NEAR(At(reach, k), std::sqrt(squares), 1e-6 * std::sqrt(squares))
          << cell << " " << k;
    }
  }
}

TEST(GradientReach, IsTheMeanOfTexts) {
  const Autocomplete model(*EncoderOf("gru", 1), {kCharacters, 4, 3}, 1,
                           DType::kF64);
  const Tensor ids = RandomTexts(2);
  const auto both = GradientReach(model, ids);
  const auto first = GradientReach(model, ids.Slice(0, 1));
  const auto second = GradientReach(model, ids.Slice(1, 2));
  for (size_t k = 0; k < both.size(); ++k) {
    EXPECT_NEAR(both[k], (first[k] + second[k]) / 2, 1e-12);
  }
  EXPECT_NE(first[0], second[0]);
  EXPECT_THROW(GradientReach(model, ids[0]), ShapeError);
}

/// Without recurrent weights the last state depends on the last input alone.
TEST(GradientReach, EndsWhereTheRecurrenceIsCut) {
  Autocomplete model(*EncoderOf("rnn", 1), {kCharacters, 4, 3}, 1, DType::kF64);
  Parameter& recurrent =
      *model.parameters().Find("encoder.forward.0.recurrent.weight");
  recurrent.mutable_value().Fill(0);
  recurrent.Changed();
  const auto reach = GradientReach(model, RandomTexts(2));
  EXPECT_GT(reach[0], 0.1);
  for (size_t k = 1; k < reach.size(); ++k) EXPECT_EQ(reach[k], 0);
}

}  // namespace
}  // namespace heed
