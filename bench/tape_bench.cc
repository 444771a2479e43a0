// Overhead of an operation beyond its kernel, with and without a tape.
#include <benchmark/benchmark.h>

#include "heed/autograd/tape.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

constexpr int kOps = 1000;
const Shape kTiny = {8};

void KernelAlone(benchmark::State& state) {
  const Tensor x = Tensor::Full(kTiny, 0.5);
  for (auto _ : state) {
    for (int i = 0; i < kOps; ++i) benchmark::DoNotOptimize(kernels::Tanh(x));
  }
  state.SetItemsProcessed(state.iterations() * kOps);
}
BENCHMARK(KernelAlone);

void WithoutTape(benchmark::State& state) {
  const Var x(Tensor::Full(kTiny, 0.5));
  for (auto _ : state) {
    for (int i = 0; i < kOps; ++i) benchmark::DoNotOptimize(Tanh(x));
  }
  state.SetItemsProcessed(state.iterations() * kOps);
}
BENCHMARK(WithoutTape);

/// Time per operation on a tape, including clearing the tape. The thousand
/// results on the tape exceed the L1 cache, so KernelsKept measures the kernel
/// in the same way.
void OnTape(benchmark::State& state) {
  Tape tape;
  const Tensor value = Tensor::Full(kTiny, 0.5);
  for (auto _ : state) {
    const Var x = tape.Leaf(value);
    for (int i = 0; i < kOps; ++i) benchmark::DoNotOptimize(Tanh(x));
    tape.Clear();
  }
  state.SetItemsProcessed(state.iterations() * kOps);
}
BENCHMARK(OnTape);

void KernelsKept(benchmark::State& state) {
  const Tensor x = Tensor::Full(kTiny, 0.5);
  std::vector<Tensor> kept(kOps);
  for (auto _ : state) {
    for (Tensor& y : kept) y = kernels::Tanh(x);
    for (Tensor& y : kept) y = Tensor();
  }
  state.SetItemsProcessed(state.iterations() * kOps);
}
BENCHMARK(KernelsKept);

}  // namespace
}  // namespace heed
