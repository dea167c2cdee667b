// sinew/base/pack_math.hpp - sine and cosine of packs; the inverse functions lane by lane
// sincos is within 2 ulp of the exact value for every finite argument (measured: docs/scalars.md), NaN for the rest.
//   1. |x| = k pi/2 + r by Cody and Waite: pi/2 is cut so that k times each part is exact for k < 2^20.
//      Lanes beyond that go to the C library one by one.
//   2. minimax polynomials on |r| <= pi/4 (tools/sincos_coefficients.py), the rounding of r carried along.
//   3. the quadrant k mod 4 swaps the two and sets their signs.
// No step is hurt by contraction to fused multiply-add; none survives -ffast-math.
#pragma once
#include <utility>

#include "sinew/base/pack_sqrt.hpp"

namespace sinew {

namespace detail {
inline constexpr double kSincosLimit = 0x1.9p20;  // largest |x| of step 1: k stays below 2^20
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer, found in the lowest bits

// a + b x + c x^2 + ...
template <class P>
SINEW_HD P horner(const P&, double a) {
  return lit<P>(a);
}
template <class P, class... Rest>
SINEW_HD P horner(const P& x, double a, Rest... rest) {
  return lit<P>(a) + x * horner(x, rest...);
}

// Step 3, k mod 4 in the lowest bits of `quadrant`; x gives the sine its sign.
template <class P, class Bits>
SINEW_HD void turn_quadrant(const Bits& quadrant, const P& x, const P& sin_r, const P& cos_r, P& s, P& c) {
  using Vector = typename P::Vector;
  using Mask = typename P::MaskType;
  constexpr int kSignShift = int(sizeof(x[0])) * 8 - 2;
  constexpr auto kSign = std::numeric_limits<typename Mask::Int>::min();
  const Mask odd(Bits{} - (quadrant & 1));
  const Bits sin_sign = ((quadrant << kSignShift) ^ Bits(x.v)) & kSign;
  const Bits cos_sign = ((quadrant + 1) << kSignShift) & kSign;
  s = P(Vector(Bits(select(odd, cos_r, sin_r).v) ^ sin_sign));
  c = P(Vector(Bits(select(odd, sin_r, cos_r).v) ^ cos_sign));
}

// In the next wider type: glibc's double cosine is 8 ulp off at the double closest to a multiple of pi/2.
template <class T, int N>
__attribute__((noinline)) void sincos_far(const Pack<T, N>& x, Pack<T, N>& s, Pack<T, N>& c) {
  using Wide = std::conditional_t<sizeof(T) == 8, long double, double>;
  for (int i = 0; i < N; ++i)
    if (std::abs(x[i]) > T(kSincosLimit)) s.set(i, T(std::sin(Wide(x[i])))), c.set(i, T(std::cos(Wide(x[i]))));
}

template <int N>
SINEW_HD void sincos_near(const Pack<double, N>& x, const Pack<double, N>& y, Pack<double, N>& s, Pack<double, N>& c) {
  using P = Pack<double, N>;
  const P t = y * P(kTwoOverPi) + P(kRound), k = t - P(kRound);
  const P a = y - k * P(0x1.921fb544p+0);
  const P b = a - k * P(0x1.0b4611a6p-34), b_rest = (a - b) - k * P(0x1.0b4611a6p-34);
  const P d = b - k * P(0x1.3198a2ep-69), d_rest = (b - d) - k * P(0x1.3198a2ep-69);
  const P rest = (b_rest + d_rest) - k * P(0x1.b839a252049c1p-104);
  const P r = d + rest, r_rest = (d - r) + rest;

  const P z = r * r, half = P(0.5) * z, w = P(1) - half;
  const P sine = horner(z, -0x1.5555555555548p-3, 0x1.111111110f730p-7, -0x1.a01a019be91adp-13, 0x1.71de35551b681p-19,
                        -0x1.ae5e4b6cba9f7p-26, 0x1.5d8b4c9a13da7p-33);
  const P cosine = horner(z, 0x1.555555555554bp-5, -0x1.6c16c16c1503ap-10, 0x1.a01a019c95492p-16,
                          -0x1.27e4f7f763277p-22, 0x1.1ee9e084d200ep-29, -0x1.8fa94879e9afcp-37);
  const P sin_r = r + (r * z * sine + r_rest);
  const P cos_r = w + (((P(1) - w) - half) + (z * z * cosine - r * r_rest));
  turn_quadrant(typename P::MaskType::Vector(t.v), x, sin_r, cos_r, s, c);
}

// Single precision: step 1 in double, half of the lanes at a time.
template <int N, int... I>
SINEW_HD void sincos_near(const Pack<float, N>& x, const Pack<float, N>& y, Pack<float, N>& s, Pack<float, N>& c,
                          std::integer_sequence<int, I...>) {
  using P = Pack<float, N>;
  using D = typename Pack<double, N / 2>::Vector;
  typedef float Half __attribute__((vector_size(N / 2 * sizeof(float))));
  const auto reduce = [](const Half& h, Half& k_half) {
    const D d = __builtin_convertvector(h, D), k = (d * kTwoOverPi + kRound) - kRound;
    k_half = __builtin_convertvector(k, Half);
    return __builtin_convertvector((d - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34, Half);
  };
  Half k0, k1;
  const Half r0 = reduce(__builtin_shufflevector(y.v, y.v, I...), k0);
  const Half r1 = reduce(__builtin_shufflevector(y.v, y.v, (I + N / 2)...), k1);
  const P r(__builtin_shufflevector(r0, r1, I..., (I + N / 2)...));
  const auto k = __builtin_shufflevector(k0, k1, I..., (I + N / 2)...);

  const P z = r * r;
  const P sin_r = r + r * z * horner(z, -0x1.555546p-3, 0x1.110794p-7, -0x1.99632cp-13);
  const P cos_r = (P(1) - P(0.5f) * z) + z * z * horner(z, 0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e7e2p-16);
  turn_quadrant(__builtin_convertvector(k, typename P::MaskType::Vector), x, sin_r, cos_r, s, c);
}
template <int N>
SINEW_HD void sincos_near(const Pack<float, N>& x, const Pack<float, N>& y, Pack<float, N>& s, Pack<float, N>& c) {
  sincos_near(x, y, s, c, std::make_integer_sequence<int, N / 2>{});
}
}  // namespace detail

template <class T, int N>
SINEW_HD void sincos(const Pack<T, N>& x, Pack<T, N>& s, Pack<T, N>& c) {
  const Pack<T, N> size = abs(x);
  const auto far = size > Pack<T, N>(T(detail::kSincosLimit));
  detail::sincos_near(x, select(far, Pack<T, N>{}, size), s, c);
  if (any(far)) [[unlikely]] {
    Pack<T, N> far_x = x, far_s = s, far_c = c;
    detail::sincos_far(far_x, far_s, far_c);
    s = far_s, c = far_c;
  }
}
template <class T, int N>
SINEW_HD Pack<T, N> sin(const Pack<T, N>& x) {
  Pack<T, N> s, c;
  sincos(x, s, c);
  return s;
}
template <class T, int N>
SINEW_HD Pack<T, N> cos(const Pack<T, N>& x) {
  Pack<T, N> s, c;
  sincos(x, s, c);
  return c;
}

// One lane at a time: no inner loop needs these.
template <class T, int N>
SINEW_HD Pack<T, N> asin(const Pack<T, N>& a) {
  Pack<T, N> r;
  for (int i = 0; i < N; ++i) r.set(i, std::asin(a[i]));
  return r;
}
template <class T, int N>
SINEW_HD Pack<T, N> acos(const Pack<T, N>& a) {
  Pack<T, N> r;
  for (int i = 0; i < N; ++i) r.set(i, std::acos(a[i]));
  return r;
}
template <class T, int N>
SINEW_HD Pack<T, N> atan2(const Pack<T, N>& y, const Pack<T, N>& x) {
  Pack<T, N> r;
  for (int i = 0; i < N; ++i) r.set(i, std::atan2(y[i], x[i]));
  return r;
}

}  // namespace sinew
