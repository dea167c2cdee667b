// src/sim/free_flight.cpp
#include "sinew/sim/free_flight.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/joint/quaternion_part.hpp"
#include "sinew/sim/kernel/spin.hpp"

namespace sinew {
namespace {

Vec3<double> vec3_at(const double* x) { return {x[0], x[1], x[2]}; }
void set_vec3(double* x, const Vec3<double>& a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

bool is_definite(const Sym3<double>& I) {
  constexpr double kThinnest = 1e-9;  // of the largest moment: with less, a rod has no spin about its axis
  const double most = std::max({I.xx, I.yy, I.zz});
  const double two = I.xx * I.yy - I.xy * I.xy;
  const double all =
      dot(Vec3<double>{I.xx, I.xy, I.xz}, cross(Vec3<double>{I.xy, I.yy, I.yz}, Vec3<double>{I.xz, I.yz, I.zz}));
  return I.xx > kThinnest * most && two > kThinnest * most * most && all > kThinnest * most * most * most;
}

// Velocity of the centre of a single body along its own axes. x: its numbers v.
Vec3<double> centre_velocity(JointKind kind, const double* x, const Vec3<double>& centre) {
  if (kind == JointKind::free) return vec3_at(x + 3) + cross(vec3_at(x), centre);
  if (kind == JointKind::planar) return {x[1] - x[0] * centre.y, x[2] + x[0] * centre.x, 0};
  return {};
}
// E: along the body's axes from those of its parent.
Rotation<double> axes_of(JointKind kind, const double* q) {
  return kind == JointKind::planar ? rotation_z(q[0]) : to_rotation(detail::get_quaternion(q));
}

}  // namespace

FreeFlight::FreeFlight(const Model& m, SingleBodies singles)
    : model_(m), single_of_(m.nodes().size(), -1), turning_(at(m.nv()), 0.0), before_(at(m.nq())) {
  std::vector<bool> carries(m.nodes().size(), false);
  for (const Node& n : m.nodes())
    if (n.parent > 0) carries[n.parent] = true;
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i) {
    const Node& n = m.nodes()[i];
    const JointKind kind = n.joint.kind;
    const bool is_free = kind == JointKind::free, is_planar = kind == JointKind::planar;
    if (n.joint.reversed || !(is_free || is_planar || kind == JointKind::spherical)) continue;
    const Place place{at(n.q), at(n.v)};
    const bool armature =
        std::any_of(m.armature().begin() + n.v, m.armature().begin() + n.v + n.nv, [](double a) { return a != 0; });
    Single s;
    s.kind = kind, s.at = place, s.I = n.inertia.I;
    if (is_free || is_planar) s.gravity = apply(n.placement.E, m.gravity());
    if ((is_free || is_planar) && n.inertia.m > 0) {
      s.centre = (1 / n.inertia.m) * n.inertia.h;
      s.I = n.inertia.I + n.inertia.m * cross_cross(s.centre, s.centre);
    }
    if (singles == SingleBodies::spin_exactly && n.parent == 0 && !carries[i] && !armature &&
        (is_planar ? s.I.zz > 0 : is_definite(s.I))) {
      single_of_[i] = static_cast<int>(single_.size());
      single_.push_back(s);
    } else if (is_free) {
      free_.push_back(place);
    } else if (is_planar) {
      planar_.push_back(place);
    }
  }
}

bool FreeFlight::is_single(int node) const {
  check_index("FreeFlight", "the node", node, single_of_.size());
  return single_of_[at(node)] >= 0;
}

void FreeFlight::begin(In<double> v, Out<double> middle, double dt) {
  check_size("FreeFlight", "v", v.size(), at(model_.nv()));
  check_size("FreeFlight", "middle", middle.size(), at(model_.nv()));
  dt_ = dt;
  for (Single& s : single_) {
    begin(s, v, vec3_at(&middle[s.at.v]));
    std::fill_n(&middle[s.at.v], s.kind == JointKind::free ? 6 : 3, 0.0);
  }
  std::fill(turning_.begin(), turning_.end(), 0.0);
  add_turning(middle, turning_);
}

void FreeFlight::add_turning(In<double> v, Out<double> a) const {
  check_size("FreeFlight", "v", v.size(), at(model_.nv()));
  check_size("FreeFlight", "a", a.size(), at(model_.nv()));
  for (const Place& p : free_) {
    const Vec3<double> turning = cross(vec3_at(&v[p.v]), vec3_at(&v[p.v + 3]));
    a[p.v + 3] += turning.x, a[p.v + 4] += turning.y, a[p.v + 5] += turning.z;
  }
  for (const Place& p : planar_) {
    a[p.v + 1] -= v[p.v] * v[p.v + 2];
    a[p.v + 2] += v[p.v] * v[p.v + 1];
  }
}

void FreeFlight::begin(Single& s, In<double> v, const Vec3<double>& expected) const {
  s.touches = false;
  s.start = centre_velocity(s.kind, &v[s.at.v], s.centre);
  if (s.kind == JointKind::planar) return;
  const Vec3<double> w = s.start_spin = vec3_at(&v[s.at.v]);
  const flight::Spin<double> spin = flight::spin_freely(s.I, w, dt_);
  s.spun = spin.after, s.turn = spin.turn;
  s.torque = (1 / dt_) * (s.I * (s.spun - w));
  const bool known = expected.x != w.x || expected.y != w.y || expected.z != w.z;
  s.push = known && spin.parts == 1 ? 2.0 * (expected - w) - (s.spun - w) : Vec3<double>{};
}

void FreeFlight::touch(int node) {
  check_index("FreeFlight", "the node", node, single_of_.size());
  if (single_of_[node] >= 0) single_[single_of_[node]].touches = true;
}

void FreeFlight::add_forces(Out<double> tau) const {
  check_size("FreeFlight", "tau", tau.size(), at(model_.nv()));
  for (const Single& s : single_) {
    if (s.kind == JointKind::planar) continue;
    Vec3<double> torque = s.torque;
    if (s.touches && dot(s.push, s.push) > 0) {  // I (w+ - w) = dt (I w_m) x w_m + I push
      const Vec3<double> w = s.start_spin, middle = flight::find_middle(s.I, w + 0.5 * s.push, dt_);
      torque = (1 / dt_) * (s.I * (2.0 * (middle - w) - s.push));
    }
    set_vec3(&tau[s.at.v], vec3_at(&tau[s.at.v]) + torque);
  }
}

void FreeFlight::move(In<double> q, In<double> v, Out<double> q_after, Out<double> v_after) {
  const char* call = "FreeFlight";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "q_after", q_after.size(), at(model_.nq()));
  check_size(call, "v_after", v_after.size(), at(model_.nv()));
  std::copy(q.begin(), q.end(), before_.begin());
  std::copy(v.begin(), v.end(), v_after.begin());
  integrate(model_, before_, v_after, dt_, q_after);
  for (const Place& p : free_) {
    double* x = &v_after[p.v] + 3;
    const Vec3<double> velocity = apply_inverse(to_rotation(detail::get_quaternion(&before_[p.q])), vec3_at(x));
    set_vec3(&q_after[p.q + 4], vec3_at(&before_[p.q + 4]) + dt_ * velocity);
    set_vec3(x, apply(to_rotation(detail::get_quaternion(&q_after[p.q])), velocity));
  }
  for (const Place& p : planar_) {
    double* x = &v_after[p.v] + 1;
    const double c = std::cos(before_[p.q]), s = std::sin(before_[p.q]);
    const double vx = c * x[0] - s * x[1], vy = s * x[0] + c * x[1];
    const double c1 = std::cos(q_after[p.q]), s1 = std::sin(q_after[p.q]);
    q_after[p.q + 1] = before_[p.q + 1] + dt_ * vx;
    q_after[p.q + 2] = before_[p.q + 2] + dt_ * vy;
    x[0] = c1 * vx + s1 * vy, x[1] = c1 * vy - s1 * vx;
  }
  for (Single& s : single_) move(s, q_after, v_after);
}

// change: of the velocity of the centre in the step, along the axes of the body at q.
bool FreeFlight::falls(const Single& s, const double* q, const Vec3<double>& change) const {
  if (s.kind == JointKind::spherical) return false;
  constexpr double kSame = 1e-9;  // of the change by gravity; and of the velocity, rounding
  Vec3<double> pull = dt_ * apply(axes_of(s.kind, q), s.gravity);
  if (s.kind == JointKind::planar) pull.z = 0;
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * norm(s.start);
  return norm(change - pull) <= kSame * norm(pull) + std::min(rounding, 1e-3 * norm(pull));
}

bool FreeFlight::fell(int node) const {
  check_index("FreeFlight", "the node", node, single_of_.size());
  return single_of_[at(node)] >= 0 && single_[at(single_of_[at(node)])].fell;
}

void FreeFlight::find_lag(In<double> q, In<double> v, In<double> v_end, Out<double> lag) const {
  const char* call = "FreeFlight";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "v_end", v_end.size(), at(model_.nv()));
  check_size(call, "lag", lag.size(), at(model_.nv()));
  for (std::size_t i = 0; i < lag.size(); ++i) lag[i] = (v_end[i] - v[i]) / 2;
  for (const Single& s : single_) {
    const Vec3<double> change = centre_velocity(s.kind, &v_end[s.at.v], s.centre) - s.start;
    if (falls(s, &q[s.at.q], change)) std::fill_n(&lag[s.at.v], s.kind == JointKind::free ? 6 : 3, 0.0);
  }
}

template <class Visit>
void FreeFlight::visit_straight(Visit visit) const {
  for (const Place& p : free_) visit(JointKind::free, p, Vec3<double>{});
  for (const Place& p : planar_) visit(JointKind::planar, p, Vec3<double>{});
  for (const Single& s : single_)
    if (s.kind != JointKind::spherical) visit(s.kind, s.at, s.centre);
}

void FreeFlight::shift(In<double> q, In<double> displacement, Out<double> q_after) const {
  const char* call = "FreeFlight";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "the displacement", displacement.size(), at(model_.nv()));
  check_size(call, "q_after", q_after.size(), at(model_.nq()));
  integrate(model_, q, displacement, 1, q_after);
  visit_straight([&](JointKind kind, const Place& p, const Vec3<double>& centre) {
    const double* from = &q[p.q];
    double* to = &q_after[p.q];
    const Rotation<double> E = axes_of(kind, from), E1 = axes_of(kind, to);
    const Vec3<double> way =
        apply_inverse(E, centre_velocity(kind, &displacement[p.v], centre) + centre) - apply_inverse(E1, centre);
    if (kind == JointKind::free)
      set_vec3(to + 4, vec3_at(from + 4) + way);
    else
      to[1] = from[1] + way.x, to[2] = from[2] + way.y;
  });
}

Vec3<double> FreeFlight::calc_way(int node, In<double> q, In<double> displacement) const {
  check_index("FreeFlight", "the node", node, single_of_.size());
  check_size("FreeFlight", "q", q.size(), at(model_.nq()));
  check_size("FreeFlight", "the displacement", displacement.size(), at(model_.nv()));
  if (single_of_[at(node)] < 0) return {};
  const Single& s = single_[at(single_of_[at(node)])];
  const Vec3<double> way = centre_velocity(s.kind, &displacement[s.at.v], s.centre);
  return apply_inverse(model_.nodes()[at(node)].placement.E, apply_inverse(axes_of(s.kind, &q[s.at.q]), way));
}

void FreeFlight::turn(In<double> q, In<double> q_after, Out<double> v) const {
  const char* call = "FreeFlight";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "q_after", q_after.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  visit_straight([&](JointKind kind, const Place& p, const Vec3<double>& centre) {
    double* x = &v[p.v];
    const Rotation<double> E = axes_of(kind, &q[p.q]), E1 = axes_of(kind, &q_after[p.q]);
    const Vec3<double> of_centre = centre_velocity(kind, x, centre), now = apply(E1, apply_inverse(E, of_centre));
    if (kind == JointKind::free)
      set_vec3(x + 3, now - cross(vec3_at(x), centre));
    else
      x[1] = now.x + x[0] * centre.y, x[2] = now.y - x[0] * centre.x;
  });
}

// q_after: turned by the velocity at the end.
void FreeFlight::move(Single& s, Out<double> q_after, Out<double> v_after) const {
  const double* q = &before_[s.at.q];
  double *q1 = &q_after[s.at.q], *x = &v_after[s.at.v];
  if (s.kind == JointKind::planar) {
    // E: the parent's axes from the body's. The centre at E c.
    const auto turned = [](double angle, double x0, double x1) {
      const double c = std::cos(angle), d = std::sin(angle);
      return std::array{c * x0 - d * x1, d * x0 + c * x1};
    };
    const double w = x[0], cx = s.centre.x, cy = s.centre.y;
    const auto velocity = turned(q[0], x[1] - w * cy, x[2] + w * cx);
    const auto before = turned(q[0], cx, cy), after = turned(q1[0], cx, cy);
    s.fell = falls(s, q, Vec3<double>{x[1] - w * cy, x[2] + w * cx, 0} - s.start);
    const std::array g{s.gravity.x, s.gravity.y};
    for (std::size_t k = 0; k < 2; ++k) {
      const double way = dt_ * velocity[k] - (s.fell ? 0.5 * dt_ * dt_ * g[k] : 0);
      q1[1 + k] = q[1 + k] + before[k] + way - after[k];
    }
    const auto now = turned(-q1[0], velocity[0], velocity[1]);
    x[1] = now[0] + w * cy, x[2] = now[1] - w * cx;
    return;
  }
  const Vec3<double> w = vec3_at(x);
  const Quaternion<double> start = detail::get_quaternion(q);
  if (!s.touches) detail::set_quaternion(q1, normalized(start * s.turn * exp(dt_ * (w - s.spun))));
  if (s.kind != JointKind::free) return;
  const Rotation<double> E = to_rotation(start), E1 = to_rotation(detail::get_quaternion(q1));
  const Vec3<double> arm = cross(w, s.centre), of_centre = vec3_at(x + 3) + arm, velocity = apply_inverse(E, of_centre);
  s.fell = falls(s, q, of_centre - s.start);
  const Vec3<double> way = dt_ * velocity - (s.fell ? 0.5 * dt_ * dt_ * s.gravity : Vec3<double>{});
  set_vec3(q1 + 4, vec3_at(q + 4) + apply_inverse(E, s.centre) + way - apply_inverse(E1, s.centre));
  // Rounding of E and E1 is not random: without a correction speeds would grow by 2e-16 per step.
  const Vec3<double> now = apply(E1, velocity);
  const double speed = norm(of_centre);
  set_vec3(x + 3, (speed > 0 ? speed / norm(now) : 1) * now - arm);
}

void FreeFlight::turn_acceleration(In<double> q, In<double> v, In<double> q_after, In<double> v_after,
                                   Out<double> a) const {
  const char* call = "FreeFlight";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "q_after", q_after.size(), at(model_.nq()));
  check_size(call, "v_after", v_after.size(), at(model_.nv()));
  check_size(call, "a", a.size(), at(model_.nv()));
  const auto turn_free = [&](const Place& p, const Vec3<double>& in_parent) {  // acceleration of the origin
    const double* x = &v_after[p.v];
    const Rotation<double> E = to_rotation(detail::get_quaternion(&q_after[p.q]));
    set_vec3(&a[p.v + 3], apply(E, in_parent) - cross(vec3_at(x), vec3_at(x + 3)));
  };
  const auto turn_planar = [&](const Place& p, double ax, double ay) {  // along the axes at q
    const double* x = &v_after[p.v];
    const double turned = q_after[p.q] - q[p.q], c = std::cos(turned), s = std::sin(turned);
    a[p.v + 1] = c * ax + s * ay + x[0] * x[2], a[p.v + 2] = c * ay - s * ax - x[0] * x[1];
  };
  for (const Place& p : free_)
    turn_free(p, apply_inverse(to_rotation(detail::get_quaternion(&q[p.q])), vec3_at(&a[p.v + 3])));
  for (const Place& p : planar_) turn_planar(p, a[p.v + 1], a[p.v + 2]);
  // The origin of a single body moves straight only where it is the centre of mass.
  for (const Single& s : single_) {
    const Place& p = s.at;
    if (s.kind == JointKind::free) {
      const auto velocity = [&](In<double> position, In<double> numbers) {
        return apply_inverse(to_rotation(detail::get_quaternion(&position[p.q])), vec3_at(&numbers[p.v + 3]));
      };
      turn_free(p, (1 / dt_) * (velocity(q_after, v_after) - velocity(q, v)));
    } else if (s.kind == JointKind::planar) {
      const double turned = q_after[p.q] - q[p.q], c = std::cos(turned), d = std::sin(turned);
      const double *x = &v_after[p.v] + 1, *x0 = &v[p.v] + 1;
      turn_planar(p, (c * x[0] - d * x[1] - x0[0]) / dt_, (d * x[0] + c * x[1] - x0[1]) / dt_);
    }
  }
}

}  // namespace sinew
