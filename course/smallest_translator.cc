#include "course/smallest_translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "heed/base/at.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"
#include "heed/train/optimizer.h"
#include "heed/train/schedule.h"

namespace heed {
namespace {

constexpr int64_t kSmallestUnits = 2;
constexpr std::array<const char*, 3> kSmallestSource = {"let's", "to", "go"};
constexpr std::array<const char*, 3> kSmallestTarget = {"vamos", "ir", "<EOS>"};
constexpr int32_t kEndOfSentence = 2;
constexpr size_t kMaxWritten = 3;
constexpr Init kSmallestInit = {Init::Kind::kNormal, 0.7};

int32_t IdOf(std::span<const char* const> words, const std::string& word) {
  return static_cast<int32_t>(std::find(words.begin(), words.end(), word) -
                              words.begin());
}

RecurrentOptions SmallestCell() {
  return {.cell = Cell::kLstm,
          .inputs = {kSmallestUnits},
          .units = kSmallestUnits,
          .input_init = kSmallestInit,
          .recurrent_init = kSmallestInit};
}

AttentionSpec SmallestAttention() {
  AttentionSpec spec;
  spec.score = ChooseScore("dot");
  spec.query = spec.key = spec.value = kSmallestUnits;
  return spec;
}

std::vector<double> NumbersOf(const Tensor& x) {
  return x.To(DType::kF64).ToVector<double>();
}

double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<double> SoftmaxOf(const std::vector<double>& scores) {
  std::vector<double> weights;
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  for (const double score : scores) weights.push_back(std::exp(score) / sum);
  return weights;
}

/// One step of an LSTM cell with its gates.
struct TracedStep {
  std::array<std::vector<double>, 4> gates;  // i, f, g, o
  std::vector<double> cell;
  std::vector<double> hidden;
  Var state;
};

/// Runs one step of the layer. The layer does not return its gates, so they are
/// recomputed from the weights.
TracedStep StepOf(const Recurrent& layer, const Tensor& recurrent, const Var& x,
                  const Var& state) {
  const Var projected =
      Reshape(layer.Project({}, x), {1, 1, 4 * kSmallestUnits});
  TracedStep step;
  const std::vector<double> z =
      NumbersOf(Add(Reshape(projected, {1, 4 * kSmallestUnits}),
                    MatMul(Select(state, 0), Var(recurrent)))
                    .value());
  for (size_t k = 0; k < z.size(); ++k) {
    const size_t gate = k / kSmallestUnits;
    step.gates[gate].push_back(gate == 2 ? std::tanh(z[k]) : SigmoidOf(z[k]));
  }
  step.state = layer.Forward({}, projected, state, {}).state;
  step.hidden = NumbersOf(Select(step.state, 0).value());
  step.cell = NumbersOf(Select(step.state, 1).value());
  return step;
}

}  // namespace

const TracedNumbers& TracedTranslation::Line(const std::string& name) const {
  for (const TracedNumbers& line : lines) {
    if (line.name == name) return line;
  }
  throw std::out_of_range("no numbers " + name);
}

SmallestTranslator::SmallestTranslator(uint64_t seed)
    : parameters_(seed, DType::kF64, kernels::Precision::kNative),
      source_(Scope(parameters_, "source"), std::ssize(kSmallestSource),
              kSmallestUnits, kSmallestInit),
      target_(Scope(parameters_, "target"), std::ssize(kSmallestTarget),
              kSmallestUnits, kSmallestInit),
      encoder_(Scope(parameters_, "encoder"), SmallestCell()),
      decoder_(Scope(parameters_, "decoder"), SmallestCell()),
      attention_(Scope(parameters_, "attention"), SmallestAttention()),
      output_(Scope(parameters_, "output"), 2 * kSmallestUnits,
              std::ssize(kSmallestTarget), kSmallestInit) {}

Var SmallestTranslator::ScoresOf(const Context& ctx, const Var& states,
                                 const Var& context) const {
  return output_(ctx, ConcatColumns({context, states}));
}

Var SmallestTranslator::Scores(const Context& ctx) const {
  constexpr auto pairs = static_cast<int64_t>(kSmallestPairs.size());
  Tensor read = Tensor::Zeros({2, pairs}, DType::kI32);
  Tensor led = Tensor::Zeros({2, pairs}, DType::kI32);
  for (int64_t b = 0; b < pairs; ++b) {
    const SmallestPair& pair = At(kSmallestPairs, b);
    for (int64_t t = 0; t < 2; ++t) {
      read.row<int32_t>(t)[b] = IdOf(kSmallestSource, At(pair.source, t));
    }
    led.row<int32_t>(0)[b] = kEndOfSentence;
    led.row<int32_t>(1)[b] = IdOf(kSmallestTarget, pair.target);
  }
  const RecurrentResult encoded =
      encoder_.Forward(ctx, encoder_.Project(ctx, source_(ctx, read)),
                       encoder_.InitialState(pairs, DType::kF64), {});
  const RecurrentResult decoded = decoder_.Forward(
      ctx, decoder_.Project(ctx, target_(ctx, led)), encoded.state, {});
  const Var keys = TransposeLeading(encoded.outputs);
  const Var context = attention_
                          .Attend(ctx, TransposeLeading(decoded.outputs),
                                  attention_.Prepare(ctx, keys, keys))
                          .context;
  return ScoresOf(ctx, decoded.outputs, TransposeLeading(context));
}

Var SmallestTranslator::Loss(const Context& ctx) const {
  constexpr auto pairs = static_cast<int64_t>(kSmallestPairs.size());
  Tensor right = Tensor::Full({2, pairs}, kEndOfSentence, DType::kI32);
  for (int64_t b = 0; b < pairs; ++b) {
    right.row<int32_t>(0)[b] =
        IdOf(kSmallestTarget, At(kSmallestPairs, b).target);
  }
  return CrossEntropy(Scores(ctx), right, {.scale = 0.5 / pairs}).loss;
}

TracedTranslation SmallestTranslator::Translate(const SmallestPair& pair,
                                                bool attends) const {
  TracedTranslation traced;
  traced.lines = {{"x", "embedding of the word that is read", {}},
                  {"i", "σ(x Wᵢ + h′ Uᵢ + bᵢ): how much is let in", {}},
                  {"f", "σ(x W_f + h′ U_f + b_f): how much is kept", {}},
                  {"g", "tanh(x W_g + h′ U_g + b_g): what is new", {}},
                  {"o", "σ(x Wₒ + h′ Uₒ + bₒ): how much is shown", {}},
                  {"c", "f c′ + i g: the cell", {}},
                  {"h", "o tanh(c): the state", {}}};
  std::vector<std::string> words(pair.source.begin(), pair.source.end());
  traced.lines.push_back(
      {"score", "h · hₛ for each word that was read", {}, words});
  traced.lines.push_back({"weight", "softmax of the scores", {}, words});
  traced.lines.push_back({"context", "Σ weight · hₛ", {}});
  const std::vector<std::string> targets(kSmallestTarget.begin(),
                                         kSmallestTarget.end());
  traced.lines.push_back({"logit", "[context, h] W + b", {}, targets});
  traced.lines.push_back({"p", "softmax of the logits", {}, targets});
  const auto add = [&](const std::vector<std::vector<double>>& numbers) {
    for (size_t i = 0; i < traced.lines.size(); ++i) {
      traced.lines[i].of_steps.push_back(
          i < numbers.size() ? numbers[i] : std::vector<double>());
    }
  };
  const auto step_of = [&](const Recurrent& layer, const std::string& name,
                           const Embedding& table, int32_t id, const Var& state,
                           std::vector<double>& x) {
    const Var embedded = table({}, Tensor::Of(std::vector<int32_t>{id}, {1}));
    x = NumbersOf(embedded.value());
    const Tensor& recurrent =
        parameters_.Find(name + ".recurrent.weight")->value();
    return StepOf(layer, recurrent, embedded, state);
  };

  Var state = encoder_.InitialState(1, DType::kF64);
  std::vector<std::vector<double>> keys;
  for (const std::string& word : words) {
    std::vector<double> x;
    const TracedStep step = step_of(encoder_, "encoder", source_,
                                    IdOf(kSmallestSource, word), state, x);
    add({x, step.gates[0], step.gates[1], step.gates[2], step.gates[3],
         step.cell, step.hidden});
    traced.read.push_back(word);
    keys.push_back(step.hidden);
    state = step.state;
  }
  int32_t id = kEndOfSentence;
  for (size_t written = 0; written < kMaxWritten; ++written) {
    std::vector<double> x;
    const TracedStep step = step_of(decoder_, "decoder", target_, id, state, x);
    traced.read.emplace_back(At(kSmallestTarget, id));
    state = step.state;
    std::vector<double> scores;
    for (const std::vector<double>& key : keys) {
      scores.push_back(step.hidden[0] * key[0] + step.hidden[1] * key[1]);
    }
    const std::vector<double> weights = SoftmaxOf(scores);
    std::vector<double> context(kSmallestUnits);
    for (size_t s = 0; s < keys.size() && attends; ++s) {
      for (size_t d = 0; d < context.size(); ++d) {
        context[d] += weights[s] * keys[s][d];
      }
    }
    const std::vector<double> logits = NumbersOf(
        ScoresOf({}, Var(Tensor::Of(step.hidden, {1, kSmallestUnits})),
                 Var(Tensor::Of(context, {1, kSmallestUnits})))
            .value());
    const std::vector<double> p = SoftmaxOf(logits);
    add({x, step.gates[0], step.gates[1], step.gates[2], step.gates[3],
         step.cell, step.hidden, scores, weights, context, logits, p});
    id = static_cast<int32_t>(std::ranges::max_element(p) - p.begin());
    traced.written.emplace_back(At(kSmallestTarget, id));
    if (id == kEndOfSentence) break;
  }
  return traced;
}

void TrainSmallest(SmallestTranslator& model, int steps,
                   const std::function<void(int64_t, double)>& after) {
  OptimizerConfig config;
  config.learning_rate = 0.05;
  config.schedule = Schedule::kCosine;
  Optimizer optimizer(model.parameters(), config);
  for (int64_t step = 1; step <= steps; ++step) {
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    const Var loss = model.Loss(ctx);
    const double value = loss.value().item();
    tape.Backward(loss);
    tape.Clear();
    optimizer.Step(step, LearningRate(config, step, steps));
    after(step, value);
  }
}

}  // namespace heed
