#include <algorithm>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/attention_paths.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/attention_direct_grad.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_direct-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using Kind = ScoreModifier::Kind;

bool Wanted(const AttentionGrads& grads, size_t modifier) {
  return modifier < grads.modifiers.size() &&
         grads.modifiers[modifier].defined();
}

/// Division of work into (batch rows, key heads, chunk of keys). A task owns
/// the gradients that it adds to, except shared ones.
struct Split {
  int64_t batch_rows;  // of a task
  int64_t key_heads;   // of a task
  int64_t chunk_keys;  // a multiple of kKeys
  int64_t batch_tasks;
  int64_t head_tasks;
  int64_t chunks;
  int64_t grain;

  int64_t tasks() const { return batch_tasks * head_tasks * chunks; }
  /// Number of task spans, each with its own partial sums of shared gradients.
  int64_t spans() const { return CeilDiv(tasks(), grain); }
};

/// Assigns all (b, h) that share an element of a bias to one task, because
/// partial sums would be as large as the scores. Chunks of keys never share an
/// element.
void MergeSharedBias(const AttentionArgs& args, const AttentionGrads& grads,
                     Split& split) {
  for (size_t i = 0; i < args.modifiers.size(); ++i) {
    const ScoreModifier& m = args.modifiers[i];
    if (m.kind != Kind::kBias || !Wanted(grads, i)) continue;
    if (m.x.dim(0) == 1) split.batch_rows = std::max<int64_t>(1, args.batch());
    if (m.x.dim(1) == 1) split.key_heads = args.key_heads;
  }
}

Split SplitOf(const AttentionArgs& args, const AttentionGrads& grads) {
  constexpr int64_t kEnoughTasks = 4;
  constexpr int64_t kMaxChunks = 8;
  constexpr int64_t kMaxSpans = 64;
  Split split{};
  split.batch_rows = 1;
  split.key_heads = 1;
  MergeSharedBias(args, grads, split);
  split.batch_tasks = CeilDiv(args.batch(), split.batch_rows);
  split.head_tasks = args.key_heads / split.key_heads;
  const int64_t keys = args.keys();
  const int64_t key_cost = 2 * split.batch_rows * args.queries() *
                           (args.heads / split.head_tasks) *
                           (args.features() + args.value_features());
  const bool few = split.batch_tasks * split.head_tasks < kEnoughTasks;
  const int64_t chunks = std::clamp<int64_t>(
      keys / std::max(kKeys, RowGrain(key_cost)), 1, few ? kMaxChunks : 1);
  split.chunk_keys =
      std::max<int64_t>(1, CeilDiv(CeilDiv(keys, chunks), kKeys)) * kKeys;
  split.chunks = CeilDiv(keys, split.chunk_keys);
  split.grain = std::max(RowGrain(std::min(split.chunk_keys, keys) * key_cost),
                         CeilDiv(split.tasks(), kMaxSpans));
  return split;
}

/// Scratch memory of a span of tasks.
struct Scratch {
  explicit Scratch(const AttentionArgs& args)
      : blocks({3 + SavedBlocks(args), kBlock}),
        deltas({args.heads / args.key_heads, args.queries()}),
        unwanted(Tensor::Zeros({args.features()})) {}
  float* weights() { return blocks.row<float>(0); }
  float* de() { return blocks.row<float>(1); }
  float* factors() { return blocks.row<float>(2); }
  float* saved() { return blocks.row<float>(3); }

  Tensor blocks;
  Tensor deltas;    // sum_d dc_td c_td of a key head's queries
  Tensor unwanted;  // dummy row for gradients that are not requested
};

/// Inputs of a task and destinations of its gradients.
struct Task {
  const AttentionArgs& args;
  const AttentionResult& result;
  const Tensor& dcontext;
  AttentionGrads& grads;
  Scratch& scratch;

  /// Rows of a gradient; a dummy row if the gradient is not requested.
  Matrix<float> Sink(Tensor& x, int64_t b, int64_t row, int64_t h) const {
    if (x.defined()) return HeadOf(x, b, row, h, args.features());
    return {scratch.unwanted.data<float>(), 0};
  }
};

/// Gradients of q, k and w from those of scores.
void ScoresGrad(const Task& task, const Queries& q, const ScoreBlock& de) {
  const AttentionArgs& args = task.args;
  const int64_t features = args.features();
  const auto value = static_cast<float>(args.value);
  const Matrix<const float> queries = QueryRows(args, q, de.h);
  const Matrix<const float> keys = KeyRows(args, q, de.h, de.s);
  const Matrix<float> dq = task.Sink(task.grads.dq, q.b, q.t, de.h);
  const Matrix<float> dk =
      task.Sink(task.grads.dk, q.b, de.s, KeyHead(args, de.h));
  if (args.score != AttentionArgs::Score::kDot) {
    Tensor& dw = task.grads.dw;
    PairScoresTileGrad(args.score, value, AsRows(queries), AsRows(keys),
                       args.w.data<float>() + de.h * features, de.rows, de.cols,
                       features, de.e, de.stride, AsRows(dq), AsRows(dk),
                       dw.defined() ? dw.data<float>() + de.h * features
                                    : task.scratch.unwanted.data<float>());
    return;
  }
  const Matrix<const float> g{de.e, de.stride};
  if (task.grads.dq.defined()) {
    AddProduct(de.rows, de.cols, features, value, g, keys, dq);
  }
  if (task.grads.dk.defined()) {
    AddProduct(de.cols, de.rows, features, value, g.Transposed(), queries, dk);
  }
}

/// y = x1 - scale * x2.
void SubtractScaled(int64_t n, const float* x1, float scale, const float* x2,
                    float* y) {
  MapSpan(
      n,
      [=](auto d, auto a, auto b)
          HEED_LANES { return hn::NegMulAdd(b, hn::Set(d, scale), a); },
      y, x1, x2);
}

/// Gradients of a block of scores.
void BlockGrad(const Task& task, const Queries& q, int64_t h, Range keys,
               MaskRule::Extent extent) {
  const AttentionArgs& args = task.args;
  Scratch& scratch = task.scratch;
  const int64_t width = args.value_features();
  const ScoreBlock weights = BlockOf(scratch.weights(), q, h, keys);
  const ScoreBlock de = BlockOf(scratch.de(), q, h, keys);
  DirectScores(args, q, {h, h + 1}, keys, weights.e);
  ModifyScores(args, extent, weights, scratch.saved());
  const int64_t row = (q.b * args.heads + h) * args.queries() + q.t;
  for (int64_t r = 0; r < q.rows; ++r) {
    WeightsRow(keys.size(), task.result.log_sum.data<float>()[row + r],
               weights.row(r), weights.row(r));
  }
  // Weights after factors, which multiplied the values.
  ScoreBlock used = weights;
  if (HasFactors(args)) {
    used.e = scratch.factors();
    WeightFactors(args, weights, used.e);
    for (int64_t r = 0; r < q.rows; ++r) {
      MulSpan(keys.size(), used.row(r), weights.row(r), used.row(r));
    }
  }
  const Matrix<const float> dc = HeadOf(task.dcontext, q.b, q.t, h, width);
  DotProducts(q.rows, keys.size(), width, 1.0F, dc,
              ValueRows(args, q, h, keys.begin),
              Matrix<float>{de.e, de.stride});
  if (task.grads.dv.defined()) {
    AddProduct(keys.size(), q.rows, width, 1.0F,
               Matrix<const float>{used.e, used.stride}.Transposed(), dc,
               HeadOf(task.grads.dv, q.b, keys.begin, KeyHead(args, h), width));
  }
  for (int64_t r = 0; r < q.rows; ++r) {
    MulSpan(keys.size(), used.row(r), de.row(r), de.row(r));
  }
  if (HasFactors(args)) {
    WeightFactorsGrad(args, weights, de.e, task.grads.modifiers);
  }
  const int64_t group_head = h % (args.heads / args.key_heads);
  const float* deltas = scratch.deltas.row<float>(group_head) + q.t;
  for (int64_t r = 0; r < q.rows; ++r) {
    SubtractScaled(keys.size(), de.row(r), deltas[r], weights.row(r),
                   de.row(r));
  }
  ModifyScoresGrad(args, de, scratch.saved(), task.grads.modifiers);
  ScoresGrad(task, q, de);
}

/// deltas = sum_d dc_td c_td of the query heads of a key head.
void Deltas(const Task& task, int64_t b, Range heads) {
  const AttentionArgs& args = task.args;
  const int64_t width = args.value_features();
  for (int64_t h = heads.begin; h < heads.end; ++h) {
    const auto dc = HeadOf(task.dcontext, b, 0, h, width);
    const auto c = HeadOf(task.result.context, b, 0, h, width);
    float* deltas = task.scratch.deltas.row<float>(h - heads.begin);
    for (int64_t t = 0; t < args.queries(); ++t) {
      deltas[t] = SumSpan<float>(
          width, [](auto, auto x, auto y) HEED_LANES { return hn::Mul(x, y); },
          dc[t], c[t]);
    }
  }
}

/// Gradients of a key head and a chunk of its keys.
void HeadGrad(const Task& task, int64_t b, int64_t key_head, Range keys) {
  const AttentionArgs& args = task.args;
  const int64_t group = args.heads / args.key_heads;
  const Range heads{key_head * group, (key_head + 1) * group};
  Deltas(task, b, heads);
  for (int64_t s = keys.begin; s < keys.end; s += kKeys) {
    for (int64_t h = heads.begin; h < heads.end; ++h) {
      for (int64_t t = 0; t < args.queries(); t += kQueries) {
        const Queries q{b, t, std::min(kQueries, args.queries() - t)};
        ForBlocks(args, q, {s, std::min(keys.end, s + kKeys)},
                  [&](Range block, MaskRule::Extent extent) {
                    BlockGrad(task, q, h, block, extent);
                  });
      }
    }
  }
}

/// Partial sums of gradients that several spans (or chunks of keys) add to;
/// they are summed in order.
struct Parts {
  Tensor dq;                      // [chunks - 1, B, T, H*A]; chunk 0 has none
  Tensor dw;                      // [spans, H*A]
  std::vector<Tensor> modifiers;  // [spans, numel of x]
};

bool Shared(const ScoreModifier& m, const Split& split) {
  if (m.kind == Kind::kBias) return false;
  if (m.kind == Kind::kDistanceBias) return split.spans() > 1;
  return split.spans() > 1 && split.chunks > 1;
}

Parts MakeParts(const AttentionArgs& args, const AttentionGrads& grads,
                const Split& split) {
  Parts parts;
  if (grads.dq.defined() && split.chunks > 1) {
    parts.dq = Tensor::Zeros(
        {split.chunks - 1, args.batch(), args.queries(), args.q.dim(2)});
  }
  if (grads.dw.defined() && split.spans() > 1) {
    parts.dw = Tensor::Zeros({split.spans(), args.w.numel()});
  }
  parts.modifiers.resize(grads.modifiers.size());
  for (size_t i = 0; i < parts.modifiers.size(); ++i) {
    if (Wanted(grads, i) && Shared(args.modifiers[i], split)) {
      parts.modifiers[i] =
          Tensor::Zeros({split.spans(), grads.modifiers[i].numel()});
    }
  }
  return parts;
}

/// Destinations of the gradients of a span.
AttentionGrads GradsOfSpan(const AttentionGrads& grads, const Parts& parts,
                           int64_t span) {
  AttentionGrads own = grads;
  if (parts.dw.defined()) own.dw = parts.dw[span];
  for (size_t i = 0; i < own.modifiers.size(); ++i) {
    if (parts.modifiers[i].defined()) {
      own.modifiers[i] = parts.modifiers[i][span];
    }
  }
  return own;
}

/// y += the sum of the partial sums, if there are any.
void AddParts(const Tensor& parts, Tensor& y) {
  if (!parts.defined()) return;
  const int64_t rows = y.rows();
  for (int64_t i = 0; i < parts.numel() / std::max<int64_t>(1, y.numel());
       ++i) {
    for (int64_t r = 0; r < rows; ++r) {
      MapSpan(
          y.cols(),
          [](auto, auto a, auto b) HEED_LANES { return hn::Add(a, b); },
          y.row<float>(r), y.row<float>(r),
          parts.data<float>() + (i * rows + r) * y.cols());
    }
  }
}

}  // namespace

void DirectAttentionGrad(const AttentionArgs& args,
                         const AttentionResult& result, const Tensor& dcontext,
                         AttentionGrads& grads) {
  const Split split = SplitOf(args, grads);
  const Parts parts = MakeParts(args, grads, split);
  ParallelFor(
      split.tasks(), split.grain, [&](int64_t begin, int64_t end) HWY_ATTR {
        Scratch scratch(args);
        AttentionGrads own = GradsOfSpan(grads, parts, begin / split.grain);
        for (int64_t i = begin; i < end; ++i) {
          args.CheckCancelled();
          const int64_t chunk = i % split.chunks;
          const int64_t head = i / split.chunks % split.head_tasks;
          const int64_t batch = i / split.chunks / split.head_tasks;
          if (parts.dq.defined()) {
            own.dq = chunk == 0 ? grads.dq : parts.dq[chunk - 1];
          }
          const Task task{args, result, dcontext, own, scratch};
          const int64_t s = chunk * split.chunk_keys;
          const Range keys{s, std::min(args.keys(), s + split.chunk_keys)};
          for (int64_t b = 0; b < split.batch_rows; ++b) {
            for (int64_t k = 0; k < split.key_heads; ++k) {
              HeadGrad(task, batch * split.batch_rows + b,
                       head * split.key_heads + k, keys);
            }
          }
        }
      });
  AddParts(parts.dq, grads.dq);
  AddParts(parts.dw, grads.dw);
  for (size_t i = 0; i < grads.modifiers.size(); ++i) {
    AddParts(parts.modifiers[i], grads.modifiers[i]);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(DirectAttentionGrad);

void DirectAttentionGrad(const AttentionArgs& args,
                         const AttentionResult& result, const Tensor& dcontext,
                         AttentionGrads& grads) {
  HWY_DYNAMIC_DISPATCH(DirectAttentionGrad)(args, result, dcontext, grads);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
