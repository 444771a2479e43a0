#include "course/layer_costs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "course/self_attention.h"
#include "heed/base/timing.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"
#include "heed/tensor/pool.h"

namespace heed {
namespace {

constexpr size_t kMinTimes = 3;
constexpr int64_t kNeighbours = 3;  // width of the convolution

/// y_t = Σ_j x_(t+j−1) W_j + b: a convolution over three words.
class NeighbourConvolution {
 public:
  NeighbourConvolution(const Scope& scope, int64_t width)
      : own_(scope / "first", width, width, {}),
        second_(scope / "second", width, width, {}, /*bias=*/false),
        third_(scope / "third", width, width, {}, /*bias=*/false) {}

  /// Shapes: x [T + 2, B, M], padded by one step on each side; result [T, B,
  /// M].
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

/// The three layers and their inputs.
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

/// Returns the median times of all actions, which run in alternation. Units:
/// ms.
std::vector<double> MediansOf(const std::vector<std::function<void()>>& actions,
                              double seconds) {
  for (const auto& action : actions) action();
  std::vector<std::vector<double>> times(actions.size());
  const auto start = Clock::now();
  while (times[0].size() < kMinTimes || SecondsSince(start) < seconds) {
    for (size_t i = 0; i < actions.size(); ++i) {
      times[i].push_back(MillisecondsOf(actions[i]));
    }
  }
  std::vector<double> medians;
  for (const auto& own : times) medians.push_back(Median(own));
  return medians;
}

/// Words of all sequences that a layer computes at once without gradients. The
/// limit keeps memory independent of the length.
constexpr int64_t kWordsAtOnce = 4096;

/// Calls visit(begin, end) for consecutive parts of [0, count) of at most
/// `at_once`.
void ForEachPart(int64_t count, int64_t at_once,
                 const std::function<void(int64_t, int64_t)>& visit) {
  at_once = std::max<int64_t>(1, at_once);
  for (int64_t begin = 0; begin < count; begin += at_once) {
    visit(begin, std::min(begin + at_once, count));
  }
}

/// Returns forward passes, in parts, over words [T + 2, B, M] or [B, T, M] of
/// one buffer.
std::vector<std::function<void()>> ForwardPasses(const TimedLayers& layers,
                                                 const Tensor& padded,
                                                 const CostOptions& o) {
  const int64_t T = padded.dim(0) - kNeighbours + 1;
  const int64_t steps = kWordsAtOnce / o.batch;
  const Tensor words = padded.Slice(0, T).Reshape({o.batch, T, o.width});
  return {[&layers, padded, T, steps, batch = o.batch] {
            Var state = layers.gru.InitialState(batch, DType::kF32);
            ForEachPart(T, steps, [&](int64_t begin, int64_t end) {
              const Var part(padded.Slice(begin, end));
              state = layers.gru
                          .Forward({}, layers.gru.Project({}, part), state, {})
                          .state;
            });
          },
          [&layers, words, T] {
            ForEachPart(words.dim(0), kWordsAtOnce / T,
                        [&](int64_t begin, int64_t end) {
                          layers.attention({}, Var(words.Slice(begin, end)),
                                           WantWeights::kNo);
                        });
          },
          [&layers, padded, T, steps] {
            ForEachPart(T, steps, [&](int64_t begin, int64_t end) {
              const Var part(padded.Slice(begin, end + kNeighbours - 1));
              layers.convolution({}, part);
            });
          }};
}

/// Returns median times of forward and backward passes over whole sequences.
/// Gradients need the values of all words, so the passes are not divided.
std::vector<double> TrainingMedians(TimedLayers& layers, int64_t length,
                                    const CostOptions& o) {
  const Parameter& words = layers.Input("words", {o.batch, length, o.width});
  const Parameter& by_time =
      layers.Input("by_time", {length, o.batch, o.width});
  const Parameter& padded =
      layers.Input("padded", {length + kNeighbours - 1, o.batch, o.width});
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const auto pass = [&](const std::function<Var()>& forward) {
    return [&, forward] {
      tape.Backward(Sum(forward()));
      tape.Clear();
      for (const auto& parameter : layers.set.all()) parameter->ClearGradient();
    };
  };
  return MediansOf(
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
}

}  // namespace

Cost MeasureCost(int64_t length, const CostOptions& o) {
  TimedLayers layers(o);
  std::vector<double> ms;
  if (o.backward) {
    ms = TrainingMedians(layers, length, o);
  } else {
    const Parameter& padded =
        layers.Input("padded", {length + kNeighbours - 1, o.batch, o.width});
    pool::Trim();  // frees the buffers of initialisation
    ms = MediansOf(ForwardPasses(layers, padded.value(), o), o.seconds);
  }
  pool::Trim();  // buffers of this length are useless for the next one
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
  Memory memory;
  ForEachPart(context, kWordsAtOnce / o.batch, [&](int64_t begin, int64_t end) {
    Tensor before({o.batch, end - begin, o.width});
    for (int64_t b = 0; b < o.batch; ++b) {
      for (int64_t t = begin; t < end; ++t) {
        before[b]
            .Slice(t - begin, t - begin + 1)
            .CopyFrom(word[(b + t) % o.batch]);
      }
    }
    memory = layers.attention.Remember({}, std::move(memory), before);
  });
  Var state = layers.gru.InitialState(o.batch, DType::kF32);
  const std::vector<double> ms = MediansOf(
      {[&] {
         state = layers.gru.Forward({}, layers.gru.Project({}, step), state, {})
                     .state;
       },
       [&] {
         // Each call decodes the word after the same context.
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
