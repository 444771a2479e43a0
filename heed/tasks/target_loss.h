// How well a model predicts the target tokens of a corpus.
#ifndef HEED_TASKS_TARGET_LOSS_H_
#define HEED_TASKS_TARGET_LOSS_H_

#include <cstdint>
#include <span>

#include "heed/data/batches.h"
#include "heed/models/decoder.h"
#include "heed/ops/loss.h"
#include "heed/tasks/hard_choices.h"
#include "heed/train/trainable.h"

namespace heed {

/// Maximum of tokens, <s> and </s> not counted, that a text may have: `limit`
/// (0: any number), or fewer where the model has positions for fewer.
int64_t TokensWithin(const Decoder& model, int64_t limit);

/// Scores of a batch's target tokens given its gold prefixes [T, B, V].
Var TargetLogits(const Decoder& model, const Context& ctx, const Batch& batch);

/// Their loss against the gold tokens; padding does not count. What the context
/// records and taps is that of the pairs of the batch.
CrossEntropyLoss TargetLoss(const Decoder& model, const Context& ctx,
                            const Batch& batch, CrossEntropyOptions options);

/// The same examples for HardChoices.
DecoderExamples ExamplesOf(const Batch& batch);

/// Cross entropy as training minimises it.
CrossEntropyOptions EntropyOf(const LossOptions& options);

/// Tokens of the targets of these examples, </s> among them.
int64_t TargetTokens(const Corpus& corpus, std::span<const int64_t> examples);

struct LossSum {
  double nll = 0;  // Σ −log p of the gold tokens, natural logarithm
  int64_t tokens = 0;
  int64_t correct = 0;

  double mean() const {
    return tokens > 0 ? nll / static_cast<double>(tokens) : 0;
  }
};

/// Loss of the gold targets given gold prefixes (teacher forcing), without
/// label smoothing and dropout; </s> counts as a token.
LossSum CorpusLoss(const Context& ctx, const Decoder& model,
                   const Corpus& corpus, const BatchOptions& batches);

}  // namespace heed

#endif  // HEED_TASKS_TARGET_LOSS_H_
