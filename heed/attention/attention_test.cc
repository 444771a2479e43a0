// Every score of the registry is put through the same tests, so that a new one
// cannot be forgotten.
#include "heed/attention/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/base/errors.h"
#include "heed/kernels/gather.h"

namespace heed {

void PrintTo(const ScoreInfo& info, std::ostream* out) { *out << info.name; }

namespace {

constexpr int64_t B = 3;
constexpr int64_t T = 2;
constexpr int64_t S = 5;
constexpr int64_t kQuery = 6;

const std::vector<int32_t> kLengths = {3, 0, 5};

/// An attention with random weights, queries and keys. Location sees fewer
/// positions than there are.
struct Fixture {
  explicit Fixture(const ScoreInfo& info, DType type = DType::kF64,
                   int64_t positions = 4)
      : dtype(type), set(3, type, kernels::Precision::kNative) {
    ScoreOptions options;
    options.query = kQuery;
    options.key = info.equal_sizes ? kQuery : 7;
    options.units = 8;
    options.positions = positions;
    options.init = {Init::Kind::kNormal, 0.5};
    attention.emplace(Scope(set, "attention"), info.name, options);
    query = RandomTensor({B, T, kQuery}, 1, dtype);
    keys = RandomTensor({B, S, options.key}, 2, dtype);
  }

  Attended Attend(const Context& ctx, const Var& q, const Var& k,
                  const Tensor& n) const {
    return attention->Attend(ctx, q, attention->Prepare(ctx, k, n));
  }
  Attended Attend(const Tensor& n) const { return Attend({}, query, keys, n); }

  DType dtype;
  ParameterSet set;
  std::optional<Attention> attention;
  Tensor query;
  Tensor keys;
  Tensor lengths = Lengths(kLengths);
};

class EveryScore : public testing::TestWithParam<ScoreInfo> {};
INSTANTIATE_TEST_SUITE_P(Scores, EveryScore, testing::ValuesIn(Scores()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryScore, HasTheGradientOfDifferences) {
  const Fixture f(GetParam());
  for (const Tensor& lengths : {Tensor(), f.lengths}) {
    const auto context = [&](std::span<const Var> in) {
      Context ctx;
      ctx.tape = in[0].tape();
      return f.Attend(ctx, in[0], in[1], lengths).context;
    };
    const auto weights = [&](std::span<const Var> in) {
      Context ctx;
      ctx.tape = in[0].tape();
      return f.Attend(ctx, in[0], in[1], lengths).weights;
    };
    ExpectGradientOf(context, {f.query, f.keys});
    ExpectGradientOf(weights, {f.query, f.keys});
  }
}

TEST_P(EveryScore, HasTheParameterGradientOfDifferences) {
  Fixture f(GetParam());
  std::vector<Parameter*> parameters;
  for (const auto& parameter : f.set.all())
    parameters.push_back(parameter.get());
  if (parameters.empty()) GTEST_SKIP() << "no parameters";
  const Tensor w = RandomTensor({B, T, f.keys.dim(2)}, 8);
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var c = f.Attend(ctx, f.query, f.keys, f.lengths).context;
    return Record("weighted",
                  Tensor::Full({}, kernels::Dot(c.value(), w), DType::kF64),
                  {c}, [&](const Tensor& dy, Grads& g) {
                    EXPECT_EQ(dy.item(), 1);
                    g.Add(0, w);
                  });
  };
  const GradientCheckResult result = CheckParameterGradient(loss, parameters);
  EXPECT_LT(result.worst, 1e-6) << result.where;
}

TEST_P(EveryScore, WeighsRealKeysToOneAndPaddingToZero) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Fixture f(GetParam(), dtype, S);
    const Tensor weights = f.Attend(f.lengths).weights.value();
    ASSERT_EQ(weights.shape(), (Shape{B, T, S}));
    for (int64_t row = 0; row < B * T; ++row) {
      const int32_t length = kLengths[static_cast<size_t>(row / T)];
      double sum = 0;
      for (int64_t s = 0; s < S; ++s) {
        const double weight = kernels::At(weights, row, s);
        if (s < length) {
          EXPECT_GT(weight, 0);
        } else {
          EXPECT_EQ(weight, 0);
        }
        sum += weight;
      }
      EXPECT_NEAR(sum, length > 0 ? 1 : 0, 1e-6);
    }
  }
}

TEST_P(EveryScore, WithoutLengthsAllKeysTakePart) {
  const Fixture f(GetParam());
  const Attended all = f.Attend({});
  const Attended full = f.Attend(Lengths({S, S, S}));
  EXPECT_EQ(MaxDifference(all.context.value(), full.context.value()), 0);
}

TEST_P(EveryScore, GivesZeroContextAndZeroGradientToARowWithoutKeys) {
  const Fixture f(GetParam());
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var query = tape.Leaf(f.query);
  const Var keys = tape.Leaf(f.keys);
  const Attended attended = f.Attend(ctx, query, keys, f.lengths);
  const auto zeros = [](const Tensor& x) {
    return Tensor::Zeros(x.shape(), x.dtype());
  };
  const Tensor context = attended.context.value()[1];
  EXPECT_EQ(MaxDifference(context, zeros(context)), 0);
  tape.Backward(attended.context);
  const Tensor dk = tape.Gradient(keys);
  EXPECT_EQ(MaxDifference(dk[1], zeros(dk[1])), 0);
  const Tensor dq = tape.Gradient(query);
  if (dq.defined()) {
    EXPECT_EQ(MaxDifference(dq[1], zeros(dq[1])), 0);
  }
}

TEST_P(EveryScore, IgnoresWhatStandsInThePadding) {
  Fixture f(GetParam());
  const Tensor before = f.Attend(f.lengths).context.value();
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = kLengths[static_cast<size_t>(b)]; s < S; ++s) {
      f.keys[b][s].Fill(1e3);
    }
  }
  EXPECT_EQ(MaxDifference(f.Attend(f.lengths).context.value(), before), 0);
}

TEST_P(EveryScore, APermutationOfKeysPermutesWeights) {
  Fixture f(GetParam());
  const Attended before = f.Attend({});
  const std::vector<int64_t> order = {3, 0, 4, 1, 2};
  Tensor permuted(f.keys.shape(), f.dtype);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = 0; s < S; ++s) {
      permuted[b][s].CopyFrom(f.keys[b][order[static_cast<size_t>(s)]]);
    }
  }
  f.keys = permuted;
  const Attended after = f.Attend({});
  double moved = 0;
  for (int64_t row = 0; row < B * T; ++row) {
    for (int64_t s = 0; s < S; ++s) {
      moved =
          std::max(moved, std::abs(kernels::At(after.weights.value(), row, s) -
                                   kernels::At(before.weights.value(), row,
                                               order[static_cast<size_t>(s)])));
    }
  }
  if (GetParam().name == "location") {
    EXPECT_EQ(MaxDifference(after.weights.value(), before.weights.value()), 0)
        << "weights by place do not depend on keys";
    return;
  }
  EXPECT_LT(moved, 1e-14);
  EXPECT_LT(MaxDifference(after.context.value(), before.context.value()),
            1e-14);
}

TEST_P(EveryScore, ManyQueriesEqualOneAfterTheOther) {
  const Fixture f(GetParam());
  const Attended together = f.Attend(f.lengths);
  for (int64_t t = 0; t < T; ++t) {
    Tensor one({B, 1, kQuery}, f.dtype);
    for (int64_t b = 0; b < B; ++b) one[b][0].CopyFrom(f.query[b][t]);
    const Attended alone = f.Attend({}, one, f.keys, f.lengths);
    for (int64_t b = 0; b < B; ++b) {
      EXPECT_LT(MaxDifference(alone.context.value()[b][0],
                              together.context.value()[b][t]),
                1e-15);
      EXPECT_LT(MaxDifference(alone.weights.value()[b][0],
                              together.weights.value()[b][t]),
                1e-15);
    }
  }
}

TEST_P(EveryScore, SelectedRowsOfAMemoryAttendAsBefore) {
  const Fixture f(GetParam());
  const Tensor rows = Ids({2, 2, 0, 1}, {4});
  const Memory memory =
      f.attention->Prepare({}, f.keys, f.lengths).Select(rows);
  const Attended selected =
      f.attention->Attend({}, kernels::Gather(f.query, rows), memory);
  const Attended all = f.Attend(f.lengths);
  EXPECT_EQ(MaxDifference(selected.context.value(),
                          kernels::Gather(all.context.value(), rows)),
            0);
  EXPECT_EQ(MaxDifference(selected.weights.value(),
                          kernels::Gather(all.weights.value(), rows)),
            0);
}

TEST_P(EveryScore, InF32IsCloseToF64) {
  const Fixture exact(GetParam());
  Fixture rounded(GetParam(), DType::kF32);
  for (const auto& parameter : exact.set.all()) {
    Parameter& copy = *rounded.set.Find(parameter->name());
    copy.mutable_value() = parameter->value().To(DType::kF32);
    copy.Changed();
  }
  const Attended a = exact.Attend(exact.lengths);
  const Attended b = rounded.Attend(rounded.lengths);
  EXPECT_LT(MaxDifference(a.weights.value(), b.weights.value()), 3e-6);
  EXPECT_LT(MaxDifference(a.context.value(), b.context.value()), 3e-6);
}

/// Keeps what it was told last.
class LastWeights : public Recorder {
 public:
  void OnAttention(const std::string& name, int number,
                   const Tensor& weights) override {
    layer = name;
    head = number;
    value = weights;
  }
  std::string layer;
  int head = -1;
  Tensor value;
};

TEST_P(EveryScore, TellsARecorderItsWeights) {
  const Fixture f(GetParam());
  LastWeights recorder;
  Context ctx;
  ctx.recorder = &recorder;
  const Attended attended = f.Attend(ctx, f.query, f.keys, f.lengths);
  EXPECT_EQ(recorder.layer, "attention");
  EXPECT_EQ(recorder.head, 0);
  EXPECT_EQ(MaxDifference(recorder.value, attended.weights.value()), 0);
}

TEST(Attention, LocationSeesOnlyItsFirstPositions) {
  const Fixture f(FindScore("location"), DType::kF64, 2);
  const Tensor weights = f.Attend({}).weights.value();
  for (int64_t row = 0; row < B * T; ++row) {
    EXPECT_NEAR(kernels::At(weights, row, 0) + kernels::At(weights, row, 1), 1,
                1e-15);
  }
}

TEST(Attention, CosineDoesNotDependOnLengthsOfVectors) {
  Fixture f(FindScore("cosine"));
  const Tensor before = f.Attend({}).weights.value();
  for (int64_t i = 0; i < f.query.numel(); ++i) f.query.data<double>()[i] *= 7;
  EXPECT_LT(MaxDifference(f.Attend({}).weights.value(), before), 1e-6);
}

TEST(Attention, ScaledDotIsDotOverTheRootOfTheWidth) {
  Fixture dot(FindScore("dot"));
  const Fixture scaled(FindScore("scaled_dot"));
  for (int64_t i = 0; i < dot.query.numel(); ++i) {
    dot.query.data<double>()[i] /= std::sqrt(6.0);
  }
  EXPECT_LT(MaxDifference(dot.Attend({}).weights.value(),
                          scaled.Attend({}).weights.value()),
            1e-15);
}

TEST(Attention, RefusesUnequalSizesWhereTheScoreNeedsEqualOnes) {
  for (const ScoreInfo& info : Scores()) {
    ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
    ScoreOptions options;
    options.query = 4;
    options.key = 6;
    options.units = 5;
    options.positions = 5;
    const auto make = [&] {
      Attention(Scope(set, "decoder.attention"), info.name, options);
    };
    if (!info.equal_sizes) {
      EXPECT_NO_THROW(make());
      continue;
    }
    try {
      make();
      ADD_FAILURE() << info.name;
    } catch (const ConfigError& error) {
      const std::string what = error.what();
      for (const std::string part :
           {"decoder.attention", info.name.c_str(), "4", "6"}) {
        EXPECT_NE(what.find(part), std::string::npos) << what;
      }
    }
  }
}

TEST(Scores, HaveDistinctNamesFormulasAndSources) {
  std::vector<std::string> names = ScoreNames();
  EXPECT_EQ(names.size(), Scores().size());
  for (const ScoreInfo& info : Scores()) {
    EXPECT_EQ(&FindScore(info.name), &info);
    EXPECT_FALSE(info.formula.empty());
    EXPECT_FALSE(info.source.empty());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Scores, AnUnknownNameListsTheKnownOnes) {
  try {
    FindScore("bilinear");
    FAIL();
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("'bilinear'"), std::string::npos);
    for (const std::string& name : ScoreNames()) {
      EXPECT_NE(what.find(name), std::string::npos) << what;
    }
  }
}

}  // namespace
}  // namespace heed
