#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/convert.cc"
#include <hwy/foreach_target.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/loops-inl.h"
#include "heed/kernels/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Rounds a vector of f32 to bf16 bits.
template <class V>
HWY_INLINE auto RoundToBF16(V v) {
  const hn::ScalableTag<uint32_t> du;
  const hn::RebindToSigned<decltype(du)> di;
  const hn::Rebind<uint16_t, decltype(du)> d16;
  const auto bits = hn::BitCast(du, v);
  const auto upper = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(upper, hn::Set(du, 1U));
  const auto rounded =
      hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffU))));
  const auto quiet = hn::Or(upper, hn::Set(du, 0x40U));
  const auto result =
      hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
  return hn::DemoteTo(d16, hn::BitCast(di, result));
}

void RoundSpan(int64_t n, const float* x, uint16_t* y) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(RoundToBF16(hn::LoadU(d, x + i)), d16, y + i);
  }
  if (i < n) {
    const auto rest = static_cast<size_t>(n - i);
    StorePart(d16, RoundToBF16(LoadPart(d, x + i, rest)), y + i, rest);
  }
}

void WidenSpan(int64_t n, const uint16_t* x, float* y) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const auto widen = [&](auto v) HEED_LANES {
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, v)));
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(widen(hn::LoadU(d16, x + i)), d, y + i);
  }
  if (i < n) {
    const auto rest = static_cast<size_t>(n - i);
    StorePart(d, widen(LoadPart(d16, x + i, rest)), y + i, rest);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(RoundSpan);
HWY_EXPORT(WidenSpan);

constexpr int64_t kChunk = 65536;

uint16_t* Bits(bfloat16* p) { return &p->bits; }
const uint16_t* Bits(const bfloat16* p) { return &p->bits; }

/// Calls body(n, in, out) for pieces of two tensors; rows of `in` may be apart.
template <typename In, typename Out, class Body>
void ForPieces(const Tensor& in, Tensor& out, const Body& body) {
  assert(in.shape() == out.shape() && out.contiguous());
  if (in.contiguous()) {
    ParallelFor(in.numel(), kChunk, [&](int64_t begin, int64_t end) {
      body(end - begin, in.data<In>() + begin, out.data<Out>() + begin);
    });
    return;
  }
  const int64_t grain = std::max<int64_t>(1, kChunk / in.cols());
  ParallelForEach(in.rows(), grain, [&](int64_t r) {
    body(in.cols(), in.row<In>(r), out.row<Out>(r));
  });
}

}  // namespace

void ToBF16(const Tensor& f32, Tensor& bf16) {
  const auto round = HWY_DYNAMIC_DISPATCH(RoundSpan);
  ForPieces<float, bfloat16>(
      f32, bf16,
      [&](int64_t n, const float* x, bfloat16* y) { round(n, x, Bits(y)); });
}

void FromBF16(const Tensor& bf16, Tensor& f32) {
  const auto widen = HWY_DYNAMIC_DISPATCH(WidenSpan);
  ForPieces<bfloat16, float>(
      bf16, f32,
      [&](int64_t n, const bfloat16* x, float* y) { widen(n, Bits(x), y); });
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
