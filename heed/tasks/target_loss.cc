#include "heed/tasks/target_loss.h"

#include <algorithm>

#include "heed/base/at.h"

namespace heed {
namespace {

Inputs SourceOf(const Batch& batch) {
  return {Tensor::Of(batch.source, {batch.S, batch.B}),
          Tensor::Of(batch.source_lengths, {batch.B})};
}

Tensor TargetOf(const Batch& batch) {
  return Tensor::Of(batch.target_in, {batch.T, batch.B});
}

}  // namespace

int64_t TokensWithin(const Decoder& model, int64_t limit) {
  const int64_t positions = model.positions();
  if (positions == 0) return limit;
  const int64_t max = std::max<int64_t>(1, positions - 1);
  return limit == 0 ? max : std::min(limit, max);
}

Var TargetLogits(const Decoder& model, const Context& ctx, const Batch& batch) {
  return model.Logits(ctx, SourceOf(batch), TargetOf(batch));
}

CrossEntropyLoss TargetLoss(const Decoder& model, const Context& ctx,
                            const Batch& batch, CrossEntropyOptions options) {
  return model.Loss(ctx, SourceOf(batch), TargetOf(batch),
                    Tensor::Of(batch.target_out, {batch.T, batch.B}), options);
}

DecoderExamples ExamplesOf(const Batch& batch) {
  return {SourceOf(batch), TargetOf(batch),
          Tensor::Of(batch.target_out, {batch.T, batch.B}), kIgnored};
}

CrossEntropyOptions EntropyOf(const LossOptions& options) {
  CrossEntropyOptions entropy;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  return entropy;
}

int64_t TargetTokens(const Corpus& corpus, std::span<const int64_t> examples) {
  int64_t tokens = 0;
  for (const int64_t i : examples) {
    tokens += std::ssize(At(corpus.target, i));
  }
  return tokens;
}

LossSum CorpusLoss(const Context& ctx, const Decoder& model,
                   const Corpus& corpus, const BatchOptions& batches) {
  LossSum sum;
  for (const auto& indices : PlanBatches(corpus, batches, 0, 0)) {
    ctx.CheckCancelled();
    const CrossEntropyLoss loss =
        TargetLoss(model, ctx, MakeBatch(corpus, indices), {});
    sum.nll += loss.nll;
    sum.tokens += loss.tokens;
    sum.correct += loss.correct;
  }
  return sum;
}

}  // namespace heed
