#include "heed/tasks/translation_loss.h"

namespace heed {

Var TranslationLogits(const SequenceModel& model, const Context& ctx,
                      const Batch& batch) {
  return model.Logits(ctx, Tensor::Of(batch.source, {batch.S, batch.B}),
                      Tensor::Of(batch.source_lengths, {batch.B}),
                      Tensor::Of(batch.target_in, {batch.T, batch.B}));
}

CrossEntropyLoss TranslationLoss(const SequenceModel& model, const Context& ctx,
                                 const Batch& batch,
                                 CrossEntropyOptions options) {
  options.ignore_id = kPad;
  return model.Loss(ctx, Tensor::Of(batch.source, {batch.S, batch.B}),
                    Tensor::Of(batch.source_lengths, {batch.B}),
                    Tensor::Of(batch.target_in, {batch.T, batch.B}),
                    Tensor::Of(batch.target_out, {batch.T, batch.B}), options);
}

LossSum CorpusLoss(const SequenceModel& model, const Corpus& corpus,
                   const BatchOptions& batches) {
  LossSum sum;
  for (const auto& indices : PlanBatches(corpus, batches, 0, 0)) {
    const CrossEntropyLoss loss =
        TranslationLoss(model, Context(), MakeBatch(corpus, indices), {});
    sum.nll += loss.nll;
    sum.tokens += loss.tokens;
    sum.correct += loss.correct;
  }
  return sum;
}

}  // namespace heed
