// The vectors that a model begins with: of tokens, places and segments, and
// their sum.
#ifndef HEED_RENDER_EMBEDDING_VIEW_H_
#define HEED_RENDER_EMBEDDING_VIEW_H_

#include "heed/render/view.h"

namespace heed {

/// A strip of cells for each of the vectors, tokens beside each other, and
/// below what the model predicts, as under a [MASK]. Paper: Devlin et al. 2018,
/// arXiv:1810.04805, figure 2.
Drawing DrawEmbedding(const ExplanationSegment& segment);

ExplanationView EmbeddingView();

}  // namespace heed

#endif  // HEED_RENDER_EMBEDDING_VIEW_H_
