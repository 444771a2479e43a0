#include "heed/models/recurrent/rnn_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/models/model_testing.h"
#include "heed/ops/elementwise.h"

namespace heed::rnn_encoder_test {
namespace {

constexpr int64_t B = 3;
constexpr int64_t S = 5;
constexpr int64_t kIn = 4;
const std::vector<int32_t> kLengths = {5, 2, 4};

RnnConfig Small() {
  RnnConfig config;
  config.units = 3;
  config.dropout = 0;
  config.init = "uniform";
  config.init_scale = 0.7;
  return config;
}

struct Model {
  explicit Model(const RnnConfig& config, bool causal = false,
                 DType dtype = DType::kF64)
      : set(3, dtype, kernels::Precision::kNative),
        encoder(Scope(set, "encoder"), config.Resolve(causal), kIn) {
    Shake(set);
  }

  Tensor operator()(const Tensor& x, const std::vector<int32_t>& n) const {
    return encoder({}, x, Lengths(n)).value();
  }

  ParameterSet set;
  RnnEncoder encoder;
};

Tensor Input() { return RandomTensor({B, S, kIn}, 1); }

void ExpectGradients(const Model& model, int samples) {
  const Tensor x = Input();
  const Tensor w = RandomTensor({B, S, model.encoder.output_size()}, 9);
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Sum(Mul(model.encoder(ctx, x, Lengths(kLengths)), w));
  };
  ExpectParameterGradients(model.set, loss, samples);
}

struct Kind {
  std::string name;
  RnnConfig config;
  bool causal = false;
};

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds;
  for (const bool causal : {false, true}) {
    for (const int layers : {0, 1, 2}) {
      for (const char* attention : {"none", "full", "causal", "strict"}) {
        for (const char* combine : {"concat", "tanh"}) {
          const std::string a = attention;
          if ((a == "none" && layers == 0) || (a == "full" && causal)) continue;
          if (a == "none" && std::string(combine) == "tanh") continue;
          RnnConfig config = Small();
          config.layers = layers;
          config.self_attention = attention;
          config.combine = combine;
          kinds.push_back({std::string(causal ? "causal" : "free") +
                               std::to_string(layers) + a + combine,
                           config, causal});
        }
      }
    }
  }
  return kinds;
}

class EveryKind : public testing::TestWithParam<Kind> {
 protected:
  const RnnConfig& config() const { return GetParam().config; }
  bool causal() const { return GetParam().causal; }
};
INSTANTIATE_TEST_SUITE_P(RnnEncoder, EveryKind, testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryKind, HasTheGradientOfDifferencesAndUsesAllParameters) {
  ExpectGradients(Model(config(), causal()), 6);
}

TEST_P(EveryKind, PassesTheGradientOnToItsInput) {
  const Model model(config(), causal());
  ExpectGradientOf(
      [&](std::span<const Var> in) {
        return model.encoder({}, in[0], Lengths(kLengths));
      },
      {Input()});
}

TEST_P(EveryKind, ABatchEqualsItsRowsAloneWithoutPadding) {
  const Model model(config(), causal());
  const Tensor x = Input();
  const Tensor all = model(x, kLengths);
  ASSERT_EQ(all.shape(), (Shape{B, S, model.encoder.output_size()}));
  for (int64_t b = 0; b < B; ++b) {
    const int32_t n = At(kLengths, b);
    const Tensor alone =
        model(x[b].Slice(0, n).Clone().Reshape({1, n, kIn}), {n});
    EXPECT_LT(MaxDifference(alone[0], all[b].Slice(0, n)), 1e-14);
  }
}

TEST_P(EveryKind, PaddingChangesNothingBeforeIt) {
  const Model model(config(), causal());
  Tensor x = Input();
  const Tensor before = model(x, kLengths);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = At(kLengths, b); s < S; ++s) {
      x[b][s].Fill(50);
    }
  }
  const Tensor after = model(x, kLengths);
  for (int64_t b = 0; b < B; ++b) {
    const int32_t n = At(kLengths, b);
    EXPECT_EQ(MaxDifference(before[b].Slice(0, n), after[b].Slice(0, n)), 0);
  }
}

TEST_P(EveryKind, OnlyACausalOneNeverSeesWhatComesLater) {
  const Model model(config(), causal());
  Tensor x = Input();
  const std::vector<int32_t> all = {S, S, S};
  const Tensor before = model(x, all);
  constexpr int64_t kChanged = 3;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = kChanged; s < S; ++s) x[b][s].Fill(0.5);
  }
  const Tensor after = model(x, all);
  const bool sees_later =
      !causal() && (config().layers > 0 || config().self_attention == "full");
  for (int64_t b = 0; b < B; ++b) {
    const double difference = MaxDifference(before[b].Slice(0, kChanged),
                                            after[b].Slice(0, kChanged));
    EXPECT_EQ(difference > 1e-4, sees_later);
    EXPECT_EQ(difference == 0, !sees_later);
    EXPECT_GT(MaxDifference(before[b].Slice(kChanged, S),
                            after[b].Slice(kChanged, S)),
              1e-4);
  }
}

TEST_P(EveryKind, InF32IsCloseToF64) {
  EXPECT_LT(MaxDifference(Model(config(), causal())(Input(), kLengths),
                          Model(config(), causal(), DType::kF32)(
                              Input().To(DType::kF32), kLengths)),
            1e-5);
}

TEST_P(EveryKind, TakesAnEmptyRow) {
  const Model model(config(), causal());
  for (const double v : model(Input(), {5, 0, 4}).ToVector<double>()) {
    ASSERT_TRUE(std::isfinite(v));
  }
}

TEST_P(EveryKind, ShowsAnObserverWhichStatesItAttendedTo) {
  RnnConfig config = this->config();
  config.heads = config.layers == 0 ? 2 : config.units;
  const Model model(config, causal());
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  model.encoder(ctx, Input(), Lengths(kLengths));
  const std::string attention = config.self_attention.word();
  if (attention == "none") {
    EXPECT_TRUE(watch.seen.empty());
    return;
  }
  ASSERT_EQ(watch.seen.size(), 1u);
  EXPECT_EQ(watch.seen[0].info.path, "encoder.attention");
  const Tensor weights = watch.seen[0].weights.value();
  ASSERT_EQ(weights.shape(), (Shape{B, config.heads, S, S}));
  for (int64_t h = 0; h < config.heads; ++h) {
    for (int64_t b = 0; b < B; ++b) {
      const Tensor w = weights[b][h];
      const int64_t n = At(kLengths, b);
      for (int64_t t = 0; t < n; ++t) {
        for (int64_t s = 0; s < S; ++s) {
          const bool may = s < n && (attention == "full" || s < t ||
                                     (attention == "causal" && s == t));
          EXPECT_EQ(kernels::At(w, t, s) > 0, may) << t << " " << s;
        }
      }
    }
  }
}

TEST(RnnEncoder, WithoutRecurrenceHasNoNotionOfPositions) {
  RnnConfig config = Small();
  config.layers = 0;
  const std::vector<int64_t> order = {3, 0, 4, 2, 1};
  const auto difference = [&](int layers) {
    config.layers = layers;
    const Model model(config);
    const Tensor x = RandomTensor({1, S, kIn}, 1);
    Tensor moved({1, S, kIn}, DType::kF64);
    for (int64_t s = 0; s < S; ++s) {
      moved[0][s].CopyFrom(x[0][At(order, s)]);
    }
    const Tensor y = model(x, {S})[0];
    const Tensor y_moved = model(moved, {S})[0];
    double worst = 0;
    for (int64_t s = 0; s < S; ++s) {
      worst = std::max(worst, MaxDifference(y_moved[s], y[At(order, s)]));
    }
    return worst;
  };
  EXPECT_LT(difference(0), 1e-14);
  EXPECT_GT(difference(1), 0.01);
}

TEST(RnnEncoder, AStrictFirstStateSeesZeros) {
  RnnConfig config = Small();
  config.self_attention = "strict";
  const Model model(config);
  const Tensor y = model(Input(), kLengths);
  const int64_t states = model.encoder.output_size() / 2;
  for (int64_t b = 0; b < B; ++b) {
    const Tensor context = y[b].Columns(states, 2 * states);
    EXPECT_EQ(MaxDifference(context[0], Tensor::Zeros({states}, DType::kF64)),
              0);
    EXPECT_GT(MaxDifference(context[1], Tensor::Zeros({states}, DType::kF64)),
              0.01);
  }
}

TEST(RnnEncoder, TakesEveryCellScoreModifierAndNormalizer) {
  std::vector<RnnConfig> configs;
  const auto add = [&](auto change) {
    configs.push_back(Small());
    change(configs.back());
  };
  for (const std::string& cell : CellNames()) {
    add([&](RnnConfig& c) { c.cell = cell; });
  }
  for (const ScoreInfo& score : Scores()) {
    if (score.name == "learned_query" || score.name == "coverage" ||
        score.name == "location_aware") {
      continue;  // rejected, see below
    }
    add([&](RnnConfig& c) { c.score = score.name; });
  }
  for (const NormalizerInfo& normalizer : Normalizers()) {
    if (normalizer.name == "hard") continue;
    add([&](RnnConfig& c) { c.normalizer = normalizer.name; });
  }
  add([](RnnConfig& c) { c.modifiers = "alibi; soft_cap(3)"; });
  for (const RnnConfig& config : configs) {
    SCOPED_TRACE(config.cell.word() + " " + config.score + " " +
                 config.modifiers + " " + config.normalizer);
    ExpectGradients(Model(config), 3);
  }
}

TEST(RnnEncoder, DropsOnlyWhileTraining) {
  for (const bool variational : {false, true}) {
    RnnConfig config = Small();
    config.dropout = 0.5;
    config.variational = variational;
    const Model model(config);
    const auto run = [&](uint64_t seed, bool training) {
      Rng rng(seed);
      Context ctx;
      ctx.rng = &rng;
      ctx.training = training;
      return model.encoder(ctx, Input(), Lengths(kLengths)).value();
    };
    EXPECT_EQ(MaxDifference(run(1, true), run(1, true)), 0);
    EXPECT_GT(MaxDifference(run(1, true), run(2, true)), 0.01);
    EXPECT_EQ(MaxDifference(run(1, false), run(2, false)), 0);
  }
}

TEST(RnnEncoder, RefusesWhatDoesNotFit) {
  const Model model(Small());
  EXPECT_THROW(model(RandomTensor({B, S, kIn + 1}, 1), kLengths), ShapeError);
  EXPECT_THROW(model(Input(), {S + 1, 1, 1}), ShapeError);
  EXPECT_THROW(model(Input(), {1, 1}), ShapeError);
  EXPECT_THROW(model.encoder({}, Input(), {}), ShapeError);
}

class Refused : public testing::Test {
 protected:
  template <typename Change>
  static std::string Says(const Change& change, bool causal = false) {
    RnnConfig config = Small();
    change(config);
    try {
      config.Resolve(causal);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "nothing";
  }
};

TEST_F(Refused, WhatACausalEncoderMayNot) {
  EXPECT_NE(Says([](RnnConfig& c) { c.bidirectional = "yes"; }, true)
                .find("bidirectional"),
            std::string::npos);
  EXPECT_NE(Says([](RnnConfig& c) { c.self_attention = "full"; }, true)
                .find("choose causal or strict"),
            std::string::npos);
  EXPECT_EQ(Says([](RnnConfig&) {}, true), "nothing");
}

TEST_F(Refused, WhatDoesNotFitTogether) {
  const std::vector<std::pair<std::function<void(RnnConfig&)>, std::string>>
      cases = {
          {[](RnnConfig& c) { c.layers = 0, c.self_attention = "none"; },
           "leaves nothing"},
          {[](RnnConfig& c) { c.layers = 0, c.bidirectional = "yes"; },
           "needs recurrent layers"},
          {[](RnnConfig& c) { c.score = "bilinear"; }, "score: "},
          {[](RnnConfig& c) { c.score = "learned_query"; },
           "score: 'learned_query' gives one look"},
          {[](RnnConfig& c) { c.score = "location_aware(4, 6)"; },
           "score: 'location_aware(4, 6)' reads the weights of the step "
           "before"},
          {[](RnnConfig& c) { c.modifiers = "x"; }, "modifiers: "},
          {[](RnnConfig& c) { c.normalizer = "x"; }, "normalizer: "},
          {[](RnnConfig& c) { c.normalizer = "hard"; }, "REINFORCE"},
          {[](RnnConfig& c) { c.heads = 4; }, "do not divide"},
      };
  for (const auto& [change, says] : cases) {
    EXPECT_NE(Says(change).find(says), std::string::npos) << says;
  }
}

TEST(RnnConfig, AutoIsWhatTheUseAllows) {
  RnnConfig free;
  free.Fill(false);
  EXPECT_EQ(free.bidirectional, "yes");
  EXPECT_EQ(free.self_attention, "full");
  EXPECT_EQ(free.attention_units, free.units);
  RnnConfig causal;
  causal.Fill(true);
  EXPECT_EQ(causal.bidirectional, "no");
  EXPECT_EQ(causal.self_attention, "causal");
}

TEST(RnnConfig, OptionsOfSelfAttentionNeedIt) {
  RnnConfig config;
  for (const char* key : {"heads", "attention_units", "combine"}) {
    EXPECT_EQ(FindField(FieldsOf(config), key)->needs, "") << key;
  }
  config.self_attention = AttendedStates::kNone;
  for (const char* key :
       {"heads", "attention_units", "attention_dropout", "combine"}) {
    EXPECT_EQ(FindField(FieldsOf(config), key)->needs,
              "--self-attention full, causal or strict")
        << key;
  }
}

}  // namespace
}  // namespace heed::rnn_encoder_test
