// Exp, tanh, sigmoid, logarithm and the normal distribution for SIMD vectors of
// f32 or f64.
//
// Accurate to a few ulp; NaN stays NaN. Included once for each target, see
// hwy/highway.h.
#if defined(HEED_KERNELS_CPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_MATH_INL_H_
#undef HEED_KERNELS_CPU_MATH_INL_H_
#else
#define HEED_KERNELS_CPU_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
inline constexpr bool kIsFloat = std::is_same_v<T, float>;

constexpr double Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1); }

/// sum over k = K..N of r^(k-K) / k!.
template <int K, int N, class D, class V>
HWY_INLINE V ExpSeries(D d, V r) {
  constexpr double coefficient = 1 / Factorial(K);
  const V c = hn::Set(d, static_cast<hn::TFromD<D>>(coefficient));
  if constexpr (K == N) {
    return c;
  } else {
    return hn::MulAdd(ExpSeries<K + 1, N>(d, r), r, c);
  }
}

/// sum over k = K..N of r^(k-K) / (2k + 1).
template <int K, int N, class D, class V>
HWY_INLINE V AtanhSeries(D d, V r) {
  const V c = hn::Set(d, static_cast<hn::TFromD<D>>(1.0 / (2 * K + 1)));
  if constexpr (K == N) {
    return c;
  } else {
    return hn::MulAdd(AtanhSeries<K + 1, N>(d, r), r, c);
  }
}

/// Minimum of x and high (ClampAbove) or maximum of x and low (ClampBelow); a
/// NaN in x is kept.
template <class V>
HWY_INLINE V ClampAbove(V x, V high) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Min(high, x);  // of a NaN and a number, x86 returns the second
#else
  return hn::IfThenElse(hn::Gt(x, high), high, x);
#endif
}
template <class V>
HWY_INLINE V ClampBelow(V x, V low) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Max(low, x);
#else
  return hn::IfThenElse(hn::Lt(x, low), low, x);
#endif
}

/// Splits x = n ln 2 + r with |r| <= ln 2 / 2; returns exp(r) - 1 and sets
/// `scale` to 2^(n + kOffset), which must be a normal number.
template <int kOffset, class D, class V>
HWY_INLINE V Expm1Reduced(D d, V x, V& scale) {
  using T = hn::TFromD<D>;
  constexpr bool f32 = kIsFloat<T>;
  constexpr int kMantissa = f32 ? 23 : 52;
  // Adding 1.5 * 2^mantissa rounds to an integer in the low bits. With the
  // exponent bias added, a shift turns it into 2^n.
  const V magic = hn::Set(d, f32 ? T(0x1.8p23) + T(127 + kOffset)
                                 : T(0x1.8p52) + T(1023 + kOffset));
  // The upper part of ln 2 has enough trailing zeros for an exact product with
  // n.
  const V ln2_hi = hn::Set(d, f32 ? T(0x1.63p-1) : T(0x1.62e42feep-1));
  const V ln2_lo =
      hn::Set(d, f32 ? T(-0x1.bd0106p-13) : T(0x1.a39ef35793c76p-33));
  const V t = hn::MulAdd(x, hn::Set(d, T(0x1.71547652b82fep0)), magic);
  const V n = hn::Sub(t, magic);
  const V r = hn::NegMulAdd(n, ln2_lo, hn::NegMulAdd(n, ln2_hi, x));
  const hn::RebindToSigned<D> di;
  scale = hn::BitCast(d, hn::ShiftLeft<kMantissa>(hn::BitCast(di, t)));
  const V tail = ExpSeries < 2, f32 ? 7 : 13 > (d, r);
  return hn::MulAdd(hn::Mul(r, r), tail, r);
}

/// exp(x); infinity above the largest number, 0 where the result would be
/// (nearly) denormal: x < -86.9 in f32, x < -708 in f64.
template <class D, class V>
HWY_INLINE V Exp(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr bool f32 = kIsFloat<T>;
  const V high = hn::Set(d, f32 ? T(88.8) : T(709.8));
  const V low = hn::Set(d, f32 ? T(-86.9) : T(-708));
  V half;  // half of 2^n, because 2^n could overflow
  const V p = Expm1Reduced<-1>(d, ClampAbove(x, high), half);
  const V y = hn::MulAdd(p, half, half);
  return hn::IfThenZeroElse(hn::Lt(x, low), hn::Add(y, y));
}

/// (.. (sum t + c_0) t + ..) t + c_n.
template <class D, class V, typename... C>
HWY_INLINE V Horner(D d, V t, V sum, C... c) {
  ((sum = hn::MulAdd(sum, t, hn::Set(d, c))), ...);
  return sum;
}

/// tanh in f32 as x p(x^2) / q(x^2), a minimax quotient with relative error
/// 2^-26 up to kLimit; above, tanh rounds to 1.
template <class D, class V>
HWY_INLINE V TanhQuotient(D d, V x) {
  constexpr float kLimit = 8.7F;
  const V one = hn::Set(d, 1.0F);
  const V t = ClampAbove(hn::Mul(x, x), hn::Set(d, kLimit * kLimit));
  const V p = Horner(d, t, hn::Set(d, 0.0173794925F), 26.2537384F, 4400.35352F,
                     167579.219F, 1250547.38F);
  const V q = Horner(d, t, hn::Add(t, hn::Set(d, 415.637451F)), 32470.3301F,
                     584428.188F, 1250547.38F);
  const V y = hn::Div(hn::Mul(x, p), q);
  return ClampBelow(ClampAbove(y, one), hn::Neg(one));
}

/// tanh(x), within [-1, 1], with small relative error also near 0.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  if constexpr (kIsFloat<hn::TFromD<D>>) {
    return TanhQuotient(d, x);
  } else {
    const V limit = hn::Set(d, 40.0);
    const V x2 = ClampBelow(ClampAbove(hn::Add(x, x), limit), hn::Neg(limit));
    V scale;
    const V p = Expm1Reduced<0>(d, x2, scale);
    const V expm1 = hn::MulAdd(scale, p, hn::Sub(scale, hn::Set(d, 1.0)));
    return hn::Div(expm1, hn::Add(expm1, hn::Set(d, 2.0)));
  }
}

/// 1 / (1 + exp(-x)).
template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>(1));
  return hn::Div(one, hn::Add(one, Exp(d, hn::Neg(x))));
}

/// Sigmoid of x; sets `slope` to its derivative, which has a small relative
/// error even where the result rounds to 1.
template <class D, class V>
HWY_INLINE V SigmoidWithSlope(D d, V x, V& slope) {
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  const V upper = hn::Div(one, hn::Add(one, e));
  const V lower = hn::Mul(e, upper);
  slope = hn::Mul(upper, lower);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), lower, upper);
}

/// Natural logarithm; -infinity at 0, NaN below.
template <class D, class V>
HWY_INLINE V Log(D d, V x) {
  using T = hn::TFromD<D>;
  using TI = hwy::MakeSigned<T>;
  constexpr bool f32 = kIsFloat<T>;
  constexpr int kMantissa = f32 ? 23 : 52;
  const hn::RebindToSigned<D> di;
  const V one = hn::Set(d, T(1));

  const auto denormal = hn::Lt(x, hn::Set(d, f32 ? T(0x1p-126) : T(0x1p-1022)));
  const V normal = hn::IfThenElse(
      denormal, hn::Mul(x, hn::Set(d, f32 ? T(0x1p23) : T(0x1p52))), x);
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)).
  const auto bits = hn::BitCast(di, normal);
  const auto sqrt_half =
      hn::Set(di, static_cast<TI>(f32 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd));
  const auto e_bits = hn::ShiftRight<kMantissa>(hn::Sub(bits, sqrt_half));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<kMantissa>(e_bits)));
  const V e = hn::Sub(hn::ConvertTo(d, e_bits),
                      hn::IfThenElseZero(denormal, hn::Set(d, T(kMantissa))));

  // log m = 2 atanh(s) = 2 s + 2 s^3 (1/3 + s^2 / 5 + ..).
  const V s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V s2 = hn::Mul(s, s);
  const V twice = hn::Add(s, s);
  const V tail =
      hn::Mul(hn::Mul(twice, s2), AtanhSeries < 1, f32 ? 5 : 11 > (d, s2));
  const V ln2_hi = hn::Set(d, f32 ? T(0x1.63p-1) : T(0x1.62e42feep-1));
  const V ln2_lo =
      hn::Set(d, f32 ? T(-0x1.bd0106p-13) : T(0x1.a39ef35793c76p-33));
  const V log =
      hn::MulAdd(e, ln2_hi, hn::Add(twice, hn::MulAdd(e, ln2_lo, tail)));

  const V infinity = hn::Inf(d);
  const V special =
      hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity),
                     hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::NaN(d), x));
  const auto ordinary = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, infinity));
  return hn::IfThenElse(ordinary, log, special);
}

/// The upper tail of the standard normal distribution 1 - Phi(x) for x >= 0;
/// sets `density` to sqrt(2 pi) times its density, exp(-x^2 / 2).
template <class D, class V>
HWY_INLINE V NormalTail(D d, V x, V& density) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T(0.5));
  density = Exp(d, hn::Neg(hn::Mul(hn::Mul(x, half), x)));
  if constexpr (kIsFloat<T>) {
    // Tail divided by density, as a minimax quotient with relative error 2^-27
    // up to kLimit; above, the density is 0.
    constexpr float kLimit = 14;
    const V t = ClampAbove(x, hn::Set(d, kLimit));
    const V p = Horner(d, t, hn::Set(d, 0.0040776124F), 0.040372565F,
                       0.18246186F, 0.43725091F, 0.5F);
    const V q = Horner(d, t, hn::Set(d, 0.01022093F), 0.10120582F, 0.46742916F,
                       1.1992908F, 1.6723868F, 1.0F);
    return hn::Mul(density, hn::Div(p, q));
  } else {
    HWY_ALIGN double lanes[hn::MaxLanes(d)];
    hn::Store(x, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      lanes[i] = std::erfc(lanes[i] / std::numbers::sqrt2) / 2;
    }
    return hn::Load(d, lanes);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_MATH_INL_H_
