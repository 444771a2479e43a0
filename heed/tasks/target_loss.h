// Cross entropy of a decoder on the target tokens of a corpus.
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

/// Maximum number of tokens per text, without <s> and </s>: `limit` (0: no
/// limit), or less if the model has fewer positions.
int64_t TokensWithin(const Decoder& model, int64_t limit);

/// Logits of a batch's target tokens given its gold prefixes: [T, B, V].
Var TargetLogits(const Decoder& model, const Context& ctx, const Batch& batch);

/// Loss of a batch's gold target tokens given gold prefixes, without padding.
/// Observers of the context see the computation of this batch.
CrossEntropyLoss TargetLoss(const Decoder& model, const Context& ctx,
                            const Batch& batch, CrossEntropyOptions options);

/// Converts a batch to examples for HardChoices.
DecoderExamples ExamplesOf(const Batch& batch);

/// Parts of a batch for Trainable::Parts. `tokens`: target tokens.
inline int64_t PartsOf(const Decoder& model, int64_t examples, int64_t tokens) {
  return model.parallel_tokens() ? PartsOfTokens(tokens)
                                 : PartsOfExamples(examples);
}

/// Options of the cross entropy that training minimises.
CrossEntropyOptions EntropyOf(const LossOptions& options);

/// Number of target tokens of these examples, including </s>.
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
