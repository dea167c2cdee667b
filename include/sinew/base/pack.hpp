// sinew/base/pack.hpp - several samples in one register: Pack<T, N> behaves as T, lane by lane
// Built on the vector extensions of GCC and Clang, so the same code serves SSE2, AVX2, AVX-512 and NEON.
// NativePack<T> fills one register; wider ones are slower. Pass packs by reference across compiled borders.
// Square root, sine and the like are in pack_math.hpp.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sinew/base/scalar.hpp"

namespace sinew {

template <class T, int N>
struct Pack;

// What comparing two packs gives: all bits set in the lanes where it holds.
template <class T, int N>
struct Mask {
  using Int = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  typedef Int Vector __attribute__((vector_size(N * sizeof(T))));
  Vector v{};

  Mask() = default;
  explicit SINEW_HD Mask(const Vector& x) : v(x) {}
  explicit SINEW_HD Mask(bool b) : v(Vector{} - Int{b}) {}
  SINEW_HD bool operator[](int lane) const { return v[lane] != 0; }

  friend SINEW_HD Mask operator&(const Mask& a, const Mask& b) { return Mask(a.v & b.v); }
  friend SINEW_HD Mask operator|(const Mask& a, const Mask& b) { return Mask(a.v | b.v); }
  friend SINEW_HD Mask operator!(const Mask& a) { return Mask(~a.v); }
  friend SINEW_HD bool any(const Mask& a) {
    Int bits = 0;
    for (int i = 0; i < N; ++i) bits |= a.v[i];
    return bits != 0;
  }
  friend SINEW_HD bool all(const Mask& a) { return !any(!a); }
};

template <class T, int N>
struct Pack {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>);
  using MaskType = Mask<T, N>;
  using Bits = typename MaskType::Vector;
  typedef T Vector __attribute__((vector_size(N * sizeof(T))));
  Vector v{};

  Pack() = default;
  explicit SINEW_HD Pack(const Vector& x) : v(x) {}
  explicit SINEW_HD Pack(T x) : v(x - Vector{}) {}  // minus, so that -0 stays -0

  SINEW_HD T operator[](int lane) const { return v[lane]; }
  // Sets one lane.
  SINEW_HD void set(int lane, T x) { v[lane] = x; }
  static SINEW_HD Pack load(const T* from) {  // any alignment
    Pack p;
    std::memcpy(&p.v, from, sizeof p.v);
    return p;
  }
  // Writes all lanes, at any alignment.
  SINEW_HD void store(T* to) const { std::memcpy(to, &v, sizeof v); }

  friend SINEW_HD Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
  friend SINEW_HD Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
  friend SINEW_HD Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
  friend SINEW_HD Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
  friend SINEW_HD Pack operator-(const Pack& a) { return Pack(-a.v); }
  SINEW_HD Pack& operator+=(const Pack& b) { return *this = *this + b; }
  SINEW_HD Pack& operator-=(const Pack& b) { return *this = *this - b; }
  SINEW_HD Pack& operator*=(const Pack& b) { return *this = *this * b; }
  SINEW_HD Pack& operator/=(const Pack& b) { return *this = *this / b; }

  friend SINEW_HD MaskType operator<(const Pack& a, const Pack& b) { return MaskType(a.v < b.v); }
  friend SINEW_HD MaskType operator<=(const Pack& a, const Pack& b) { return MaskType(a.v <= b.v); }
  friend SINEW_HD MaskType operator>(const Pack& a, const Pack& b) { return MaskType(a.v > b.v); }
  friend SINEW_HD MaskType operator>=(const Pack& a, const Pack& b) { return MaskType(a.v >= b.v); }
  friend SINEW_HD MaskType operator==(const Pack& a, const Pack& b) { return MaskType(a.v == b.v); }
  friend SINEW_HD MaskType operator!=(const Pack& a, const Pack& b) { return MaskType(a.v != b.v); }

  friend SINEW_HD Pack select(const MaskType& m, const Pack& a, const Pack& b) {
#if defined(__x86_64__) && !defined(__SSE4_1__)  // no blend instruction: GCC would go lane by lane
    return Pack(Vector((Bits(a.v) & m.v) | (Bits(b.v) & ~m.v)));
#else
    return Pack(m.v ? a.v : b.v);
#endif
  }
  friend SINEW_HD Pack min(const Pack& a, const Pack& b) { return Pack(a.v < b.v ? a.v : b.v); }
  friend SINEW_HD Pack max(const Pack& a, const Pack& b) { return Pack(a.v > b.v ? a.v : b.v); }
  friend SINEW_HD Pack abs(const Pack& a) {
    return Pack(Vector(Bits(a.v) & std::numeric_limits<typename MaskType::Int>::max()));
  }
};

template <class T>
using NativePack = Pack<T, SINEW_PACK_BYTES / int(sizeof(T))>;

template <class T, int N>
struct ScalarTraits<Pack<T, N>> {
  using Value = T;
  using Mask = sinew::Mask<T, N>;
  static constexpr int kLanes = N;
  static constexpr double kEpsilon = ScalarTraits<T>::kEpsilon;
};

}  // namespace sinew
