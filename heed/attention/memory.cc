// Memory of an attention: made at once or grown step by step.
#include <algorithm>
#include <utility>

#include "heed/attention/attention.h"
#include "heed/base/errors.h"

namespace heed {

Memory Memory::InBF16() const {
  Memory half = *this;
  half.keys = keys.value().To(DType::kBF16);
  half.values = values.value().To(DType::kBF16);
  return half;
}

DType Memory::computed_in() const {
  const DType stored = values.value().dtype();
  return stored == DType::kBF16 ? DType::kF32 : stored;
}

void Attention::CheckSource(const Var& keys, const Var& values) const {
  const DType dtype = keys.value().dtype();
  const bool fits = keys.shape().rank() == 3 && values.shape().rank() == 3 &&
                    keys.dim(2) == key_ && values.dim(2) == value_ &&
                    keys.dim(0) == values.dim(0) &&
                    keys.dim(1) == values.dim(1) &&
                    dtype == values.value().dtype() &&
                    (dtype == DType::kF32 || dtype == DType::kF64);
  if (!fits) {
    throw ShapeError(
        "{}: keys {} {} and values {} {} are not [B, S, {}] and [B, S, {}], "
        "both f32 or both f64",
        info_.path, Name(dtype), keys.shape().ToString(),
        Name(values.value().dtype()), values.shape().ToString(), key_, value_);
  }
}

Memory Attention::Prepare(const Context& ctx, const Var& keys,
                          const Var& values, const Mask& mask) const {
  CheckSource(keys, values);
  Memory memory;
  memory.keys = PrepareKeys(ctx, keys, 0);
  memory.values = values;
  memory.mask = mask_ && mask;
  return memory;
}

Memory Attention::Extend(const Context& ctx, Memory memory, const Var& keys,
                         const Var& values) const {
  CheckSource(keys, values);
  if (!memory.positions.empty() ||
      (!memory.defined() && memory.decoded && mask_.causal() &&
       StepsByKernel(ctx, keys.value()))) {
    AppendPositions(keys.value(), values.value(), memory);
    return memory;
  }
  if (!memory.defined()) {
    memory.keys = PrepareKeys(ctx, keys, 0);
    memory.values = values;
    memory.mask = mask_;
    memory.filled = keys.dim(1);
    return memory;
  }
  const int64_t begin = memory.size();
  const int64_t end = begin + keys.dim(1);
  Check(keys.dim(0) == memory.values.dim(0) &&
            keys.value().dtype() == memory.values.value().dtype(),
        "keys of another batch or type than the memory's", keys, memory);
  const Var prepared = PrepareKeys(ctx, keys, begin);
  const auto append = [&](Var& all, const Tensor& rows) {
    Tensor old = std::exchange(all, Var()).value();
    const int64_t capacity =
        end <= old.dim(1) ? old.dim(1) : std::max(end, 2 * old.dim(1));
    if (capacity > old.dim(1) || !old.unique()) {
      Tensor wider =
          Tensor::Zeros({old.dim(0), capacity, old.dim(2)}, old.dtype());
      for (int64_t b = 0; b < old.dim(0); ++b) {
        wider[b].Slice(0, begin).CopyFrom(old[b].Slice(0, begin));
      }
      old = std::move(wider);
    }
    for (int64_t b = 0; b < old.dim(0); ++b) {
      old[b].Slice(begin, end).CopyFrom(rows[b]);
    }
    all = std::move(old);
  };
  if (memory.values.value().Aliases(memory.keys.value())) {
    memory.values = memory.values.value().Clone();
  }
  append(memory.keys, prepared.value());
  append(memory.values, values.value());
  memory.filled = end;
  return memory;
}

}  // namespace heed
