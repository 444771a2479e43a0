// The gradient of a batch whose shards are summed in one order, wherever they
// are computed.
#ifndef HEED_TRAIN_GRADIENT_SUM_H_
#define HEED_TRAIN_GRADIENT_SUM_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/train/processes.h"
#include "heed/train/shards.h"

namespace heed {

/// Sums the gradients of shards in a binary tree over all of them, of which
/// this process has a part (EvenPart), so that the sum has the same bits for
/// any number of processes. What is to travel does so in buckets, from the last
/// parameter to the first, while the last shard is still at work.
class GradientSum {
 public:
  /// All outlive it. Frozen parameters are left out. Throws: ConfigError unless
  /// there are at most as many processes as shards; if a parameter is not f32.
  GradientSum(ParameterSet& parameters, Processes& processes, int64_t shards,
              Wire wire);

  int64_t shards() const { return shards_; }
  /// The shards of this process. One at least.
  Interval mine() const { return mine_; }

  /// This parameter has the gradient of its shard.
  void Ready(Parameter& parameter);
  /// All others have theirs as well, or none; shard `mine().begin` comes first.
  void EndShard();
  /// After the last shard: parameters get the sums of all. Throws:
  /// ProcessError.
  void Finish();

 private:
  struct Slot {
    Parameter* parameter;
    int64_t offset;  // in the buffers; −1: it travels from where it is
    TreeSum<Tensor> sum;
    std::vector<Tensor> nodes = {};
    bool ready = false;  // of the shard at hand
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
  std::vector<Slot> slots_;      // the last parameter first
  std::vector<Tensor> buffers_;  // of each node, for small parameters together
  size_t next_ = 0;              // slot that is to travel
  int64_t sent_ = 0;             // numbers of the buffers that do
};

}  // namespace heed

#endif  // HEED_TRAIN_GRADIENT_SUM_H_
