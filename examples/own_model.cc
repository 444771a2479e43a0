// A model of one's own and the loop that trains it: a network of two layers
// learns whether two numbers have the same sign.
#include <cstdio>

#include "heed/nn/linear.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/train/optimizer.h"
#include "heed/train/schedule.h"

using namespace heed;

// Parts add their parameters to a scope; the call is the computation.
struct Network {
  explicit Network(const Scope& scope)
      : hidden(scope / "hidden", 2, 16, {}),
        output(scope / "output", 16, 2, {}) {}
  Var operator()(const Context& ctx, const Tensor& x) const {
    return output(ctx, Elu(hidden(ctx, x)));
  }
  Linear hidden, output;
};

int main() {
  constexpr int64_t kBatch = 64, kSteps = 400;
  ParameterSet parameters(/*seed=*/1, DType::kF32, kernels::Precision::kNative);
  const Network network(Scope(parameters, "network"));
  OptimizerConfig config;  // Adam
  config.learning_rate = 0.02;
  config.schedule = "cosine";
  config.warmup = 20;
  Optimizer optimizer(parameters, config);

  Tensor x({kBatch, 2}), labels({kBatch}, DType::kI32);
  Rng rng(2);
  Tape tape;
  const Context ctx = {.tape = &tape, .rng = &rng, .training = true};
  double right = 0;
  for (int64_t step = 1; step <= kSteps; ++step) {
    for (int64_t b = 0; b < kBatch; ++b) {
      float* row = x.row<float>(b);
      for (int i = 0; i < 2; ++i) row[i] = static_cast<float>(rng.Normal());
      labels.data<int32_t>()[b] = row[0] * row[1] > 0 ? 1 : 0;
    }
    const CrossEntropyLoss loss =
        CrossEntropy(network(ctx, x), labels, {.scale = 1.0 / kBatch});
    tape.Backward(loss.loss);
    tape.Clear();
    const double norm =
        optimizer.Step(step, LearningRate(config, step, kSteps));
    right = static_cast<double>(loss.correct) / kBatch;
    if (step % 100 == 0) {
      std::printf("step %ld: loss %.3f, gradient norm %.3f, %.0f %% right\n",
                  static_cast<long>(step), loss.nll / kBatch, norm,
                  100 * right);
    }
  }
  return right > 0.9 ? 0 : 1;
}
