#include "heed/train/gradient_sum.h"

#include <algorithm>
#include <span>
#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/elementwise.h"

namespace heed {
namespace {

/// Numbers of a bucket: 1.5 MB.
constexpr int64_t kBucket = int64_t{3} << 17;
/// Tensors start at multiples of 64 bytes.
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
    slots_.push_back({p->get(), offset, TreeSum<Tensor>(AddTensor)});
    const int64_t numbers = (*p)->value().numel();
    offset += (numbers + kAligned - 1) / kAligned * kAligned;
  }
  if (processes.alone()) return;
  for (size_t i = 0; i < NodesOf(mine_).size(); ++i) {
    buffers_.push_back(Tensor::Zeros({offset}));
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
  if (shard_ + 1 == mine_.end) Pack(slot);
}

void GradientSum::Pack(Slot& slot) {
  std::vector<Tensor> nodes = slot.sum.Take();
  if (processes_.alone()) {
    slot.parameter->mutable_gradient() = std::move(nodes.front());
    return;
  }
  const int64_t numbers = slot.parameter->value().numel();
  for (size_t i = 0; i < nodes.size(); ++i) {
    buffers_[i]
        .Slice(slot.offset, slot.offset + numbers)
        .CopyFrom(nodes[i].Reshape({numbers}));
  }
  SendFull();
}

/// Starts the sums of buckets that are filled.
void GradientSum::SendFull() {
  while (packed_ < slots_.size() && slots_[packed_].ready) ++packed_;
  const int64_t all = buffers_.front().numel();
  const int64_t filled = packed_ < slots_.size() ? slots_[packed_].offset : all;
  while (sent_ < filled && (filled - sent_ >= kBucket || filled == all)) {
    const int64_t size = std::min(kBucket, filled - sent_);
    std::vector<std::span<float>> nodes;
    for (Tensor& buffer : buffers_) {
      nodes.emplace_back(buffer.data<float>() + sent_,
                         static_cast<size_t>(size));
    }
    processes_.StartSum(shards_, std::move(nodes), wire_);
    sent_ += size;
  }
}

void GradientSum::Finish() {
  shard_ = mine_.begin;
  if (processes_.alone()) return;
  processes_.FinishSums();
  for (Slot& slot : slots_) {
    Parameter& p = *slot.parameter;
    const int64_t numbers = p.value().numel();
    p.mutable_gradient() = buffers_.front()
                               .Slice(slot.offset, slot.offset + numbers)
                               .Reshape(p.value().shape());
  }
  packed_ = 0;
  sent_ = 0;
}

}  // namespace heed
