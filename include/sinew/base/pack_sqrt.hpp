// sinew/base/pack_sqrt.hpp - the square root of a pack, correctly rounded
// The compilers keep one scalar call per lane for errno's sake, hence the assembly.
#pragma once
#include "sinew/base/pack.hpp"

#if defined(__x86_64__) && defined(__AVX__)
#define SINEW_SQRT_D(to, from) asm("vsqrtpd {%1, %0|%0, %1}" : "=v"(to) : "v"(from))
#define SINEW_SQRT_S(to, from) asm("vsqrtps {%1, %0|%0, %1}" : "=v"(to) : "v"(from))
#elif defined(__x86_64__)
#define SINEW_SQRT_D(to, from) asm("sqrtpd {%1, %0|%0, %1}" : "=x"(to) : "x"(from))
#define SINEW_SQRT_S(to, from) asm("sqrtps {%1, %0|%0, %1}" : "=x"(to) : "x"(from))
#elif defined(__aarch64__)
#define SINEW_SQRT_D(to, from) asm("fsqrt %0.2d, %1.2d" : "=w"(to) : "w"(from))
#define SINEW_SQRT_S(to, from) asm("fsqrt %0.4s, %1.4s" : "=w"(to) : "w"(from))
#endif

namespace sinew {
namespace detail {
#if defined(__AVX512F__)
inline constexpr int kWidestSqrt = 64;
#elif defined(__AVX__)
inline constexpr int kWidestSqrt = 32;
#else
inline constexpr int kWidestSqrt = 16;
#endif
}  // namespace detail

template <class T, int N>
SINEW_HD Pack<T, N> sqrt(const Pack<T, N>& a) {
  Pack<T, N> r;
#if defined(SINEW_SQRT_D)
  constexpr int bytes = N * int(sizeof(T));
  if constexpr (bytes >= 16 && bytes <= detail::kWidestSqrt) {
    if constexpr (sizeof(T) == 8)
      SINEW_SQRT_D(r.v, a.v);
    else
      SINEW_SQRT_S(r.v, a.v);
    return r;
  }
#endif
  for (int i = 0; i < N; ++i) r.v[i] = std::sqrt(a.v[i]);
  return r;
}

}  // namespace sinew
#undef SINEW_SQRT_D
#undef SINEW_SQRT_S
