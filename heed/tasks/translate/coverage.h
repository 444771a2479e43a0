// Coverage: attention that does not return to the same source tokens.
#ifndef HEED_TASKS_TRANSLATE_COVERAGE_H_
#define HEED_TASKS_TRANSLATE_COVERAGE_H_

#include <cstdint>
#include <span>

#include "heed/autograd/tape.h"

namespace heed::translate {

/// scale · Σ_b Σ_{t < lengths_b} Σ_s min(a_bts, c_bts) with the coverage c_bts
/// = Σ_{u < t} a_bus, and a the weights of one head, or (`head` −1) the mean of
/// all. `weights` are those of T steps, from one call or one call per step.
/// Shapes: weights [B, H, T, S] or T of [B, H, 1, S], lengths [B] of the
/// targets, result []. Throws: ShapeError. Paper: See et al. 2017,
/// arXiv:1704.04368, equations 10 and 12.
Var CoverageLoss(std::span<const Var> weights, std::span<const int32_t> lengths,
                 int64_t head, double scale);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_COVERAGE_H_
