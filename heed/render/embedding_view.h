// View of the input vectors of a model: token, position and segment embeddings
// and their sum.
#ifndef HEED_RENDER_EMBEDDING_VIEW_H_
#define HEED_RENDER_EMBEDDING_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// Draws a strip of cells per kind of vector, with one column per token. The
/// predictions of the model, as for [MASK], are below. Paper: Devlin et al.
/// 2018, arXiv:1810.04805, figure 2.
Drawing DrawEmbedding(const ExplanationSegment& segment);

ExplanationView EmbeddingView();

}  // namespace heed

#endif  // HEED_RENDER_EMBEDDING_VIEW_H_
