#include "course/token_measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "heed/base/at.h"
#include "heed/ops/matmul.h"

namespace heed {
namespace {

constexpr int64_t kLookEvery = 5;
constexpr int64_t kTestExamples = 100;
constexpr size_t kGradientsOfMean = 10;

double MeanNorm(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

double CosineOf(const float* a, const float* b, int64_t size) {
  double product = 0, first = 0, second = 0;
  for (int64_t i = 0; i < size; ++i) {
    product += static_cast<double>(a[i]) * b[i];
    first += static_cast<double>(a[i]) * a[i];
    second += static_cast<double>(b[i]) * b[i];
  }
  return first > 0 && second > 0 ? product / std::sqrt(first * second) : 0;
}

/// Returns the contribution of each head to the logits. Shapes: contexts [B, T,
/// H D], each result [B, T, outputs].
std::vector<Tensor> OutputsOfHeads(const TokenAttention& model,
                                   const Tensor& contexts, int64_t heads) {
  const Tensor& mixing = model.output().weight().value();  // [H D, outputs]
  const int64_t features = contexts.dim(2) / heads;
  std::vector<Tensor> outputs;
  for (int64_t h = 0; h < heads; ++h) {
    const int64_t begin = h * features;
    outputs.push_back(
        MatMul(contexts.Columns(begin, begin + features).Contiguous(),
               mixing.Slice(begin, begin + features))
            .value());
  }
  return outputs;
}

}  // namespace

LearningRun LearnUntil(const TokenTask& task,
                       const TokenAttentionOptions& layer,
                       const TokenTraining& training, double goal) {
  TokenLearner learner(task, layer, training);
  const TokenBatch test = learner.Test(kTestExamples);
  LearningRun run;
  std::vector<double> gradients;
  while (learner.steps() < training.steps && !run.steps) {
    gradients.push_back(learner.Step());
    const bool last = learner.steps() == training.steps;
    if (learner.steps() % kLookEvery != 0 && !last) continue;
    run.accuracy = ScoreTokens(learner.model(), test).accuracy;
    if (run.accuracy >= goal) run.steps = learner.steps();
  }
  const std::span<const double> all(gradients);
  const size_t count = std::min(kGradientsOfMean, all.size());
  run.first_gradient = MeanNorm(all.first(count));
  run.last_gradient = MeanNorm(all.last(count));
  return run;
}

Sharpness SharpnessOf(const TokenAttention& model, const TokenBatch& batch,
                      double temperature) {
  const Tensor weights = model({}, batch.tokens, RealTokens(batch),
                               WantWeights::kValues, temperature)
                             .attended.weights.value();
  const int64_t S = weights.dim(3);
  Sharpness sum;
  int64_t rows = 0;
  for (int64_t b = 0; b < weights.dim(0); ++b) {
    const int64_t length = batch.lengths.data<int32_t>()[b];
    for (int64_t h = 0; h < weights.dim(1); ++h) {
      for (int64_t t = 0; t < length; ++t, ++rows) {
        const float* row = weights[b][h].row<float>(t);
        double entropy = 0;
        for (int64_t s = 0; s < S; ++s) {
          if (row[s] > 0) entropy -= row[s] * std::log2(row[s]);
        }
        sum.entropy += entropy;
        sum.words += std::exp2(entropy);
        sum.largest += *std::max_element(row, row + S);
      }
    }
  }
  const auto n = static_cast<double>(rows);
  return {sum.entropy / n, sum.words / n, sum.largest / n,
          ScoreTokens(model, batch, temperature).accuracy};
}

HeadSimilarities MeasureHeadSimilarity(const TokenAttention& model,
                                       const TokenBatch& batch) {
  const Attended seen =
      model({}, batch.tokens, RealTokens(batch), WantWeights::kValues).attended;
  const Tensor& weights = seen.weights.value();
  const int64_t heads = weights.dim(1), S = weights.dim(3);
  const std::vector<Tensor> outputs =
      OutputsOfHeads(model, seen.context.value(), heads);
  HeadSimilarities sum;
  int64_t pairs = 0;
  for (int64_t b = 0; b < weights.dim(0); ++b) {
    for (int64_t t = 0; t < batch.lengths.data<int32_t>()[b]; ++t) {
      for (int64_t i = 0; i < heads; ++i) {
        for (int64_t j = i + 1; j < heads; ++j, ++pairs) {
          const Tensor& first = At(outputs, i);
          const Tensor& second = At(outputs, j);
          sum.weights += CosineOf(weights[b][i].row<float>(t),
                                  weights[b][j].row<float>(t), S);
          sum.outputs += CosineOf(first[b].row<float>(t),
                                  second[b].row<float>(t), first.dim(2));
        }
      }
    }
  }
  const auto n = static_cast<double>(pairs);
  return {sum.weights / n, sum.outputs / n};
}

}  // namespace heed
