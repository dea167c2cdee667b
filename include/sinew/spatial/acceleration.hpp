// sinew/spatial/acceleration.hpp - spatial and classical acceleration; how points move [F08 section 2.11]
// Spatial acceleration is the rate of the velocity seen at a fixed origin: it adds up like velocity, and a body that
// turns steadily about a fixed line has none. Classical acceleration follows the body's point at the origin.
#pragma once
#include "sinew/spatial/force.hpp"

namespace sinew {

// dw/dt, and d^2 r/dt^2 of the body-fixed point that is at the origin now.
template <class T>
struct ClassicalAcceleration {
  Vec3<T> ang;  // [rad/s^2]
  Vec3<T> lin;  // [m/s^2]
};

// From the spatial acceleration and the velocity, and back.
template <class T>
SINEW_HD ClassicalAcceleration<T> to_classical(const Motion<T>& a, const Motion<T>& v) {
  return {a.ang, a.lin + cross(v.ang, v.lin)};  // [F08 2.48, 2.49]
}
template <class T>
SINEW_HD Motion<T> to_spatial(const ClassicalAcceleration<T>& a, const Motion<T>& v) {
  return {a.ang, a.lin - cross(v.ang, v.lin)};  // [F08 2.50]
}

// Of the body-fixed point that is now at p, in the coordinates of v and a.
template <class T>
SINEW_HD Vec3<T> point_velocity(const Motion<T>& v, const Vec3<T>& p) {
  return v.lin + cross(v.ang, p);  // [F08 2.1]
}
template <class T>
SINEW_HD Vec3<T> point_acceleration(const Motion<T>& a, const Motion<T>& v, const Vec3<T>& p) {
  return a.lin + cross(a.ang, p) + cross(v.ang, point_velocity(v, p));
}

}  // namespace sinew
