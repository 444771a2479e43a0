#include "heed/nn/memory_head.h"

#include <gtest/gtest.h>

#include "heed/attention/attention.h"
#include "heed/autograd/testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/memory.h"
#include "heed/ops/shape.h"

namespace heed::memory_head_test {
namespace {

constexpr int64_t B = 2;
constexpr int64_t N = 5;
constexpr int64_t F = 3;
constexpr int64_t C = 4;

constexpr MemoryConfig kSmall = {.slots = N, .features = F};

/// Memory with two write heads and two read heads.
struct Parts {
  explicit Parts(const MemoryConfig& config = kSmall)
      : writer(Scope(set, "write"), C, 2, config),
        reader(Scope(set, "read"), C, 2, config),
        memory(Scope(set, "memory"), config, 2, 2) {}

  /// Read vectors of three steps and the final memory, as one vector.
  Var Run(const Context& ctx, MemoryState* last = nullptr) const {
    MemoryState state = memory.Start(ctx, B);
    std::vector<Var> reads;
    for (uint64_t step = 0; step < 3; ++step) {
      const Tensor control = RandomTensor({B, C}, 10 + step);
      writer.Write(ctx, control, state);
      reads.push_back(reader.Read(ctx, control, state));
    }
    if (last != nullptr) *last = state;
    return ConcatColumns({Reshape(Stack(reads), {B, 3 * 2 * F}),
                          Reshape(state.memory, {B, F * N})});
  }

  ParameterSet set{1, DType::kF64, kernels::Precision::kNative};
  MemoryWriter writer;
  MemoryReader reader;
  WritableMemory memory;
};

TEST(MemoryHead, GradientsOfAllParametersAreThoseOfDifferences) {
  MemoryConfig config = kSmall;
  config.start = MemoryStart::kLearned;
  config.weights = WeightsStart::kLearned;
  const Parts parts(config);
  std::vector<Parameter*> all;
  for (const auto& parameter : parts.set.all()) all.push_back(parameter.get());
  const Tensor w = RandomTensor({B, 3 * 2 * F + F * N}, 3);
  const GradientCheckResult result = CheckParameterGradient(
      [&](Tape* tape) {
        Context ctx;
        ctx.tape = tape;
        return Sum(Mul(parts.Run(ctx), w));
      },
      all);
  EXPECT_LT(result.worst, 1e-6) << result.where;
}

TEST(MemoryHead, EqualsTheComposedAttentionOfTheSameNumbers) {
  // In this attention strength, gate, shifts and sharpening are maps of the
  // query, which is the key of the head.
  ParameterSet set(1, DType::kF64, kernels::Precision::kNative);
  AttentionSpec spec;
  spec.score = ChooseScore("cosine");
  spec.modifiers =
      ChooseModifiers("strength; interpolate; shift; sharpen_weights");
  spec.query = spec.key = F;
  const Attention attention(Scope(set, "attention"), spec);
  const auto parameter = [&](const std::string& ending) -> Parameter& {
    for (const auto& one : set.all()) {
      if (one->name().ends_with(ending)) return *one;
    }
    throw ShapeError(ending);
  };
  parameter("log_strength").mutable_value().Fill(0);
  uint64_t seed = 20;
  for (const char* bias :
       {"strength.bias", "gate.bias", "shift.bias", "gamma.bias"}) {
    Tensor& value = parameter(bias).mutable_value();
    value.CopyFrom(RandomTensor(value.shape(), seed++));
  }

  const Tensor raw = RandomTensor({B, F}, 1);
  const Tensor query = Tanh(raw).value();
  const Tensor keys = RandomTensor({B, N, F}, 2);
  const Tensor previous =
      AddressMemory(RandomTensor({B, AddressSize(F, 1)}, 3),
                    Tensor::Full({B, 1, N}, 1.0 / N, DType::kF64),
                    RandomTensor({B, F, N}, 4))
          .value();
  const auto map = [&](const std::string& name) {
    return Affine(query, parameter(name + ".weight").value(),
                  parameter(name + ".bias").value());
  };
  const Var numbers = ConcatColumns(
      {raw, map("strength"), map("gate"), map("shift"), map("gamma")});
  Tensor memory({B, F, N}, DType::kF64);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t f = 0; f < F; ++f) {
      for (int64_t i = 0; i < N; ++i) {
        memory.row<double>(b * F + f)[i] = keys.row<double>(b * N + i)[f];
      }
    }
  }
  const Tensor own = AddressMemory(numbers, previous, memory).value();

  Memory prepared = attention.Prepare({}, keys, keys);
  prepared.position = 1;
  prepared.previous = previous.Reshape({B, N});
  const Attended composed = attention.Attend(
      {}, query.Reshape({B, 1, F}), &prepared, {.want = WantWeights::kValues});
  EXPECT_LT(MaxDifference(composed.weights.value().Reshape({B, 1, N}), own),
            1e-9);
  EXPECT_LT(MaxDifference(composed.context.value().Reshape({B, F}),
                          ReadMemory(memory, own).value()),
            1e-9);
}

TEST(MemoryHead, StartsAtSlotZeroWithWhatIsKeptWithTheModel) {
  const Parts parts;
  const MemoryState state = parts.memory.Start({}, B);
  EXPECT_EQ(state.memory.shape(), (Shape{B, F, N}));
  const double bound = 1 / std::sqrt(static_cast<double>(N + F));
  for (const double x : state.memory.value().ToVector<double>()) {
    EXPECT_LE(std::abs(x), bound);
  }
  EXPECT_TRUE(parts.set.Find("memory.memory")->frozen());
  for (int64_t h = 0; h < B * 2; ++h) {
    EXPECT_EQ(state.read_weights.value().row<double>(h)[0], 1);
    EXPECT_EQ(state.read_weights.value().row<double>(h)[1], 0);
  }
}

TEST(MemoryHead, AConstantStartIsTheSameEverywhere) {
  MemoryConfig config = kSmall;
  config.start = MemoryStart::kConstant;
  const MemoryState state = Parts(config).memory.Start({}, B);
  for (const double x : state.memory.value().ToVector<double>()) {
    EXPECT_EQ(x, 1e-6);
  }
}

TEST(MemoryHead, AnOverwrittenSlotHoldsWhatWasPutThere) {
  MemoryState state;
  const Parts parts;
  parts.Run({}, &state);
  const Tensor before = state.memory.value().Clone();
  const Tensor put = RandomTensor({F}, 9);
  state.Overwrite(1, 3, put);
  EXPECT_EQ(MaxDifference(state.Slot(1, 3), put), 0);
  EXPECT_EQ(MaxDifference(state.memory.value()[0], before[0]), 0);
  EXPECT_EQ(MaxDifference(state.memory.value()[1].Columns(0, 3).Contiguous(),
                          before[1].Columns(0, 3).Contiguous()),
            0);
}

TEST(MemoryHead, AnObserverSeesEachWritingAndReading) {
  const Parts parts;
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  MemoryState state = parts.memory.Start(ctx, B);
  const Tensor control = RandomTensor({B, C}, 1);
  parts.writer.Write(ctx, control, state);
  parts.reader.Read(ctx, control, state);
  ASSERT_EQ(watch.seen.size(), 2u);
  EXPECT_EQ(watch.seen[0].info.path, "write.address");
  EXPECT_EQ(watch.seen[1].info.path, "read.address");
  EXPECT_EQ(watch.seen[1].weights.shape(), (Shape{B, 2, 1, N}));
}

}  // namespace
}  // namespace heed::memory_head_test
