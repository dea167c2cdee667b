// src/sim/movement_slopes.cpp
#include "movement_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sinew/base/dual.hpp"
#include "sinew/joint/joint.hpp"
#include "sinew/joint/quaternion_part.hpp"
#include "sinew/sim/kernel/spin.hpp"

namespace sinew::stepping {
namespace {

using DualVec = Vec3<Dual>;

DualVec dual_vec(const Dual* x) { return {x[0], x[1], x[2]}; }
void set_dual_vec(Dual* x, const DualVec& a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }
DualVec constant(const Vec3<double>& a) { return {Dual{a.x}, Dual{a.y}, Dual{a.z}}; }

struct Unknown {
  std::array<Dual, 7> q{};
  std::array<Dual, 6> u{}, v{}, back{};
};
struct MoveResult {
  std::array<Dual, 7> q{};
  std::array<Dual, 6> v{};
};

// The origin moves straight.
void move_root(JointKind kind, const Unknown& x, const Dual& dt, MoveResult& r) {
  if (kind == JointKind::free) {
    const DualVec velocity = apply_inverse(to_rotation(detail::get_quaternion(x.q.data())), dual_vec(&x.u[3]));
    set_dual_vec(&r.q[4], dual_vec(&x.q[4]) + dt * velocity);
    set_dual_vec(&r.v[3], apply(to_rotation(detail::get_quaternion(r.q.data())), velocity));
    return;
  }
  const Rotation<Dual> E = rotation_z(x.q[0]), E1 = rotation_z(r.q[0]);
  const DualVec velocity = apply_inverse(E, DualVec{x.u[1], x.u[2], Dual{0}}), now = apply(E1, velocity);
  r.q[1] = x.q[1] + dt * velocity.x, r.q[2] = x.q[2] + dt * velocity.y;
  r.v[1] = now.x, r.v[2] = now.y;
}

// The centre moves straight.
void move_single(const MovementSlopes::Joint& j, JointKind kind, const Unknown& x, const Dual& dt, MoveResult& r) {
  if (kind == JointKind::spherical) return;
  const bool is_free = kind == JointKind::free;
  const DualVec w = is_free ? dual_vec(x.u.data()) : DualVec{Dual{0}, Dual{0}, x.u[0]}, centre = constant(j.centre);
  const DualVec lin = is_free ? dual_vec(&x.u[3]) : DualVec{x.u[1], x.u[2], Dual{0}}, arm = cross(w, centre);
  const auto axes = [&](const Dual* q) { return is_free ? to_rotation(detail::get_quaternion(q)) : rotation_z(q[0]); };
  const Rotation<Dual> E = axes(x.q.data()), E1 = axes(r.q.data());
  DualVec of_centre = lin + arm;
  if (!is_free) of_centre.z = Dual{0};
  const DualVec velocity = apply_inverse(E, of_centre);
  const DualVec way = dt * velocity + apply_inverse(E, centre) - apply_inverse(E1, centre);
  const DualVec now = apply(E1, velocity) - arm;
  if (is_free) {
    set_dual_vec(&r.q[4], dual_vec(&x.q[4]) + way), set_dual_vec(&r.v[3], now);
  } else {
    r.q[1] = x.q[1] + way.x, r.q[2] = x.q[2] + way.y;
    r.v[1] = now.x, r.v[2] = now.y;
  }
}

// Joints whose origin or centre of mass moves straight.
bool is_straight(const MovementSlopes::Joint& j, const sinew::Joint& joint) {
  const bool straight = joint.kind == JointKind::free || joint.kind == JointKind::planar;
  return straight && (j.single || !joint.reversed);
}
Rotation<Dual> axes_at(JointKind kind, const Dual* q) {
  return kind == JointKind::free ? to_rotation(detail::get_quaternion(q)) : rotation_z(q[0]);
}
DualVec velocity_of_centre(JointKind kind, const Dual* x, const DualVec& centre) {
  if (kind == JointKind::free) return dual_vec(x + 3) + cross(dual_vec(x), centre);
  return {x[1] - x[0] * centre.y, x[2] + x[0] * centre.x, Dual{0}};
}
// FreeFlight::turn and FreeFlight::shift, of one joint.
void turn_velocity(const MovementSlopes::Joint& j, const sinew::Joint& joint, const Dual* q, const Dual* there,
                   Dual* x) {
  if (!is_straight(j, joint)) return;
  const JointKind kind = joint.kind;
  const DualVec centre = constant(j.centre);
  const DualVec now = apply(axes_at(kind, there), apply_inverse(axes_at(kind, q), velocity_of_centre(kind, x, centre)));
  if (kind == JointKind::free)
    set_dual_vec(x + 3, now - cross(dual_vec(x), centre));
  else
    x[1] = now.x + x[0] * centre.y, x[2] = now.y - x[0] * centre.x;
}
void shift_place(const MovementSlopes::Joint& j, const sinew::Joint& joint, const Dual* q, const Dual* way,
                 Dual* there) {
  integrate<Dual>(joint, q, way, there);
  if (!is_straight(j, joint)) return;
  const JointKind kind = joint.kind;
  const DualVec centre = constant(j.centre);
  const DualVec shift = apply_inverse(axes_at(kind, q), velocity_of_centre(kind, way, centre) + centre) -
                        apply_inverse(axes_at(kind, there), centre);
  if (kind == JointKind::free)
    set_dual_vec(there + 4, dual_vec(q + 4) + shift);
  else
    there[1] = q[1] + shift.x, there[2] = q[2] + shift.y;
}
// Movement::move_back, of one joint.
void move_back_by(const MovementSlopes::Joint& j, const sinew::Joint& joint, int nv, const Unknown& x, MoveResult& r) {
  std::array<Dual, 6> way{};
  std::array<Dual, 7> there{};
  for (int i = 0; i < nv; ++i) way[at(i)] = Dual{0} - x.back[at(i)];
  turn_velocity(j, joint, x.q.data(), r.q.data(), way.data());
  shift_place(j, joint, r.q.data(), way.data(), there.data());
  turn_velocity(j, joint, r.q.data(), there.data(), r.v.data());
  r.q = there;
}

}  // namespace

MovementSlopes::MovementSlopes(const Model& m, double dt, SingleBodies singles)
    : model_(m), dt_(dt), flight_(m, singles) {
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i) {
    const Node& n = m.nodes()[at(i)];
    const JointKind kind = n.joint.kind;
    if (kind == JointKind::user)
      for (const JointEntry& j : m.joints())
        if (std::find(j.nodes.begin(), j.nodes.end(), i) != j.nodes.end())
          throw std::invalid_argument("StepDerivatives: the user's joint '" + j.name +
                                      "' has no derivatives of a step");
    const bool adds = n.nq == 1 && (kind == JointKind::revolute || kind == JointKind::prismatic ||
                                    kind == JointKind::helical || kind == JointKind::rack_and_pinion);
    if (adds || n.nv == 0) continue;
    Joint j;
    j.node = i, j.v = n.v, j.nv = n.nv, j.single = flight_.is_single(i), j.I = n.inertia.I;
    if (j.single && kind != JointKind::spherical) {
      j.gravity = apply(n.placement.E, m.gravity());
      j.centre = (1 / n.inertia.m) * n.inertia.h;
      j.I = n.inertia.I + n.inertia.m * cross_cross(j.centre, j.centre);
    }
    joints_.push_back(j);
  }
}

// The free spin of a single body: w* and the turn, and d(w*)/dw. Each part:  I (w1 - w0) = h (I m) x m,
// m = (w0 + w1) / 2, so (I - h/2 D) dw1 = (I + h/2 D) dw0 with D = d((I m) x m)/dm.
void MovementSlopes::spin(Joint& j, const Vec3<double>& w) {
  const flight::Spin<double> s = flight::spin_freely(j.I, w, dt_);
  after_ = s.after;
  const Mat3<double> I = to_mat3(j.I);
  Mat3<double> by_w = Mat3<double>::identity();
  Vec3<double> now = w;
  const double h = dt_ / s.parts;
  for (int i = 0; i < static_cast<int>(s.parts); ++i) {
    const Vec3<double> middle = flight::find_middle(j.I, now, h), Im = j.I * middle;
    const Mat3<double> D = skew(Im) - skew(middle) * I, left = I - (h / 2) * D, right = (I + (h / 2) * D) * by_w;
    const auto column = [](const Mat3<double>& a, int k) {
      return k == 0   ? Vec3<double>{a.xx, a.yx, a.zx}
             : k == 1 ? Vec3<double>{a.xy, a.yy, a.zy}
                      : Vec3<double>{a.xz, a.yz, a.zz};
    };
    const Vec3<double> x = flight::solve_3(left, column(right, 0)), y = flight::solve_3(left, column(right, 1)),
                       z = flight::solve_3(left, column(right, 2));
    by_w = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    now = 2.0 * middle - now;
  }
  after_by_w_ = by_w;
  j.torque = (1 / dt_) * (j.I * (after_ - w));
  j.torque_by_v = (1 / dt_) * (I * (by_w - Mat3<double>::identity()));
}

void MovementSlopes::calc(In<double> q, In<double> v, In<double> u, In<double> q_after,
                          const std::vector<char>& touches, In<double> back) {
  for (Joint& j : joints_) {
    j.touches = touches[at(j.node)] != 0;
    calc(j, q, v, u, q_after, back);
  }
}

void MovementSlopes::calc(Joint& j, In<double> q, In<double> v, In<double> u, In<double> q_after, In<double> back) {
  const Node& n = model_.nodes()[at(j.node)];
  const JointKind kind = n.joint.kind;
  const bool turns = j.single && kind != JointKind::planar;
  const bool root = !j.single && !n.joint.reversed && (kind == JointKind::free || kind == JointKind::planar);
  const Vec3<double> w{v[at(n.v)], v[at(n.v) + (n.nv > 1 ? 1 : 0)], v[at(n.v) + (n.nv > 2 ? 2 : 0)]};
  if (turns) spin(j, w);
  const Dual dt{dt_};
  std::array<Dual, 7> from{}, end{};
  for (int k = 0; k < n.nq; ++k) from[at(k)] = Dual{q[at(n.q + k)]};
  j.q_by_v = j.v_by_v = j.q_by_back = j.v_by_back = {};
  bool bounces = false;
  for (int k = 0; k < n.nv && back.size() > 0; ++k) bounces = bounces || back[at(n.v + k)] != 0;
  // Inputs: tangents of q, then u, then for the spin of a body that flies its velocity before, then the way back.
  const int of_spin = 2 * n.nv, of_back = of_spin + (turns && !j.touches ? 3 : 0),
            most = of_back + (bounces ? n.nv : 0);
  for (int k = 0; k < most; ++k) {
    Unknown x;
    std::array<Dual, 6> along{};
    for (int i = 0; i < n.nv; ++i) x.u[at(i)] = Dual{u[at(n.v + i)]}, x.v[at(i)] = Dual{v[at(n.v + i)]};
    for (int i = 0; i < n.nv && bounces; ++i) x.back[at(i)] = Dual{back[at(n.v + i)]};
    if (k < n.nv)
      along[at(k)].slope = 1;
    else if (k < 2 * n.nv)
      x.u[at(k - n.nv)].slope = 1;
    else if (k < of_back)
      x.v[at(k - of_spin)].slope = 1;
    else
      x.back[at(k - of_back)].slope = 1;
    integrate<Dual>(n.joint, from.data(), along.data(), x.q.data());
    MoveResult r;
    std::array<Dual, 6> step{}, change{};
    for (int i = 0; i < n.nv; ++i) step[at(i)] = dt * x.u[at(i)], r.v[at(i)] = x.u[at(i)];
    integrate<Dual>(n.joint, x.q.data(), step.data(), r.q.data());
    if (turns && !j.touches) {
      // R+ = R turn exp(dt (u - w*)), the turn a product of the Cayley maps of the parts: (I - h/2 D) dm = I dw.
      const DualVec before = dual_vec(x.v.data());
      const Vec3<double> slope{before.x.slope, before.y.slope, before.z.slope};
      const Vec3<double> dw = after_by_w_ * slope;
      const DualVec spun{Dual{after_.x, dw.x}, Dual{after_.y, dw.y}, Dual{after_.z, dw.z}};
      Quaternion<Dual> turn{};
      const flight::Spin<double> whole = flight::spin_freely(j.I, w, dt_);
      const double h = dt_ / whole.parts;
      Vec3<double> now = w, now_slope = slope;
      const Mat3<double> I = to_mat3(j.I);
      for (int part = 0; part < static_cast<int>(whole.parts); ++part) {
        const Vec3<double> middle = flight::find_middle(j.I, now, h), Im = j.I * middle;
        const Mat3<double> D = skew(Im) - skew(middle) * I;
        const Vec3<double> dm = flight::solve_3(I - (h / 2) * D, I * now_slope);
        turn = turn * flight::cayley(DualVec{Dual{h * middle.x, h * dm.x}, Dual{h * middle.y, h * dm.y},
                                             Dual{h * middle.z, h * dm.z}});
        now = 2.0 * middle - now, now_slope = 2.0 * dm - now_slope;
      }
      const DualVec rest = dt * (dual_vec(x.u.data()) - spun);
      detail::set_quaternion(r.q.data(), normalized(detail::get_quaternion(x.q.data()) * turn * exp(rest)));
    }
    if (root) move_root(kind, x, dt, r);
    if (j.single) move_single(j, kind, x, dt, r);
    if (bounces) move_back_by(j, n.joint, n.nv, x, r);
    for (int i = 0; i < n.nq; ++i) end[at(i)] = Dual{r.q[at(i)].value};
    difference<Dual>(n.joint, end.data(), r.q.data(), change.data());
    for (int i = 0; i < n.nv; ++i) {
      const double dq = change[at(i)].slope, dv = r.v[at(i)].slope;
      if (k < n.nv)
        j.q_by_q[at(i)][at(k)] = dq, j.v_by_q[at(i)][at(k)] = dv;
      else if (k < 2 * n.nv)
        j.q_by_u[at(i)][at(k - n.nv)] = dq, j.v_by_u[at(i)][at(k - n.nv)] = dv;
      else if (k < of_back)
        j.q_by_v[at(i)][at(k - of_spin)] = dq, j.v_by_v[at(i)][at(k - of_spin)] = dv;
      else
        j.q_by_back[at(i)][at(k - of_back)] = dq, j.v_by_back[at(i)][at(k - of_back)] = dv;
    }
  }
  // A body that falls on its parabola ends dt^2 g / 2 elsewhere: that does not change with q, u or v.
  j.falls = false;
  if (!j.single || kind == JointKind::spherical) return;
  const bool is_free = kind == JointKind::free;
  const std::size_t p = at(n.q) + (is_free ? 4 : 1), first = is_free ? 4 : 1;
  const Vec3<double> off{q_after[p] - end[first].value, q_after[p + 1] - end[first + 1].value,
                         is_free ? q_after[p + 2] - end[first + 2].value : 0.0};
  const Vec3<double> fall = (-0.5 * dt_ * dt_) * j.gravity;
  const double size = dot(fall, fall);
  j.falls = size > 0 && dot(off, fall) > 0.5 * size;
}

void MovementSlopes::calc_shift(const Joint& j, In<double> q, In<double> way, In<double> v, In<double> v_there,
                                Shift& out) const {
  const Node& n = model_.nodes()[at(j.node)];
  out = {};
  std::array<Dual, 7> from{};
  for (int k = 0; k < n.nq; ++k) from[at(k)] = Dual{q[at(n.q + k)]};
  // Inputs: tangents of q, the way, v, v_there, then tangents of the other place alone.
  for (int k = 0; k < 5 * n.nv; ++k) {
    std::array<Dual, 7> here{}, there{}, place{}, moved{};
    std::array<Dual, 6> along{}, by{}, seen{}, back{}, tangent{}, change{};
    for (int i = 0; i < n.nv; ++i)
      by[at(i)] = Dual{way[at(n.v + i)]}, seen[at(i)] = Dual{v[at(n.v + i)]}, back[at(i)] = Dual{v_there[at(n.v + i)]};
    const int part = k / n.nv;
    const std::size_t c = at(k % n.nv);
    (part == 0 ? along : part == 1 ? by : part == 2 ? seen : part == 3 ? back : tangent)[c].slope = 1;
    integrate<Dual>(n.joint, from.data(), along.data(), here.data());
    shift_place(j, n.joint, here.data(), by.data(), there.data());
    turn_velocity(j, n.joint, here.data(), there.data(), seen.data());
    for (int i = 0; i < n.nq; ++i) place[at(i)] = Dual{there[at(i)].value};
    difference<Dual>(n.joint, place.data(), there.data(), change.data());
    integrate<Dual>(n.joint, place.data(), tangent.data(), moved.data());
    turn_velocity(j, n.joint, moved.data(), here.data(), back.data());
    for (std::size_t i = 0; i < at(n.nv); ++i) {
      if (part == 0)
        out.q_by_q[i][c] = change[i].slope, out.there_by_q[i][c] = seen[i].slope, out.back_by_q[i][c] = back[i].slope;
      if (part == 1) out.q_by_way[i][c] = change[i].slope, out.there_by_way[i][c] = seen[i].slope;
      if (part == 2) out.there_by_v[i][c] = seen[i].slope;
      if (part == 3) out.back_by_v[i][c] = back[i].slope;
      if (part == 4) out.back_by_there[i][c] = back[i].slope;
    }
  }
}

}  // namespace sinew::stepping
