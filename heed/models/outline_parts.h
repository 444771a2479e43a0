// Builders of outline parts for common layers.
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

/// Display name, such as "GRU" for Cell::kGruBahdanau.
std::string CellTitle(Cell cell);

/// Embeddings of a vocabulary. `with`: added vectors, "positions".
OutlineBlock EmbeddingOutline(int64_t vocabulary, int64_t features,
                              const std::string& with = {},
                              const std::string& result = {});
/// Linear layer to the scores of `classes` classes.
OutlineBlock OutputOutline(const std::string& name, int64_t classes);
/// All layers of a recurrent network.
OutlineBlock RecurrentOutline(const EncoderOptions& options);
/// Self attention, or attention to the source hⱼ with the symbol `query`.
OutlinePart AttentionOutline(const AttentionInfo& info, OutlinePart::Kind kind,
                             int64_t features, const std::string& query = {});
/// Convolutional layers of an image network.
std::vector<OutlineBlock> ConvolutionOutline(const ConvolutionStack& stack);
/// All layers of a Transformer stack.
OutlineBlock StackOutline(const TransformerOptions& options);
/// Pooling of all vectors to one.
OutlineBlock PoolingOutline(const PoolingOptions& options);

}  // namespace heed

#endif  // HEED_MODELS_OUTLINE_PARTS_H_
