// Attention over several layers, and the lengths of weighted values.
#ifndef HEED_EXPLAIN_ATTENTION_FLOW_H_
#define HEED_EXPLAIN_ATTENTION_FLOW_H_

#include "heed/explain/explanation.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Name of the method of Rollout.
inline constexpr const char* kRollout = "rollout";

/// Attention rollout. A layer of self-attention passes ½ (A + I) on, where A
/// [S, S] is the mean of its heads and I stands for the residual connection.
/// The scores of a target are its attention row times the product of these
/// matrices of the layers below, on the axis of its keys. If the row is one of
/// self-attention itself, it is ½ (a + 1 at its own item). Targets have scores
/// if they have an attention row on the axis that most of them attend to.
/// Paper: Abnar and Zuidema 2020, arXiv:2005.00928, section 3. Throws:
/// ConfigError if no target has an attention row.
Attribution Rollout(const ExplanationSegment& segment);

/// Fills panels.norms with ‖a_ts v_s W‖, the length of the vector that key s
/// adds to the output for query t. Shapes: output [H D, M], the matrix behind
/// the heads. Paper: Kobayashi et al. 2020, arXiv:2004.10102, section 3.
void FillNorms(const Tensor& output, AttentionPanels& panels);

}  // namespace heed

#endif  // HEED_EXPLAIN_ATTENTION_FLOW_H_
