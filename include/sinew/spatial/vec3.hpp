// sinew/spatial/vec3.hpp - three numbers
#pragma once
#include "sinew/base/scalar.hpp"

namespace sinew {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};
};

// Conversion between scalar types, e.g. model constants (double) to a kernel's scalar.
template <class T, class S>
SINEW_HD Vec3<T> cast(const Vec3<S>& a) {
  return {lit<T>(a.x), lit<T>(a.y), lit<T>(a.z)};
}

template <class T>
SINEW_HD Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
SINEW_HD Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
SINEW_HD Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
SINEW_HD Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
SINEW_HD Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b) {
  return a = a + b;
}
template <class T>
SINEW_HD Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b) {
  return a = a - b;
}
template <class T>
SINEW_HD bool operator==(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Scalar product, vector product, length.
template <class T>
SINEW_HD T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
SINEW_HD Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
SINEW_HD T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

}  // namespace sinew
