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
                              const std::string& with = {},
                              const std::string& result = {});
/// A linear layer to scores of so many classes.
OutlineBlock OutputOutline(const std::string& name, int64_t classes);
/// So many layers of a recurrent network.
OutlineBlock RecurrentOutline(const EncoderOptions& options);
/// An attention of a sequence to itself, or to the source hⱼ: a step that asks
/// by a query.
OutlinePart AttentionOutline(const AttentionInfo& info, OutlinePart::Kind kind,
                             int64_t features, const std::string& query = {});
/// Layers that convolve an image.
std::vector<OutlineBlock> ConvolutionOutline(const ConvolutionStack& stack);
/// All layers of a stack.
OutlineBlock StackOutline(const TransformerOptions& options);
/// All vectors become one.
OutlineBlock PoolingOutline(const PoolingOptions& options);

}  // namespace heed

#endif  // HEED_MODELS_OUTLINE_PARTS_H_
