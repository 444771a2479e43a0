// Gradients of a batch from parts that run in parallel.
#ifndef HEED_TRAIN_BATCH_PARTS_H_
#define HEED_TRAIN_BATCH_PARTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/base/rng.h"
#include "heed/train/trainable.h"

namespace heed {

/// Differentiates a loss that is a sum over parts of a batch. Parts run
/// concurrently, each on a tape of its own; results do not depend on the number
/// of threads. Reuses the memory of its tapes.
class BatchParts {
 public:
  /// The loss of part `part`.
  using PartLoss = std::function<BatchLoss(const Context& ctx, int64_t part)>;

  /// Adds the gradients of all parts to the parameters and returns the losses
  /// by part. Calls `ready` as Tape::AddKept does. Takes one number of `rng`.
  std::vector<BatchLoss> Differentiate(int64_t parts, Rng& rng,
                                       const PartLoss& loss,
                                       const Tape::Ready& ready = nullptr);

 private:
  std::vector<std::unique_ptr<Tape>> tapes_;
};

}  // namespace heed

#endif  // HEED_TRAIN_BATCH_PARTS_H_
