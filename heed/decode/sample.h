// Random sampling of translations.
#ifndef HEED_DECODE_SAMPLE_H_
#define HEED_DECODE_SAMPLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/decode/hypothesis.h"
#include "heed/models/decoder.h"

namespace heed {

/// nbest independent samples of each sentence, best first. Each token is drawn
/// from p^(1 / temperature), truncated to the top_k most probable tokens and
/// then to the smallest set with probability mass top_p. Scores use the model's
/// p. The samples of a sentence depend only on options.seed and its number.
/// Shapes: source i32 [S, B], each column ends with </s>; lengths i32 [B];
/// numbers [B]; outputs and hooks as BeamSearch. Throws: as BeamSearch.
/// Thread-safe.
/// Paper: Holtzman 2019, 1904.09751 (top_p).
std::vector<std::vector<Hypothesis>> Sample(const Decoder& model,
                                            const Inputs& inputs,
                                            const DecodeOptions& options,
                                            std::span<const int64_t> numbers,
                                            const OutputLists& outputs = {},
                                            const SearchHooks& hooks = {});

}  // namespace heed

#endif  // HEED_DECODE_SAMPLE_H_
