// How layers call themselves in the outline of a model.
#ifndef HEED_MODELS_OUTLINE_PARTS_H_
#define HEED_MODELS_OUTLINE_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/base/model_outline.h"
#include "heed/nn/convolution_stack.h"
#include "heed/nn/pooling.h"
#include "heed/nn/recurrent.h"
#include "heed/nn/transformer.h"

namespace heed {

/// "GRU" for Cell::kGruBahdanau.
std::string CellTitle(Cell cell);

/// Vectors of items of a vocabulary. `with`: what is added, "positions".
OutlineBlock EmbeddingOutline(int64_t vocabulary, int64_t features,
                              const std::string& with = {});
/// A linear layer to scores of so many classes.
OutlineBlock OutputOutline(const std::string& name, int64_t classes);
/// So many layers of a recurrent network.
OutlineBlock RecurrentOutline(const EncoderOptions& options);
/// A recurrent network in one direction, whose states are called `result`.
OutlineBlock RecurrentOutline(Cell cell, int64_t layers, int64_t units,
                              const std::string& result);
/// An attention of a sequence to itself, or to another one.
OutlinePart AttentionOutline(const AttentionSpec& spec, OutlinePart::Kind kind,
                             int64_t features);
OutlinePart AttentionOutline(const AttentionInfo& info, OutlinePart::Kind kind,
                             int64_t features);
/// What a decoder reads of the source hⱼ by a query: cᵢ.
OutlineStep AttentionStep(const AttentionInfo& info, const std::string& query,
                          int64_t features);
/// Layers that convolve an image.
std::vector<OutlineBlock> ConvolutionOutline(const ConvolutionStack& stack);
/// All layers of a stack.
OutlineBlock StackOutline(const TransformerOptions& options);
/// All vectors become one.
OutlineBlock PoolingOutline(const PoolingOptions& options);

}  // namespace heed

#endif  // HEED_MODELS_OUTLINE_PARTS_H_
