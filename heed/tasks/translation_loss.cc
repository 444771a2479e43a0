#include "heed/tasks/translation_loss.h"

namespace heed {
namespace {

/// What a model reads of a batch.
struct Inputs {
  explicit Inputs(const Batch& batch)
      : source(Tensor::Of(batch.source, {batch.S, batch.B})),
        lengths(Tensor::Of(batch.source_lengths, {batch.B})),
        target(Tensor::Of(batch.target_in, {batch.T, batch.B})) {}
  Tensor source;
  Tensor lengths;
  Tensor target;
};

}  // namespace

Var TranslationLogits(const SequenceModel& model, const Context& ctx,
                      const Batch& batch) {
  const Inputs in(batch);
  return model.Logits(ctx, in.source, in.lengths, in.target);
}

CrossEntropyLoss TranslationLoss(const SequenceModel& model, const Context& ctx,
                                 const Batch& batch,
                                 CrossEntropyOptions options) {
  options.ignore_id = kPad;
  const Inputs in(batch);
  return model.Loss(ctx, in.source, in.lengths, in.target,
                    Tensor::Of(batch.target_out, {batch.T, batch.B}), options);
}

LossSum CorpusLoss(const Context& ctx, const SequenceModel& model,
                   const Corpus& corpus, const BatchOptions& batches) {
  LossSum sum;
  for (const auto& indices : PlanBatches(corpus, batches, 0, 0)) {
    ctx.CheckCancelled();
    const CrossEntropyLoss loss =
        TranslationLoss(model, ctx, MakeBatch(corpus, indices), {});
    sum.nll += loss.nll;
    sum.tokens += loss.tokens;
    sum.correct += loss.correct;
  }
  return sum;
}

}  // namespace heed
