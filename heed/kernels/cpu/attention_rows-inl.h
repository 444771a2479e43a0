// Operations on a block of scores between the two products of attention:
// modifiers, mask, factors of the weights, and their gradients.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_ATTENTION_ROWS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_ATTENTION_ROWS_INL_H_
#undef HEED_KERNELS_CPU_ATTENTION_ROWS_INL_H_
#else
#define HEED_KERNELS_CPU_ATTENTION_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/random-inl.h"
#include "heed/kernels/fused_attention.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Block of scores of one head: e[r * stride + c] belongs to query t + r and
/// key s + c.
struct ScoreBlock {
  float* e;
  int64_t stride;
  int64_t b, h;
  int64_t t, rows;
  int64_t s, cols;

  float* row(int64_t r) const { return e + r * stride; }
};

/// True if the gradient of a modifier needs a value of the forward pass.
inline bool Saves(const ScoreModifier& m) {
  using Kind = ScoreModifier::Kind;
  return m.kind == Kind::kRowScale || m.kind == Kind::kSoftCap ||
         m.kind == Kind::kGaussianScores;
}

/// Blocks of rows * stride floats that ModifyScores saves for its gradient.
inline int64_t SavedBlocks(const AttentionArgs& args) {
  return std::count_if(args.modifiers.begin(), args.modifiers.end(), Saves);
}

/// Offset in m.x of the element for row r and column 0 of a block.
inline int64_t OffsetInX(const AttentionArgs& args, const ScoreModifier& m,
                         const ScoreBlock& n, int64_t r) {
  const Shape& x = m.x.shape();
  const auto at = [&](int axis, int64_t i) { return x[axis] == 1 ? 0 : i; };
  const int64_t t = n.t + r;
  switch (m.kind) {
    case ScoreModifier::Kind::kBias:
      return ((at(0, n.b) * x[1] + at(1, n.h)) * x[2] + at(2, t)) * x[3] + n.s;
    case ScoreModifier::Kind::kDistanceBias:
      return at(0, n.h) * x[1] + n.s - t + args.queries() - 1;
    default:
      return (n.b * x[1] + n.h) * x[2] + t;
  }
}

/// s + 0, s + 1, .. minus the centre.
template <class D>
HWY_INLINE hn::Vec<D> Distances(D d, int64_t s, float centre) {
  return hn::Sub(hn::Iota(d, static_cast<float>(s)), hn::Set(d, centre));
}

/// exp(-distance^2 / (2 deviation^2)).
template <class D, class V>
HWY_INLINE V Gaussian(D d, V distance, double deviation) {
  const auto scale = static_cast<float>(-0.5 / (deviation * deviation));
  return Exp(d, hn::Mul(hn::Mul(distance, distance), hn::Set(d, scale)));
}

/// Applies a modifier to one row of e. x: the modifier's element of column 0.
inline void ModifyRow(const ScoreModifier& m, const float* x, int64_t s,
                      int64_t cols, float* e, float* saved) {
  using Kind = ScoreModifier::Kind;
  const auto value = static_cast<float>(m.value);
  switch (m.kind) {
    case Kind::kScale:
    case Kind::kRowScale: {
      const float scale = m.kind == Kind::kScale ? value : *x;
      ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
        lanes.Store(hn::Mul(lanes.Load(e + c), hn::Set(lanes.d, scale)), e + c);
      });
      break;
    }
    case Kind::kSoftCap:
      ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
        const auto y = Tanh(
            lanes.d, hn::Mul(lanes.Load(e + c), hn::Set(lanes.d, 1 / value)));
        if (saved != nullptr) lanes.Store(y, saved + c);
        lanes.Store(hn::Mul(y, hn::Set(lanes.d, value)), e + c);
      });
      break;
    case Kind::kBias:
    case Kind::kDistanceBias:
      ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
        lanes.Store(hn::Add(lanes.Load(e + c), lanes.Load(x + c)), e + c);
      });
      break;
    case Kind::kGaussianScores:
      ForLanes<float>(cols, [=, &m](auto lanes, int64_t c) HEED_LANES {
        const auto f =
            Gaussian(lanes.d, Distances(lanes.d, s + c, *x), m.value);
        lanes.Store(hn::Mul(lanes.Load(e + c), f), e + c);
      });
      break;
    case Kind::kWindow:  // applied as a mask, see ForbidOutside
    case Kind::kGaussianWeights:
      break;
  }
}

/// Masks keys outside a window: e = -infinity where |s - x| > width.
inline void ForbidOutside(float x, double width, int64_t s, int64_t cols,
                          float* e) {
  ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
    const auto distance = hn::Abs(Distances(lanes.d, s + c, x));
    const auto forbidden =
        hn::Gt(distance, hn::Set(lanes.d, static_cast<float>(width)));
    lanes.Store(
        hn::IfThenElse(forbidden, hn::Neg(hn::Inf(lanes.d)), lanes.Load(e + c)),
        e + c);
  });
}

/// Sets e = -infinity where the mask forbids.
inline void MaskScores(const AttentionArgs& args, const ScoreBlock& n) {
  constexpr int64_t kWidth = 256;
  // Padding for a whole vector that begins at the last byte.
  uint8_t may[kWidth + 64] = {};
  for (int64_t r = 0; r < n.rows; ++r) {
    for (int64_t c = 0; c < n.cols; c += kWidth) {
      const int64_t cols = std::min(kWidth, n.cols - c);
      const int64_t s = n.s + c;
      args.mask->Row(n.b, args.query_offset + n.t + r, {s, s + cols}, may);
      float* e = n.row(r) + c;
      ForLanes<float>(cols, [=, &may](auto lanes, int64_t i) HEED_LANES {
        const hn::Rebind<uint8_t, decltype(lanes.d)> d8;
        const hn::Rebind<int32_t, decltype(lanes.d)> di;
        const auto bytes = hn::PromoteTo(di, hn::LoadU(d8, may + i));
        const auto forbidden =
            hn::RebindMask(lanes.d, hn::Eq(bytes, hn::Zero(di)));
        lanes.Store(hn::IfThenElse(forbidden, hn::Neg(hn::Inf(lanes.d)),
                                   lanes.Load(e + i)),
                    e + i);
      });
    }
  }
}

/// Sets e = modifiers(e), then -infinity where `extent` is kSome and the mask
/// forbids. `saved`, unless null, receives values for the gradient.
inline void ModifyScores(const AttentionArgs& args, MaskRule::Extent extent,
                         const ScoreBlock& block, float* saved) {
  for (const ScoreModifier& m : args.modifiers) {
    const bool saves = saved != nullptr && Saves(m);
    for (int64_t r = 0; r < block.rows; ++r) {
      float* e = block.row(r);
      float* saved_r = saves ? saved + r * block.stride : nullptr;
      // A soft cap saves its tanh instead.
      if (saves && m.kind != ScoreModifier::Kind::kSoftCap) {
        std::copy_n(e, block.cols, saved_r);
      }
      const float* x = m.x.defined()
                           ? m.x.data<float>() + OffsetInX(args, m, block, r)
                           : nullptr;
      ModifyRow(m, x, block.s, block.cols, e, saved_r);
    }
    if (saves) saved += block.rows * block.stride;
  }
  // Windows come last, so that masked scores stay -infinity.
  for (const ScoreModifier& m : args.modifiers) {
    if (m.kind != ScoreModifier::Kind::kWindow) continue;
    for (int64_t r = 0; r < block.rows; ++r) {
      ForbidOutside(m.x.data<float>()[OffsetInX(args, m, block, r)], m.value,
                    block.s, block.cols, block.row(r));
    }
  }
  if (extent == MaskRule::Extent::kSome) MaskScores(args, block);
}

/// Sets de to the gradient of the modifier's input in one row; adds that of x
/// to dx unless it is null.
inline void ModifyRowGrad(const ScoreModifier& m, const float* x,
                          const float* saved, int64_t s, int64_t cols,
                          float* de, float* dx) {
  using Kind = ScoreModifier::Kind;
  const auto value = static_cast<float>(m.value);
  switch (m.kind) {
    case Kind::kScale:
    case Kind::kRowScale: {
      const float scale = m.kind == Kind::kScale ? value : *x;
      if (dx != nullptr) {
        *dx += SumSpan<float>(
            cols, [](auto, auto a, auto b) HEED_LANES { return hn::Mul(a, b); },
            de, saved);
      }
      ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
        lanes.Store(hn::Mul(lanes.Load(de + c), hn::Set(lanes.d, scale)),
                    de + c);
      });
      break;
    }
    case Kind::kSoftCap:
      ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
        const auto y = lanes.Load(saved + c);
        const auto dy = lanes.Load(de + c);
        lanes.Store(hn::NegMulAdd(hn::Mul(dy, y), y, dy), de + c);
      });
      break;
    case Kind::kBias:
    case Kind::kDistanceBias:
      if (dx != nullptr) {
        ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
          lanes.Store(hn::Add(lanes.Load(dx + c), lanes.Load(de + c)), dx + c);
        });
      }
      break;
    case Kind::kGaussianScores: {
      WideVector<float> sum;
      ForParts<float>(cols, [=, &m, &sum](auto lanes, int64_t c) HEED_LANES {
        const auto distance = Distances(lanes.d, s + c, *x);
        const auto dy =
            hn::Mul(lanes.Load(de + c), Gaussian(lanes.d, distance, m.value));
        auto& own = sum[lanes.kPart];
        own = hn::MulAdd(hn::Mul(dy, lanes.Load(saved + c)), distance, own);
        lanes.Store(dy, de + c);
      });
      if (dx != nullptr) *dx += sum.Sum() / (value * value);
      break;
    }
    case Kind::kWindow:  // applied as a mask, see ForbidOutside
    case Kind::kGaussianWeights:
      break;
  }
}

/// Gradient of x of modifier i, or null if it is not requested.
inline float* Sink(std::vector<Tensor>& sinks, size_t i) {
  return i < sinks.size() && sinks[i].defined() ? sinks[i].data<float>()
                                                : nullptr;
}

/// Replaces the gradient of modified scores in block.e by that of scores. Adds
/// the gradients of the modifiers' x to `sinks` (one per modifier; undefined if
/// not requested), each of the shape of x.
inline void ModifyScoresGrad(const AttentionArgs& args, const ScoreBlock& block,
                             const float* saved, std::vector<Tensor>& sinks) {
  const int64_t size = block.rows * block.stride;
  int64_t saves = SavedBlocks(args);
  for (size_t i = args.modifiers.size(); i-- > 0;) {
    const ScoreModifier& m = args.modifiers[i];
    if (Saves(m)) --saves;
    float* dx_0 = Sink(sinks, i);
    for (int64_t r = 0; r < block.rows; ++r) {
      const int64_t offset = m.x.defined() ? OffsetInX(args, m, block, r) : 0;
      const float* x = m.x.defined() ? m.x.data<float>() + offset : nullptr;
      float* dx = dx_0 != nullptr ? dx_0 + offset : nullptr;
      const float* saved_r =
          Saves(m) ? saved + saves * size + r * block.stride : nullptr;
      ModifyRowGrad(m, x, saved_r, block.s, block.cols, block.row(r), dx);
    }
  }
}

/// True if weights are multiplied by a factor after the softmax (Gaussian
/// weights, dropout).
inline bool HasFactors(const AttentionArgs& args) {
  return args.dropout > 0 ||
         (!args.modifiers.empty() &&
          args.modifiers.back().kind == ScoreModifier::Kind::kGaussianWeights);
}

/// f[r * stride + c] = factors of the weights of a block (block.e is not read).
inline void WeightFactors(const AttentionArgs& args, const ScoreBlock& block,
                          float* f) {
  for (int64_t r = 0; r < block.rows; ++r) {
    float* f_r = f + r * block.stride;
    std::fill_n(f_r, block.cols, 1.0F);
    for (const ScoreModifier& m : args.modifiers) {
      if (m.kind != ScoreModifier::Kind::kGaussianWeights) continue;
      const float x = m.x.data<float>()[OffsetInX(args, m, block, r)];
      ForLanes<float>(block.cols, [&](auto lanes, int64_t c) HEED_LANES {
        const auto distance = Distances(lanes.d, block.s + c, x);
        lanes.Store(
            hn::Mul(lanes.Load(f_r + c), Gaussian(lanes.d, distance, m.value)),
            f_r + c);
      });
    }
    if (args.dropout > 0) {
      const int64_t row =
          (block.b * args.heads + block.h) * args.queries() + block.t + r;
      DropoutSpan(row * args.keys() + block.s, block.cols, args.dropout,
                  args.dropout_key, f_r, f_r);
    }
  }
}

/// Adds the gradients of Gaussian centres: g[r * stride + c] is
/// d(loss)/d(factor) * factor, the gradient of log factor.
inline void WeightFactorsGrad(const AttentionArgs& args,
                              const ScoreBlock& block, const float* g,
                              std::vector<Tensor>& sinks) {
  for (size_t i = 0; i < args.modifiers.size(); ++i) {
    const ScoreModifier& m = args.modifiers[i];
    float* dx = Sink(sinks, i);
    if (m.kind != ScoreModifier::Kind::kGaussianWeights || dx == nullptr) {
      continue;
    }
    for (int64_t r = 0; r < block.rows; ++r) {
      const int64_t offset = OffsetInX(args, m, block, r);
      const float x = m.x.data<float>()[offset];
      const float* g_r = g + r * block.stride;
      WideVector<float> sum;
      ForParts<float>(block.cols, [&](auto lanes, int64_t c) HEED_LANES {
        auto& own = sum[lanes.kPart];
        own = hn::MulAdd(lanes.Load(g_r + c),
                         Distances(lanes.d, block.s + c, x), own);
      });
      dx[offset] += sum.Sum() / static_cast<float>(m.value * m.value);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_ATTENTION_ROWS_INL_H_
