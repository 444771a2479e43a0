#include "heed/train/gradient_sum.h"

#include <algorithm>
#include <span>
#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/elementwise.h"

namespace heed {
namespace {

/// Elements per bucket: 1.5 MB.
constexpr int64_t kBucket = int64_t{3} << 17;
/// Parameters with fewer elements are packed into shared buffers.
constexpr int64_t kSmall = int64_t{1} << 16;
/// Alignment of tensors in elements: 64 bytes.
constexpr int64_t kAligned = 16;

void AddTensor(Tensor& a, const Tensor& b) { kernels::AddTo(a, b); }

}  // namespace

GradientSum::GradientSum(ParameterSet& parameters, Processes& processes,
                         int64_t shards, Wire wire)
    : processes_(processes),
      shards_(shards),
      wire_(wire),
      mine_(EvenPart(shards, processes.size(), processes.rank())),
      shard_(mine_.begin) {
  if (processes.size() > shards) {
    throw ConfigError(
        "{} processes cannot share {} shards; start fewer, or choose more "
        "--shards (a run that goes on keeps its own)",
        processes.size(), shards);
  }
  int64_t offset = 0;
  const auto& all = parameters.all();
  for (auto p = all.rbegin(); p != all.rend(); ++p) {
    if ((*p)->frozen()) continue;
    if ((*p)->value().dtype() != DType::kF32) {
      throw ConfigError("shards are summed in f32, which {} is not",
                        (*p)->name());
    }
    const int64_t numbers = (*p)->value().numel();
    const bool small = numbers < kSmall;
    slots_.push_back(
        {p->get(), small ? offset : -1, TreeSum<Tensor>(AddTensor)});
    if (small) offset += (numbers + kAligned - 1) / kAligned * kAligned;
  }
  if (processes.alone()) return;
  for (size_t i = 0; i < NodesOf(mine_).size(); ++i) {
    buffers_.push_back(Tensor::Zeros({std::max<int64_t>(1, offset)}));
  }
}

void GradientSum::Ready(Parameter& parameter) {
  const auto slot = std::ranges::find(
      slots_, &parameter, [](const Slot& s) { return s.parameter; });
  if (slot != slots_.end() && !slot->ready) Push(*slot);
}

void GradientSum::EndShard() {
  for (Slot& slot : slots_) {
    if (!slot.ready) Push(slot);
  }
  for (Slot& slot : slots_) slot.ready = false;
  ++shard_;
}

void GradientSum::Push(Slot& slot) {
  slot.ready = true;
  Parameter& p = *slot.parameter;
  Tensor gradient = std::exchange(p.mutable_gradient(), Tensor());
  if (!gradient.defined()) gradient = Tensor::Zeros(p.value().shape());
  if (!gradient.unique() || !gradient.contiguous()) gradient = gradient.Clone();
  slot.sum.Push({0, shard_}, std::move(gradient));
  if (shard_ + 1 < mine_.end) return;
  slot.nodes = slot.sum.Take();
  if (processes_.alone()) {
    p.mutable_gradient() = std::move(slot.nodes.front());
    return;
  }
  SendReady();
}

/// Sends slots in their order, which is the same in all processes.
void GradientSum::SendReady() {
  for (; next_ < slots_.size() && slots_[next_].ready; ++next_) {
    Slot& slot = slots_[next_];
    const int64_t numbers = slot.parameter->value().numel();
    if (slot.offset < 0) {
      Send(slot.nodes, 0, numbers);
      continue;
    }
    for (size_t i = 0; i < slot.nodes.size(); ++i) {
      buffers_[i]
          .Slice(slot.offset, slot.offset + numbers)
          .CopyFrom(slot.nodes[i].Reshape({numbers}));
    }
    const int64_t end = slot.offset + numbers;
    if (end - sent_ >= kBucket) SendBuffers(end);
  }
  if (next_ == slots_.size()) SendBuffers(buffers_.front().numel());
}

void GradientSum::SendBuffers(int64_t end) {
  Send(buffers_, sent_, end);
  sent_ = end;
}

/// Starts the sums of elements [begin, end) of each node.
void GradientSum::Send(std::vector<Tensor>& nodes, int64_t begin, int64_t end) {
  for (; begin < end; begin += kBucket) {
    const auto size = static_cast<size_t>(std::min(kBucket, end - begin));
    std::vector<std::span<float>> parts;
    for (Tensor& node : nodes) {
      parts.emplace_back(node.data<float>() + begin, size);
    }
    processes_.StartSum(shards_, std::move(parts), wire_);
  }
}

void GradientSum::Finish() {
  shard_ = mine_.begin;
  if (processes_.alone()) return;
  processes_.FinishSums();
  for (Slot& slot : slots_) {
    Parameter& p = *slot.parameter;
    if (slot.offset < 0) {
      p.mutable_gradient() = std::move(slot.nodes.front());
    } else {
      p.mutable_gradient() =
          buffers_.front()
              .Slice(slot.offset, slot.offset + p.value().numel())
              .Reshape(p.value().shape());
    }
    slot.nodes.clear();
  }
  next_ = 0;
  sent_ = 0;
}

}  // namespace heed
