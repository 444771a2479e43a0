// Tests of every recommender, and of SASRec against plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "heed/models/recommender.h"
#include "heed/models/roles_testing.h"

namespace heed::sasrec_test {
namespace {

constexpr int kItems = 9;
constexpr int kLength = 6;
constexpr int kWidth = 8;

class EveryRecommender : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryRecommender,
                         testing::ValuesIn(VariantsIn<RecommenderSettings>()),
                         NameOf);

TEST_P(EveryRecommender, LearnsFromAnItemAndEarlierOnesAlone) {
  const auto settings = Small<RecommenderSettings>();
  settings->Fill(kLength);
  ExpectFilled(*settings, [&] { settings->Fill(kLength); });
  ParameterSet parameters(3, DType::kF64, kernels::Precision::kNative);
  const Recommender model(Scope(parameters, ""), *settings, kItems);
  Shake(parameters);
  const Tensor ids = RandomIds({3, kLength}, kItems, 1);
  const Tensor lengths = Lengths({6, 2, 4});
  const Tensor whole = (*model.encoder)({}, {ids, lengths}).value();
  for (int64_t b = 0; b < 3; ++b) {
    for (int32_t n = 1; n <= lengths.data<int32_t>()[b]; ++n) {
      const Tensor prefix = ids[b].Slice(0, n).Reshape({1, n});
      const Var alone = (*model.encoder)({}, {prefix, Lengths({n})});
      EXPECT_LT(MaxDifference(alone.value()[0], whole[b].Slice(0, n)), 1e-13);
    }
  }
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var states = (*model.encoder)(ctx, {ids, lengths});
    return model.output.Loss(ctx, states, ids, {}).loss;
  });
}

using Vector = std::vector<double>;

/// SASRec by loops over items and features, from the paper's equations.
struct PlainSasrec {
  const ParameterSet& parameters;

  Vector Get(const std::string& name) const {
    return parameters.Find(name)->value().ToVector<double>();
  }
  Vector Affine(const Vector& x, const std::string& name) const {
    const Vector weight = Get(name + ".weight");
    Vector y = Get(name + ".bias");
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t o = 0; o < y.size(); ++o)
        y[o] += x[i] * weight[i * y.size() + o];
    }
    return y;
  }
  Vector Norm(Vector x, const std::string& name) const {
    const Vector gain = Get(name + ".gain"), bias = Get(name + ".bias");
    double mean = 0, variance = 1e-8;
    for (const double y : x) mean += y / kWidth;
    for (const double y : x) variance += (y - mean) * (y - mean) / kWidth;
    for (size_t m = 0; m < kWidth; ++m) {
      x[m] = (x[m] - mean) / std::sqrt(variance) * gain[m] + bias[m];
    }
    return x;
  }
  static void AddTo(Vector& x, const Vector& y) {
    for (size_t m = 0; m < kWidth; ++m) x[m] += y[m];
  }
  /// Attention of the last item to all, each as its query, key and value.
  static Vector Attend(const std::vector<Vector>& qkv) {
    Vector context(kWidth);
    double sum = 0;
    for (const Vector& key : qkv) {
      double score = 0;
      for (size_t m = 0; m < kWidth; ++m)
        score += qkv.back()[m] * key[kWidth + m];
      const double weight = std::exp(score / std::sqrt(kWidth));
      sum += weight;
      for (size_t m = 0; m < kWidth; ++m)
        context[m] += weight * key[2 * kWidth + m];
    }
    for (double& y : context) y /= sum;
    return context;
  }
  /// Scores of all items after each item.
  Vector Scores(const std::vector<int32_t>& history) const {
    const Vector items = Get("items.weight");
    const Vector positions = Get("encoder.positions.weight");
    std::map<std::string, std::vector<Vector>> qkv;  // of each layer
    Vector scores;
    for (size_t t = 0; t < history.size(); ++t) {
      const auto first = static_cast<size_t>(history[t]) * kWidth;
      Vector x(kWidth);
      for (size_t m = 0; m < kWidth; ++m) {
        x[m] = items[first + m] * std::sqrt(kWidth) + positions[t * kWidth + m];
      }
      for (const std::string at : {"encoder.layers.0.", "encoder.layers.1."}) {
        qkv[at].push_back(Affine(Norm(x, at + "self_attention.norm"),
                                 at + "self_attention.qkv"));
        AddTo(x, Affine(Attend(qkv[at]), at + "self_attention.output"));
        Vector hidden =
            Affine(Norm(x, at + "feed_forward.norm"), at + "feed_forward.in");
        for (double& y : hidden) y = std::max(y, 0.0);
        AddTo(x, Affine(hidden, at + "feed_forward.out"));
      }
      x = Norm(x, "encoder.norm");
      for (size_t i = 0; i < items.size(); i += kWidth) {
        scores.push_back(
            std::inner_product(x.begin(), x.end(), &items[i], 0.0));
      }
    }
    return scores;
  }
};

TEST(Sasrec, ScoresAreThoseOfPlainLoops) {
  ModelChoice<RecommenderSettings> settings;
  settings.Choose("sasrec");
  SetPreset(FieldsOf(*settings), "width=8 ff=6");
  settings->Fill(kLength);
  ParameterSet parameters(5, DType::kF64, kernels::Precision::kNative);
  const Recommender model(Scope(parameters, ""), *settings, kItems);
  Shake(parameters);
  const std::vector<int32_t> history = {3, 1, 8, 1, 0};
  const Var states =
      (*model.encoder)({}, {Tensor::Of(history, {1, 5}), Lengths({5})});
  EXPECT_THAT(model.output.Scores({}, states).value().ToVector<double>(),
              testing::Pointwise(testing::DoubleNear(1e-12),
                                 PlainSasrec{parameters}.Scores(history)));
}

}  // namespace
}  // namespace heed::sasrec_test
