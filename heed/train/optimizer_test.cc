#include "heed/train/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Values = std::vector<double>;

constexpr double kRate = 0.1;

/// Two parameters in f64, {1, −2, 3} and {0.5}.
class OptimizerTest : public testing::Test {
 protected:
  OptimizerTest() {
    parameters_.Add("a", {3, 1}, {Init::Kind::kConstant, 0})
        .mutable_value()
        .CopyFrom(Tensor::Of<double>({1, -2, 3}, {3, 1}));
    parameters_.Add("b", {1, 1}, {Init::Kind::kConstant, 0.5});
    config_.epsilon = 1e-8;
    config_.clip = 0;
  }

  void SetGradients(const Values& a, const Values& b) {
    parameters_.Find("a")->mutable_gradient() = Tensor::Of(a, {3, 1});
    parameters_.Find("b")->mutable_gradient() = Tensor::Of(b, {1, 1});
  }
  void ExpectValues(const Values& a, const Values& b) const {
    ExpectNear(*parameters_.Find("a"), a);
    ExpectNear(*parameters_.Find("b"), b);
  }
  static void ExpectNear(const Parameter& parameter, const Values& expected) {
    const auto values = parameter.value().ToVector<double>();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-12)
          << parameter.name() << " " << i;
    }
  }

  ParameterSet parameters_{1, DType::kF64, kernels::Precision::kNative};
  OptimizerConfig config_;
};

TEST_F(OptimizerTest, SgdAddsUpMomentum) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.momentum = 0.9;
  Optimizer optimizer(parameters_, config_);
  SetGradients({1, 2, -1}, {4});
  optimizer.Step(1, kRate);
  ExpectValues({0.9, -2.2, 3.1}, {0.1});
  SetGradients({1, 0, 0}, {0});
  optimizer.Step(2, kRate);
  // v = 0.9 · (1, 2, −1) + (1, 0, 0)
  ExpectValues({0.9 - 0.19, -2.2 - 0.18, 3.1 + 0.09}, {0.1 - 0.36});
}

/// Adam on one number, as in the paper.
struct PlainAdam {
  double w, m = 0, v = 0;
  double Step(double g, int t, double decay) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double mean = m / (1 - std::pow(0.9, t));
    const double square = v / (1 - std::pow(0.999, t));
    w -= kRate * (mean / (std::sqrt(square) + 1e-8) + decay * w);
    return w;
  }
};

TEST_F(OptimizerTest, AdamAndAdamWFollowTheirPapers) {
  for (const char* name : {"adam", "adamw"}) {
    config_.optimizer = name;
    config_.weight_decay = 0.25;  // used by adamw only
    const double decay = std::string(name) == "adamw" ? 0.25 : 0;
    parameters_.Find("a")->mutable_value().CopyFrom(
        Tensor::Of<double>({1, -2, 3}, {3, 1}));
    parameters_.Find("b")->mutable_value().Fill(0.5);
    Optimizer optimizer(parameters_, config_);
    PlainAdam plain[] = {{1}, {-2}, {3}, {0.5}};
    for (int t = 1; t <= 3; ++t) {
      const double g = 0.5 * t - 1.2;
      SetGradients({g, 3 * g, g * g}, {-g});
      optimizer.Step(t, kRate);
      ExpectValues({plain[0].Step(g, t, decay), plain[1].Step(3 * g, t, decay),
                    plain[2].Step(g * g, t, decay)},
                   {plain[3].Step(-g, t, decay)});
    }
  }
}

TEST_F(OptimizerTest, AdamWDecaysNoVectors) {
  Parameter& bias = parameters_.Add("c", {2}, {Init::Kind::kConstant, 3});
  config_.optimizer = OptimizerKind::kAdamW;
  config_.weight_decay = 0.5;
  Optimizer optimizer(parameters_, config_);
  SetGradients({0, 0, 0}, {0});
  bias.mutable_gradient() = Tensor::Of<double>({0, 0}, {2});
  optimizer.Step(1, kRate);
  const double kept = 1 - kRate * 0.5;
  ExpectValues({kept, -2 * kept, 3 * kept}, {0.5 * kept});
  ExpectNear(bias, {3, 3});
}

TEST_F(OptimizerTest, AdamWithoutBiasCorrectionStartsAsBertDoes) {
  config_.bias_correction = false;
  Optimizer optimizer(parameters_, config_);
  SetGradients({1, 2, -4}, {0});
  optimizer.Step(1, kRate);
  // m = 0.1 g, v = 0.001 g²
  const double step = kRate * 0.1 / std::sqrt(0.001);
  const auto a = parameters_.Find("a")->value().ToVector<double>();
  EXPECT_NEAR(a[0], 1 - step, 1e-6);
  EXPECT_NEAR(a[1], -2 - step, 1e-6);
  EXPECT_NEAR(a[2], 3 + step, 1e-6);
}

TEST_F(OptimizerTest, AdadeltaFollowsItsPaper) {
  config_.optimizer = OptimizerKind::kAdadelta;
  config_.rho = 0.9;
  config_.epsilon = 1e-6;
  Optimizer optimizer(parameters_, config_);
  double w = 0.5;
  double squares = 0;
  double moves = 0;
  for (int t = 1; t <= 3; ++t) {
    const double g = 1.0 / t;
    SetGradients({0, 0, 0}, {g});
    optimizer.Step(t, 1);
    squares = 0.9 * squares + 0.1 * g * g;
    const double move = std::sqrt(moves + 1e-6) / std::sqrt(squares + 1e-6) * g;
    moves = 0.9 * moves + 0.1 * move * move;
    w -= move;
    ExpectValues({1, -2, 3}, {w});
  }
}

TEST_F(OptimizerTest, RmspropFollowsGraves) {
  config_.optimizer = OptimizerKind::kRmsprop;
  config_.epsilon = 0;
  config_.momentum = 0.9;
  Optimizer optimizer(parameters_, config_);
  double w = 0.5;
  double squares = 0;
  double mean = 0;
  double move = 0;
  for (int t = 1; t <= 4; ++t) {
    const double g = 2.0 / t - 0.7;
    SetGradients({0, 0, 0}, {g});
    optimizer.Step(t, kRate);
    squares = 0.95 * squares + 0.05 * g * g;
    mean = 0.95 * mean + 0.05 * g;
    move = 0.9 * move - kRate * g / std::sqrt(squares - mean * mean + 1e-4);
    w += move;
    ExpectValues({1, -2, 3}, {w});
  }
}

TEST_F(OptimizerTest, RmspropOfAConstantGradientStaysFinite) {
  ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
  Parameter& w = parameters.Add("w", {5}, kZeroInit);
  config_ = OptimizerConfig();
  config_.optimizer = OptimizerKind::kRmsprop;
  config_.clip = 0;
  Optimizer optimizer(parameters, config_);
  for (int t = 1; t <= 400; ++t) {
    // n and m² agree in all digits, so their difference may round below zero.
    w.mutable_gradient() = Tensor::Full({5}, 1e6 / 3);
    optimizer.Step(t, 1e-3);
  }
  for (const double x : w.value().ToVector<double>()) {
    EXPECT_TRUE(std::isfinite(x));
    EXPECT_LT(x, 0);
  }
}

TEST_F(OptimizerTest, EachNumberIsClippedBeforeTheNorm) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.clip_value = 2;
  Optimizer values(parameters_, config_);
  SetGradients({1, 5, -7}, {2});
  EXPECT_DOUBLE_EQ(values.Step(1, kRate), std::sqrt(1 + 25 + 49 + 4));
  ExpectValues({0.9, -2.2, 3.2}, {0.3});
  config_.clip = 1.5;
  Optimizer both(parameters_, config_);
  SetGradients({0, 2, -7}, {1});  // clipped to 0, 2, −2, 1, then halved
  both.Step(1, kRate);
  ExpectValues({0.9, -2.3, 3.3}, {0.25});
}

TEST_F(OptimizerTest, NormIsOverAllParameters) {
  const Optimizer optimizer(parameters_, config_);
  EXPECT_EQ(optimizer.GradientNorm(), 0);
  SetGradients({1, 2, -4}, {2});
  EXPECT_DOUBLE_EQ(optimizer.GradientNorm(), 5);
}

TEST_F(OptimizerTest, ClippingScalesDownButNeverUp) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.clip = 2.5;
  Optimizer optimizer(parameters_, config_);
  SetGradients({1, 2, -4}, {2});
  optimizer.Step(1, kRate);  // the norm is halved
  ExpectValues({0.95, -2.1, 3.2}, {0.4});
  SetGradients({1, 0, 0}, {0});
  optimizer.Step(2, kRate);
  ExpectValues({0.85, -2.1, 3.2}, {0.4});
}

TEST_F(OptimizerTest, StepClearsGradientsAndLeavesOthersAlone) {
  Optimizer optimizer(parameters_, config_);
  parameters_.Find("b")->mutable_gradient() = Tensor::Of<double>({1}, {1});
  optimizer.Step(1, kRate);
  EXPECT_FALSE(parameters_.Find("b")->gradient().defined());
  ExpectNear(*parameters_.Find("a"), {1, -2, 3});
}

TEST_F(OptimizerTest, GradientThatIsNotFiniteNamesItsParameter) {
  const Optimizer optimizer(parameters_, config_);
  for (const double bad : {std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    SetGradients({1, 2, 3}, {bad});
    EXPECT_EQ(MessageOf<NumericError>([&] { optimizer.GradientNorm(); }),
              "the gradient of b is not finite");
  }
}

TEST_F(OptimizerTest, RestoredStateGoesOnTheSame) {
  for (const char* name : {"adam", "adadelta", "rmsprop", "sgd"}) {
    config_.optimizer = name;
    config_.momentum = 0.5;
    Optimizer first(parameters_, config_);
    SetGradients({1, 2, 3}, {4});
    first.Step(1, kRate);
    std::vector<NamedTensor> state;
    for (const NamedTensor& t : first.State()) {
      state.push_back({t.name, t.value.Clone()});
    }
    const Tensor before = parameters_.Find("a")->value().Clone();
    SetGradients({-1, 0, 1}, {2});
    first.Step(2, kRate);
    const auto expected = parameters_.Find("a")->value().ToVector<double>();

    Optimizer second(parameters_, config_);
    second.Restore(state, "file");
    parameters_.Find("a")->mutable_value().CopyFrom(before);
    SetGradients({-1, 0, 1}, {2});
    second.Step(2, kRate);
    EXPECT_EQ(parameters_.Find("a")->value().ToVector<double>(), expected)
        << name;
  }
}

TEST_F(OptimizerTest, StateThatDoesNotFitIsAFormatError) {
  Optimizer optimizer(parameters_, config_);
  std::vector<NamedTensor> state = optimizer.State();
  state.pop_back();
  EXPECT_NE(MessageOf<FormatError>([&] {
              optimizer.Restore(state, "file");
            }).find("file: tensor 'optimizer.second.b' is missing"),
            std::string::npos);
  state = optimizer.State();
  state[0].value = Tensor::Zeros({4}, DType::kF64);
  EXPECT_THROW(optimizer.Restore(state, "file"), FormatError);
  state[0].value = Tensor::Zeros({3}, DType::kF32);
  EXPECT_THROW(optimizer.Restore(state, "file"), FormatError);
}

TEST_F(OptimizerTest, StepReturnsTheNormAndClipsByIt) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.clip = 2.5;
  Optimizer optimizer(parameters_, config_);
  SetGradients({3, 0, 0}, {4});
  EXPECT_DOUBLE_EQ(optimizer.Step(1, kRate), 5);
  ExpectValues({1 - kRate * 1.5, -2, 3}, {0.5 - kRate * 2});
}

TEST_F(OptimizerTest, StepRefusesAGradientThatIsNotFiniteAndChangesNothing) {
  Optimizer optimizer(parameters_, config_);
  SetGradients({1, 2, std::numeric_limits<double>::quiet_NaN()}, {1});
  EXPECT_EQ(MessageOf<NumericError>([&] { optimizer.Step(1, kRate); }),
            "the gradient of a is not finite");
  ExpectValues({1, -2, 3}, {0.5});
}

// ½ l2 ‖w‖² has the gradient l2 w.
TEST_F(OptimizerTest, PenaltyAddsItsGradient) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.l2 = 0.5;
  Optimizer optimizer(parameters_, config_);
  SetGradients({1, 2, -1}, {4});
  optimizer.Step(1, kRate);
  ExpectValues(
      {1 - kRate * (1 + 0.5), -2 - kRate * (2 - 1), 3 - kRate * (-1 + 1.5)},
      {0.5 - kRate * (4 + 0.25)});
}

TEST_F(OptimizerTest, PenaltyIsAlsoOfWhatTheLossDoesNotUse) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.l2 = 0.5;
  Optimizer optimizer(parameters_, config_);
  optimizer.Step(1, kRate);
  ExpectValues({1 - kRate * 0.5, -2 + kRate, 3 - kRate * 1.5},
               {0.5 - kRate * 0.25});
}

TEST_F(OptimizerTest, PenaltyCanLeaveVectorsOut) {
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const Parameter& matrix =
      parameters.Add("m", {1, 1}, {Init::Kind::kConstant, 2});
  const Parameter& vector =
      parameters.Add("v", {1}, {Init::Kind::kConstant, 2});
  config_.optimizer = OptimizerKind::kSgd;
  config_.l2 = 0.5;
  config_.l2_of = PenalizedWeights::kMatrices;
  Optimizer(parameters, config_).Step(1, kRate);
  ExpectNear(matrix, {2 - kRate});
  ExpectNear(vector, {2});
}

TEST_F(OptimizerTest, PenaltyCountsForTheNormThatIsClipped) {
  config_.optimizer = OptimizerKind::kSgd;
  config_.clip = 2.5;
  config_.l2 = 1;
  Optimizer optimizer(parameters_, config_);
  SetGradients({2, 2, -3}, {3.5});  // with the penalty: 3, 0, 0 and 4
  EXPECT_DOUBLE_EQ(optimizer.Step(1, kRate), 5);
  ExpectValues({1 - kRate * 1.5, -2, 3}, {0.5 - kRate * 2});
}

TEST_F(OptimizerTest, DefaultsNeedNoResolving) {
  for (const char* name : {"adam", "adamw", "adadelta", "rmsprop", "sgd"}) {
    OptimizerConfig config;
    config.optimizer = name;
    Optimizer optimizer(parameters_, config);
    SetGradients({0, 0, 0}, {1});  // 0 / sqrt(0) without an epsilon
    optimizer.Step(1, kRate);
    for (const auto& p : parameters_.all()) {
      for (const double x : p->value().ToVector<double>()) {
        EXPECT_TRUE(std::isfinite(x)) << name << " " << p->name();
      }
    }
  }
}

TEST_F(OptimizerTest, FreezesByPatternsThatMustMatch) {
  parameters_.Add("ab.c", {1}, {});
  Freeze(parameters_, {"a?.*"});
  EXPECT_FALSE(parameters_.Find("a")->frozen());
  EXPECT_TRUE(parameters_.Find("ab.c")->frozen());
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Freeze(parameters_, {"b", "c*"});
            }).find("'c*'"),
            std::string::npos);
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Freeze(parameters_, {"*"});
            }).find("left to train"),
            std::string::npos);
}

TEST_F(OptimizerTest, LeavesAFrozenParameterAsItIs) {
  parameters_.Find("a")->Freeze();
  config_.optimizer = OptimizerKind::kSgd;
  Optimizer optimizer(parameters_, config_);
  SetGradients({3, 0, 0}, {4});
  EXPECT_EQ(optimizer.Step(1, kRate), 4);
  ExpectValues({1, -2, 3}, {0.5 - kRate * 4});
  for (const NamedTensor& tensor : optimizer.State()) {
    EXPECT_NE(tensor.name, "optimizer.first.a");
  }
}

/// Parameters in f32: a matrix, a table and a bias.
struct RoundedWeights {
  RoundedWeights() {
    set.Add("matrix", {6, 3}, {}, ParameterUse::kMatrix);
    set.Add("table", {5, 6}, {}, ParameterUse::kTable);
    set.Add("bias", {3}, {Init::Kind::kUniform, 1});
  }
  void SetGradients(int step) {
    Rng rng(static_cast<uint64_t>(step));
    for (const auto& p : set.all()) {
      Tensor g(p->value().shape());
      for (int64_t i = 0; i < g.numel(); ++i) {
        g.data<float>()[i] = static_cast<float>(rng.Normal());
      }
      p->mutable_gradient() = g;
    }
  }
  ParameterSet set{3, DType::kF32, kernels::Precision::kNative};
};

/// Steps too small for int8 add up in the error, so that rounded weights stay
/// within half a rounding step of the sum of all updates.
TEST(OptimizerWithQuantizeBits, RoundsMatricesAndKeepsTheError) {
  OptimizerConfig config;
  config.optimizer = OptimizerKind::kSgd;
  config.clip = 0;
  RoundedWeights plain;
  Optimizer updates(plain.set, config);
  config.quantize_bits = 8;
  RoundedWeights rounded;
  Optimizer rounds(rounded.set, config);
  for (int step = 1; step <= 40; ++step) {
    plain.SetGradients(step);
    rounded.SetGradients(step);
    EXPECT_EQ(updates.Step(step, 1e-3), rounds.Step(step, 1e-3));
  }
  for (const auto& p : rounded.set.all()) {
    const Parameter& exact = *plain.set.Find(p->name());
    const auto w = exact.value().ToVector<float>();
    const auto r = p->value().ToVector<float>();
    if (p->name() == "bias") {
      EXPECT_EQ(r, w);
      continue;
    }
    EXPECT_EQ(p->RoundedToInt8().ToVector<float>(), r);
    float largest = 0;
    for (const float x : w) largest = std::max(largest, std::abs(x));
    for (size_t i = 0; i < w.size(); ++i) {
      EXPECT_NEAR(r[i], w[i], 0.51 * largest / 127 + 1e-5) << p->name();
    }
    EXPECT_NE(r, w);
  }
}

TEST(OptimizerWithQuantizeBits, WeightsEqualThoseOfTheQuantisedModel) {
  OptimizerConfig config;
  config.quantize_bits = 8;
  RoundedWeights weights;
  Optimizer optimizer(weights.set, config);
  for (int step = 1; step <= 200; ++step) {
    weights.SetGradients(step);
    optimizer.Step(step, kRate);
    RoundedWeights read;
    read.set.SetTensors(weights.set.Tensors(), "file");
    read.set.SetPrecision(kernels::Precision::kInt8);
    for (const auto& p : read.set.all()) {
      p->Dequantize(kernels::Precision::kNative);
      EXPECT_EQ(p->value().ToVector<float>(),
                weights.set.Find(p->name())->value().ToVector<float>())
          << p->name() << " " << step;
    }
  }
}

}  // namespace
}  // namespace heed
