// Tests of every sequence machine.
#include "heed/models/ntm/machine.h"

#include <gtest/gtest.h>

#include "heed/models/roles_testing.h"
#include "heed/ops/elementwise.h"

namespace heed::machine_test {
namespace {

constexpr int64_t kSteps = 4;
constexpr int64_t kRows = 2;
constexpr int64_t kFeatures = 5;

class EveryMachine : public EveryRole {};

INSTANTIATE_TEST_SUITE_P(Registry, EveryMachine,
                         testing::ValuesIn(VariantsIn<MachineSettings>()),
                         NameOf);

TEST_P(EveryMachine, AnswersAtEveryStep) {
  constexpr MachineUse kUse = {"layers=1 units=6 read_heads=2 write_heads=2",
                               "layers=2 units=6 read_heads=2 write_heads=2",
                               "layers=2 units=6"};
  const auto settings = Small<MachineSettings>();
  settings->Fill(kUse);
  ExpectFilled(*settings, [&] { settings->Fill(kUse); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto machine =
      settings->Make(Scope(parameters, "machine"), kFeatures, /*outputs=*/3);
  ExpectOutlined(machine->Outline());
  const Tensor x = RandomTensor({kSteps, kRows, kFeatures}, 1);
  const auto all = [&](const Context& ctx) {
    MachineState state = machine->Start(ctx, kRows);
    return machine->Run(ctx, x, state);
  };
  const Tensor whole = all({}).value();
  MachineState state = machine->Start({}, kRows);
  for (int64_t t = 0; t < kSteps; ++t) {
    const Tensor step = machine->Run({}, x.Slice(t, t + 1), state).value();
    EXPECT_LT(MaxDifference(step[0], whole[t]), 1e-14) << "step " << t;
  }
  const Tensor w = RandomTensor({kSteps, kRows, 3}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Sum(Mul(all(ctx), w));
  });
}

}  // namespace
}  // namespace heed::machine_test
