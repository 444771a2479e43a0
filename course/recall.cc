#include "course/recall.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tensor/pool.h"
#include "heed/train/optimizer.h"
#include "heed/train/schedule.h"

namespace heed {
namespace {

constexpr int64_t kRecallKeys = 64;
constexpr int64_t kOtherWords = 32;
constexpr int64_t kMaxBefore = 8;  // distractor steps before the facts
// Tokens: keys, values, distractors, the question mark, the empty token.
constexpr int64_t kFirstValue = kRecallKeys;
constexpr int64_t kFirstWord = kFirstValue + kRecallValues;
constexpr int64_t kQuestionMark = kFirstWord + kOtherWords;
constexpr int64_t kNothing = kQuestionMark + 1;
constexpr int64_t kRecallTokens = kNothing + 1;

constexpr int64_t kRecallFeatures = 64;  // of embeddings and states
constexpr int64_t kShortestRecall = 2 * kRecallFacts;
constexpr int64_t kRecalledAtOnce = 25;
// Steps whose inputs are projected in one product.
constexpr int64_t kStepsAtOnce = 1024;

AttentionSpec RecallAttention() {
  AttentionSpec spec;
  spec.query = spec.key = spec.value = kRecallFeatures;
  return spec;
}

}  // namespace

RecallBatch MakeRecallBatch(int64_t sequences, int64_t distance,
                            uint64_t seed) {
  if (distance < kRecallFacts) {
    throw ConfigError("recall: a distance of {} is below the {} facts",
                      distance, kRecallFacts);
  }
  Rng rng(seed);
  const auto draw = [&](int64_t n) {
    return static_cast<int64_t>(rng.Below(static_cast<uint64_t>(n)));
  };
  const int64_t before = draw(kMaxBefore + 1);
  // All sequences ask for the same fact and so have one length.
  const int64_t queried = draw(kRecallFacts);
  const int64_t T = before + queried + distance + 1;
  RecallBatch batch = {Tensor({T, sequences}, DType::kI32),
                       Tensor({T, sequences}, DType::kI32),
                       Tensor({sequences}, DType::kI32)};
  for (int64_t b = 0; b < sequences; ++b) {
    std::array<int64_t, kRecallFacts> keys = {};
    const auto set = [&](int64_t t, int64_t first, int64_t second) {
      batch.first.row<int32_t>(t)[b] = static_cast<int32_t>(first);
      batch.second.row<int32_t>(t)[b] = static_cast<int32_t>(second);
    };
    for (int64_t t = 0; t < T - 1; ++t) {
      const int64_t fact = t - before;
      if (fact < 0 || fact >= kRecallFacts) {
        set(t, kFirstWord + draw(kOtherWords), kNothing);
        continue;
      }
      const auto own = keys.begin() + fact;
      do {
        *own = draw(kRecallKeys);
      } while (std::find(keys.begin(), own, *own) != own);
      const int64_t value = draw(kRecallValues);
      set(t, *own, kFirstValue + value);
      if (fact == queried) {
        batch.answers.data<int32_t>()[b] = static_cast<int32_t>(value);
      }
    }
    set(T - 1, At(keys, queried), kQuestionMark);
  }
  return batch;
}

RecallModel::RecallModel(RecallKind kind, uint64_t seed)
    : kind_(kind),
      parameters_(seed, DType::kF32, kernels::Precision::kNative),
      tokens_(Scope(parameters_, "tokens"), kRecallTokens, kRecallFeatures,
              {Init::Kind::kNormal, 1}),
      output_(Scope(parameters_, "output"),
              (kind == RecallKind::kRecurrent ? 1 : 2) * kRecallFeatures,
              kRecallValues, Init()) {
  constexpr int64_t units = kRecallFeatures;
  if (kind != RecallKind::kAttention) {
    cell_.emplace(
        Scope(parameters_, "cell"),
        RecurrentOptions{.cell = Cell::kGru,
                         .inputs = {kRecallFeatures},
                         .units = units,
                         .input_init = Init(),
                         .recurrent_init = {Init::Kind::kOrthogonal, 1}});
  }
  if (kind != RecallKind::kRecurrent) {
    query_.emplace(Scope(parameters_, "query"), units, units, Init());
    key_.emplace(Scope(parameters_, "key"), units, units, Init());
    value_.emplace(Scope(parameters_, "value"), units, units, Init());
    attention_.emplace(Scope(parameters_, "attention"), RecallAttention());
  }
}

Var RecallModel::States(const Context& ctx, const RecallBatch& batch) const {
  const int64_t T = batch.first.dim(0), B = batch.first.dim(1);
  const auto embedded = [&](int64_t begin, int64_t end) {
    return Add(tokens_(ctx, batch.first.Slice(begin, end)),
               tokens_(ctx, batch.second.Slice(begin, end)));
  };
  if (!cell_) return embedded(0, T);
  if (ctx.tape != nullptr) {
    return cell_
        ->Forward(ctx, cell_->Project(ctx, embedded(0, T)),
                  cell_->InitialState(B, DType::kF32), {})
        .outputs;
  }
  // Input projections are three times as large as the states, so they are
  // computed in parts.
  Tensor all({T, B, cell_->units()}, DType::kF32);
  Var state = cell_->InitialState(B, DType::kF32);
  for (int64_t begin = 0; begin < T; begin += kStepsAtOnce) {
    const int64_t end = std::min(T, begin + kStepsAtOnce);
    const RecurrentResult some = cell_->Forward(
        ctx, cell_->Project(ctx, embedded(begin, end)), state, {});
    all.Slice(begin, end).CopyFrom(some.outputs.value());
    state = some.state;
  }
  return Var(std::move(all));
}

Memory RecallModel::Remember(const Context& ctx, const Var& states,
                             const Mask& mask) const {
  if (!attention_) return {};
  return attention_->Prepare(ctx, (*key_)(ctx, states), (*value_)(ctx, states),
                             mask);
}

Var RecallModel::Answer(const Context& ctx, const Var& asking,
                        const Memory& memory) const {
  if (!attention_) return output_(ctx, asking);
  const Var context =
      attention_->Attend(ctx, (*query_)(ctx, asking), memory).context;
  return output_(ctx, ConcatColumns({context, asking}));
}

Var RecallModel::Scores(const Context& ctx, const RecallBatch& batch) const {
  const Var states = States(ctx, batch);
  const int64_t T = states.dim(0), B = states.dim(1);
  const Var asking = Reshape(Select(states, T - 1), {B, 1, kRecallFeatures});
  const Memory memory =
      attention_ ? Remember(ctx, TransposeLeading(states), {}) : Memory();
  return Reshape(Answer(ctx, asking, memory), {B, kRecallValues});
}

Tensor RecallModel::AllScores(const RecallBatch& batch) const {
  const Var states = TransposeLeading(States({}, batch));
  return Answer({}, states, Remember({}, states, Causal())).value();
}

void TrainRecall(RecallModel& model, const RecallTraining& training,
                 const std::function<void(int64_t, double)>& after) {
  OptimizerConfig config;
  config.learning_rate = training.learning_rate;
  config.schedule = Schedule::kCosine;
  config.warmup = 20;
  Optimizer optimizer(model.parameters(), config);
  for (int64_t step = 1; step <= training.steps; ++step) {
    Rng rng(training.seed, static_cast<uint64_t>(step));
    const double grown =
        std::min(1.0, 2.0 * static_cast<double>(step) / training.steps);
    const double factor = static_cast<double>(training.longest) /
                          static_cast<double>(kShortestRecall);
    const auto distance = static_cast<int64_t>(
        std::lround(static_cast<double>(kShortestRecall) *
                    std::pow(factor, grown * rng.Uniform())));
    const RecallBatch batch =
        MakeRecallBatch(training.sequences, distance, rng.Next());
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    const CrossEntropyLoss loss =
        CrossEntropy(model.Scores(ctx, batch), batch.answers,
                     {.scale = 1 / static_cast<double>(training.sequences)});
    tape.Backward(loss.loss);
    tape.Clear();
    optimizer.Step(step, LearningRate(config, step, training.steps));
    after(step, loss.nll / static_cast<double>(training.sequences));
  }
}

double RecallAccuracy(const RecallModel& model, int64_t distance,
                      int64_t sequences, uint64_t seed) {
  int64_t right = 0;
  for (int64_t begin = 0; begin < sequences; begin += kRecalledAtOnce) {
    const int64_t some = std::min(kRecalledAtOnce, sequences - begin);
    const RecallBatch batch = MakeRecallBatch(
        some, distance, Rng(seed, static_cast<uint64_t>(begin)).Next());
    right += CrossEntropy(model.Scores({}, batch), batch.answers, {}).correct;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(sequences);
}

int64_t RecallPeakBytes(const RecallModel& model, int64_t distance) {
  const RecallBatch batch = MakeRecallBatch(1, distance, 1);
  pool::ResetPeak();
  const int64_t before = pool::Stats().in_use;
  model.AllScores(batch);
  return pool::Stats().peak - before;
}

}  // namespace heed
