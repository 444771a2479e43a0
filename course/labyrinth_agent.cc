#include "course/labyrinth_agent.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/models/image/looks.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

// Lower than any other log weight, but safe from overflow in sums.
constexpr double kBarred = -1e4;

/// Returns the walls of the 3 × 3 blocks around a cell (including posts and the
/// cell itself) and the last move, one-hot.
std::vector<double> SeenAt(const Maze& maze, const MazeCrossing& crossing) {
  const auto wall = [&](int direction) {
    return maze.Open(crossing.cell, direction) ? 0.0 : 1.0;
  };
  std::vector<double> seen = {1,       wall(0), 1,       wall(3), 0,
                              wall(1), 1,       wall(2), 1};
  for (int d = 0; d < kDirections; ++d) {
    seen.push_back(crossing.entered == d ? 1 : 0);
  }
  return seen;
}

}  // namespace

LabyrinthAgent::LabyrinthAgent(const Maze& maze, uint64_t seed, DType dtype,
                               int64_t units, int64_t max_steps)
    : maze_(maze),
      crossings_(maze),
      dtype_(dtype),
      max_steps_(max_steps > 0 ? max_steps : 4 * maze.cells()),
      parameters_(seed, dtype, kernels::Precision::kNative),
      cell_(Scope(parameters_, "cell"), {.cell = Cell::kGru,
                                         .inputs = {kSeen},
                                         .units = units,
                                         .input_init = Init(),
                                         .recurrent_init = Init()}),
      move_(Scope(parameters_, "move"), units, kDirections, Init()),
      baseline_(Scope(parameters_, "baseline"), units, 1, Init()) {
  const int64_t n = std::max<int64_t>(1, std::ssize(crossings_.all));
  Tensor seen = Tensor::Zeros({n, kSeen}, DType::kF64);
  Tensor barred = Tensor::Full({n, kDirections}, kBarred, DType::kF64);
  for (size_t i = 0; i < crossings_.all.size(); ++i) {
    const MazeCrossing& crossing = crossings_.all[i];
    const auto row = static_cast<int64_t>(i);
    std::ranges::copy(SeenAt(maze_, crossing), seen.row<double>(row));
    for (size_t d = 0; d < kDirections; ++d) {
      if (crossing.ways[d]) barred.row<double>(row)[d] = 0;
    }
  }
  seen_ = seen.To(dtype);
  barred_ = barred.To(dtype);
}

Tensor LabyrinthAgent::Zeros(const Shape& shape) const {
  return Tensor::Zeros(shape, dtype_);
}

LabyrinthAgent::Step LabyrinthAgent::Choose(const Context& ctx,
                                            const Tensor& seen,
                                            const Tensor& barred,
                                            const Var& state) const {
  const int64_t rows = seen.dim(0);
  const Var projected =
      Reshape(cell_.Project(ctx, Var(seen)), {1, rows, 3 * cell_.units()});
  Step step;
  step.state = cell_.Forward(ctx, projected, state, {}).state;
  step.log_policy = LogSoftmax(Add(move_(ctx, step.state), Var(barred)));
  step.baseline = Reshape(baseline_(ctx, Var(step.state.value())), {rows});
  return step;
}

MazeRollout LabyrinthAgent::Walk(const Context& ctx, int64_t episodes,
                                 uint64_t seed,
                                 std::span<const int> given) const {
  return Run(ctx, episodes, seed, given, false);
}

MazeEpisode LabyrinthAgent::MostProbable() const {
  return Run({}, 1, 0, {}, true).episodes[0];
}

MazeRollout LabyrinthAgent::Run(const Context& ctx, int64_t episodes,
                                uint64_t seed, std::span<const int> given,
                                bool greedy) const {
  MazeRollout rollout;
  std::vector<int64_t> at(static_cast<size_t>(episodes));
  std::vector<Rng> chances;
  const auto follow = [&](size_t b, const MazeWay& way) {
    MazeEpisode& episode = rollout.episodes[b];
    for (const int64_t cell : way.cells) {
      if (episode.steps() == max_steps()) break;
      episode.cells.push_back(cell);
    }
    episode.solved = episode.cells.back() == maze_.exit();
    const bool over = episode.solved || episode.steps() == max_steps();
    at[b] = over ? -1 : way.next;
  };
  for (size_t b = 0; b < at.size(); ++b) {
    rollout.episodes.push_back({{}, {maze_.start()}, false});
    chances.emplace_back(Rng(seed, b).Next());
    follow(b, crossings_.first);
  }
  std::vector<Var> log_p, baselines, made;
  Var state = cell_.InitialState(episodes, dtype_);
  for (size_t t = 0; std::ranges::any_of(at, [](int64_t c) { return c >= 0; });
       ++t) {
    Tensor seen = Zeros({episodes, kSeen});
    Tensor barred = Zeros({episodes, kDirections});
    for (size_t b = 0; b < at.size(); ++b) {
      if (at[b] < 0) continue;
      const auto row = static_cast<int64_t>(b);
      seen.Slice(row, row + 1).CopyFrom(seen_.Slice(at[b], at[b] + 1));
      barred.Slice(row, row + 1).CopyFrom(barred_.Slice(at[b], at[b] + 1));
    }
    const Step step = Choose(ctx, seen, barred, state);
    state = step.state;
    const Tensor all = step.log_policy.value().To(DType::kF64);
    Tensor moves = Tensor::Zeros({episodes}, DType::kI32);
    Tensor now = Tensor::Zeros({episodes}, DType::kF64);
    for (size_t b = 0; b < at.size(); ++b) {
      if (at[b] < 0) continue;
      const std::span<const double> row(
          all.row<double>(static_cast<int64_t>(b)), kDirections);
      int move = static_cast<int>(std::ranges::max_element(row) - row.begin());
      if (t < given.size()) {
        move = given[t];
      } else if (!greedy) {
        move = static_cast<int>(DrawnColumn(row, chances[b].Uniform()));
      }
      MazeChoice choice{at[b], move, {}};
      for (size_t d = 0; d < kDirections; ++d) {
        choice.probabilities[d] = std::exp(row[d]);
      }
      rollout.episodes[b].choices.push_back(choice);
      moves.data<int32_t>()[b] = move;
      now.data<double>()[b] = 1;
      follow(b, *At(At(crossings_.all, at[b]).ways, move));
    }
    const Tensor counted = now.To(dtype_);
    log_p.push_back(Mul(Pick(step.log_policy, moves), Var(counted)));
    baselines.push_back(Mul(step.baseline, Var(counted)));
    made.emplace_back(counted);
  }
  if (log_p.empty()) log_p = baselines = made = {Var(Zeros({episodes}))};
  rollout.log_probability = Stack(log_p);
  rollout.baseline = Stack(baselines);
  rollout.made = Stack(made).value();
  return rollout;
}

Var LabyrinthAgent::SoftReturn(const Context& ctx, double discount) const {
  const double log_discount = std::log(discount);
  const double before =
      log_discount * static_cast<double>(crossings_.first.steps());
  const int64_t n = std::ssize(crossings_.all);
  if (crossings_.first.next < 0) {
    return Var(Tensor::Full({}, std::exp(before), dtype_));
  }
  // Row e' has log γ^steps of the ways (e, move) that lead to crossing e'; row
  // n is the exit.
  Tensor ways = Tensor::Full({n + 1, kDirections * n}, kBarred, DType::kF64);
  std::vector<int32_t> any(static_cast<size_t>(n + 1));
  for (int64_t e = 0; e < n; ++e) {
    for (int64_t d = 0; d < kDirections; ++d) {
      const auto& way = At(At(crossings_.all, e).ways, d);
      if (!way) continue;
      const int64_t to = way->next < 0 ? n : way->next;
      ways.row<double>(to)[e * kDirections + d] =
          log_discount * static_cast<double>(way->steps());
      At(any, to) = static_cast<int32_t>(e * kDirections + d);
    }
  }
  const Var costs(ways.To(dtype_));
  const Tensor one_of = Tensor::Of(any, {n + 1});
  Tensor repeat = Tensor::Zeros({kDirections * n, n}, DType::kF64);
  for (int64_t i = 0; i < kDirections * n; ++i) {
    repeat.row<double>(i)[i / kDirections] = 1;
  }
  const Var repeated(repeat.To(dtype_));

  Tensor begin = Tensor::Full({n, 1}, kBarred, DType::kF64);
  begin.data<double>()[crossings_.first.next] = before;
  Var mass(begin.To(dtype_));  // log mass at each crossing
  Var state = cell_.InitialState(n, dtype_);
  Var total;
  for (int64_t k = 0; k < max_steps(); ++k) {
    ctx.CheckCancelled();
    const Step step = Choose(ctx, seen_, barred_, state);
    const Var flows = Add(Reshape(step.log_policy, {kDirections * n, 1}),
                          MatMul(repeated, mass));
    const Var scores = AddRow(costs, Reshape(flows, {kDirections * n}));
    const Var log_weights = LogSoftmax(scores);
    const Var arrived = Sub(Pick(scores, one_of), Pick(log_weights, one_of));
    const Var now = Sum(Exp(Slice(arrived, n, n + 1)));
    total = total.defined() ? Add(total, now) : now;
    mass = Reshape(Slice(arrived, 0, n), {n, 1});
    // The loop ends when the remaining mass is negligible.
    const Tensor left = mass.value().To(DType::kF64);
    if (*std::max_element(left.data<double>(), left.data<double>() + n) <
        std::log(1e-9)) {
      break;
    }
    state = MatMul(Exp(Slice(log_weights, 0, n)), MatMul(repeated, step.state));
  }
  return total;
}

double LabyrinthAgent::Return(const MazeEpisode& episode, double discount) {
  return episode.solved
             ? std::pow(discount, static_cast<double>(episode.steps()))
             : 0;
}

}  // namespace heed
