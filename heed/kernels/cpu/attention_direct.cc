#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/attention_paths.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/attention_direct.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_direct-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Division of work into (batch row, block of queries, chunk of keys).
struct Split {
  int64_t blocks;      // of queries, in all
  int64_t chunks;      // of keys
  int64_t chunk_keys;  // a multiple of kKeys
  int64_t grain;
};

/// Splits keys only if there are few queries, as in decoding.
Split SplitOf(const AttentionArgs& args, int64_t max_chunks) {
  constexpr int64_t kEnoughBlocks = 8;
  Split split{};
  split.blocks = args.batch() * CeilDiv(args.queries(), kQueries);
  const int64_t key_cost = std::min(args.queries(), kQueries) * args.heads *
                           (args.features() + args.value_features());
  const int64_t min = std::max(kKeys, RowGrain(key_cost) * 4);
  const bool few = split.blocks > 0 && split.blocks < kEnoughBlocks;
  const int64_t wanted = few ? std::min(max_chunks, args.keys() / min) : 1;
  split.chunk_keys =
      CeilDiv(CeilDiv(args.keys(), std::max<int64_t>(1, wanted)), kKeys) *
      kKeys;
  split.chunks = std::max<int64_t>(
      1, CeilDiv(args.keys(), std::max(kKeys, split.chunk_keys)));
  split.grain = RowGrain(std::min(split.chunk_keys, args.keys()) * key_cost);
  return split;
}

/// Block i of queries.
Queries BlockOfQueries(const AttentionArgs& args, int64_t i) {
  const int64_t per_row = CeilDiv(args.queries(), kQueries);
  const int64_t t = i % per_row * kQueries;
  return {i / per_row, t, std::min(kQueries, args.queries() - t)};
}

/// Partial sums of each chunk of keys: sum_s exp(e_ts - max_t) of 1 and of v_s.
struct Sums {
  Tensor context;  // [B, T, H*D], of chunk 0
  Tensor others;   // [chunks - 1, B, T, H*D]
  Tensor max;      // [chunks, B * H * T]
  Tensor sum;      // [chunks, B * H * T]

  float* Context(int64_t chunk, int64_t row) {
    return chunk == 0 ? context.row<float>(row)
                      : others.row<float>((chunk - 1) * context.rows() + row);
  }
};

/// Raises `max` to the maximum of e, sets e = exp(e - max) and adds them to
/// `sum`. Returns the factor by which earlier sums shrink.
float ExpRow(int64_t n, float* e, float& max, float& sum) {
  const float before = max;
  max = std::max(max, MaxSpan(n, e));
  ExpSpan(n, max, e, e);
  const bool keep = max == before || sum == 0;
  const float shrink = keep ? 1.0F : std::exp(before - max);
  sum = sum * shrink + SumSpan<float>(
                           n, [](auto, auto v) HEED_LANES { return v; }, e);
  return shrink;
}

void ScaleSpan(int64_t n, float scale, float* y) {
  MapSpan(
      n,
      [=](auto d, auto v) HEED_LANES { return hn::Mul(v, hn::Set(d, scale)); },
      y, y);
}

/// Scratch memory of a task, reused for each block.
struct Scratch {
  Scratch(const AttentionArgs& args, int64_t more_blocks)
      : tensor({args.heads + more_blocks, kBlock}) {}
  float* Block(int64_t i) { return tensor.row<float>(i); }

  Tensor tensor;
};

/// Adds a block of keys to the sums of a chunk.
template <typename K>
void AddBlock(const AttentionArgs& args, const Queries& q, int64_t chunk,
              Range keys, MaskRule::Extent extent, Scratch& scratch,
              Sums& sums) {
  const int64_t width = args.value_features();
  const int64_t first_row = q.b * args.queries() + q.t;
  DirectScores<K>(args, q, {0, args.heads}, keys, scratch.Block(0));
  for (int64_t h = 0; h < args.heads; ++h) {
    const ScoreBlock block = BlockOf(scratch.Block(h), q, h, keys);
    ModifyScores(args, extent, block, nullptr);
    const int64_t state = (q.b * args.heads + h) * args.queries() + q.t;
    for (int64_t r = 0; r < q.rows; ++r) {
      const float shrink = ExpRow(block.cols, block.row(r),
                                  sums.max.row<float>(chunk)[state + r],
                                  sums.sum.row<float>(chunk)[state + r]);
      if (shrink != 1) {
        ScaleSpan(width, shrink,
                  sums.Context(chunk, first_row + r) + h * width);
      }
    }
    if (HasFactors(args)) {
      float* factors = scratch.Block(args.heads);
      WeightFactors(args, block, factors);
      for (int64_t r = 0; r < q.rows; ++r) {
        MulSpan(block.cols, block.row(r), factors + r * kKeys, block.row(r));
      }
    }
  }
  ForSteps({0, args.heads}, keys, [&](int64_t h, Range step) HWY_ATTR {
    if (args.heads > 1) {
      Prefetch(ValueRows<K>(args, q, h, 0), args.keys(), step, width);
    }
    AddProduct(
        q.rows, step.size(), width, 1.0F,
        Matrix<const float>{scratch.Block(h) + step.begin - keys.begin, kKeys},
        ValueRows<K>(args, q, h, step.begin),
        Matrix<float>{sums.Context(chunk, first_row) + h * width,
                      sums.context.cols()});
  });
}

/// The sums of a block of queries over a chunk of keys.
template <typename K>
void SumChunk(const AttentionArgs& args, const Queries& q, int64_t chunk,
              Range keys, Scratch& scratch, Sums& sums) {
  const int64_t first_row = q.b * args.queries() + q.t;
  for (int64_t r = 0; r < q.rows; ++r) {
    std::fill_n(sums.Context(chunk, first_row + r), sums.context.cols(), 0.0F);
  }
  for (int64_t h = 0; h < args.heads; ++h) {
    const int64_t state = (q.b * args.heads + h) * args.queries() + q.t;
    // Finite, so that -infinity - max is not NaN.
    std::fill_n(sums.max.row<float>(chunk) + state, q.rows,
                std::numeric_limits<float>::lowest());
    std::fill_n(sums.sum.row<float>(chunk) + state, q.rows, 0.0F);
  }
  ForBlocks(args, q, keys, [&](Range block, MaskRule::Extent extent) {
    AddBlock<K>(args, q, chunk, block, extent, scratch, sums);
  });
}

/// Combines the sums of all chunks into the context and log_sum of query t.
void Finish(const AttentionArgs& args, int64_t b, int64_t t, Sums& sums,
            Tensor& log_sum) {
  const int64_t width = args.value_features();
  const int64_t chunks = sums.max.dim(0);
  const int64_t row = b * args.queries() + t;
  for (int64_t h = 0; h < args.heads; ++h) {
    const int64_t state = (b * args.heads + h) * args.queries() + t;
    float max = std::numeric_limits<float>::lowest();
    for (int64_t i = 0; i < chunks; ++i) {
      max = std::max(max, sums.max.row<float>(i)[state]);
    }
    const auto part = [&](int64_t i) {
      return std::exp(sums.max.row<float>(i)[state] - max);
    };
    double sum = 0;
    for (int64_t i = 0; i < chunks; ++i) {
      sum += part(i) * sums.sum.row<float>(i)[state];
    }
    log_sum.data<float>()[state] =
        static_cast<float>(static_cast<double>(max) + std::log(sum));
    const auto scale = static_cast<float>(sum == 0 ? 0 : 1 / sum);
    float* context = sums.Context(0, row) + h * width;
    ScaleSpan(width, part(0) * scale, context);
    for (int64_t i = 1; i < chunks; ++i) {
      const float scale_i = part(i) * scale;
      MapSpan(
          width,
          [=](auto d, auto y, auto x)
              HEED_LANES { return hn::MulAdd(x, hn::Set(d, scale_i), y); },
          context, context, sums.Context(i, row) + h * width);
    }
  }
}

/// a [B, H, T, S] for a block of queries.
template <typename K>
void WeightsOfBlock(const AttentionArgs& args, const Queries& q,
                    const Tensor& log_sum, Scratch& scratch, Tensor& a) {
  ForBlocks(args, q, {0, args.keys()},
            [&](Range keys, MaskRule::Extent extent) {
              DirectScores<K>(args, q, {0, args.heads}, keys, scratch.Block(0));
              for (int64_t h = 0; h < args.heads; ++h) {
                const ScoreBlock block = BlockOf(scratch.Block(h), q, h, keys);
                ModifyScores(args, extent, block, nullptr);
                float* factors = scratch.Block(args.heads);
                if (HasFactors(args)) WeightFactors(args, block, factors);
                for (int64_t r = 0; r < q.rows; ++r) {
                  const int64_t row =
                      (q.b * args.heads + h) * args.queries() + q.t + r;
                  float* a_r = a.row<float>(row) + keys.begin;
                  WeightsRow(block.cols, log_sum.data<float>()[row],
                             block.row(r), a_r);
                  if (HasFactors(args)) {
                    MulSpan(block.cols, a_r, factors + r * kKeys, a_r);
                  }
                }
              }
            });
}

}  // namespace

AttentionResult DirectAttention(const AttentionArgs& args) {
  constexpr int64_t kMaxChunks = 32;
  const int64_t batch = args.batch();
  const int64_t queries = args.queries();
  const Split split = SplitOf(args, kMaxChunks);
  const int64_t states = batch * args.heads * queries;
  Sums sums;
  sums.context = Tensor({batch, queries, args.heads * args.value_features()});
  if (split.chunks > 1) {
    sums.others = Tensor(
        {split.chunks - 1, batch, queries, args.heads * args.value_features()});
  }
  sums.max = Tensor({split.chunks, states});
  sums.sum = Tensor({split.chunks, states});
  Tensor log_sum({batch, args.heads, queries});
  const auto sum_chunk =
      args.k.dtype() == DType::kBF16 ? SumChunk<bfloat16> : SumChunk<float>;
  ParallelFor(split.blocks * split.chunks, split.grain,
              [&](int64_t begin, int64_t end) HWY_ATTR {
                Scratch scratch(args, HasFactors(args) ? 1 : 0);
                for (int64_t i = begin; i < end; ++i) {
                  args.CheckCancelled();
                  const Queries q = BlockOfQueries(args, i / split.chunks);
                  const int64_t chunk = i % split.chunks;
                  const int64_t s = chunk * split.chunk_keys;
                  sum_chunk(args, q, chunk,
                            {s, std::min(args.keys(), s + split.chunk_keys)},
                            scratch, sums);
                  if (split.chunks > 1) continue;
                  for (int64_t r = 0; r < q.rows; ++r) {
                    Finish(args, q.b, q.t + r, sums, log_sum);
                  }
                }
              });
  if (split.chunks > 1) {
    for (int64_t row = 0; row < batch * queries; ++row) {
      Finish(args, row / queries, row % queries, sums, log_sum);
    }
  }
  return {std::move(sums.context), std::move(log_sum)};
}

Tensor DirectAttentionWeights(const AttentionArgs& args,
                              const Tensor& log_sum) {
  const Split split = SplitOf(args, 1);
  Tensor a =
      Tensor::Zeros({args.batch(), args.heads, args.queries(), args.keys()});
  const auto weights = args.k.dtype() == DType::kBF16 ? WeightsOfBlock<bfloat16>
                                                      : WeightsOfBlock<float>;
  ParallelFor(split.blocks, split.grain,
              [&](int64_t begin, int64_t end) HWY_ATTR {
                Scratch scratch(args, 1);
                for (int64_t i = begin; i < end; ++i) {
                  args.CheckCancelled();
                  weights(args, BlockOfQueries(args, i), log_sum, scratch, a);
                }
              });
  return a;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(DirectAttention);
HWY_EXPORT(DirectAttentionWeights);

AttentionResult DirectAttention(const AttentionArgs& args) {
  return HWY_DYNAMIC_DISPATCH(DirectAttention)(args);
}

Tensor DirectAttentionWeights(const AttentionArgs& args,
                              const Tensor& log_sum) {
  return HWY_DYNAMIC_DISPATCH(DirectAttentionWeights)(args, log_sum);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
