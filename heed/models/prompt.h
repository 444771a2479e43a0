// What a language model continues, as its source.
#ifndef HEED_MODELS_PROMPT_H_
#define HEED_MODELS_PROMPT_H_

#include "heed/tensor/tensor.h"

namespace heed {

/// Prompts of one length, batch-first. Shapes: source i32 [S, B], lengths i32
/// [B], all S, or undefined; result [B, S].
/// Throws: ShapeError for prompts of different lengths.
Tensor ReadPrompt(const Tensor& source, const Tensor& lengths);

/// What the first step reads: the token given to each row, then its prompt.
/// Shapes: tokens i32 [R], prompt i32 [R, S] or undefined, result [R, 1 + S].
Tensor BeforePrompt(const Tensor& tokens, const Tensor& prompt);

}  // namespace heed

#endif  // HEED_MODELS_PROMPT_H_
