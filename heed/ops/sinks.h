// Destinations of a kernel with several gradients.
#ifndef HEED_OPS_SINKS_H_
#define HEED_OPS_SINKS_H_

#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>
#include <vector>

#include "heed/autograd/tape.h"

namespace heed {

/// Tensors to which a kernel adds gradients simultaneously. They are
/// accumulators, except for an input that occurs twice (self attention): its
/// second tensor is temporary and added by Finish.
class Sinks {
 public:
  explicit Sinks(Grads& grads) : grads_(grads) {}
  Sinks(const Sinks&) = delete;
  Sinks& operator=(const Sinks&) = delete;

  /// Accumulator of input i; undefined if it is constant.
  Tensor Of(int i, const Tensor& like) {
    return Find(i, like, &Grads::Accumulate);
  }
  /// Accumulator of input i, whose rows may be apart; undefined if it is
  /// constant.
  Tensor RowsOf(int i, const Tensor& like) {
    return Find(i, like, &Grads::AccumulateRows);
  }
  /// Accumulator of input i, or scratch if it is constant.
  Tensor OrScratch(int i, const Tensor& like) {
    return grads_.Needs(i) ? Of(i, like)
                           : Tensor::Zeros(like.shape(), like.dtype());
  }
  /// Adds temporary gradients; call after the kernel.
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
  // Inline storage, so that a decoder step needs no allocation.
  std::array<std::byte, 512> storage_;
  std::pmr::monotonic_buffer_resource resource_{storage_.data(),
                                                storage_.size()};
  std::pmr::vector<int> accumulated_{&resource_};
  std::pmr::vector<std::pair<int, Tensor>> twice_{&resource_};
};

}  // namespace heed

#endif  // HEED_OPS_SINKS_H_
