#include "heed/ops/memory.h"

#include <utility>

#include "heed/kernels/memory_access.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

void CheckMemory(std::string_view op, const Var& memory, const Var& weights) {
  CheckShapes(memory.shape().rank() == 3 && weights.shape().rank() == 3 &&
                  memory.dim(0) == weights.dim(0) &&
                  memory.dim(2) == weights.dim(2) && memory.dim(1) >= 1 &&
                  memory.dim(2) >= 1 && weights.dim(1) >= 1,
              op, "a memory [B, F, N] and weights [B, H, N] that do not fit",
              {memory.shape(), weights.shape()});
  CheckDTypes(op, memory, weights);
}

/// Accumulator of the memory's gradient; undefined if it is not needed.
Tensor MemoryGradient(Grads& g, int input) {
  return g.Needs(input) ? g.Accumulate(input) : Tensor();
}

}  // namespace

Var AddressMemory(const Var& numbers, const Var& previous, const Var& memory) {
  CheckMemory("address memory", memory, previous);
  const int64_t heads = previous.dim(1);
  const int64_t shifts = numbers.shape().rank() == 2
                             ? numbers.dim(1) / heads - memory.dim(1) - 3
                             : 0;
  CheckShapes(numbers.shape().rank() == 2 && numbers.dim(0) == memory.dim(0) &&
                  numbers.dim(1) % heads == 0 && shifts >= 1 && shifts % 2 == 1,
              "address memory", "numbers that do not fit heads and features",
              {numbers.shape(), previous.shape(), memory.shape()});
  CheckDTypes("address memory", numbers, memory);
  const Tensor p = numbers.value().Contiguous();
  const Tensor before = previous.value().Contiguous();
  const Tensor m = memory.value().Contiguous();
  kernels::MemoryAddress address = kernels::AddressMemory(p, before, m);
  const Tensor weights = address.weights;
  return Record(
      "address memory", weights, {numbers, previous, memory},
      [address = std::move(address), p, before, m](const Tensor& dy, Grads& g) {
        Tensor dm = MemoryGradient(g, 2);
        kernels::MemoryAddressGrads grads =
            kernels::AddressMemoryGrad(dy, address, p, before, m, dm);
        g.Add(0, std::move(grads.numbers));
        g.Add(1, std::move(grads.previous));
      });
}

Var WriteMemory(const Var& memory, const Var& weights, const Var& erase,
                const Var& add) {
  CheckMemory("write memory", memory, weights);
  CheckShapes(
      erase.shape() == Shape{memory.dim(0), weights.dim(1) * memory.dim(1)} &&
          add.shape() == erase.shape(),
      "write memory", "erase and add vectors [B, H F] that do not fit",
      {memory.shape(), weights.shape(), erase.shape(), add.shape()});
  CheckDTypes("write memory", memory, erase);
  CheckDTypes("write memory", memory, add);
  const Tensor m = memory.value().Contiguous();
  const Tensor w = weights.value().Contiguous();
  const Tensor& e = erase.value();
  const Tensor& a = add.value();
  return Record("write memory", kernels::WriteMemory(m, w, e, a),
                {memory, weights, erase, add},
                [m, w, e, a](const Tensor& dy, Grads& g) {
                  Tensor dm = MemoryGradient(g, 0);
                  kernels::MemoryWriteGrads grads =
                      kernels::WriteMemoryGrad(dy, m, w, e, a, dm);
                  g.Add(1, std::move(grads.weights));
                  g.Add(2, std::move(grads.erase));
                  g.Add(3, std::move(grads.add));
                });
}

Var ReadMemory(const Var& memory, const Var& weights) {
  CheckMemory("read memory", memory, weights);
  const Tensor m = memory.value().Contiguous();
  const Tensor w = weights.value().Contiguous();
  return Record("read memory", kernels::ReadMemory(m, w), {memory, weights},
                [m, w](const Tensor& dy, Grads& g) {
                  Tensor dm = MemoryGradient(g, 0);
                  g.Add(1, kernels::ReadMemoryGrad(dy, m, w, dm));
                });
}

}  // namespace heed
