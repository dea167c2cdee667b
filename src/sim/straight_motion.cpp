// src/sim/straight_motion.cpp
#include "sinew/sim/straight_motion.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/joint/quaternion_part.hpp"

namespace sinew {

StraightMotion::StraightMotion(const Model& m) : model_(m), before_(static_cast<std::size_t>(m.nq())) {
  for (const Node& n : m.nodes()) {
    if (n.joint.reversed) continue;
    const Place place{static_cast<std::size_t>(n.q), static_cast<std::size_t>(n.v)};
    if (n.joint.kind == JointKind::free) free_.push_back(place);
    if (n.joint.kind == JointKind::planar) planar_.push_back(place);
  }
}

void StraightMotion::calc_turning(In<double> v, Out<double> e) const {
  check_size("StraightMotion", "v", v.size(), at(model_.nv()));
  check_size("StraightMotion", "e", e.size(), at(model_.nv()));
  std::fill(e.begin(), e.end(), 0.0);
  for (const Place& p : free_) {
    const double* x = &v[p.v];
    const Vec3<double> turning = cross(Vec3<double>{x[0], x[1], x[2]}, Vec3<double>{x[3], x[4], x[5]});
    e[p.v + 3] = turning.x, e[p.v + 4] = turning.y, e[p.v + 5] = turning.z;
  }
  for (const Place& p : planar_) {
    e[p.v + 1] = -v[p.v] * v[p.v + 2];
    e[p.v + 2] = v[p.v] * v[p.v + 1];
  }
}

void StraightMotion::move(In<double> q, In<double> v, double dt, Out<double> q_after, Out<double> v_after) {
  const char* call = "StraightMotion";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "q_after", q_after.size(), at(model_.nq()));
  check_size(call, "v_after", v_after.size(), at(model_.nv()));
  std::copy(q.begin(), q.end(), before_.begin());
  std::copy(v.begin(), v.end(), v_after.begin());
  integrate(model_, before_, v_after, dt, q_after);
  for (const Place& p : free_) {
    double* x = &v_after[p.v] + 3;
    const Vec3<double> velocity =
        apply_inverse(to_rotation(detail::get_quaternion(&before_[p.q])), Vec3<double>{x[0], x[1], x[2]});
    const Vec3<double> now = apply(to_rotation(detail::get_quaternion(&q_after[p.q])), velocity);
    q_after[p.q + 4] = before_[p.q + 4] + dt * velocity.x;
    q_after[p.q + 5] = before_[p.q + 5] + dt * velocity.y;
    q_after[p.q + 6] = before_[p.q + 6] + dt * velocity.z;
    x[0] = now.x, x[1] = now.y, x[2] = now.z;
  }
  for (const Place& p : planar_) {
    double* x = &v_after[p.v] + 1;
    const double c = std::cos(before_[p.q]), s = std::sin(before_[p.q]);
    const double vx = c * x[0] - s * x[1], vy = s * x[0] + c * x[1];
    const double c1 = std::cos(q_after[p.q]), s1 = std::sin(q_after[p.q]);
    q_after[p.q + 1] = before_[p.q + 1] + dt * vx;
    q_after[p.q + 2] = before_[p.q + 2] + dt * vy;
    x[0] = c1 * vx + s1 * vy, x[1] = c1 * vy - s1 * vx;
  }
}

void StraightMotion::turn_acceleration(In<double> q, In<double> q_after, In<double> v_after, Out<double> a) const {
  const char* call = "StraightMotion";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "q_after", q_after.size(), at(model_.nq()));
  check_size(call, "v_after", v_after.size(), at(model_.nv()));
  check_size(call, "a", a.size(), at(model_.nv()));
  for (const Place& p : free_) {
    const double* v = &v_after[p.v];
    double* x = &a[p.v] + 3;
    const Vec3<double> in_parent =
        apply_inverse(to_rotation(detail::get_quaternion(&q[p.q])), Vec3<double>{x[0], x[1], x[2]});
    const Vec3<double> now = apply(to_rotation(detail::get_quaternion(&q_after[p.q])), in_parent) -
                             cross(Vec3<double>{v[0], v[1], v[2]}, Vec3<double>{v[3], v[4], v[5]});
    x[0] = now.x, x[1] = now.y, x[2] = now.z;
  }
  for (const Place& p : planar_) {
    const double* v = &v_after[p.v];
    double* x = &a[p.v] + 1;
    const double turned = q_after[p.q] - q[p.q], c = std::cos(turned), s = std::sin(turned);
    const double ax = c * x[0] + s * x[1], ay = c * x[1] - s * x[0];
    x[0] = ax + v[0] * v[2], x[1] = ay - v[0] * v[1];
  }
}

}  // namespace sinew
