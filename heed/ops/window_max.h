// Features of short rows of symbols, such as the characters of a word.
#ifndef HEED_OPS_WINDOW_MAX_H_
#define HEED_OPS_WINDOW_MAX_H_

#include "heed/autograd/context.h"

namespace heed {

/// y[u, f] = max_p Σ_j table[id(u, p + j), j F + f] over all windows of `width`
/// symbols that overlap row u. With table = embeddings · filters, this is a
/// convolution over embedded symbols with max pooling over time. A row ends
/// before its first id 0, which also pads it. Shapes: table [V, width F], ids
/// i32 [U, L], result [U, F]. Throws: ShapeError. Paper: Collobert et al. 2011,
/// section 3.3.2; Ma and Hovy 2016, arXiv:1603.01354.
Var WindowMax(const Var& table, const Tensor& ids, int64_t width);

}  // namespace heed

#endif  // HEED_OPS_WINDOW_MAX_H_
