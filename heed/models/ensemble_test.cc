#include "heed/models/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/models/model_testing.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/transformer/transformer.h"

namespace heed::ensemble_test {
namespace {

using Members = std::vector<std::shared_ptr<const Decoder>>;

std::shared_ptr<Decoder> Recurrent(uint64_t seed, int target_words = 9) {
  RecurrentConfig config;
  config.embedding = 4;
  config.units = 6;
  return std::make_shared<EncoderDecoder>(config.Resolve(), 9, target_words,
                                          seed, DType::kF64);
}

std::shared_ptr<Decoder> Attentive(uint64_t seed) {
  TransformerConfig config;
  config.layers = 1;
  config.width = 8;
  config.ff = 8;
  config.heads = 2;
  return std::make_shared<Transformer>(config.Resolve("transformer"), 9, 9,
                                       seed, DType::kF64);
}

Members Three() { return {Recurrent(1), Attentive(2), Recurrent(3)}; }

Tensor LogProbabilities(const Tensor& scores) {
  Tensor result = scores.Clone();
  const int64_t V = scores.cols();
  for (int64_t r = 0; r < scores.rows(); ++r) {
    double* row = result.row<double>(r);
    double sum = 0;
    for (int64_t v = 0; v < V; ++v) sum += std::exp(row[v]);
    for (int64_t v = 0; v < V; ++v) row[v] -= std::log(sum);
  }
  return result;
}

TEST(Ensemble, ProbabilitiesAreGeometricMeansOfThoseOfItsMembers) {
  const SequenceBatch batch;
  const Members members = Three();
  const Tensor mean = LogProbabilities(LogitsOf(Ensemble(members), batch));
  std::vector<Tensor> each;
  for (const auto& member : members) {
    each.push_back(LogProbabilities(LogitsOf(*member, batch)));
  }
  const int64_t V = mean.cols();
  for (int64_t r = 0; r < mean.rows(); ++r) {
    double sum = 0;
    std::vector<double> product;
    for (int64_t v = 0; v < V; ++v) {
      double log_sum = 0;
      for (const Tensor& log_p : each) log_sum += log_p.row<double>(r)[v];
      product.push_back(std::exp(log_sum / 3));
      sum += product.back();
    }
    for (int64_t v = 0; v < V; ++v) {
      EXPECT_NEAR(std::exp(mean.row<double>(r)[v]), At(product, v) / sum,
                  1e-12);
    }
  }
}

TEST(Ensemble, OfOneIsThatModel) {
  const SequenceBatch batch;
  for (const auto& model : Three()) {
    const Ensemble one({model});
    EXPECT_EQ(MaxDifference(LogitsOf(one, batch), LogitsOf(*model, batch)), 0);
    DecoderState state = StartOf(*model, batch.inputs());
    DecoderState same = StartOf(one, batch.inputs());
    model->Step({}, batch.target_in[0], state);
    one.Step({}, batch.target_in[0], same);
    EXPECT_EQ(MaxDifference(state.weights, same.weights), 0);
    EXPECT_EQ(one.alignment_attention(), model->alignment_attention());
  }
}

TEST(Ensemble, StepsEqualAllAtOnce) {
  EXPECT_LT(StepDifference(Ensemble(Three()), {}), 1e-13);
}

TEST(Ensemble, BatchEqualsItsRows) {
  ExpectBatchEqualsItsRows(Ensemble(Three()), {});
}

TEST(Ensemble, SentencesMayLeaveAndBeginningsMultiply) {
  const SequenceBatch batch;
  const Ensemble model(Three());
  const Tensor all = LogitsOf(model, batch);
  DecoderState state = StartOf(model, batch.inputs());
  model.Step({}, batch.target_in[0], state);
  // Sources 0 and 2 stay, with two hypotheses each.
  state.Reorder(Tensor::Of(std::vector<int32_t>{0, 0, 2, 2}, {4}),
                Tensor::Of(std::vector<int32_t>{0, 2}, {2}));
  const int32_t* next = batch.target_in.row<int32_t>(1);
  const Tensor step =
      model
          .Step({},
                Tensor::Of(
                    std::vector<int32_t>{next[0], next[0], next[2], next[2]},
                    {4}),
                state)
          .value();
  for (int64_t r = 0; r < 4; ++r) {
    EXPECT_LT(MaxDifference(step[r], all[1][r < 2 ? 0 : 2]), 1e-13);
  }
}

TEST(Ensemble, WeightsAreTheMeanOfThoseThatAttend) {
  const SequenceBatch batch;
  const Ensemble model(Three());
  DecoderState state = StartOf(model, batch.inputs());
  model.Step({}, batch.target_in[0], state);
  ExpectWeightsOfSources(state.weights, batch);
  EXPECT_FALSE(model.alignment_attention().empty());
}

TEST(Ensemble, ScoresOfSomeWordsAreThoseAmongAll) {
  ExpectScoresOfSomeWords(Ensemble(Three()), {}, {0, 1, 2, 3, 5, 7}, 1e-13);
}

TEST(Ensemble, TopKIsThatOfTheMeanScores) {
  const SequenceBatch batch;
  const Ensemble model(Three());
  DecoderState state = StartOf(model, batch.inputs());
  const Var features = model.Next({}, batch.target_in[0], state);
  const auto found = model.output().TopK({}, features.value(), 2, 1, true);
  const auto expected =
      kernels::FindTopK(LogitsOf(model, batch)[0].To(DType::kF32), 2, 1);
  EXPECT_EQ(found.columns.ToVector<int32_t>(),
            expected.columns.ToVector<int32_t>());
  EXPECT_LT(MaxDifference(found.values, expected.values), 1e-6);
  EXPECT_LT(MaxDifference(found.log_sums, expected.log_sums), 1e-6);
}

TEST(Ensemble, NoMembersAndOtherWordsAreRefused) {
  EXPECT_THROW(Ensemble({}), ConfigError);
  const Ensemble model({Recurrent(1), Recurrent(1, 10)});
  EXPECT_THROW(LogitsOf(model, {}), ShapeError);
}

}  // namespace
}  // namespace heed::ensemble_test
