// sinew/spatial/motion.hpp - motion vectors: velocities, accelerations, joint axes [F08 section 2.2]
// Plücker coordinates, angular above linear. A Motion and a Force cannot be mixed; their only product is dot.
#pragma once
#include "sinew/spatial/vec3.hpp"

namespace sinew {

template <class T>
struct Motion {
  Vec3<T> ang;  // [rad/s]
  Vec3<T> lin;  // [m/s] of the body-fixed point at the frame's origin
};

template <class T, class S>
SINEW_HD Motion<T> cast(const Motion<S>& v) {
  return {cast<T>(v.ang), cast<T>(v.lin)};
}
template <class T>
SINEW_HD Motion<T> operator+(const Motion<T>& a, const Motion<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}
template <class T>
SINEW_HD Motion<T> operator-(const Motion<T>& a, const Motion<T>& b) {
  return {a.ang - b.ang, a.lin - b.lin};
}
template <class T>
SINEW_HD Motion<T> operator-(const Motion<T>& a) {
  return {-a.ang, -a.lin};
}
template <class T>
SINEW_HD Motion<T> operator*(const T& s, const Motion<T>& a) {
  return {s * a.ang, s * a.lin};
}
template <class T>
SINEW_HD Motion<T>& operator+=(Motion<T>& a, const Motion<T>& b) {
  return a = a + b;
}
template <class T>
SINEW_HD Motion<T>& operator-=(Motion<T>& a, const Motion<T>& b) {
  return a = a - b;
}

// v x u: the rate of u carried along by v. 18m + 12a  [F08 2.33]
template <class T>
SINEW_HD Motion<T> cross(const Motion<T>& v, const Motion<T>& u) {
  return {cross(v.ang, u.ang), cross(v.ang, u.lin) + cross(v.lin, u.ang)};
}

}  // namespace sinew
