// Gradient reduction over shards in a fixed order, independent of the number of
// processes.
#ifndef HEED_TRAIN_GRADIENT_SUM_H_
#define HEED_TRAIN_GRADIENT_SUM_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/train/processes.h"
#include "heed/train/shards.h"

namespace heed {

/// Sums the gradients of all shards in a binary tree; this process computes a
/// part of the shards (EvenPart). The sum has the same bits for any number of
/// processes. Gradients are sent in buckets, from the last parameter to the
/// first, while the last shard is still being computed.
class GradientSum {
 public:
  /// The arguments must outlive the object. Frozen parameters are skipped.
  /// Throws: ConfigError if there are more processes than shards or a parameter
  /// is not f32.
  GradientSum(ParameterSet& parameters, Processes& processes, int64_t shards,
              Wire wire);

  int64_t shards() const { return shards_; }
  /// Shards of this process, at least one.
  Interval mine() const { return mine_; }

  /// Reports that `parameter` has the gradient of the current shard.
  void Ready(Parameter& parameter);
  /// Ends a shard: all other parameters have their gradients, or none. The
  /// first shard is mine().begin.
  void EndShard();
  /// Ends the last shard: stores the sums over all shards in the parameters.
  /// Throws: ProcessError.
  void Finish();

 private:
  struct Slot {
    Parameter* parameter;
    int64_t offset;  // in the buffers; −1: sent directly
    TreeSum<Tensor> sum;
    std::vector<Tensor> nodes = {};
    bool ready = false;  // for the current shard
  };

  void Push(Slot& slot);
  void SendReady();
  void SendBuffers(int64_t end);
  void Send(std::vector<Tensor>& nodes, int64_t begin, int64_t end);

  Processes& processes_;
  int64_t shards_;
  Wire wire_;
  Interval mine_;
  int64_t shard_;
  std::vector<Slot> slots_;      // last parameter first
  std::vector<Tensor> buffers_;  // one per node; packed small parameters
  size_t next_ = 0;              // next slot to send
  int64_t sent_ = 0;             // elements of the buffers already sent
};

}  // namespace heed

#endif  // HEED_TRAIN_GRADIENT_SUM_H_
