#include "demos/layer_costs.h"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "demos/self_attention.h"
#include "heed/base/timing.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr size_t kLeastTimes = 3;
constexpr int64_t kNeighbours = 3;  // words that a convolution sees

/// y_t = Σ_j x_(t+j−1) W_j + b: what comes from a word's neighbours.
class NeighbourConvolution {
 public:
  NeighbourConvolution(const Scope& scope, int64_t width)
      : own_(scope / "first", width, width, {}),
        second_(scope / "second", width, width, {}, /*bias=*/false),
        third_(scope / "third", width, width, {}, /*bias=*/false) {}

  /// Shapes: x [T + 2, B, M], with what stands before and behind the words;
  /// result [T, B, M].
  Var operator()(const Context& ctx, const Var& x) const {
    const int64_t T = x.dim(0) - kNeighbours + 1;
    Var y = own_(ctx, Slice(x, 0, T));
    y = MatMulAdd(std::move(y), Slice(x, 1, T + 1), ctx.Use(second_.weight()));
    return MatMulAdd(std::move(y), Slice(x, 2, T + 2),
                     ctx.Use(third_.weight()));
  }

 private:
  Linear own_;
  Linear second_;
  Linear third_;
};

/// The three layers, and what they read.
struct TimedLayers {
  explicit TimedLayers(const CostOptions& o)
      : set(1, DType::kF32, kernels::Precision::kNative),
        gru(Scope(set, "recurrence"), RecurrenceOf(o)),
        attention(set, AttentionOf(o)),
        convolution(Scope(set, "convolution"), o.width) {}

  static RecurrentOptions RecurrenceOf(const CostOptions& o) {
    RecurrentOptions layer;
    layer.inputs = {o.width};
    layer.units = o.width;
    return layer;
  }
  static AttentionSpec AttentionOf(const CostOptions& o) {
    AttentionSpec spec;
    spec.heads = o.heads;
    spec.query = spec.key = spec.value = o.width;
    return spec;
  }
  Parameter& Input(const std::string& name, const Shape& shape) {
    return set.Add(name, shape, {Init::Kind::kNormal, 1});
  }

  ParameterSet set;
  Recurrent gru;
  SelfAttention attention;
  NeighbourConvolution convolution;
};

double MillisecondsOf(const std::function<void()>& action) {
  const auto start = Clock::now();
  action();
  return 1e3 * SecondsSince(start);
}

/// Medians of all actions, which are run in alternation.
std::vector<double> MediansOf(const std::vector<std::function<void()>>& actions,
                              double seconds) {
  for (const auto& action : actions) action();
  std::vector<std::vector<double>> times(actions.size());
  const auto start = Clock::now();
  while (times[0].size() < kLeastTimes || SecondsSince(start) < seconds) {
    for (size_t i = 0; i < actions.size(); ++i) {
      times[i].push_back(MillisecondsOf(actions[i]));
    }
  }
  std::vector<double> medians;
  for (const auto& own : times) medians.push_back(Median(own));
  return medians;
}

}  // namespace

Cost MeasureCost(int64_t length, const CostOptions& o) {
  TimedLayers layers(o);
  const Parameter& words = layers.Input("words", {o.batch, length, o.width});
  const Parameter& by_time =
      layers.Input("by_time", {length, o.batch, o.width});
  const Parameter& padded =
      layers.Input("padded", {length + kNeighbours - 1, o.batch, o.width});
  Tape tape;
  Context ctx;
  if (o.backward) ctx.tape = &tape;
  const auto pass = [&](const std::function<Var()>& forward) {
    return [&, forward] {
      const Var y = forward();
      if (!o.backward) return;
      tape.Backward(Sum(y));
      tape.Clear();
      for (const auto& parameter : layers.set.all()) parameter->ClearGradient();
    };
  };
  const std::vector<double> ms = MediansOf(
      {pass([&] {
         return layers.gru
             .Forward(ctx, layers.gru.Project(ctx, ctx.Use(by_time)),
                      layers.gru.InitialState(o.batch, DType::kF32), {})
             .outputs;
       }),
       pass([&] {
         return layers.attention(ctx, ctx.Use(words), WantWeights::kNo).context;
       }),
       pass([&] { return layers.convolution(ctx, ctx.Use(padded)); })},
      o.seconds);
  const auto n = static_cast<double>(length);
  const double d = o.width;
  const double scale = (o.backward ? 3 : 1) * o.batch / 1e9;
  return {.length = length,
          .recurrence_ms = ms[0],
          .attention_ms = ms[1],
          .convolution_ms = ms[2],
          .recurrence_gflop = 12 * n * d * d * scale,
          .attention_gflop = (8 * n * d * d + 4 * n * n * d) * scale,
          .convolution_gflop = 6 * n * d * d * scale};
}

std::optional<double> Crossing(std::span<const Cost> costs) {
  const auto ratio = [](const Cost& cost) {
    return std::log(cost.attention_ms / cost.recurrence_ms);
  };
  for (size_t i = 1; i < costs.size(); ++i) {
    const double before = ratio(costs[i - 1]);
    const double after = ratio(costs[i]);
    if (before > 0 || after < 0) continue;
    const double part = after > before ? before / (before - after) : 0;
    const double first = std::log(static_cast<double>(costs[i - 1].length));
    const double second = std::log(static_cast<double>(costs[i].length));
    return std::exp(first + part * (second - first));
  }
  return std::nullopt;
}

DecodeCost MeasureDecode(int64_t context, const CostOptions& o) {
  TimedLayers layers(o);
  const Tensor& word = layers.Input("word", {o.batch, 1, o.width}).value();
  const Tensor step = word.Reshape({1, o.batch, o.width});
  Tensor before({o.batch, context, o.width});
  for (int64_t b = 0; b < o.batch; ++b) {
    for (int64_t t = 0; t < context; ++t) {
      before[b].Slice(t, t + 1).CopyFrom(word[(b + t) % o.batch]);
    }
  }
  Memory memory = layers.attention.Remember({}, {}, before);
  Var state = layers.gru.InitialState(o.batch, DType::kF32);
  const std::vector<double> ms = MediansOf(
      {[&] {
         state = layers.gru.Forward({}, layers.gru.Project({}, step), state, {})
                     .state;
       },
       [&] {
         // Each time the word behind the same context.
         memory.filled = context;
         memory = layers.attention.Remember({}, std::move(memory), word);
         layers.attention.Read({}, word, memory);
       }},
      o.seconds);
  const auto number = static_cast<int64_t>(SizeOf(DType::kF32));
  return {.context = context,
          .recurrence_ms = ms[0],
          .attention_ms = ms[1],
          .recurrence_bytes = state.value().numel() / o.batch * number,
          .attention_bytes = 2 * context * o.width * number};
}

}  // namespace heed
