#include "heed/models/forecaster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/models/model_testing.h"
#include "heed/models/transformer/transformer_encoder.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed::forecaster_test {
namespace {

/// GRU: the simplest encoder for a forecaster.
class Gru : public SequenceEncoder {
 public:
  Gru(const Scope& scope, int64_t inputs, int64_t units)
      : encoder_(scope, Options(inputs, units)) {}

  Var operator()(const Context& ctx, const Var& x,
                 const Tensor& lengths) const override {
    return TransposeLeading(
        encoder_(ctx, TransposeLeading(x), lengths).outputs);
  }
  int64_t output_size() const override { return encoder_.output_size(); }

 private:
  static EncoderOptions Options(int64_t inputs, int64_t units) {
    EncoderOptions options;
    options.inputs = inputs;
    options.units = units;
    options.bidirectional = false;
    return options;
  }
  RecurrentEncoder encoder_;
};

ForecasterConfig Patched() {
  ForecasterConfig config;
  config.lookback = 11;
  config.horizon = 3;
  config.patch = 4;
  config.patch_stride = 2;
  return config;
}

ForecasterConfig StepByStep() {
  ForecasterConfig config = Patched();
  config.patch = config.patch_stride = 1;
  config.independent_columns = "no";
  config.forecast_from = "last";
  return config;
}

/// Configurations with a linear readout: overlapping and separate patches, and
/// rows.
std::vector<ForecasterConfig> WithReadout() {
  ForecasterConfig apart = Patched();
  apart.patch = 2;
  apart.patch_stride = 3;
  std::vector<ForecasterConfig> configs = {Patched(), StepByStep(), apart};
  configs.push_back(Patched());
  configs.back().independent_columns = "no";
  configs.push_back(Patched());
  configs.back().pad_end = "yes";
  for (ForecasterConfig& config : configs) config.linear_readout = "yes";
  return configs;
}

/// Forecaster of `columns` columns with its parameters.
struct Model {
  explicit Model(const ForecasterConfig& config, int64_t columns = 2,
                 DType dtype = DType::kF64, int64_t units = 3)
      : parameters(5, dtype, kernels::Precision::kNative),
        forecaster(Scope(parameters, ""), config, columns,
                   std::make_unique<Gru>(
                       Scope(parameters, "encoder"),
                       Forecaster::EncoderInputs(config, columns), units)) {}

  Tensor Forecast(const Tensor& windows) const {
    return forecaster({}, windows).value();
  }
  ParameterSet parameters;
  Forecaster forecaster;
};

TEST(Forecaster, GivesTheHorizonOfEveryColumn) {
  for (const ForecasterConfig& config : {Patched(), StepByStep()}) {
    const Model model(config);
    EXPECT_EQ(model.Forecast(RandomTensor({5, 11, 2}, 1)).shape(),
              Shape({5, 3, 2}));
    EXPECT_EQ(model.Forecast(Tensor({0, 11, 2}, DType::kF64)).shape(),
              Shape({0, 3, 2}));
  }
}

TEST(Forecaster, GradientsAreThoseOfTheLoss) {
  ForecasterConfig plain = Patched();
  plain.instance_norm = "no";
  std::vector<ForecasterConfig> configs = WithReadout();
  for (const char* loss : {"absolute", "huber"}) {
    configs.push_back(Patched());
    configs.back().forecast_loss = loss;
    configs.back().huber_delta = 0.5;
  }
  configs.insert(configs.end(), {Patched(), StepByStep(), plain});
  for (const ForecasterConfig& config : configs) {
    const Model model(config);
    // With a linear readout the head starts at zero, which gives the encoder no
    // gradient.
    Parameter& head = *model.parameters.Find("head.weight");
    head.mutable_value().CopyFrom(RandomTensor(head.value().shape(), 3));
    head.Changed();
    const Tensor windows = RandomTensor({3, 11, 2}, 1);
    const Tensor targets = RandomTensor({3, 3, 2}, 2);
    const auto loss = [&](Tape* tape) {
      Context ctx;
      ctx.tape = tape;
      return model.forecaster.Loss(ctx, windows, targets, 0.5);
    };
    ExpectParameterGradients(model.parameters, loss);
  }
}

TEST(Forecaster, LossIsTheScaledSumOfSquaredErrors) {
  const Model model(Patched());
  const Tensor windows = RandomTensor({2, 11, 2}, 1);
  const Tensor targets = RandomTensor({2, 3, 2}, 2);
  const std::vector<double> y = model.Forecast(windows).ToVector<double>();
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    sum += std::pow(y[i] - targets.ToVector<double>()[i], 2);
  }
  EXPECT_NEAR(model.forecaster.Loss({}, windows, targets, 0.25).value().item(),
              0.25 * sum, 1e-12);
}

/// Checks the forecast of the linear readout alone from the rows in patches.
TEST(Forecaster, LinearReadoutIsOneMapOfEachColumnsOwnRows) {
  for (ForecasterConfig config : WithReadout()) {
    config.instance_norm = "no";
    const Model model(config, 2);
    const auto parameter = [&](const char* name) -> Parameter& {
      return *model.parameters.Find(name);
    };
    for (const char* name : {"head.weight", "head.bias"}) {
      parameter(name).mutable_value().Fill(0);
      parameter(name).Changed();
    }
    Tensor& weight = parameter("readout.weight").mutable_value();
    EXPECT_EQ(model.Forecast(RandomTensor({2, 11, 2}, 1)).ToVector<double>(),
              std::vector<double>(12, 0.0));
    weight.CopyFrom(RandomTensor(weight.shape(), 7));
    parameter("readout.weight").Changed();

    // Rows in patches, oldest first; rows after the window are its last one.
    std::vector<int64_t> rows;
    const int64_t steps = config.steps(), stride = config.patch_stride;
    for (int64_t i = 0; i < steps; ++i) {
      for (int64_t k = 0; k < config.patch; ++k) {
        const int64_t row = config.first_row() + i * stride + k;
        if (rows.empty() || row > rows.back()) rows.push_back(row);
      }
    }
    ASSERT_EQ(std::ssize(rows), config.rows_read());
    const Tensor windows = RandomTensor({2, 11, 2}, 1);
    const Tensor y = model.Forecast(windows);
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t h = 0; h < 3; ++h) {
        for (int64_t c = 0; c < 2; ++c) {
          double sum = 0;
          for (int64_t i = 0; i < std::ssize(rows); ++i) {
            const int64_t row = std::min<int64_t>(At(rows, i), 10);
            sum += windows[b].row<double>(row)[c] * weight.row<double>(i)[h];
          }
          EXPECT_NEAR(y[b].row<double>(h)[c], sum, 1e-12);
        }
      }
    }
  }
}

/// Encoder of tests/golden/make_golden_forecast.py for this number of patches.
std::unique_ptr<SequenceEncoder> GoldenEncoder(const Scope& scope,
                                               int64_t patches) {
  TransformerConfig config;
  config.layers = 2;
  config.width = 6;
  config.ff = 10;
  config.heads = 2;
  config.dropout = 0;
  config.norm = "pre";
  config.final_norm = "no";
  config.activation = "gelu";
  config.position = "learned";
  config.max_positions = static_cast<int>(patches);
  config.Fill("patchtst");
  return std::make_unique<TransformerEncoder>(scope, config.Resolve("patchtst"),
                                              4);
}

void ExpectGoldenForecasts(const std::string& file,
                           const ForecasterConfig& patched) {
  const GoldenTensors golden(file);
  for (const char* loss : {"squared", "absolute", "huber"}) {
    ForecasterConfig config = patched;
    config.horizon = 4;
    config.linear_readout = "yes";
    config.forecast_loss = loss;
    config.huber_delta = 0.7;
    ParameterSet parameters(5, DType::kF64, kernels::Precision::kNative);
    const Forecaster forecaster(
        Scope(parameters, ""), config, 3,
        GoldenEncoder(Scope(parameters, "encoder"), config.steps()));
    golden.ExpectSameParameters(parameters);
    golden.SetParameters(parameters);
    EXPECT_LT(MaxDifference(forecaster({}, golden.at("windows")).value(),
                            golden.at("forecast")),
              1e-12);
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    const Var sum =
        forecaster.Loss(ctx, golden.at("windows"), golden.at("targets"), 0.25);
    const std::string name = loss;
    EXPECT_NEAR(sum.value().item(), golden.at("loss." + name).item(), 1e-12);
    tape.Backward(sum);
    golden.ExpectGradients(parameters, 1e-11, "gradient." + name + ".");
  }
}

ForecasterConfig Padded() {
  ForecasterConfig config = Patched();
  config.pad_end = "yes";
  return config;
}

TEST(Forecaster, OfPatchesIsThatOfPyTorch) {
  ExpectGoldenForecasts("patchtst", Patched());
}

TEST(Forecaster, OfPaddedPatchesIsThatOfPyTorch) {
  ExpectGoldenForecasts("patchtst_padded", Padded());
}

TEST(Forecaster, PaddingMakesThePatchesOfThePaper) {
  ForecasterConfig config;
  config.pad_end = "yes";
  config.lookback = 512;
  EXPECT_EQ(config.steps(), 64);
  config.lookback = 336;
  EXPECT_EQ(config.steps(), 42);
  config.pad_end = "no";
  EXPECT_EQ(config.steps(), 41);
}

TEST(Forecaster, PaddedPatchesReadTheFirstAndTheLastRow) {
  const Model model(Padded());
  Tensor windows = RandomTensor({1, 11, 2}, 1);
  const Tensor before = model.Forecast(windows);
  for (const int64_t row : {0, 10}) {
    Tensor changed = windows.Clone();
    changed.row<double>(row)[0] += 1;
    EXPECT_GT(MaxDifference(model.Forecast(changed), before), 1e-6) << row;
  }
  ForecasterConfig wide = Padded();
  wide.patch_stride = wide.patch + 1;
  EXPECT_THROW(wide.Resolve(), ConfigError);
}

TEST(Forecaster, IndependentColumnsDoNotSeeEachOther) {
  const Model model(Patched(), 3);
  Tensor windows = RandomTensor({2, 11, 3}, 1);
  const Tensor before = model.Forecast(windows);
  for (int64_t row = 0; row < windows.rows(); ++row) {
    windows.row<double>(row)[1] += std::sin(static_cast<double>(row));
  }
  const Tensor after = model.Forecast(windows);
  for (int64_t row = 0; row < after.rows(); ++row) {
    EXPECT_EQ(before.row<double>(row)[0], after.row<double>(row)[0]);
    EXPECT_NE(before.row<double>(row)[1], after.row<double>(row)[1]);
    EXPECT_EQ(before.row<double>(row)[2], after.row<double>(row)[2]);
  }
}

TEST(Forecaster, IndependentColumnsShareTheirWeights) {
  const Model model(Patched(), 2);
  Tensor windows = RandomTensor({2, 11, 2}, 1);
  const Tensor before = model.Forecast(windows);
  for (int64_t row = 0; row < windows.rows(); ++row) {
    std::swap(windows.row<double>(row)[0], windows.row<double>(row)[1]);
  }
  const Tensor after = model.Forecast(windows);
  for (int64_t row = 0; row < after.rows(); ++row) {
    EXPECT_EQ(before.row<double>(row)[0], after.row<double>(row)[1]);
  }
}

TEST(Forecaster, JointColumnsSeeEachOther) {
  const Model model(StepByStep(), 2);
  Tensor windows = RandomTensor({1, 11, 2}, 1);
  const Tensor before = model.Forecast(windows);
  windows.row<double>(5)[1] += 1;
  const Tensor after = model.Forecast(windows);
  EXPECT_NE(before.row<double>(0)[0], after.row<double>(0)[0]);
}

TEST(Forecaster, InstanceNormCarriesLevelAndScaleThrough) {
  const Model model(Patched(), 1);
  const Tensor windows = RandomTensor({2, 11, 1}, 1);
  Tensor moved = windows.Clone();
  for (int64_t i = 0; i < moved.numel(); ++i) {
    moved.data<double>()[i] = 1000 * moved.data<double>()[i] + 5e4;
  }
  const std::vector<double> y = model.Forecast(windows).ToVector<double>();
  const std::vector<double> z = model.Forecast(moved).ToVector<double>();
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(z[i], 1000 * y[i] + 5e4, 0.1);
  }
}

TEST(Forecaster, TheLastPatchEndsWithTheWindow) {
  // Patches of 4 with stride 2 use the last 10 of 11 rows.
  const Model model(Patched(), 1);
  EXPECT_EQ(Patched().steps(), 4);
  ForecasterConfig config = Patched();
  config.instance_norm = "no";
  const Model plain(config, 1);
  const Tensor windows = RandomTensor({1, 11, 1}, 1);
  for (int64_t t = 0; t < 11; ++t) {
    Tensor changed = windows.Clone();
    changed.row<double>(t)[0] += 1;
    const double difference =
        MaxDifference(plain.Forecast(changed), plain.Forecast(windows));
    EXPECT_EQ(difference > 0, t >= 1) << t;
  }
}

TEST(Forecaster, AWindowDoesNotDependOnItsBatch) {
  const Model model(Patched(), 2, DType::kF32);
  const Tensor windows = RandomTensor({3, 11, 2}, 1, DType::kF32);
  const Tensor all = model.Forecast(windows);
  for (int64_t b = 0; b < 3; ++b) {
    EXPECT_LT(MaxDifference(model.Forecast(windows.Slice(b, b + 1)),
                            all.Slice(b, b + 1)),
              1e-6);
  }
}

TEST(Forecaster, ConstantWindowsGiveNumbers) {
  const Model model(Patched());
  for (const double y : model.Forecast(Tensor::Zeros({1, 11, 2}, DType::kF64))
                            .ToVector<double>()) {
    EXPECT_TRUE(std::isfinite(y));
  }
}

TEST(Forecaster, OtherWindowsAndPatchesAreRefused) {
  const Model model(Patched());
  ExpectShapeError(
      [&] {
        model.Forecast(RandomTensor({5, 10, 2}, 1));
      },
      {"[5, 10, 2]", "[B, 11, 2]"});
  ForecasterConfig config = Patched();
  config.patch = 12;
  EXPECT_EQ(MessageOf<ConfigError>([&] { config.Resolve(); }),
            "patch 12 is longer than the lookback of 11 rows; shorten it");
}

/// Windows of two sines of different periods, with random phases.
struct Waves {
  Waves(int64_t batch, const ForecasterConfig& config, Rng& rng)
      : windows({batch, config.lookback, 2}),
        targets({batch, config.horizon, 2}) {
    for (int64_t b = 0; b < batch; ++b) {
      const double start = rng.Uniform(0, 1000);
      for (int64_t t = 0; t < config.lookback + config.horizon; ++t) {
        float* row = t < config.lookback
                         ? windows[b].row<float>(t)
                         : targets[b].row<float>(t - config.lookback);
        for (int64_t c = 0; c < 2; ++c) {
          const double period = c == 0 ? 7 : 12;
          row[c] = static_cast<float>(
              std::sin(2 * std::numbers::pi * (start + static_cast<double>(t)) /
                       period));
        }
      }
    }
  }
  Tensor windows;
  Tensor targets;
};

/// Mean squared error on new waves after training on waves.
double ErrorAfterLearning(const ForecasterConfig& config) {
  Model model(config, 2, DType::kF32, 24);
  Adam adam(model.parameters);
  Rng rng(3);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  for (int step = 0; step < 400; ++step) {
    const Waves waves(16, config, rng);
    tape.Clear();
    tape.Backward(model.forecaster.Loss(
        ctx, waves.windows, waves.targets,
        1.0 / static_cast<double>(waves.targets.numel())));
    adam.Step(step < 249 ? 0.01 : 0.002);
  }
  const Waves waves(100, config, rng);
  const Var error =
      Sub(model.forecaster(Context(), waves.windows), waves.targets);
  return Sum(Mul(error, error)).value().item() /
         static_cast<double>(waves.targets.numel());
}

TEST(Forecaster, LearnsToContinueWaves) {
  // A forecast of 0 has an error of 0.5.
  ForecasterConfig patched = Patched();
  patched.lookback = 24;
  patched.horizon = 8;
  EXPECT_LT(ErrorAfterLearning(patched), 0.01);
  ForecasterConfig stepwise = StepByStep();
  stepwise.lookback = 24;
  stepwise.horizon = 8;
  EXPECT_LT(ErrorAfterLearning(stepwise), 0.01);
  for (const char* loss : {"squared", "absolute", "huber"}) {
    patched.linear_readout = "yes";
    patched.forecast_loss = loss;
    EXPECT_LT(ErrorAfterLearning(patched), 0.01) << loss;
  }
}

/// The level is wrong by 100 in one window of five: with absolute errors the
/// forecast stays with the other four, with squared errors it moves.
TEST(Forecaster, AbsoluteErrorsAreNotMovedBySingleLargeOnes) {
  const auto forecast = [](const char* loss) {
    ForecasterConfig config = Patched();
    config.forecast_loss = loss;
    config.huber_delta = 0.1;
    config.instance_norm = "no";
    Model model(config, 1);
    const Tensor windows = Tensor::Zeros({5, 11, 1}, DType::kF64);
    Tensor targets = Tensor::Full({5, 3, 1}, 1, DType::kF64);
    for (int64_t h = 0; h < 3; ++h) targets[4].row<double>(h)[0] = 100;
    Adam adam(model.parameters);
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    for (int step = 0; step < 600; ++step) {
      tape.Clear();
      tape.Backward(model.forecaster.Loss(ctx, windows, targets, 1.0 / 15));
      adam.Step(step < 400 ? 0.1 : 0.01);
    }
    return model.Forecast(windows).ToVector<double>()[0];
  };
  EXPECT_NEAR(forecast("absolute"), 1, 0.1);
  EXPECT_NEAR(forecast("huber"), 1, 0.2);
  EXPECT_NEAR(forecast("squared"), 20.8, 1);
}

}  // namespace
}  // namespace heed::forecaster_test
