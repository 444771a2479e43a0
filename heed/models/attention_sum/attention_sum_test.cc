#include "heed/models/attention_sum/attention_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/autograd/observer.h"
#include "heed/base/errors.h"
#include "heed/models/model_testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"

namespace heed::attention_sum_test {
namespace {

constexpr int64_t kWordsOfPassages = 9;
using Rows = std::vector<std::vector<int32_t>>;

// Inputs of make_golden_reading.py.
const Rows kPassages = {{4, 7, 2, 4, 8, 2, 7}, {6, 3}, {1, 5, 1, 5, 6}};
const Rows kQuestions = {{5, 1}, {3, 3, 8}, {7}};
const Rows kAnswers = {{0, 1, -1, 0, 2, -1, 1}, {0, 1}, {0, 0, 0, 1, 2}};
const std::vector<int32_t> kRight = {1, 0, 2};

/// Rows as a matrix, padded with `fill` and with `room` more columns.
Tensor Padded(const Rows& rows, int32_t fill, int64_t room) {
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  Tensor all =
      Tensor::Full({std::ssize(rows), static_cast<int64_t>(longest) + room},
                   fill, DType::kI32);
  for (size_t b = 0; b < rows.size(); ++b) {
    std::ranges::copy(rows[b], all.row<int32_t>(static_cast<int64_t>(b)));
  }
  return all;
}

Tensor LengthsOf(const Rows& rows) {
  std::vector<int32_t> lengths;
  for (const auto& row : rows) {
    lengths.push_back(static_cast<int32_t>(row.size()));
  }
  return Lengths(lengths);
}

PassageBatch BatchOf(const Rows& passages, const Rows& questions,
                     const Rows& answers, int64_t room = 0) {
  PassageBatch batch;
  batch.passages = Padded(passages, 5, room);
  batch.passage_lengths = LengthsOf(passages);
  batch.questions = Padded(questions, 6, room);
  batch.question_lengths = LengthsOf(questions);
  batch.answers = Padded(answers, -1, room);
  batch.C = 3;
  return batch;
}

PassageBatch GoldenPassages(int64_t room = 0) {
  return BatchOf(kPassages, kQuestions, kAnswers, room);
}

ResolvedAttentionSum SmallReader(int hops, bool rereads,
                                 PassageQuery query = PassageQuery::kQuestion) {
  AttentionSumConfig config;
  config.embedding = 4;
  config.units = 3;
  config.hops = hops;
  config.reread = ToYesNo(rereads);
  config.query = query;
  config.dropout = 0;
  return config.Resolve();
}

struct SmallAttentionSum {
  explicit SmallAttentionSum(const ResolvedAttentionSum& config,
                             int64_t vectors = 0)
      : network(Scope(parameters, ""), config,
                {.vocabulary = kWordsOfPassages, .vectors = vectors}) {}
  ParameterSet parameters{3, DType::kF64, kernels::Precision::kNative};
  AttentionSum network;
};

Var AnswerLoss(const AttentionSum& network, const PassageBatch& batch,
               Tape* tape) {
  Context ctx;
  ctx.tape = tape;
  return CrossEntropy(network.Scores(ctx, batch), Lengths(kRight), {}).loss;
}

Tensor ProbabilitiesOf(const AttentionSum& network, const PassageBatch& batch,
                       Observer* observer = nullptr) {
  Context ctx;
  ctx.observer = observer;
  return Exp(LogSoftmax(network.Scores(ctx, batch))).value();
}

TEST(AttentionSum, AnswersLossAndGradientsAreThoseOfPyTorch) {
  for (const auto& [name, hops, rereads] :
       {std::tuple("attention_sum", 1, true),
        std::tuple("attention_sum_hops", 3, true),
        std::tuple("attention_sum_same", 3, false)}) {
    SCOPED_TRACE(name);
    const GoldenTensors golden(name);
    const SmallAttentionSum model(SmallReader(hops, rereads));
    golden.ExpectSameParameters(model.parameters);
    golden.SetParameters(model.parameters);
    for (const int64_t room : {0, 3}) {
      const PassageBatch batch = GoldenPassages(room);
      EXPECT_LT(MaxDifference(ProbabilitiesOf(model.network, batch),
                              golden.at("probabilities")),
                1e-12);
      for (const auto& parameter : model.parameters.all()) {
        parameter->ClearGradient();
      }
      Tape tape;
      const Var loss = AnswerLoss(model.network, batch, &tape);
      EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-12);
      tape.Backward(loss);
      golden.ExpectGradients(model.parameters, 1e-12);
    }
    // Attention of all hops for each question.
    std::vector<double> attention;
    for (size_t b = 0; b < kPassages.size(); ++b) {
      AttentionWatch watch;
      ProbabilitiesOf(
          model.network,
          BatchOf({kPassages[b]}, {kQuestions[b]}, {kAnswers[b]}, 2), &watch);
      ASSERT_EQ(watch.seen.size(), static_cast<size_t>(hops));
      for (const auto& seen : watch.seen) {
        const auto weights = seen.weights.value().ToVector<double>();
        attention.insert(attention.end(), weights.begin(),
                         weights.begin() + std::ssize(kPassages[b]));
      }
    }
    EXPECT_LT(MaxDifference(Tensor::Of(attention, {std::ssize(attention)}),
                            golden.at("attention")),
              1e-12);
  }
}

TEST(AttentionSum, GradientsAreThoseOfDifferences) {
  for (const PassageQuery query :
       {PassageQuery::kQuestion, PassageQuery::kBlind}) {
    for (const bool rereads : {false, true}) {
      const SmallAttentionSum model(SmallReader(2, rereads, query));
      Shake(model.parameters);
      ExpectParameterGradients(model.parameters, [&](Tape* tape) {
        return AnswerLoss(model.network, GoldenPassages(), tape);
      });
    }
  }
}

/// Adds pretrained vectors with two features to a batch.
PassageBatch WithVectors(PassageBatch batch) {
  const auto vectors = [](const Tensor& ids) {
    Tensor of({ids.dim(0), ids.dim(1), 2}, DType::kF64);
    for (int64_t i = 0; i < ids.numel(); ++i) {
      of.data<double>()[2 * i] = std::sin(ids.data<int32_t>()[i]);
      of.data<double>()[2 * i + 1] = std::cos(ids.data<int32_t>()[i]);
    }
    return of;
  };
  batch.passage_vectors = vectors(batch.passages);
  batch.question_vectors = vectors(batch.questions);
  return batch;
}

TEST(AttentionSum, PretrainedVectorsStandBesideThoseOfWords) {
  const SmallAttentionSum model(SmallReader(2, true), /*vectors=*/2);
  Shake(model.parameters);
  const PassageBatch batch = WithVectors(GoldenPassages());
  ExpectParameterGradients(model.parameters, [&](Tape* tape) {
    return AnswerLoss(model.network, batch, tape);
  });
  const Tensor p = ProbabilitiesOf(model.network, batch);
  EXPECT_LE(MaxDifference(p, ProbabilitiesOf(model.network,
                                             WithVectors(GoldenPassages(3)))),
            1e-12);
  PassageBatch other = WithVectors(GoldenPassages());
  other.question_vectors.data<double>()[0] += 1;
  EXPECT_GT(MaxDifference(p, ProbabilitiesOf(model.network, other)), 1e-6);
  EXPECT_THROW(model.network.Scores({}, GoldenPassages()), ShapeError);
  const SmallAttentionSum without(SmallReader(2, true));
  EXPECT_THROW(without.network.Scores({}, batch), ShapeError);
}

TEST(AttentionSum, AnAnswerGetsTheAttentionOfAllItsPlaces) {
  const SmallAttentionSum model(SmallReader(1, false));
  AttentionWatch watch;
  const Tensor p = ProbabilitiesOf(
      model.network, BatchOf({kPassages[2]}, {kQuestions[2]}, {kAnswers[2]}),
      &watch);
  const auto a = watch.seen.at(0).weights.value().ToVector<double>();
  const auto found = p.ToVector<double>();
  EXPECT_NEAR(found[0], a[0] + a[1] + a[2], 1e-12);
  EXPECT_NEAR(found[1], a[3], 1e-12);
  EXPECT_NEAR(found[2], a[4], 1e-12);
}

TEST(AttentionSum, ABlindReaderAnswersAllQuestionsAlike) {
  const SmallAttentionSum model(SmallReader(2, true, PassageQuery::kBlind));
  const auto answer = [&](const std::vector<int32_t>& question) {
    return ProbabilitiesOf(model.network,
                           BatchOf({kPassages[0]}, {question}, {kAnswers[0]}))
        .ToVector<double>();
  };
  EXPECT_EQ(answer({5, 1}), answer({8}));
}

TEST(AttentionSum, BatchesThatDoNotFitAreRefused) {
  const SmallAttentionSum model(SmallReader(1, false));
  const auto refuses = [&](auto change) {
    PassageBatch batch = GoldenPassages();
    change(batch);
    EXPECT_THROW(model.network.Scores({}, batch), ShapeError);
  };
  refuses([](PassageBatch& b) { b.passages = {}; });
  refuses([](PassageBatch& b) { b.questions = Lengths({1, 2}); });
  refuses([](PassageBatch& b) { b.passage_lengths = Lengths({8, 2, 5}); });
  refuses([](PassageBatch& b) { b.question_lengths = Lengths({2, 0, 1}); });
  refuses([](PassageBatch& b) { b.passages.data<int32_t>()[0] = 9; });
  refuses([](PassageBatch& b) { b.answers.data<int32_t>()[0] = 3; });
  refuses([](PassageBatch& b) { b.answers = Lengths({0}); });
}

}  // namespace
}  // namespace heed::attention_sum_test
