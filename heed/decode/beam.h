// Beam search; greedy search is beam search with a beam of 1.
#ifndef HEED_DECODE_BEAM_H_
#define HEED_DECODE_BEAM_H_

#include <vector>

#include "heed/decode/hypothesis.h"
#include "heed/models/decoder.h"

namespace heed {

/// The nbest hypotheses of each sentence, best first; fewer if the beam found
/// fewer. Each step keeps the `beam` continuations with the highest
/// log-probability. Continuations that end in </s> are finished, the others are
/// extended. A sentence is finished when no live continuation can still score
/// among its nbest. The result of a sentence does not depend on the other
/// sentences of the batch.
/// With `outputs`, only the tokens of its list may be generated in a sentence,
/// and probabilities are normalised over them.
/// Shapes: source i32 [S, B], each column ends with </s>; lengths i32 [B];
/// outputs [B]. Throws: ConfigError for options that do not fit each other
/// or the model; ShapeError; NumericError if the model returns NaN; Cancelled
/// if all sentences are cancelled. Thread-safe.
std::vector<std::vector<Hypothesis>> BeamSearch(const Decoder& model,
                                                const Inputs& inputs,
                                                const DecodeOptions& options,
                                                const OutputLists& outputs = {},
                                                const SearchHooks& hooks = {});

}  // namespace heed

#endif  // HEED_DECODE_BEAM_H_
