// Where a kernel of several gradients adds them.
#ifndef HEED_OPS_SINKS_H_
#define HEED_OPS_SINKS_H_

#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>
#include <vector>

#include "heed/autograd/tape.h"

namespace heed {

/// Tensors that a kernel adds gradients to, all at the same time: accumulators,
/// and one of its own for an input that is given twice (attention of a sequence
/// to itself), which Finish adds to the other.
class Sinks {
 public:
  explicit Sinks(Grads& grads) : grads_(grads) {}
  Sinks(const Sinks&) = delete;
  Sinks& operator=(const Sinks&) = delete;

  /// Undefined if input i is constant.
  Tensor Of(int i, const Tensor& like) {
    return Find(i, like, &Grads::Accumulate);
  }
  /// The same; rows may be apart.
  Tensor RowsOf(int i, const Tensor& like) {
    return Find(i, like, &Grads::AccumulateRows);
  }
  /// The same, but scratch if input i is constant.
  Tensor OrScratch(int i, const Tensor& like) {
    return grads_.Needs(i) ? Of(i, like)
                           : Tensor::Zeros(like.shape(), like.dtype());
  }
  /// When the kernel is done.
  void Finish() {
    for (auto& [i, gradient] : twice_) grads_.Add(i, std::move(gradient));
  }

 private:
  Tensor Find(int i, const Tensor& like, Tensor& (Grads::*sum)(int)) {
    if (!grads_.Needs(i)) return {};
    for (const int other : accumulated_) {
      if (!grads_.Same(i, other)) continue;
      twice_.emplace_back(i, Tensor::Zeros(like.shape(), like.dtype()));
      return twice_.back().second;
    }
    accumulated_.push_back(i);
    return (grads_.*sum)(i);
  }

  Grads& grads_;
  // A step of a decoder needs no allocation.
  std::array<std::byte, 512> storage_;
  std::pmr::monotonic_buffer_resource resource_{storage_.data(),
                                                storage_.size()};
  std::pmr::vector<int> accumulated_{&resource_};
  std::pmr::vector<std::pair<int, Tensor>> twice_{&resource_};
};

}  // namespace heed

#endif  // HEED_OPS_SINKS_H_
