// sinew/spatial/force.hpp - force vectors: forces, momenta, impulses [F08 section 2.3]
#pragma once
#include "sinew/spatial/motion.hpp"

namespace sinew {

template <class T>
struct Force {
  Vec3<T> ang;  // [N m] about the frame's origin
  Vec3<T> lin;  // [N]
};

template <class T, class S>
SINEW_HD Force<T> cast(const Force<S>& f) {
  return {cast<T>(f.ang), cast<T>(f.lin)};
}
template <class T>
SINEW_HD Force<T> operator+(const Force<T>& a, const Force<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}
template <class T>
SINEW_HD Force<T> operator-(const Force<T>& a, const Force<T>& b) {
  return {a.ang - b.ang, a.lin - b.lin};
}
template <class T>
SINEW_HD Force<T> operator-(const Force<T>& a) {
  return {-a.ang, -a.lin};
}
template <class T>
SINEW_HD Force<T> operator*(const T& s, const Force<T>& a) {
  return {s * a.ang, s * a.lin};
}
template <class T>
SINEW_HD Force<T>& operator+=(Force<T>& a, const Force<T>& b) {
  return a = a + b;
}
template <class T>
SINEW_HD Force<T>& operator-=(Force<T>& a, const Force<T>& b) {
  return a = a - b;
}

// Power. 6m + 5a  [F08 2.12]
template <class T>
SINEW_HD T dot(const Motion<T>& v, const Force<T>& f) {
  return dot(v.ang, f.ang) + dot(v.lin, f.lin);
}
template <class T>
SINEW_HD T dot(const Force<T>& f, const Motion<T>& v) {
  return dot(v, f);
}
// v x* f: the rate of f carried along by v. 18m + 12a  [F08 2.34]
template <class T>
SINEW_HD Force<T> cross(const Motion<T>& v, const Force<T>& f) {
  return {cross(v.ang, f.ang) + cross(v.lin, f.lin), cross(v.ang, f.lin)};
}

}  // namespace sinew
