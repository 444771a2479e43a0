// A memory in a network of one's own: a cell of two layers that writes and
// reads it learns to say three symbols again, in the order in which it read
// them. All that it carries from step to step is in the memory.
#include <cstdio>

#include "heed/nn/linear.h"
#include "heed/nn/memory_head.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/train/optimizer.h"

using namespace heed;

constexpr int64_t kSymbols = 4, kUnits = 24, kLength = 3, kBatch = 32;
constexpr MemoryConfig kMemory = {.slots = 8, .features = 8};

// h = tanh(W [x; r]): what it writes, reads and says is a map of h.
struct Network {
  explicit Network(const Scope& scope)
      : hidden(scope / "hidden", kSymbols + 1 + kMemory.features, kUnits, {}),
        writer(scope / "write", kUnits, 1, kMemory),
        reader(scope / "read", kUnits, 1, kMemory),
        memory(scope / "memory", kMemory, 1, 1),
        output(scope / "output", kMemory.features, kSymbols, {}) {}

  // What is said at a step, from what is read at it.
  Var operator()(const Context& ctx, const Tensor& x,
                 MemoryState& state) const {
    const Var h = Tanh(hidden(ctx, ConcatColumns({Var(x), state.read})));
    writer.Write(ctx, h, state);
    return output(ctx, reader.Read(ctx, h, state));
  }
  Linear hidden;
  MemoryWriter writer;
  MemoryReader reader;
  WritableMemory memory;
  Linear output;
};

int main() {
  ParameterSet parameters(/*seed=*/1, DType::kF32, kernels::Precision::kNative);
  const Network network(Scope(parameters, "network"));
  OptimizerConfig config;  // Adam
  config.learning_rate = 0.01;
  config.clip = 10;
  Optimizer optimizer(parameters, config);
  Rng rng(2);
  Tape tape;
  double right = 0;
  for (int64_t step = 1; step <= 1500; ++step) {
    Context ctx;
    ctx.tape = &tape;
    MemoryState state = network.memory.Start(ctx, kBatch);
    Tensor symbols({kLength, kBatch}, DType::kI32);
    std::vector<Var> outputs;
    for (int64_t t = 0; t < 2 * kLength; ++t) {
      Tensor x = Tensor::Zeros({kBatch, kSymbols + 1});
      for (int64_t b = 0; b < kBatch; ++b) {
        int64_t channel = kSymbols;  // the one that asks
        if (t < kLength) {
          channel = static_cast<int64_t>(rng.Below(kSymbols));
          symbols[t].data<int32_t>()[b] = static_cast<int32_t>(channel);
        }
        x.row<float>(b)[channel] = 1;
      }
      const Var y = network(ctx, x, state);
      if (t >= kLength) outputs.push_back(y);
    }
    const CrossEntropyLoss loss = CrossEntropy(
        Stack(outputs), symbols, {.scale = 1.0 / (kLength * kBatch)});
    tape.Backward(loss.loss);
    tape.Clear();
    optimizer.Step(step, config.learning_rate);
    right = static_cast<double>(loss.correct) / (kLength * kBatch);
    if (step % 300 == 0) std::printf("%.0f %% right\n", 100 * right);
  }
  return right > 0.9 ? 0 : 1;
}
