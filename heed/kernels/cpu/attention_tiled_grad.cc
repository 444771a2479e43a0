#include <algorithm>
#include <cstdint>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/attention_paths.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/attention_tiled_grad.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Arguments of FusedAttentionGrad.
struct GradCall {
  const AttentionArgs& args;
  const AttentionResult& result;
  const Tensor& dcontext;
  AttentionGrads& grads;
  TiledSizes n;

  /// True if the gradient of x of modifier i is requested.
  bool Wants(size_t i) const {
    return i < grads.modifiers.size() && grads.modifiers[i].defined();
  }
};

/// y += scale x in rows of `cols`.
void AddRows(int64_t rows, int64_t cols, float scale, const float* x,
             int64_t x_row, float* y, int64_t y_row) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * x_row;
    float* to = y + r * y_row;
    ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
      lanes.Store(hn::MulAdd(hn::Set(lanes.d, scale), lanes.Load(from + c),
                             lanes.Load(to + c)),
                  to + c);
    });
  }
}

/// Division of heads and keys among tasks. Blocks of keys of a head are dealt
/// out in turn to `chunks` tasks, so that a mask leaves each a fair share.
/// Tasks that share elements of a bias are merged.
struct Tasks {
  explicit Tasks(const GradCall& call) : B(call.n.B), K(call.n.K) {
    for (size_t i = 0; i < call.args.modifiers.size(); ++i) {
      const ScoreModifier& m = call.args.modifiers[i];
      if (m.kind != ScoreModifier::Kind::kBias || !call.Wants(i)) continue;
      if (m.x.dim(0) == 1) B = 1;
      if (m.x.dim(1) == 1) K = 1;
    }
    // More tasks than cores, with little memory for each task's sums of dq.
    constexpr int64_t kTasks = 8;
    constexpr int64_t kSumFloats = 3 << 22;
    const int64_t floats = call.n.B * call.n.H * call.n.T * Padded(call.n.A);
    const int64_t max =
        std::max<int64_t>(2, 1 + kSumFloats / std::max<int64_t>(1, floats));
    const int64_t heads = std::max<int64_t>(1, B * K);
    chunks = std::min({(kTasks + heads - 1) / heads, max,
                       std::max<int64_t>(1, call.n.key_blocks())});
  }
  int64_t count() const { return B * K * chunks; }

  int64_t B, K;
  int64_t chunks;
};

/// Task: batch rows and key heads [begin, end), key blocks `chunk`, `chunk` +
/// chunks, ..
struct Task {
  Task(const Tasks& tasks, const TiledSizes& n, int64_t i)
      : chunk(i % tasks.chunks),
        b_index(i / tasks.chunks / tasks.K),
        k_index(i / tasks.chunks % tasks.K),
        b(tasks.B == 1 ? Range{0, n.B} : Range{b_index, b_index + 1}),
        k(tasks.K == 1 ? Range{0, n.K} : Range{k_index, k_index + 1}) {}

  int64_t chunk, b_index, k_index;
  Range b, k;
};

/// Gradients of modifier arguments that tasks share: one copy for all tasks
/// that never overlap, summed in a fixed order. The first copy is the gradient.
class ModifierSums {
 public:
  ModifierSums(const GradCall& call, const Tasks& tasks)
      : call_(call), tasks_(tasks) {
    for (size_t i = 0; i < call.args.modifiers.size(); ++i) {
      const int64_t copies = call.Wants(i) ? Copies(i) : 1;
      sums_.push_back(
          copies <= 1
              ? Tensor()
              : Tensor::Zeros({copies - 1, call.grads.modifiers[i].numel()}));
    }
  }

  /// Destinations of the gradients of `task`.
  std::vector<Tensor> Sinks(const Task& task) const {
    std::vector<Tensor> sinks(sums_.size());
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (!call_.Wants(i)) continue;
      const int64_t copy = Copy(i, task);
      sinks[i] = copy == 0 ? call_.grads.modifiers[i] : sums_[i][copy - 1];
    }
    return sinks;
  }

  void AddUp() {
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (!sums_[i].defined()) continue;
      float* total = call_.grads.modifiers[i].data<float>();
      for (int64_t copy = 0; copy < sums_[i].dim(0); ++copy) {
        AddRows(1, sums_[i].dim(1), 1, sums_[i].row<float>(copy), 0, total, 0);
      }
    }
  }

 private:
  using Kind = ScoreModifier::Kind;

  /// True if each head of a distance bias has its own gradient.
  bool PerHead(size_t i) const {
    return call_.args.modifiers[i].x.dim(0) == call_.n.H;
  }
  int64_t Copies(size_t i) const {
    switch (call_.args.modifiers[i].kind) {
      case Kind::kBias:
        return 1;
      case Kind::kDistanceBias:
        return tasks_.B * (PerHead(i) ? 1 : tasks_.K) * tasks_.chunks;
      default:
        return tasks_.chunks;
    }
  }
  int64_t Copy(size_t i, const Task& task) const {
    switch (call_.args.modifiers[i].kind) {
      case Kind::kBias:
        return 0;
      case Kind::kDistanceBias: {
        const int64_t row =
            PerHead(i) ? task.b_index : task.b_index * tasks_.K + task.k_index;
        return row * tasks_.chunks + task.chunk;
      }
      default:
        return task.chunk;
    }
  }

  const GradCall& call_;
  const Tasks& tasks_;
  std::vector<Tensor> sums_;
};

/// Queries and context gradients of all B * H heads, packed as left and right
/// factors, and per-query terms of the score gradients.
class PackedQueries {
 public:
  PackedQueries(const TiledSizes& n, int64_t heads)
      : n_(n),
        queries_({heads, n.T, n.query_row()}),
        dcontexts_({heads, n.T, Padded(n.format.Words(n.D))}),
        sums_({heads, n.T}),
        deltas_({heads, n.T}) {
    if (!n.format.bf16) return;
    query_rows_ = Tensor({heads, n.format.Words(n.T), Padded(n.A)});
    dcontext_rows_ = Tensor({heads, n.format.Words(n.T), Padded(n.D)});
  }

  /// Packs the block of queries that starts at t.
  void PackBlock(const GradCall& call, int64_t head, int64_t t) {
    const int64_t b = head / n_.H;
    const int64_t h = head % n_.H;
    const int64_t rows = std::min(n_.query_block, n_.T - t);
    const auto part = [&](const Tensor& x, int64_t cols) {
      return HeadRows(x, b, h, cols) + t * x.row_stride();
    };
    const auto pack = [&](const Tensor& x, int64_t cols, float scale,
                          Tensor& columns, Tensor& by_rows) {
      PackColumns(n_.format, rows, cols, part(x, cols), x.row_stride(), scale,
                  columns.row<float>(head * n_.T + t));
      if (!by_rows.defined()) return;
      PackRows(n_.format, rows, cols, part(x, cols), x.row_stride(), scale,
               by_rows.row<float>(head * by_rows.dim(1) + n_.format.Words(t)));
    };
    pack(call.args.q, n_.A, n_.query_scale, queries_, query_rows_);
    pack(call.dcontext, n_.D, 1, dcontexts_, dcontext_rows_);
    const float* c = part(call.result.context, n_.D);
    const float* dc = part(call.dcontext, n_.D);
    const float* log_sums = call.result.log_sum.data<float>() + head * n_.T + t;
    for (int64_t r = 0; r < rows; ++r) {
      sums_.row<float>(head)[t + r] = ScoreSum(n_.to_log2, log_sums[r]);
      deltas_.row<float>(head)[t + r] = SumSpan<float>(
          n_.D, [](auto, auto x, auto y) HEED_LANES { return hn::Mul(x, y); },
          c + r * call.result.context.row_stride(),
          dc + r * call.dcontext.row_stride());
    }
  }

  const float* Queries(int64_t head, int64_t t) const {
    return queries_.row<float>(head * n_.T + t);
  }
  LeftWords DContexts(int64_t head, int64_t t) const {
    return {dcontexts_.row<float>(head * n_.T + t), dcontexts_.cols(), 1};
  }
  RightWords QueryRows(int64_t head, int64_t t) const {
    return Rows(query_rows_.defined() ? query_rows_ : queries_, head, t);
  }
  RightWords DContextRows(int64_t head, int64_t t) const {
    return Rows(dcontext_rows_.defined() ? dcontext_rows_ : dcontexts_, head,
                t);
  }
  const float* Sums(int64_t head, int64_t t) const {
    return sums_.row<float>(head) + t;
  }
  const float* Deltas(int64_t head, int64_t t) const {
    return deltas_.row<float>(head) + t;
  }

 private:
  RightWords Rows(const Tensor& x, int64_t head, int64_t t) const {
    return {x.row<float>(head * x.dim(1) + n_.format.Words(t)), x.cols(),
            kTileCols};
  }

  const TiledSizes n_;
  Tensor queries_, dcontexts_, query_rows_, dcontext_rows_;
  Tensor sums_, deltas_;
};

/// Gradients for one block of keys at a time.
class KeyBlockGrad {
 public:
  /// `dq`: sums of query gradients for the tasks of all chunks but the first.
  KeyBlockGrad(const GradCall& call, Tensor& dq);

  /// Starts with keys [s, s + kKeyBlock) of key head k of batch row b.
  void Start(int64_t b, int64_t k, int64_t s);
  /// Adds the contribution of a block of queries of head h.
  void Add(const PackedQueries& packed, int64_t h, int64_t t, int64_t chunk,
           std::vector<Tensor>& sinks);
  /// Adds the sums to the gradients of keys and values.
  void Finish();

 private:
  void ScaleByFactors(const ScoreBlock& block, std::vector<Tensor>& sinks);
  void AddToValues(const ScoreBlock& block, const float* weights,
                   const RightWords& dcontexts);
  void ScoresGrad(const ScoreBlock& block, const float* deltas);
  void AddToKeys(const ScoreBlock& block, const RightWords& queries);
  void AddToQueries(const ScoreBlock& block, int64_t chunk);
  /// x [rows, cols] transposed, as a left factor.
  LeftWords Transposed(const ScoreBlock& block, const float* x);

  const GradCall& call_;
  const TiledSizes& n_;
  Tensor& dq_sums_;
  bool factors_wanted_, scores_wanted_;
  int64_t b_ = 0, k_ = 0;
  Range keys_;
  Tensor lines_, key_panels_, value_panels_, key_rows_, dk_, dv_;
  Tensor weights_, gradients_, factors_, log_factors_, saved_, words_, dq_;
};

KeyBlockGrad::KeyBlockGrad(const GradCall& call, Tensor& dq)
    : call_(call),
      n_(call.n),
      dq_sums_(dq),
      factors_wanted_(HasFactors(call.args)),
      lines_({std::max(n_.lines(n_.A), n_.lines(n_.D))}),
      key_panels_({n_.format.Words(n_.A) * kKeyBlock}),
      value_panels_({n_.format.Words(n_.D) * kKeyBlock}),
      key_rows_({n_.format.Words(kKeyBlock), Padded(n_.A)}),
      dk_({kKeyBlock, Padded(n_.A)}),
      dv_({kKeyBlock, Padded(n_.D)}),
      weights_({n_.query_block, kKeyBlock}),
      gradients_({n_.query_block, kKeyBlock}),
      dq_({n_.query_block, Padded(n_.A)}) {
  const Shape block{n_.query_block, kKeyBlock};
  scores_wanted_ = call.grads.dq.defined() || call.grads.dk.defined();
  for (size_t i = 0; i < call.args.modifiers.size(); ++i) {
    if (call.Wants(i)) scores_wanted_ = true;
  }
  if (factors_wanted_) {
    factors_ = Tensor(block);
    log_factors_ = Tensor(block);
  }
  if (!call.args.modifiers.empty()) {
    saved_ = Tensor({SavedBlocks(call.args), n_.query_block, kKeyBlock});
  }
  if (n_.format.bf16) words_ = Tensor({n_.query_block, kKeyBlock / 2});
}

void KeyBlockGrad::Start(int64_t b, int64_t k, int64_t s) {
  b_ = b;
  k_ = k;
  keys_ = {s, std::min(n_.S, s + kKeyBlock)};
  const int64_t rows = keys_.size();
  const int64_t k_row = call_.args.k.row_stride();
  const int64_t v_row = call_.args.v.row_stride();
  const float* keys = HeadRows(call_.args.k, b, k, n_.A) + s * k_row;
  const float* values = HeadRows(call_.args.v, b, k, n_.D) + s * v_row;
  const int64_t cols = PanelCols(n_.S);
  PackTransposed(n_.format, rows, n_.A, keys, k_row, lines_.data<float>(), 0,
                 cols, key_panels_.data<float>());
  PackTransposed(n_.format, rows, n_.D, values, v_row, lines_.data<float>(), 0,
                 cols, value_panels_.data<float>());
  PackRows(n_.format, rows, n_.A, keys, k_row, 1, key_rows_.data<float>());
  std::fill_n(dk_.data<float>(), rows * dk_.cols(), 0.0F);
  std::fill_n(dv_.data<float>(), rows * dv_.cols(), 0.0F);
}

void KeyBlockGrad::Add(const PackedQueries& packed, int64_t h, int64_t t,
                       int64_t chunk, std::vector<Tensor>& sinks) {
  const int64_t head = b_ * n_.H + h;
  const int64_t rows = std::min(n_.query_block, n_.T - t);
  const auto [extent, keys] = FindVisible(call_.args, b_, t, rows, keys_);
  if (extent == MaskRule::Extent::kNone) return;
  const ScoreBlock block{weights_.data<float>(),
                         kKeyBlock,
                         b_,
                         h,
                         t,
                         rows,
                         keys.begin,
                         keys.size()};
  const int64_t cols = PanelCols(n_.S);
  const int64_t panel = (keys.begin - keys_.begin) / kTileCols * cols;
  const auto panels = [&](Tensor& x, int64_t words) -> RightWords {
    return {x.data<float>() + panel * words, cols, cols * words};
  };
  float* saved = saved_.defined() ? saved_.data<float>() : nullptr;
  BlockScores(call_.args, n_, extent, packed.Queries(head, t),
              panels(key_panels_, n_.format.Words(n_.A)), block, saved);
  BlockWeights(n_.to_log2, block, packed.Sums(head, t));

  const int64_t words = n_.format.Words(n_.D);
  if (scores_wanted_) {
    Product(n_.format, rows, words, block.cols, packed.DContexts(head, t),
            panels(value_panels_, words), false,
            {gradients_.data<float>(), kKeyBlock});
  }
  if (factors_wanted_) ScaleByFactors(block, sinks);
  if (call_.grads.dv.defined()) {
    AddToValues(block, factors_wanted_ ? factors_.data<float>() : block.e,
                packed.DContextRows(head, t));
  }
  if (!scores_wanted_) return;
  ScoresGrad(block, packed.Deltas(head, t));
  ScoreBlock gradient = block;
  gradient.e = gradients_.data<float>();
  ModifyScoresGrad(call_.args, gradient, saved, sinks);
  if (call_.grads.dk.defined()) {
    AddToKeys(gradient, packed.QueryRows(head, t));
  }
  if (call_.grads.dq.defined()) AddToQueries(gradient, chunk);
}

/// factors = weights * factors, gradients *= factors.
void KeyBlockGrad::ScaleByFactors(const ScoreBlock& block,
                                  std::vector<Tensor>& sinks) {
  float* factors = factors_.data<float>();
  float* logs = log_factors_.data<float>();
  WeightFactors(call_.args, block, factors);
  for (int64_t r = 0; r < block.rows; ++r) {
    const float* w = block.row(r);
    float* f = factors + r * block.stride;
    float* g = gradients_.row<float>(r);
    float* log = logs + r * block.stride;
    ForLanes<float>(block.cols, [=](auto lanes, int64_t c) HEED_LANES {
      const auto factor = lanes.Load(f + c);
      const auto weight = lanes.Load(w + c);
      const auto gradient = hn::Mul(lanes.Load(g + c), factor);
      lanes.Store(gradient, g + c);
      lanes.Store(hn::Mul(weight, gradient), log + c);
      lanes.Store(hn::Mul(weight, factor), f + c);
    });
  }
  if (scores_wanted_) WeightFactorsGrad(call_.args, block, logs, sinks);
}

LeftWords KeyBlockGrad::Transposed(const ScoreBlock& block, const float* x) {
  if (!n_.format.bf16) return {x, 1, block.stride};
  float* words = words_.data<float>();
  cpu::PairRows(block.rows, block.cols, x, block.stride, 1, words, kKeyBlock);
  return {words, 1, kKeyBlock};
}

void KeyBlockGrad::AddToValues(const ScoreBlock& block, const float* weights,
                               const RightWords& dcontexts) {
  Product(n_.format, block.cols, n_.format.Words(block.rows), n_.D,
          Transposed(block, weights), dcontexts, true,
          {dv_.row<float>(block.s - keys_.begin), dv_.cols()});
}

/// gradients = weights * (gradients - delta).
void KeyBlockGrad::ScoresGrad(const ScoreBlock& block, const float* deltas) {
  for (int64_t r = 0; r < block.rows; ++r) {
    const float* w = block.row(r);
    float* g = gradients_.row<float>(r);
    const float delta = deltas[r];
    ForLanes<float>(block.cols, [=](auto lanes, int64_t c) HEED_LANES {
      lanes.Store(hn::Mul(lanes.Load(w + c),
                          hn::Sub(lanes.Load(g + c), hn::Set(lanes.d, delta))),
                  g + c);
    });
  }
}

void KeyBlockGrad::AddToKeys(const ScoreBlock& block,
                             const RightWords& queries) {
  Product(n_.format, block.cols, n_.format.Words(block.rows), n_.A,
          Transposed(block, block.e), queries, true,
          {dk_.row<float>(block.s - keys_.begin), dk_.cols()});
}

void KeyBlockGrad::AddToQueries(const ScoreBlock& block, int64_t chunk) {
  LeftWords gradients{block.e, block.stride, 1};
  if (n_.format.bf16) {
    float* words = words_.data<float>();
    cpu::PairColumns(block.rows, block.cols, block.e, block.stride, 1, words,
                     kKeyBlock / 2);
    gradients = {words, kKeyBlock / 2, 1};
  }
  float* dq = dq_.data<float>();
  const int64_t first = n_.format.Words(block.s - keys_.begin);
  Product(n_.format, block.rows, n_.format.Words(block.cols), n_.A, gradients,
          {key_rows_.row<float>(first), key_rows_.cols(), kTileCols}, false,
          {dq, dq_.cols()});
  Tensor& to = chunk == 0 ? call_.grads.dq : dq_sums_;
  const auto scale = static_cast<float>(call_.args.value);
  if (chunk == 0) {
    AddRows(block.rows, n_.A, scale, dq, dq_.cols(),
            HeadRows(to, b_, block.h, n_.A) + block.t * to.row_stride(),
            to.row_stride());
  } else {
    const int64_t head = ((chunk - 1) * n_.B + b_) * n_.H + block.h;
    AddRows(block.rows, n_.A, scale, dq, dq_.cols(),
            to.row<float>(head * n_.T + block.t), to.row_stride());
  }
}

void KeyBlockGrad::Finish() {
  const auto add = [&](const Tensor& sums, int64_t cols, float scale,
                       Tensor& to) {
    if (!to.defined()) return;
    AddRows(keys_.size(), cols, scale, sums.data<float>(), sums.cols(),
            HeadRows(to, b_, k_, cols) + keys_.begin * to.row_stride(),
            to.row_stride());
  };
  // Packed queries are already scaled.
  add(dk_, n_.A, call_.args.modifiers.empty() ? kLn2 : 1, call_.grads.dk);
  add(dv_, n_.D, 1, call_.grads.dv);
}

/// Packs all blocks of queries of all heads.
PackedQueries PackQueries(const GradCall& call) {
  const TiledSizes& n = call.n;
  PackedQueries packed(n, n.B * n.H);
  const int64_t blocks = n.query_blocks();
  ParallelFor(n.B * blocks * n.H,
              RowGrain(4 * std::min(n.T, n.query_block) * (n.A + n.D)),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t head = i / n.H / blocks * n.H + i % n.H;
                  packed.PackBlock(call, head,
                                   i / n.H % blocks * n.query_block);
                }
              });
  return packed;
}

void RunTask(const GradCall& call, const PackedQueries& packed,
             const Task& task, int64_t chunks, std::vector<Tensor> sinks,
             KeyBlockGrad& block) {
  const TiledSizes& n = call.n;
  for (int64_t b = task.b.begin; b < task.b.end; ++b) {
    for (int64_t k = task.k.begin; k < task.k.end; ++k) {
      for (int64_t i = task.chunk; i < n.key_blocks(); i += chunks) {
        block.Start(b, k, i * kKeyBlock);
        for (int64_t h = k * n.group(); h < (k + 1) * n.group(); ++h) {
          for (int64_t t = 0; t < n.T; t += n.query_block) {
            block.Add(packed, h, t, task.chunk, sinks);
          }
        }
        block.Finish();
      }
    }
  }
}

/// dq += the sums of all chunks but the first, in order.
void AddChunks(const GradCall& call, const Tensor& sums) {
  const TiledSizes& n = call.n;
  const int64_t chunks = sums.dim(0) / (n.B * n.H);
  ParallelFor(n.B * n.T, RowGrain(chunks * n.H * n.A),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  float* dq = call.grads.dq.row<float>(i);
                  for (int64_t j = 0; j < chunks * n.H; ++j) {
                    const int64_t h = j % n.H;
                    const int64_t head = (j / n.H * n.B + i / n.T) * n.H + h;
                    AddRows(1, n.A, 1, sums.row<float>(head * n.T + i % n.T), 0,
                            dq + h * n.A, 0);
                  }
                }
              });
}

}  // namespace

void TiledGrad(const AttentionArgs& args, const AttentionResult& result,
               const Tensor& dcontext, AttentionGrads& grads) {
  const GradCall call{args, result, dcontext, grads, TiledSizes(args)};
  const TiledSizes& n = call.n;
  const Tasks tasks(call);
  ModifierSums sums(call, tasks);
  Tensor dq_sums;
  if (grads.dq.defined() && tasks.chunks > 1) {
    dq_sums = Tensor::Zeros({(tasks.chunks - 1) * n.B * n.H, n.T, n.A});
  }
  const PackedQueries packed = PackQueries(call);
  const int64_t cost = (n.T + 1) * (n.S + 1) * (n.A + n.D) / 8;
  ParallelFor(tasks.count(), RowGrain(cost), [&](int64_t begin, int64_t end) {
    KeyBlockGrad block(call, dq_sums);
    for (int64_t i = begin; i < end; ++i) {
      const Task task(tasks, n, i);
      RunTask(call, packed, task, tasks.chunks, sums.Sinks(task), block);
    }
  });
  sums.AddUp();
  if (dq_sums.defined()) AddChunks(call, dq_sums);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(TiledGrad);

void TiledAttentionGrad(const AttentionArgs& args,
                        const AttentionResult& result, const Tensor& dcontext,
                        AttentionGrads& grads) {
  HWY_DYNAMIC_DISPATCH(TiledGrad)(args, result, dcontext, grads);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
