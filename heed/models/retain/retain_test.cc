#include "heed/models/retain/retain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/autograd/observer.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/model_testing.h"
#include "heed/models/registry.h"
#include "heed/ops/loss.h"

namespace heed::retain_test {
namespace {

constexpr int64_t kCodes = 7;

using Visits = std::vector<std::vector<int32_t>>;

const std::vector<Visits> kPatients = {
    {{1, 4}, {0}, {6, 2, 4}}, {{3}}, {{5, 0}, {2, 1}, {3, 5}, {1}, {0, 6}}};
const std::vector<std::vector<double>> kTimes = {
    {0, 3, 10}, {2}, {0, 1, 1, 30, 365}};

VisitBatch BatchOf(const std::vector<Visits>& patients,
                   const std::vector<std::vector<double>>& times = {},
                   int64_t padded = 0) {
  VisitBatch batch;
  batch.B = std::ssize(patients);
  batch.S = padded;
  batch.lengths = Tensor({batch.B}, DType::kI32);
  for (const Visits& visits : patients) {
    batch.S = std::max<int64_t>(batch.S, std::ssize(visits));
  }
  std::vector<int32_t> offsets = {0}, columns;
  batch.ages = Tensor::Zeros({batch.B, batch.S, 1}, DType::kF64);
  for (int64_t b = 0; b < batch.B; ++b) {
    const Visits& visits = At(patients, b);
    batch.lengths.data<int32_t>()[b] = static_cast<int32_t>(visits.size());
    for (size_t s = 0; s < static_cast<size_t>(batch.S); ++s) {
      if (s < visits.size()) {
        columns.insert(columns.end(), visits[s].begin(), visits[s].end());
        if (!times.empty()) {
          const auto& own = At(times, b);
          batch.ages[b].data<double>()[s] = std::log1p(own.back() - own[s]);
        }
      }
      offsets.push_back(static_cast<int32_t>(columns.size()));
    }
  }
  batch.codes =
      std::make_shared<kernels::SparsePattern>(kernels::MakeSparsePattern(
          Tensor::Of<int32_t>(offsets, {std::ssize(offsets)}),
          Tensor::Of<int32_t>(columns, {std::ssize(columns)}), kCodes));
  return batch;
}

ResolvedRetain Sizes(bool times = false) {
  RetainConfig config;
  config.embedding = 5;
  config.units = 4;
  config.beta_units = 3;
  config.dropout = 0;
  config.init_scale = 0.8;
  config.state_factor = 0.5;
  config.times = ToYesNo(times);
  return config.Resolve();
}

struct SmallRetain {
  explicit SmallRetain(bool times = false)
      : network(Scope(parameters, ""), Sizes(times), kCodes) {}

  ParameterSet parameters{3, DType::kF64, kernels::Precision::kNative};
  Retain network;
};

std::vector<double> LogitsOf(const VisitClassifier& network,
                             const VisitBatch& batch) {
  return network.Logits({}, batch).value().ToVector<double>();
}

Var LossOf(const VisitClassifier& network, const VisitBatch& batch,
           Tape* tape) {
  Context ctx;
  ctx.tape = tape;
  Tensor labels = Tensor::Zeros({batch.B}, DType::kF64);
  for (int64_t b = 0; b < batch.B; b += 2) labels.data<double>()[b] = 1;
  return BinaryCrossEntropy(network.Logits(ctx, batch), labels,
                            1.0 / static_cast<double>(batch.B));
}

void ExpectGolden(const GoldenTensors& golden, const ParameterSet& parameters,
                  const VisitClassifier& network, const VisitBatch& batch) {
  golden.ExpectSameParameters(parameters);
  golden.SetParameters(parameters);
  EXPECT_LT(
      MaxDifference(network.Logits({}, batch).value(), golden.at("logits")),
      1e-12);
  Tape tape;
  const Var loss = LossOf(network, batch, &tape);
  EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-12);
  tape.Backward(loss);
  golden.ExpectGradients(parameters, 1e-12);
}

TEST(Retain, LogitsLossGradientsAndContributionsAreThoseOfPyTorch) {
  const GoldenTensors golden("retain");
  SmallRetain model(/*times=*/true);
  ExpectGolden(golden, model.parameters, model.network,
               BatchOf(kPatients, kTimes));
  std::vector<double> alpha, contributions;
  for (size_t b = 0; b < kPatients.size(); ++b) {
    const VisitParts parts =
        model.network.Parts(BatchOf({kPatients[b]}, {kTimes[b]})).value();
    alpha.insert(alpha.end(), parts.alpha.begin(), parts.alpha.end());
    contributions.insert(contributions.end(), parts.contributions.begin(),
                         parts.contributions.end());
  }
  EXPECT_THAT(alpha, testing::Pointwise(testing::DoubleNear(1e-12),
                                        golden.at("alpha").ToVector<double>()));
  EXPECT_THAT(
      contributions,
      testing::Pointwise(testing::DoubleNear(1e-12),
                         golden.at("contributions").ToVector<double>()));
}

TEST(VisitGru, LogitsLossAndGradientsAreThoseOfPyTorch) {
  ParameterSet parameters(3, DType::kF64, kernels::Precision::kNative);
  const VisitGru network(Scope(parameters, ""), Sizes(), kCodes);
  ExpectGolden(GoldenTensors("visit_gru"), parameters, network,
               BatchOf(kPatients));
}

TEST(Retain, ContributionsAndBiasAreTheLogit) {
  for (const bool times : {false, true}) {
    const SmallRetain model(times);
    for (size_t b = 0; b < kPatients.size(); ++b) {
      const VisitBatch batch = BatchOf({kPatients[b]}, {kTimes[b]});
      const VisitParts parts = model.network.Parts(batch).value();
      EXPECT_EQ(parts.contributions.size(), batch.codes->columns.numel());
      EXPECT_NEAR(std::accumulate(parts.contributions.begin(),
                                  parts.contributions.end(), parts.bias),
                  LogitsOf(model.network, batch)[0], 1e-12);
    }
  }
}

TEST(Retain, PatientsDoNotDependOnTheirNeighboursOrOnPadding) {
  const SmallRetain model(/*times=*/true);
  const std::vector<double> together =
      LogitsOf(model.network, BatchOf(kPatients, kTimes, /*padded=*/9));
  for (size_t b = 0; b < kPatients.size(); ++b) {
    EXPECT_NEAR(
        LogitsOf(model.network, BatchOf({kPatients[b]}, {kTimes[b]}))[0],
        together[b], 1e-12);
  }
}

TEST(Retain, OneVisitHasAllTheWeight) {
  const SmallRetain model;
  EXPECT_EQ(model.network.Parts(BatchOf({{{3}}})).value().alpha,
            std::vector<double>{1});
}

TEST(Retain, ReadsBackwards) {
  // The GRUs read backwards: the first visit's weight depends on the last
  // visit, but the last visit's score does not depend on the first.
  const SmallRetain model;
  const auto ratio = [&](const Visits& visits) {
    const auto alpha = model.network.Parts(BatchOf({visits})).value().alpha;
    return alpha[2] / alpha[1];
  };
  EXPECT_NEAR(ratio({{0}, {1}, {2}}), ratio({{5}, {1}, {2}}), 1e-12);
  EXPECT_GT(std::abs(ratio({{0}, {1}, {2}}) - ratio({{0}, {1}, {4}})), 1e-6);
}

TEST(Retain, LargestWeightIsNotTheLargestContributionAndBetaTurnsItsSign) {
  // β = tanh of its bias alone is −1 for a code's only feature: all weighted
  // codes count against the outcome, although W and w are positive.
  SmallRetain model;
  for (const auto& parameter : model.parameters.all()) {
    const std::string& name = parameter->name();
    if (name == "beta.weight") parameter->mutable_value().Fill(0);
    if (name == "beta.bias") parameter->mutable_value().Fill(-20);
    if (name == "embedding") {
      parameter->mutable_value().Fill(0);
      parameter->mutable_value().row<double>(1)[0] = 3;
      parameter->mutable_value().row<double>(2)[0] = 0.001;
    }
    if (name == "output.weight") parameter->mutable_value().Fill(1);
    if (name == "alpha.bias" || name == "alpha.weight") {
      parameter->mutable_value().Fill(0);
    }
    parameter->Changed();
  }
  const VisitParts parts = model.network.Parts(BatchOf({{{1}, {2}}})).value();
  EXPECT_NEAR(parts.alpha[0], parts.alpha[1], 1e-12);
  EXPECT_NEAR(parts.contributions[0], -1.5, 1e-6);
  EXPECT_NEAR(parts.contributions[1], -0.0005, 1e-6);
}

TEST(Retain, FeatureWeightsStandInTheOrderOfTheOutput) {
  const SmallRetain model;
  const VisitBatch batch = BatchOf({kPatients[0]});
  const VisitParts parts = model.network.Parts(batch).value();
  ASSERT_EQ(parts.beta.size(), 3);
  EXPECT_EQ(parts.beta[0].size(), 5);
  for (const auto& visit : parts.beta) {
    for (const double beta : visit) EXPECT_LT(std::abs(beta), 1);
  }
}

TEST(Retain, ObserverSeesVisitsAndTheirWeights) {
  const SmallRetain model;
  AttentionWatch watch([](const AttentionInfo&) {
    return AttentionRequest{.weights = true, .parts = true};
  });
  Context ctx;
  ctx.observer = &watch;
  model.network.Logits(ctx, BatchOf(kPatients));
  ASSERT_EQ(watch.seen.size(), 1);
  EXPECT_EQ(watch.seen[0].info.query_axis, "answer");
  EXPECT_EQ(watch.seen[0].info.key_axis, "source");
  EXPECT_EQ(watch.seen[0].weights.shape(), Shape({3, 1, 1, 5}));
  ASSERT_TRUE(watch.seen[0].parts);
  EXPECT_EQ(watch.seen[0].parts->context.shape(), Shape({3, 1, 1, 5}));
  // The second patient has only one visit.
  EXPECT_EQ(watch.seen[0].weights.value()[1].data<double>()[0], 1);
}

TEST(Retain, GradientsAreThoseOfDifferences) {
  SmallRetain model(/*times=*/true);
  const VisitBatch batch = BatchOf(kPatients, kTimes);
  ExpectParameterGradients(model.parameters, [&](Tape* tape) {
    return LossOf(model.network, batch, tape);
  });
}

TEST(Retain, F32IsNearF64) {
  SmallRetain exact(true);
  ParameterSet parameters(3, DType::kF32, kernels::Precision::kNative);
  const Retain network(Scope(parameters, ""), Sizes(true), kCodes);
  for (const auto& parameter : parameters.all()) {
    parameter->mutable_value().CopyFrom(
        exact.parameters.Find(parameter->name())->value().To(DType::kF32));
    parameter->Changed();
  }
  const VisitBatch batch = BatchOf(kPatients, kTimes);
  EXPECT_LT(MaxDifference(network.Logits({}, batch).value().To(DType::kF64),
                          exact.network.Logits({}, batch).value()),
            1e-5);
}

TEST(Retain, BatchesThatDoNotFitAreRefused) {
  const SmallRetain model(/*times=*/true);
  VisitBatch batch = BatchOf(kPatients, kTimes);
  batch.ages = {};
  EXPECT_THROW(model.network.Logits({}, batch), ShapeError);
  batch = BatchOf(kPatients, kTimes);
  batch.lengths.data<int32_t>()[0] = 6;
  EXPECT_THROW(model.network.Logits({}, batch), ShapeError);
  EXPECT_THROW(model.network.Parts(BatchOf(kPatients, kTimes)), ShapeError);
}

TEST(VisitLogistic, ContributionsAreWeightsOfCodes) {
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const VisitLogistic network(Scope(parameters, ""), kCodes);
  for (int64_t k = 0; k < kCodes; ++k) {
    parameters.Find("weight")->mutable_value().row<double>(k)[0] =
        static_cast<double>(k);
  }
  parameters.Find("bias")->mutable_value().Fill(-3);
  const VisitBatch batch = BatchOf({kPatients[0]});
  EXPECT_EQ(network.Parts(batch).value().contributions,
            (std::vector<double>{1, 4, 0, 6, 2, 4}));
  EXPECT_NEAR(LogitsOf(network, batch)[0], 14, 1e-12);
}

}  // namespace
}  // namespace heed::retain_test
