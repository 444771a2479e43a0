#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/attention_paths.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/attention_tiled.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Number of rows packed at once: whole vectors; pairs are never split.
constexpr int64_t kPackRows = 16;
static_assert(kPackRows % kLanes == 0);

/// Keys packed as panels and values as rows, of one head or of all.
class PackedMemory {
 public:
  PackedMemory(const TiledSizes& n, int64_t heads, bool values)
      : n_(n),
        panel_cols_(PanelCols(n.S)),
        panel_(n.format.Words(n.A) * panel_cols_),
        keys_({heads, (n.S + kTileCols - 1) / kTileCols * panel_}) {
    if (values) values_ = Tensor({heads, n.format.Words(n.S) * Padded(n.D)});
  }

  /// Packs keys [s, s + rows) of key head `head` of all B * K into `slot`; s is
  /// a multiple of kPackRows. `lines` is scratch.
  void Pack(const AttentionArgs& args, int64_t head, int64_t slot, int64_t s,
            int64_t rows, float* lines) {
    const int64_t b = head / n_.K;
    const int64_t k = head % n_.K;
    const int64_t k_row = args.k.row_stride();
    PackTransposed(n_.format, rows, n_.A,
                   HeadRows(args.k, b, k, n_.A) + s * k_row, k_row, lines, s,
                   panel_cols_, keys_.row<float>(slot));
    if (!values_.defined()) return;
    const int64_t v_row = args.v.row_stride();
    PackRows(n_.format, rows, n_.D, HeadRows(args.v, b, k, n_.D) + s * v_row,
             v_row, 1,
             values_.row<float>(slot) + n_.format.Words(s) * Padded(n_.D));
  }

  /// Keys from s on; s begins a panel.
  RightWords Keys(int64_t slot, int64_t s) const {
    return {keys_.row<float>(slot) + s / kTileCols * panel_, panel_cols_,
            panel_};
  }
  RightWords Values(int64_t slot, int64_t s) const {
    return {values_.row<float>(slot) + n_.format.Words(s) * Padded(n_.D),
            Padded(n_.D), kTileCols};
  }

 private:
  const TiledSizes n_;
  int64_t panel_cols_, panel_;
  Tensor keys_, values_;
};

/// Streaming softmax of rows in blocks: the sum of 2^(to_log2 (e - shift)) for
/// a shift near the largest score so far, and the weighted sum of values.
class RowSums {
 public:
  explicit RowSums(const TiledSizes& n)
      : to_log2_(n.to_log2),
        cols_(Padded(n.D)),
        shifts_({n.query_block}),
        sums_({n.query_block, kWideLanes<float>}),
        values_({n.query_block, cols_}),
        scales_(Tensor::Full({n.query_block}, 1)) {}

  void Start(int64_t rows) {
    std::fill_n(shifts_.data<float>(), rows, kNoShift);
    std::fill_n(sums_.data<float>(), rows * kWideLanes<float>, 0.0F);
    std::fill_n(values_.data<float>(), rows * cols_, 0.0F);
  }

  /// Replaces scores by weights and sums them.
  void AddWeights(const ScoreBlock& block) {
    if (to_log2_ == 1) {
      AddWeightsIn<false>(block);
    } else {
      AddWeightsIn<true>(block);
    }
  }

  /// Writes the weights of all rows as bf16 pairs to `words`, whose rows are
  /// `row` apart, and sums them.
  void AddWeightsBF16(const ScoreBlock& block, float* words, int64_t row) {
    AddWeightsBF16(block, 0, block.rows, words, row);
    ScaleValues();
  }
  /// Writes the weights of rows [begin, end) as bf16 pairs and sums them;
  /// ScaleValues must follow.
  void AddWeightsBF16(const ScoreBlock& block, int64_t begin, int64_t end,
                      float* words, int64_t row) {
    for (int64_t r = begin; r < end; ++r) RaiseShift(block, r);
    cpu::PairWeights(end - begin, block.cols, block.row(begin), block.stride,
                     to_log2_, shifts_.data<float>() + begin,
                     sums_.row<float>(begin), words + begin * row, row);
  }
  /// Rescales the sums of values to the current shifts.
  void ScaleValues() {
    if (!scales_values_) return;
    scales_values_ = false;
    const FloatD d;
    for (int64_t r = 0; r < scales_.numel(); ++r) {
      const float scale = std::exchange(scales_.data<float>()[r], 1.0F);
      if (scale == 1) continue;
      float* values = values_.row<float>(r);
      for (int64_t c = 0; c < cols_; c += kLanes) {
        hn::StoreU(hn::Mul(hn::LoadU(d, values + c), hn::Set(d, scale)), d,
                   values + c);
      }
    }
  }

  Floats2D values() { return {values_.data<float>(), cols_}; }

  /// log sum exp of row r.
  float LogSum(int64_t r) const {
    const float sum = Sum(r);
    if (sum == 0) return -std::numeric_limits<float>::infinity();
    const float shift = shifts_.data<float>()[r];
    return (to_log2_ == 1 ? kLn2 * shift : shift) + kLn2 * std::log2(sum);
  }

  /// Weighted mean of the values, 0 if all weights are 0.
  void Mean(int64_t r, int64_t cols, float* mean) const {
    const float sum = Sum(r);
    const float scale = sum == 0 ? 0 : 1 / sum;
    const float* from = values_.row<float>(r);
    ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
      lanes.Store(hn::Mul(lanes.Load(from + c), hn::Set(lanes.d, scale)),
                  mean + c);
    });
  }

 private:
  float Sum(int64_t r) const { return LoadSums(r).Sum(); }
  HWY_INLINE WideVector<float> LoadSums(int64_t r) const {
    WideVector<float> sums;
    for (int64_t p = 0; p < kParts<float>; ++p) {
      sums[p] = hn::LoadU(FloatD(), sums_.row<float>(r) + p * kLanes);
    }
    return sums;
  }
  HWY_INLINE void StoreSums(int64_t r, WideVector<float> sums) {
    for (int64_t p = 0; p < kParts<float>; ++p) {
      hn::StoreU(sums[p], FloatD(), sums_.row<float>(r) + p * kLanes);
    }
  }

  template <bool kScaled>
  void AddWeightsIn(const ScoreBlock& block);

  /// Raises the shift of row r for the scores of a block if necessary.
  HWY_INLINE void RaiseShift(const ScoreBlock& block, int64_t r);
  /// Sets the shift of row r.
  HWY_NOINLINE void Shift(int64_t r, float shift);

  // Finite, so that a score of -infinity less the shift is not NaN.
  static constexpr float kNoShift = std::numeric_limits<float>::lowest();

  float to_log2_;
  int64_t cols_;
  Tensor shifts_, sums_, values_;
  Tensor scales_;  // of the values of a row, due to recent shifts
  bool scales_values_ = false;
};

void RowSums::Shift(int64_t r, float shift) {
  const FloatD d;
  const float old = std::exchange(shifts_.data<float>()[r], shift);
  if (old == kNoShift) return;  // the sums are still 0
  const FloatV scale = Exp2(hn::Set(d, to_log2_ * (old - shift)));
  WideVector<float> sums = LoadSums(r);
  for (FloatV& sum : sums.part) sum = hn::Mul(sum, scale);
  StoreSums(r, sums);
  scales_.data<float>()[r] = hn::GetLane(scale);
  scales_values_ = true;
}

HWY_INLINE void RowSums::RaiseShift(const ScoreBlock& block, int64_t r) {
  // Maximum lag of a shift behind the largest score. Weights are then larger by
  // a factor that cancels in the end.
  constexpr float kSlack = 8;
  const FloatD d;
  const float* e = block.row(r);
  FloatV max = hn::LoadU(d, e);
#pragma GCC unroll 4
  for (int64_t c = kLanes; c < block.cols; c += kLanes) {
    max = hn::Max(max, hn::LoadU(d, e + c));
  }
  const FloatV limit = hn::Set(d, shifts_.data<float>()[r] + kSlack);
  if (!hn::AllFalse(d, hn::Gt(max, limit))) {
    Shift(r, hn::GetLane(hn::MaxOfLanes(d, max)));
  }
}

template <bool kScaled>
void RowSums::AddWeightsIn(const ScoreBlock& block) {
  const FloatD d;
  const FloatV scale = hn::Set(d, to_log2_);
  const float* shifts = shifts_.data<float>();
  for (int64_t r = 0; r < block.rows; ++r) {
    RaiseShift(block, r);
    float* e = block.row(r);
    const FloatV shift = hn::Set(d, shifts[r]);
    WideVector<float> total = LoadSums(r);
    const auto add = [&](int64_t c, FloatV& sum) HEED_LANES {
      const FloatV w = Power<kScaled>(hn::LoadU(d, e + c), shift, scale);
      sum = hn::Add(sum, w);
      hn::StoreU(w, d, e + c);
    };
    constexpr int64_t kStep = kParts<float> * kLanes;
    int64_t c = 0;
#pragma GCC unroll 4
    for (; c + kStep <= block.cols; c += kStep) {
      for (int64_t p = 0; p < kParts<float>; ++p) {
        add(c + p * kLanes, total[p]);
      }
    }
    for (int64_t p = 0; p < kParts<float> && c < block.cols; ++p, c += kLanes) {
      add(c, total[p]);
    }
    StoreSums(r, total);
  }
  ScaleValues();
}

/// Scratch memory of a task.
struct Scratch {
  Scratch(const AttentionArgs& args, const TiledSizes& n)
      : queries({n.query_block, n.query_row()}),
        scores({n.query_block, kKeyBlock}),
        lines({n.lines(n.A)}),
        sums(n) {
    if (n.format.bf16) words = Tensor({n.query_block, kKeyBlock / 2});
    if (HasFactors(args)) {
      factors = Tensor({n.query_block, kKeyBlock});
    } else if (n.by_tiles) {
      other_scores = Tensor({n.query_block, kKeyBlock});
      other_words = Tensor({n.query_block, kKeyBlock / 2});
    }
  }
  /// True if weights are computed while tiles multiply for other blocks.
  bool overlaps() const { return other_words.defined(); }

  Tensor queries, scores, lines, words, factors;
  Tensor other_scores, other_words;  // of the previous block
  RowSums sums;
};

/// Multiplies block.e by the factors of its weights.
void MultiplyFactors(const AttentionArgs& args, const ScoreBlock& block,
                     Tensor& factors) {
  if (!factors.defined()) return;
  float* f = factors.data<float>();
  WeightFactors(args, block, f);
  for (int64_t r = 0; r < block.rows; ++r) {
    float* e = block.row(r);
    const float* f_r = f + r * block.stride;
    ForLanes<float>(block.cols, [=](auto lanes, int64_t c) HEED_LANES {
      lanes.Store(hn::Mul(lanes.Load(e + c), lanes.Load(f_r + c)), e + c);
    });
  }
}

/// Block of queries of one head, and the location of its packed keys and
/// values.
struct QueryBlock {
  QueryBlock(const TiledSizes& n, int64_t i, const PackedMemory& packed,
             int64_t packed_slot)
      : b(i / n.query_blocks() / n.H),
        h(i / n.query_blocks() % n.H),
        t(i % n.query_blocks() * n.query_block),
        rows(std::min(n.query_block, n.T - t)),
        memory(packed),
        slot(packed_slot) {}
  int64_t b, h, t, rows;
  const PackedMemory& memory;
  int64_t slot;
};

/// Calls body(q, scratch) for all blocks of queries, in parallel.
template <class Body>
void ForQueryBlocks(const AttentionArgs& args, const TiledSizes& n, bool values,
                    const Body& body) {
  // With many heads, each task packs the heads that it needs into its cache.
  constexpr int64_t kManyHeads = 32;
  constexpr int64_t kCacheFloats = int64_t{1} << 17;
  const int64_t heads = n.B * n.K;
  const int64_t head_blocks = n.group() * n.query_blocks();
  const int64_t cost =
      std::min(n.T, n.query_block) * (n.S + 1) * (n.A + n.D) / 32;
  if (heads >= kManyHeads && n.S * (n.A + n.D) <= kCacheFloats) {
    const int64_t grain = RowGrain(n.S * (n.A + n.D) + head_blocks * cost);
    ParallelFor(heads, grain, [&](int64_t begin, int64_t end) {
      PackedMemory memory(n, 1, values);
      Scratch scratch(args, n);
      for (int64_t head = begin; head < end; ++head) {
        args.CheckCancelled();
        memory.Pack(args, head, 0, 0, n.S, scratch.lines.data<float>());
        for (int64_t i = 0; i < head_blocks; ++i) {
          body(QueryBlock(n, head * head_blocks + i, memory, 0), scratch);
        }
      }
    });
    return;
  }
  PackedMemory memory(n, heads, values);
  const int64_t groups = (n.S + kPackRows - 1) / kPackRows;
  ParallelFor(n.B * groups * n.K, RowGrain(kPackRows * (n.A + n.D)),
              [&](int64_t begin, int64_t end) {
                Tensor lines({n.lines(n.A)});
                for (int64_t i = begin; i < end; ++i) {
                  // Heads are interleaved in memory; pack them one after the
                  // other.
                  const int64_t s = i / n.K % groups * kPackRows;
                  const int64_t head = i / n.K / groups * n.K + i % n.K;
                  memory.Pack(args, head, head, s, std::min(kPackRows, n.S - s),
                              lines.data<float>());
                }
              });
  ParallelFor(heads * head_blocks, RowGrain(cost),
              [&](int64_t begin, int64_t end) {
                Scratch scratch(args, n);
                for (int64_t i = begin; i < end; ++i) {
                  args.CheckCancelled();
                  body(QueryBlock(n, i, memory, i / head_blocks), scratch);
                }
              });
}

/// Calls block(scores) for each block of keys that `q` may attend to. Work of
/// `meanwhile`, unless null, runs while scores are computed.
template <class Block>
void ForKeyBlocks(const AttentionArgs& args, const TiledSizes& n,
                  const QueryBlock& q, Scratch& scratch,
                  const cpu::Meanwhile* meanwhile, const Block& block) {
  const int64_t q_row = args.q.row_stride();
  float* queries = scratch.queries.data<float>();
  PackColumns(n.format, q.rows, n.A,
              HeadRows(args.q, q.b, q.h, n.A) + q.t * q_row, q_row,
              n.query_scale, queries);
  for (int64_t s = 0; s < n.S; s += kKeyBlock) {
    const auto [extent, keys] =
        FindVisible(args, q.b, q.t, q.rows, {s, std::min(n.S, s + kKeyBlock)});
    if (extent == MaskRule::Extent::kNone) continue;
    const ScoreBlock scores{scratch.scores.data<float>(),
                            kKeyBlock,
                            q.b,
                            q.h,
                            q.t,
                            q.rows,
                            keys.begin,
                            keys.size()};
    BlockScores(args, n, extent, queries, q.memory.Keys(q.slot, keys.begin),
                scores, nullptr, meanwhile);
    block(scores);
  }
}

/// Sums values over one block of keys after the other.
void SumValues(const AttentionArgs& args, const TiledSizes& n,
               const QueryBlock& q, Scratch& scratch) {
  RowSums& sums = scratch.sums;
  ForKeyBlocks(args, n, q, scratch, nullptr, [&](const ScoreBlock& block) {
    LeftWords weights{block.e, block.stride, 1};
    if (n.format.bf16) {
      weights = {scratch.words.data<float>(), kKeyBlock / 2, 1};
    }
    if (n.format.bf16 && !scratch.factors.defined()) {
      sums.AddWeightsBF16(block, scratch.words.data<float>(), weights.row);
    } else {
      sums.AddWeights(block);
      MultiplyFactors(args, block, scratch.factors);
      if (n.format.bf16) {
        cpu::PairColumns(block.rows, block.cols, block.e, block.stride, 1,
                         scratch.words.data<float>(), weights.row);
      }
    }
    Product(n.format, block.rows, n.format.Words(block.cols), n.D, weights,
            q.memory.Values(q.slot, block.s), true, sums.values());
  });
}

/// Weights of a block of scores, computed a few rows at a time between two
/// steps of a product.
class WeightsMeanwhile {
 public:
  explicit WeightsMeanwhile(RowSums& sums)
      : sums_(sums), meanwhile_{DoSome, this} {}
  WeightsMeanwhile(const WeightsMeanwhile&) = delete;
  WeightsMeanwhile& operator=(const WeightsMeanwhile&) = delete;

  /// Starts with the weights of `block`, written as pairs to `words`.
  void Start(const ScoreBlock& block, Tensor& words) {
    block_ = block;
    words_ = words.data<float>();
    next_ = 0;
  }
  /// Computes the remaining weights.
  void Finish() { Do(block_.rows); }
  const cpu::Meanwhile& meanwhile() const { return meanwhile_; }

 private:
  static void DoSome(void* self) {
    constexpr int64_t kRows = 2;  // take about as long as a step
    static_cast<WeightsMeanwhile*>(self)->Do(kRows);
  }
  void Do(int64_t rows) {
    const int64_t end = std::min(block_.rows, next_ + rows);
    if (end == next_) return;
    sums_.AddWeightsBF16(block_, next_, end, words_, kKeyBlock / 2);
    next_ = end;
  }

  RowSums& sums_;
  cpu::Meanwhile meanwhile_;
  ScoreBlock block_ = {};
  float* words_ = nullptr;
  int64_t next_ = 0;
};

/// SumValues with overlap, bitwise equal. Vectors compute the weights of a
/// block while tiles multiply: scores of the next block, and values of the
/// previous one.
void SumValuesByTiles(const AttentionArgs& args, const TiledSizes& n,
                      const QueryBlock& q, Scratch& scratch) {
  RowSums& sums = scratch.sums;
  WeightsMeanwhile weights(sums);
  ScoreBlock scored = {};    // weights are being computed
  ScoreBlock weighted = {};  // values are not summed yet
  const auto add_values = [&] {
    if (weighted.rows == 0) return;
    cpu::ProductByTilesWith(
        weights.meanwhile(), weighted.rows, n.format.Words(weighted.cols), n.D,
        {scratch.other_words.data<float>(), kKeyBlock / 2, 1},
        q.memory.Values(q.slot, weighted.s), true, sums.values());
  };
  const auto finish_weights = [&] {
    add_values();
    weights.Finish();
    sums.ScaleValues();
    weighted = std::exchange(scored, ScoreBlock{});
    scratch.words.swap(scratch.other_words);
  };
  ForKeyBlocks(args, n, q, scratch, &weights.meanwhile(),
               [&](const ScoreBlock& block) {
                 if (scored.rows > 0) finish_weights();
                 scored = block;
                 weights.Start(block, scratch.words);
                 scratch.scores.swap(scratch.other_scores);
               });
  finish_weights();
  add_values();
}

/// Contexts of one block of queries.
void Attend(const AttentionArgs& args, const TiledSizes& n, const QueryBlock& q,
            Scratch& scratch, AttentionResult& result) {
  RowSums& sums = scratch.sums;
  sums.Start(q.rows);
  float* context = HeadRows(result.context, q.b, q.h, n.D) +
                   q.t * result.context.row_stride();
  // Prefetches the rows of the context, which is computed meanwhile.
  for (int64_t r = 0; r < q.rows; ++r) {
    for (int64_t d = 0; d < n.D; d += kLanes) {
      __builtin_prefetch(context + r * result.context.row_stride() + d, 1);
    }
  }
  const auto sum_values = scratch.overlaps() ? SumValuesByTiles : SumValues;
  sum_values(args, n, q, scratch);
  float* log_sums =
      result.log_sum.data<float>() + (q.b * n.H + q.h) * n.T + q.t;
  for (int64_t r = 0; r < q.rows; ++r) {
    sums.Mean(r, n.D, context + r * result.context.row_stride());
    log_sums[r] = sums.LogSum(r);
  }
}

}  // namespace

AttentionResult TiledForward(const AttentionArgs& args) {
  const TiledSizes n(args);
  AttentionResult result{Tensor({n.B, n.T, n.H * n.D}),
                         Tensor({n.B, n.H, n.T})};
  ForQueryBlocks(args, n, true, [&](const QueryBlock& q, Scratch& scratch) {
    Attend(args, n, q, scratch, result);
  });
  return result;
}

Tensor TiledWeights(const AttentionArgs& args, const Tensor& log_sum) {
  const TiledSizes n(args);
  Tensor weights = Tensor::Zeros({n.B, n.H, n.T, n.S});
  ForQueryBlocks(args, n, false, [&](const QueryBlock& q, Scratch& scratch) {
    const int64_t row = (q.b * n.H + q.h) * n.T + q.t;
    float sums[kTileQueryBlock];
    for (int64_t r = 0; r < q.rows; ++r) {
      sums[r] = ScoreSum(n.to_log2, log_sum.data<float>()[row + r]);
    }
    ForKeyBlocks(args, n, q, scratch, nullptr, [&](const ScoreBlock& block) {
      BlockWeights(n.to_log2, block, sums);
      MultiplyFactors(args, block, scratch.factors);
      for (int64_t r = 0; r < block.rows; ++r) {
        std::copy_n(block.row(r), block.cols,
                    weights.row<float>(row + r) + block.s);
      }
    });
  });
  return weights;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(TiledForward);
HWY_EXPORT(TiledWeights);

AttentionResult TiledAttention(const AttentionArgs& args) {
  return HWY_DYNAMIC_DISPATCH(TiledForward)(args);
}

Tensor TiledAttentionWeights(const AttentionArgs& args, const Tensor& log_sum) {
  return HWY_DYNAMIC_DISPATCH(TiledWeights)(args, log_sum);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
