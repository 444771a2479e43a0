#include "heed/kernels/cpu/int8.h"

#include <algorithm>
#include <cstring>
#include <limits>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "heed/kernels/cpu/attention_bf16.h"
#include "heed/kernels/cpu/pack.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/int8.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/unroll.h"

// Faster than oneDNN, which reaches three quarters of this rate at 64 rows and
// a quarter of the memory bandwidth at one row.
//
// Compiled without contraction (see CMakeLists.txt), so that results are equal
// on processors with and without fused multiply-add.
HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using cpu::Int8Part;
using cpu::Int8Product;
using cpu::kPanel;
using cpu::kWeightOffset;

using IntD = hn::ScalableTag<int32_t>;
using IntV = hn::Vec<IntD>;
using FloatD = hn::ScalableTag<float>;
using FloatV = hn::Vec<FloatD>;
inline constexpr int64_t kLanes = hn::MaxLanes(IntD());
/// Sums in registers: 6 rows of 4 vectors with 32 registers, else 4 of 2.
inline constexpr int kTileRows = HWY_TARGET == HWY_AVX3 ? 6 : 4;
inline constexpr int kTileVectors = HWY_TARGET == HWY_AVX3 ? 4 : 2;
inline constexpr int64_t kTileCols = kTileVectors * kLanes;
inline constexpr int64_t kLine = 64;
/// Prefetch distance in bytes if nothing else hides the memory latency.
inline constexpr int64_t kNear = 2048;

// Highway has no target with these instructions.
#if HWY_TARGET == HWY_AVX3
#define HEED_INT8_DOT "vpdpbusd %2, %1, %0"
bool HasDot() { return __builtin_cpu_supports("avx512vnni") != 0; }
#elif HWY_TARGET == HWY_AVX2
#define HEED_INT8_DOT "%{vex%} vpdpbusd %2, %1, %0"
bool HasDot() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAvxVnni = 1U << 4;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
}
#endif

#ifdef HEED_INT8_DOT
/// Dot product of four unsigned bytes of w and four signed bytes of x in each
/// lane, by one instruction.
struct DotInstruction {
  struct Left {
    IntV x;
  };
  struct Right {
    IntV w;
  };
  static HWY_INLINE Left MakeLeft(IntV x) { return {x}; }
  static HWY_INLINE Right MakeRight(IntV w) { return {w}; }
  static HWY_INLINE IntV Add(IntV sum, const Right& w, const Left& x) {
    asm(HEED_INT8_DOT : "+v"(sum.raw) : "v"(w.w.raw), "v"(x.x.raw));
    return sum;
  }
};
#undef HEED_INT8_DOT
#endif

#if HWY_TARGET == HWY_SCALAR
/// Dot product of four bytes, computed one byte after the other.
struct DotWidened {
  using Left = IntV;
  using Right = IntV;
  static HWY_INLINE Left MakeLeft(IntV x) { return x; }
  static HWY_INLINE Right MakeRight(IntV w) { return w; }
  static HWY_INLINE IntV Add(IntV sum, IntV w, IntV x) {
    const auto product = [&](int shift) {
      const auto byte = static_cast<uint8_t>(w.raw >> shift);
      return int32_t{byte} * static_cast<int8_t>(x.raw >> shift);
    };
    return IntV(sum.raw + product(0) + product(8) + product(16) + product(24));
  }
};
#else
/// Dot product of four bytes by widened products of even and odd bytes; cannot
/// saturate.
struct DotWidened {
  static constexpr hn::RepartitionToNarrow<IntD> kD16{};
  using V16 = hn::Vec<hn::RepartitionToNarrow<IntD>>;
  struct Left {
    V16 even, odd;
  };
  using Right = Left;
  static HWY_INLINE Left MakeLeft(IntV x) {
    const V16 pairs = hn::BitCast(kD16, x);
    return {hn::ShiftRight<8>(hn::ShiftLeft<8>(pairs)),
            hn::ShiftRight<8>(pairs)};
  }
  static HWY_INLINE Right MakeRight(IntV w) {
    const V16 pairs = hn::BitCast(kD16, w);
    const hn::RebindToUnsigned<decltype(kD16)> du16;
    return {hn::And(pairs, hn::Set(kD16, 0xff)),
            hn::BitCast(kD16, hn::ShiftRight<8>(hn::BitCast(du16, pairs)))};
  }
  static HWY_INLINE IntV Add(IntV sum, const Right& w, const Left& x) {
    return hn::Add(hn::Add(sum, PairSums(w.even, x.even)),
                   PairSums(w.odd, x.odd));
  }
  static HWY_INLINE IntV PairSums(V16 a, V16 b) {
    IntV high = hn::Zero(IntD());
    const IntV low =
        hn::ReorderWidenMulAccumulate(IntD(), a, b, hn::Zero(IntD()), high);
    return hn::RearrangeToOddPlusEven(low, high);
  }
};
#endif

/// Next weights to prefetch: `step` bytes for each word of a row.
struct Ahead {
  const uint8_t* next;
  int64_t step;
};

/// Location of a tile; its columns are whole vectors.
struct Tile {
  const int8_t* a;
  int64_t a_stride;
  const float* a_scales;
  const int32_t* a_sums;
  const uint8_t* b;
  const float* b_scales;
  const float* bias;  // null if there is none
  float* c;
  int64_t c_stride;
};

/// Multiplies one tile of kRows rows. Prefetches kLines lines of weights per
/// word.
template <class Dot, int kRows, int kLines>
HWY_NOINLINE void MultiplyTile(const Int8Product& p, const Tile& t,
                               Ahead ahead) {
  const IntD di;
  const FloatD df;
  IntV sums[kRows][kTileVectors];
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    const IntV start = hn::Set(di, -kWeightOffset * t.a_sums[r]);
    HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) sums[r][v] = start;
  }
  const int8_t* a = t.a;
  const auto* b = reinterpret_cast<const int32_t*>(t.b);
  for (int64_t i = 0; i < p.words; ++i) {
    typename Dot::Right w[kTileVectors];
    HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      w[v] = Dot::MakeRight(hn::Load(di, b + v * kLanes));
    }
    HEED_UNROLL for (int line = 0; line < kLines; ++line) {
      __builtin_prefetch(ahead.next + line * kLine);
    }
    ahead.next += ahead.step;
    HEED_UNROLL for (int r = 0; r < kRows; ++r) {
      int32_t word;
      std::memcpy(&word, a + r * t.a_stride, sizeof(word));
      const typename Dot::Left x = Dot::MakeLeft(hn::Set(di, word));
      HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
        sums[r][v] = Dot::Add(sums[r][v], w[v], x);
      }
    }
    a += sizeof(int32_t);
    b += kPanel;
  }
  HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
    const FloatV scale = hn::LoadU(df, t.b_scales + v * kLanes);
    HEED_UNROLL for (int r = 0; r < kRows; ++r) {
      float* c = t.c + r * t.c_stride + v * kLanes;
      FloatV y = hn::Mul(hn::ConvertTo(df, sums[r][v]),
                         hn::Mul(hn::Set(df, t.a_scales[r]), scale));
      if (t.bias != nullptr) {
        y = hn::Add(y, hn::LoadU(df, t.bias + v * kLanes));
      }
      if (p.accumulate) y = hn::Add(y, hn::LoadU(df, c));
      if (p.relu) y = hn::IfThenZeroElse(hn::Lt(y, hn::Zero(df)), y);
      hn::StoreU(y, df, c);
    }
  }
}

template <class Dot, int kLines>
void MultiplyRowsAhead(const Int8Product& p, const Tile& t, int rows,
                       Ahead ahead) {
  switch (rows) {
    case 1:
      return MultiplyTile<Dot, 1, kLines>(p, t, ahead);
    case 2:
      return MultiplyTile<Dot, 2, kLines>(p, t, ahead);
    case 3:
      return MultiplyTile<Dot, 3, kLines>(p, t, ahead);
    case 4:
      return MultiplyTile<Dot, 4, kLines>(p, t, ahead);
    case 5:
      return MultiplyTile<Dot, std::min(5, kTileRows), kLines>(p, t, ahead);
    default:
      return MultiplyTile<Dot, kTileRows, kLines>(p, t, ahead);
  }
}

template <class Dot>
void MultiplyRows(const Int8Product& p, const Tile& t, int rows, Ahead ahead) {
  if (ahead.step > kLine) {
    MultiplyRowsAhead<Dot, 4>(p, t, rows, ahead);
  } else {
    MultiplyRowsAhead<Dot, 1>(p, t, rows, ahead);
  }
}

/// Multiplies a tile that extends beyond the last column, through a buffer.
template <class Dot>
void MultiplyBeside(const Int8Product& p, Tile t, int rows, int64_t columns,
                    Ahead ahead) {
  float c[kTileRows * kTileCols] = {};
  float bias[kTileCols] = {};
  float* to = t.c;
  const int64_t to_stride = t.c_stride;
  for (int64_t r = 0; r < rows && p.accumulate; ++r) {
    std::copy_n(to + r * to_stride, columns, c + r * kTileCols);
  }
  if (t.bias != nullptr) {
    std::copy_n(t.bias, columns, bias);
    t.bias = bias;
  }
  t.c = c;
  t.c_stride = kTileCols;
  MultiplyRows<Dot>(p, t, rows, ahead);
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(c + r * kTileCols, columns, to + r * to_stride);
  }
}

template <class Dot>
void Multiply(const Int8Product& p, const Int8Part& part) {
  constexpr int64_t kRowBytes = kPanel * 4;
  constexpr int64_t kTilesAcross = kPanel / kTileCols;
  const int64_t panel_bytes = p.words * kRowBytes;
  const int64_t rows = part.last_row - part.first_row;
  if (rows == 0) return;
  const int64_t bands = (rows + kTileRows - 1) / kTileRows;
  // The tiles of a panel together prefetch the next panel; a single tile
  // prefetches its own weights.
  const int64_t tiles = bands * kTilesAcross;
  const int64_t distance = tiles == 1 ? kNear : panel_bytes;
  const int64_t step = kRowBytes / tiles;
  for (int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
    const uint8_t* b = p.b + panel * panel_bytes;
    Ahead ahead = {b + distance, step};
    for (int64_t column = 0; column < kPanel; column += kTileCols) {
      const int64_t first = panel * kPanel + column;
      const int64_t columns = std::min(kTileCols, p.n - first);
      if (columns <= 0) break;
      for (int64_t band = 0; band < bands; ++band) {
        // Bands of about equal height.
        const int64_t r = part.first_row + band * rows / bands;
        const int64_t end = part.first_row + (band + 1) * rows / bands;
        const Tile tile = {p.a.values + r * p.a.stride,
                           p.a.stride,
                           p.a.scales + r,
                           p.a.sums + r,
                           b + column * 4,
                           p.b_scales + first,
                           p.bias == nullptr ? nullptr : p.bias + first,
                           p.c + r * p.n + first,
                           p.n};
        const auto count = static_cast<int>(end - r);
        if (columns == kTileCols) {
          MultiplyRows<Dot>(p, tile, count, ahead);
        } else {
          MultiplyBeside<Dot>(p, tile, count, columns, ahead);
        }
        ahead.next += step * p.words;
      }
    }
  }
}

void MultiplyImpl(const Int8Product& product, const Int8Part& part,
                  [[maybe_unused]] cpu::Int8Instructions best) {
#if HWY_TARGET == HWY_AVX3
  constexpr int64_t kMinRows = 7;  // fewer rows leave most of a tile empty
  if (best == cpu::Int8Instructions::kTiles && cpu::HasTiles() &&
      part.last_row - part.first_row >= kMinRows) {
    return cpu::MultiplyInt8ByTiles(product, part);
  }
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  static const bool has_dot = HasDot();
  if (best != cpu::Int8Instructions::kWidened && has_dot) {
    return Multiply<DotInstruction>(product, part);
  }
#endif
  Multiply<DotWidened>(product, part);
}

/// Scale of a row from the bits of its largest magnitude.
struct ScaleOf {
  float scale, inverse;

  explicit ScaleOf(int32_t max_bits) {
    float max;
    std::memcpy(&max, &max_bits, sizeof(max));
    const bool finite = max <= std::numeric_limits<float>::max();
    const bool small = max < kSmallest;
    scale = finite ? (small ? 0 : max / kLargest)
                   : std::numeric_limits<float>::quiet_NaN();
    inverse = finite && !small ? kLargest / max : 0;
  }
  ScaleOf(float fixed_scale, float fixed_inverse)
      : scale(fixed_scale), inverse(fixed_inverse) {}

 private:
  static constexpr float kLargest = 127;
  /// Smallest magnitude whose inverse does not overflow.
  static constexpr float kSmallest = 0x1p-119F;
};

/// Bits of |x|, which sort like magnitudes, with NaN above infinity.
HWY_INLINE IntV MagnitudeBits(FloatV x) {
  const IntD di;
  return hn::And(hn::BitCast(di, x), hn::Set(di, 0x7fffffff));
}

/// x rounded to the nearest integer, ties to even. Range: |x| < 2^22.
HWY_INLINE IntV Rounded(FloatV x) {
  const FloatD df;
  const FloatV shift = hn::Set(df, 0x1.8p23F);
  const IntD di;
  return hn::Sub(hn::BitCast(di, hn::Add(x, shift)), hn::BitCast(di, shift));
}

/// Stores numbers in range as int8.
HWY_INLINE void StoreBytes(IntV q, int8_t* to) {
  const hn::Rebind<int8_t, IntD> d8;
  hn::StoreU(hn::DemoteTo(d8, q), d8, to);
}

/// Stores four vectors of numbers as int8.
HWY_INLINE void StoreBytes(IntV q0, IntV q1, IntV q2, IntV q3, int8_t* to) {
#if HWY_TARGET == HWY_AVX3
  // Packs within 16-byte blocks, then permutes words: half the work of four
  // DemoteTo.
  const __m512i order =
      _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i low = _mm512_packs_epi32(q0.raw, q1.raw);
  const __m512i high = _mm512_packs_epi32(q2.raw, q3.raw);
  const __m512i bytes = _mm512_packs_epi16(low, high);
  _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, bytes));
#else
  StoreBytes(q0, to);
  StoreBytes(q1, to + kLanes);
  StoreBytes(q2, to + 2 * kLanes);
  StoreBytes(q3, to + 3 * kLanes);
#endif
}

/// x rounded to the nearest integer from -127 to 127.
HWY_INLINE IntV RoundedWithin(FloatV x) {
  const FloatD df;
  return Rounded(hn::Clamp(x, hn::Set(df, -127.0F), hn::Set(df, 127.0F)));
}

cpu::QuantizedRow QuantizeRowImpl(const float* HWY_RESTRICT x, int64_t n,
                                  int8_t* HWY_RESTRICT values,
                                  float multiplier) {
  const IntD di;
  const FloatD df;
  const int64_t whole = n / kLanes * kLanes;
  const auto rest = static_cast<size_t>(n - whole);
  IntV m0 = hn::Zero(di);
  IntV m1 = m0;
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    m0 = hn::Max(m0, MagnitudeBits(hn::LoadU(df, x + i)));
    m1 = hn::Max(m1, MagnitudeBits(hn::LoadU(df, x + i + kLanes)));
  }
  for (; i < whole; i += kLanes) {
    m0 = hn::Max(m0, MagnitudeBits(hn::LoadU(df, x + i)));
  }
  if (rest > 0) {
    m1 = hn::Max(m1, MagnitudeBits(LoadPart(df, x + whole, rest)));
  }
  ScaleOf s(hn::GetLane(hn::MaxOfLanes(di, hn::Max(m0, m1))));
  if (multiplier > 0 && s.inverse > 0) s = {1 / multiplier, multiplier};
  if (s.inverse == 0) {
    std::fill_n(values, n, int8_t{0});
    return {s.scale, 0};
  }
  const FloatV inverse = hn::Set(df, s.inverse);
  IntV sum = hn::Zero(di);
  const auto quantized = [&](int64_t j) HWY_ATTR {
    return RoundedWithin(hn::Mul(hn::LoadU(df, x + j), inverse));
  };
  for (i = 0; i + 4 * kLanes <= n; i += 4 * kLanes) {
    const IntV q0 = quantized(i);
    const IntV q1 = quantized(i + kLanes);
    const IntV q2 = quantized(i + 2 * kLanes);
    const IntV q3 = quantized(i + 3 * kLanes);
    sum = hn::Add(sum, hn::Add(hn::Add(q0, q1), hn::Add(q2, q3)));
    StoreBytes(q0, q1, q2, q3, values + i);
  }
  for (; i < whole; i += kLanes) {
    const IntV q = quantized(i);
    sum = hn::Add(sum, q);
    StoreBytes(q, values + i);
  }
  if (rest > 0) {
    const IntV q =
        RoundedWithin(hn::Mul(LoadPart(df, x + whole, rest), inverse));
    sum = hn::Add(sum, q);
    int8_t part[kLanes];
    StoreBytes(q, part);
    std::copy_n(part, rest, values + whole);
  }
  return {s.scale, hn::GetLane(hn::SumOfLanes(di, sum))};
}

/// Quantises a vector of columns, or the remaining part of one.
template <class Lanes>
HWY_INLINE void QuantizeStrip(const Lanes& lanes, const cpu::Int8Columns& c,
                              int64_t first, int64_t count) {
  const IntD di;
  const FloatD df;
  IntV max = hn::Zero(di);
  for (int64_t r = 0; r < c.rows; ++r) {
    max = hn::Max(max, MagnitudeBits(lanes.Load(c.x + r * c.x_stride + first)));
  }
  HWY_ALIGN int32_t bits[kLanes];
  HWY_ALIGN float inverses[kLanes];
  hn::Store(max, di, bits);
  for (int64_t j = 0; j < kLanes; ++j) {
    const ScaleOf s(bits[j]);
    inverses[j] = s.inverse;
    if (j < count) c.scales[first + j] = s.scale;
  }
  const FloatV inverse = hn::Load(df, inverses);
  const auto used = hn::Gt(inverse, hn::Zero(df));
  int8_t part[kLanes];
  for (int64_t r = 0; r < c.rows; ++r) {
    const FloatV x = lanes.Load(c.x + r * c.x_stride + first);
    const FloatV y = hn::IfThenElseZero(used, hn::Mul(x, inverse));
    StoreBytes(Rounded(y), part);
    std::copy_n(part, count, c.values + r * c.values_stride + first);
  }
}

void QuantizeColumnsImpl(const cpu::Int8Columns& columns, int64_t begin,
                         int64_t end) {
  ForLanes<float>(end - begin, [&](const auto& lanes, int64_t i) HWY_ATTR {
    QuantizeStrip(lanes, columns, begin + i, std::min(kLanes, end - begin - i));
  });
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(MultiplyImpl);
HWY_EXPORT(QuantizeRowImpl);
HWY_EXPORT(QuantizeColumnsImpl);

}  // namespace
namespace cpu {

void MultiplyInt8(const Int8Product& product, const Int8Part& part,
                  Int8Instructions best) {
  HWY_DYNAMIC_DISPATCH(MultiplyImpl)(product, part, best);
}

QuantizedRow QuantizeRow(const float* x, int64_t n, int8_t* values,
                         float multiplier) {
  return HWY_DYNAMIC_DISPATCH(QuantizeRowImpl)(x, n, values, multiplier);
}

void QuantizeColumns(const Int8Columns& columns, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(QuantizeColumnsImpl)(columns, begin, end);
}

}  // namespace cpu
}  // namespace heed::kernels
#endif  // HWY_ONCE
