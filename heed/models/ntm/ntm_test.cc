// Tests of Neural Turing Machines against an independent implementation (see
// tests/golden/make_golden_ntm.py), and of their use of memory.
#include "heed/models/ntm/ntm.h"

#include <gtest/gtest.h>

#include <memory>

#include "heed/models/model_testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"

namespace heed::ntm_test {
namespace {

constexpr double kTolerance = 1e-10;

ResolvedNtm GoldenSizes() {
  ResolvedNtm sizes;
  sizes.layers = 2;
  sizes.units = 5;
  sizes.memory = {
      .slots = 6, .features = 4, .reach = 2, .start = MemoryStart::kLearned};
  sizes.read_heads = 2;
  sizes.write_heads = 2;
  return sizes;
}

void ExpectGolden(const std::string& name, const ResolvedNtm& sizes) {
  const GoldenTensors golden(name);
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const NeuralTuringMachine machine(Scope(set, ""), sizes, 3, 2);
  golden.ExpectSameParameters(set);
  golden.SetParameters(set);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var x = tape.Leaf(golden.at("x"));
  MachineState state = machine.Start(ctx, x.dim(1));
  const Var logits = machine.Run(ctx, x, state);
  EXPECT_LT(MaxDifference(logits.value(), golden.at("logits")), kTolerance);
  EXPECT_LT(MaxDifference(state.memory.memory.value(), golden.at("memory")),
            kTolerance);
  EXPECT_LT(MaxDifference(state.memory.read_weights.value(),
                          golden.at("read_weights")),
            kTolerance);
  tape.Backward(Sum(Mul(logits, golden.at("weight"))));
  golden.ExpectGradients(set, kTolerance);
  EXPECT_LT(MaxDifference(tape.Gradient(x), golden.at("gradient_of_x")),
            kTolerance);
}

TEST(NtmGolden, FeedforwardControllerIsThatOfPyTorch) {
  ResolvedNtm sizes = GoldenSizes();
  sizes.memory.weights = WeightsStart::kLearned;
  ExpectGolden("ntm_feedforward", sizes);
}

TEST(NtmGolden, LstmControllerThatReadsFirstIsThatOfPyTorch) {
  ResolvedNtm sizes = GoldenSizes();
  sizes.controller = Controller::kLstm;
  sizes.read_order = ReadOrder::kBefore;
  ExpectGolden("ntm_lstm", sizes);
}

TEST(Ntm, EachStepIsTraced) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const NeuralTuringMachine machine(Scope(set, ""), GoldenSizes(), 3, 2);
  MachineState state = machine.Start({}, 1);
  std::vector<MemoryStep> trace;
  state.trace = &trace;
  machine.Run({}, RandomTensor({4, 1, 3}, 1), state);
  ASSERT_EQ(trace.size(), 4u);
  EXPECT_EQ(MaxDifference(trace.back().read, state.memory.read.value()), 0);
  EXPECT_EQ(MaxDifference(trace.back().write_weights,
                          state.memory.write_weights.value()),
            0);
  EXPECT_EQ(trace[0].add.shape(), (Shape{1, 8}));
}

TEST(Ntm, AnObserverSeesWhereHeadsLook) {
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const NeuralTuringMachine machine(Scope(set, ""), GoldenSizes(), 3, 2);
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  MachineState state = machine.Start(ctx, 1);
  machine.Run(ctx, RandomTensor({4, 1, 3}, 1), state);
  ASSERT_EQ(watch.seen.size(), 8u) << "writing and reading of four steps";
  EXPECT_EQ(watch.seen[0].info.key_axis, "memory");
  EXPECT_EQ(watch.seen[0].weights.shape(), (Shape{1, 2, 1, 6}));
  EXPECT_EQ(watch.seen[7].step, 3);
}

TEST(Ntm, AMemoryOfOneSlotWorks) {
  ResolvedNtm sizes = GoldenSizes();
  sizes.memory.slots = 1;
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  const NeuralTuringMachine machine(Scope(set, ""), sizes, 3, 2);
  MachineState state = machine.Start({}, 2);
  const Tensor y = machine.Run({}, RandomTensor({5, 2, 3}, 1), state).value();
  for (const double v : y.ToVector<double>()) EXPECT_TRUE(std::isfinite(v));
  for (const double w : state.memory.read_weights.value().ToVector<double>()) {
    EXPECT_DOUBLE_EQ(w, 1);
  }
}

/// Copy task with `length` vectors of 3 bits; the fourth channel is the
/// delimiter.
struct Copies {
  Copies(int64_t length, int64_t batch, Rng& rng)
      : length(length),
        inputs(Tensor::Zeros({2 * length + 1, batch, 4})),
        targets({length, batch, 3}) {
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t b = 0; b < batch; ++b) {
        for (int64_t i = 0; i < 3; ++i) {
          const auto bit = static_cast<float>(rng.Below(2));
          inputs[t].row<float>(b)[i] = bit;
          targets[t].row<float>(b)[i] = bit;
        }
      }
    }
    for (int64_t b = 0; b < batch; ++b) inputs[length].row<float>(b)[3] = 1;
  }
  int64_t length;
  Tensor inputs, targets;
};

/// Machine trained to copy up to four vectors.
class NtmCopy : public testing::Test {
 protected:
  static NeuralTuringMachine& Machine() {
    static ParameterSet set(5, DType::kF32, kernels::Precision::kNative);
    static NeuralTuringMachine machine = Trained(set);
    return machine;
  }

  static int64_t Errors(const Tensor& logits, const Tensor& targets) {
    const std::vector<float> z = logits.ToVector<float>();
    const std::vector<float> t = targets.ToVector<float>();
    int64_t errors = 0;
    for (size_t i = 0; i < z.size(); ++i) errors += (z[i] > 0) != (t[i] > 0.5F);
    return errors;
  }

 private:
  static NeuralTuringMachine Trained(ParameterSet& set) {
    ResolvedNtm sizes;
    sizes.units = 32;
    sizes.memory = {.slots = 12, .features = 8};
    NeuralTuringMachine machine(Scope(set, ""), sizes, 4, 3);
    Adam adam(set);
    Rng rng(3);
    for (int step = 0; step < 1500; ++step) {
      const Copies copies(1 + static_cast<int64_t>(rng.Below(4)), 16, rng);
      Tape tape;
      Context ctx;
      ctx.tape = &tape;
      MachineState state = machine.Start(ctx, 16);
      const Var logits = Slice(machine.Run(ctx, copies.inputs, state),
                               copies.length + 1, 2 * copies.length + 1);
      tape.Backward(BinaryCrossEntropy(logits, copies.targets, 1.0 / 16));
      adam.Step(3e-3);
    }
    return machine;
  }
};

TEST_F(NtmCopy, IsLearned) {
  Rng rng(77);
  for (int64_t length = 1; length <= 4; ++length) {
    const Copies copies(length, 32, rng);
    MachineState state = Machine().Start({}, 32);
    const Tensor logits = Machine().Run({}, copies.inputs, state).value();
    EXPECT_EQ(Errors(logits.Slice(length + 1, 2 * length + 1), copies.targets),
              0)
        << "length " << length;
  }
}

TEST_F(NtmCopy, AnswersWhatIsPutIntoItsMemory) {
  // Two sequences in a batch. After both are read, the slot of the first
  // sequence's third vector is overwritten with that of the second.
  Rng rng(78);
  int64_t checked = 0;
  for (int tries = 0; tries < 8; ++tries) {
    const Copies copies(4, 2, rng);
    MachineState state = Machine().Start({}, 2);
    std::vector<MemoryStep> trace;
    state.trace = &trace;
    Machine().Run({}, copies.inputs.Slice(0, 5), state);
    const float* w = trace[2].write_weights.data<float>();
    const int64_t slot = std::max_element(w, w + 12) - w;
    state.memory.Overwrite(0, slot, state.memory.Slot(1, slot));
    const Tensor logits =
        Machine().Run({}, copies.inputs.Slice(5, 9), state).value();
    for (int64_t t = 0; t < 4; ++t) {
      // The first row outputs the second row's third vector, else its own.
      const int64_t of = t == 2 ? 1 : 0;
      EXPECT_EQ(Errors(logits[t][0], copies.targets[t][of]), 0)
          << "vector " << t;
      EXPECT_EQ(Errors(logits[t][1], copies.targets[t][1]), 0);
    }
    checked += Errors(logits[2][0], copies.targets[2][0]);
  }
  EXPECT_GT(checked, 0) << "no two third vectors differed";
}

}  // namespace
}  // namespace heed::ntm_test
