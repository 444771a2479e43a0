// Beam search; greedy search is a beam of one.
#ifndef HEED_DECODE_BEAM_H_
#define HEED_DECODE_BEAM_H_

#include <vector>

#include "heed/decode/hypothesis.h"
#include "heed/models/decoder.h"

namespace heed {

/// The nbest hypotheses of each sentence, best first; fewer if the beam met
/// fewer. At each step the `beam` continuations of highest log-probability
/// remain: those that end in </s> are finished, the others go on. A sentence
/// ends when nothing that goes on can still score among its nbest. What a
/// sentence becomes does not depend on the others of its batch.
/// Only `outputs` may be written, if they are defined, and probabilities are
/// shares among them: ascending ids that begin with the special tokens.
/// Shapes: source i32 [S, B], each column ends with </s>; lengths i32 [B];
/// outputs i32 [O]. Throws: ConfigError for options that do not fit each other
/// or the model; ShapeError; NumericError if the model gives NaN; Cancelled if
/// all sentences are. Thread-safe.
std::vector<std::vector<Hypothesis>> BeamSearch(const Decoder& model,
                                                const Inputs& inputs,
                                                const DecodeOptions& options,
                                                const Tensor& outputs = {},
                                                const SearchHooks& hooks = {});

}  // namespace heed

#endif  // HEED_DECODE_BEAM_H_
