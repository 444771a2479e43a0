#include "heed/train/validate.h"

#include "heed/ops/loss.h"

namespace heed {

Tensor AsTensor(const std::vector<int32_t>& ids, int rows, int columns) {
  return Tensor::Of(ids, {rows, columns});
}

LossSum CorpusLoss(const SequenceModel& model, const Corpus& corpus,
                   const BatchOptions& batches) {
  LossSum sum;
  CrossEntropyOptions options;
  options.ignore_id = kPad;
  for (const auto& indices : PlanBatches(corpus, batches, 0, 0)) {
    const Batch batch = MakeBatch(corpus, indices);
    const Context ctx;
    const CrossEntropyLoss loss = CrossEntropy(
        model.Logits(
            ctx, AsTensor(batch.source, batch.S, batch.B),
            AsTensor(batch.source_lengths, 1, batch.B).Reshape({batch.B}),
            AsTensor(batch.target_in, batch.T, batch.B)),
        AsTensor(batch.target_out, batch.T, batch.B), options);
    sum.nll += loss.nll;
    sum.tokens += loss.tokens;
    sum.correct += loss.correct;
  }
  return sum;
}

}  // namespace heed
