// sinew/batch/kernel/device_flight.hpp - how one world moves: forces of drives and spin before a step, positions after
// As Drives and FreeFlight do it on the CPU (sim/drives.hpp, sim/free_flight.hpp).
#pragma once
#include "sinew/batch/kernel/device_tree.hpp"
#include "sinew/joint/quaternion_part.hpp"
#include "sinew/sim/kernel/spin.hpp"

namespace sinew::device {

template <class R>
SINEW_HD Vec3<R> vec3_at(const R* x) {
  return {x[0], x[1], x[2]};
}
template <class R>
SINEW_HD void set_vec3(R* x, const Vec3<R>& a) {
  x[0] = a.x, x[1] = a.y, x[2] = a.z;
}

// Springs, dampers and actuators of freedom k. An actuator that would go beyond a limit at the velocity of the start
// pushes with that, and its armature is taken away; Simulation decides the same first, and again after the step.
template <class R>
SINEW_HD R calc_drive(const Scene<R>& s, const Workspace<R>& w, int k, const R* control, R& without) {
  using std::abs;
  const SceneDof<R>& d = s.dof[k];
  const R u = w.v[k], dt = s.options.dt;
  const auto clamp = [](const R& x, const R& low, const R& high) { return x < low ? low : high < x ? high : x; };
  R passive = 0, driven = 0, all = 0;
  without = 0;
  for (int i = d.spring; i < d.spring + d.springs; ++i) {
    const SceneSpring<R>& p = s.spring[i];
    R x = w.q[p.q] - p.rest;
    if (p.axis >= 0) {
      const Vec3<R> turn = log(detail::get_quaternion(w.q + p.q));
      x = p.axis == 0 ? turn.x : p.axis == 1 ? turn.y : turn.z;
    }
    passive -= p.stiffness * (x + dt * u) + (p.stiffness_terms[0] + p.stiffness_terms[1] * x) * x * x;
    passive -= p.damping * u + (p.damping_terms[0] * abs(u) + p.damping_terms[1] * u * u) * u;
  }
  for (int i = d.actuator; i < d.actuator + d.actuators; ++i) {
    const SceneActuator<R>& a = s.actuator[i];
    const R input = clamp(control[a.control], a.control_lower, a.control_upper);
    const R length = a.gear * w.q[a.q], speed = a.gear * u;
    const R force = (a.gain[0] + a.gain[1] * length + a.gain[2] * speed) * input + a.bias[0] + a.bias[1] * length +
                    a.bias[2] * speed;
    const R change = dt * a.stiffness * u, at_end = change == R(0) ? force : force - change / a.gear;
    const R bounded = clamp(at_end, a.force_lower, a.force_upper);
    const bool limited = bounded != at_end;
    driven += limited ? a.gear * bounded : a.gear * force - change;
    without += limited ? a.armature : R(0), all += a.armature;
  }
  const R bounded = clamp(driven, -d.max_effort, d.max_effort);
  if (bounded != driven) without = all;
  return passive + bounded;
}

// Takes the armature of actuators at their limits out of M. w.x, the forces that dv/dt = 0 asks for, becomes the
// impulse of all forces but those of contacts in the step.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_impulse(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* control,
                           const R* applied) {
  const R dt = s.options.dt;
  team.each(s.dofs, [&](int k) {
    const SceneDof<R>& d = s.dof[k];
    R without;
    w.x[k] = dt * (applied[d.v] + calc_drive(s, w, k, control, without) - w.x[k]);
    w.M[d.row + d.depth] -= without;
  });
  team.each(s.nodes - 1, [&](int item) {
    const SceneNode<R>& n = s.node[item + 1];
    if (n.flight != Flight::single_free && n.flight != Flight::single_spherical) return;
    const Vec3<R> omega = vec3_at(w.v + n.dof);
    const flight::Spin<R> spin = flight::spin_freely(n.I, omega, dt);
    set_vec3(w.x + n.dof, vec3_at(w.x + n.dof) + n.I * (spin.after - omega));
  });
}

// Velocity of the centre of a single body along its own axes. x: its numbers v.
template <class R>
SINEW_HD Vec3<R> centre_velocity(const SceneNode<R>& n, const R* x) {
  if (n.flight == Flight::single_free) return vec3_at(x + 3) + cross(vec3_at(x), n.centre);
  return {x[1] - x[0] * n.centre.y, x[2] + x[0] * n.centre.x, R(0)};
}

// Whether nothing but gravity changed the velocity of the centre, along the axes E of the body at the start.
template <class R>
SINEW_HD bool falls(const SceneNode<R>& n, const Rotation<R>& E, const R& dt, const R* v, const R* next) {
  constexpr R kSame = R(Numbers<R>::kSingle ? 1e-4 : 1e-9), kRounding = 1000 * Numbers<R>::kEpsilon;
  const Vec3<R> start = centre_velocity(n, v);
  Vec3<R> pull = dt * apply(E, n.gravity);
  if (n.flight == Flight::single_planar) pull.z = 0;
  const R size = norm(pull);
  return norm(centre_velocity(n, next) - start - pull) <= kSame * size + min(kRounding * norm(start), R(1e-3) * size);
}

// q and v at the end of the step from the velocity `next`, along the axes at its start, of the joint of a node; v is
// written over. touches: something may push the body, which then turns by its velocity at the end.
template <class R>
SINEW_HD void move_joint(const SceneNode<R>& n, const SceneOptions<R>& o, const R* q, const R* start, bool touches,
                         R* next, R* q_after) {
  const R dt = o.dt;
  bool still = true;
  R by[kMaxJointDofs] = {};
  for (int k = 0; k < n.nv; ++k) by[k] = dt * next[k], still = still && next[k] == 0 && start[k] == 0;
  visit_primitive(n.kind, [&](auto joint) { joint.integrate(q, by, q_after); });
  if (n.flight == Flight::root_free) {
    const Vec3<R> velocity = apply_inverse(to_rotation(detail::get_quaternion(q)), vec3_at(next + 3));
    set_vec3(q_after + 4, vec3_at(q + 4) + dt * velocity);
    set_vec3(next + 3, apply(to_rotation(detail::get_quaternion(q_after)), velocity));
  } else if (n.flight == Flight::root_planar || n.flight == Flight::single_planar) {
    const Rotation<R> E = rotation_z(q[0]), E1 = rotation_z(q_after[0]);
    const bool root = n.flight == Flight::root_planar;
    const Vec3<R> centre = root ? Vec3<R>{} : Vec3<R>{n.centre.x, n.centre.y, R(0)};
    const Vec3<R> arm{-next[0] * centre.y, next[0] * centre.x, R(0)};
    const Vec3<R> velocity = apply_inverse(E, Vec3<R>{next[1], next[2], R(0)} + arm);
    Vec3<R> way = dt * velocity + apply_inverse(E, centre) - apply_inverse(E1, centre);
    if (!root && falls(n, E, dt, start, next)) way -= (R(0.5) * dt * dt) * n.gravity;
    q_after[1] = q[1] + way.x, q_after[2] = q[2] + way.y;
    const Vec3<R> now = apply(E1, velocity) - arm;
    next[1] = now.x, next[2] = now.y;
  } else if (n.flight == Flight::single_free || n.flight == Flight::single_spherical) {
    const Vec3<R> omega = vec3_at(next);
    const Quaternion<R> from = detail::get_quaternion(q);
    if (!touches) {
      const flight::Spin<R> spin = flight::spin_freely(n.I, vec3_at(start), dt);
      detail::set_quaternion(q_after, normalized(from * spin.turn * exp(dt * (omega - spin.after))));
    }
    if (n.flight == Flight::single_free) {
      const Rotation<R> E = to_rotation(from), E1 = to_rotation(detail::get_quaternion(q_after));
      const Vec3<R> arm = cross(omega, n.centre), of_centre = vec3_at(next + 3) + arm;
      const Vec3<R> velocity = apply_inverse(E, of_centre), now = apply(E1, velocity);
      Vec3<R> way = dt * velocity + apply_inverse(E, n.centre) - apply_inverse(E1, n.centre);
      if (falls(n, E, dt, start, next)) way -= (R(0.5) * dt * dt) * n.gravity;
      set_vec3(q_after + 4, vec3_at(q + 4) + way);
      // Rounding of E and E1 is not random: without a correction speeds would grow.
      const R speed = norm(of_centre);
      set_vec3(next + 3, (speed > 0 ? speed / norm(now) : R(1)) * now - arm);
    }
  }
  // What does not move keeps its bits.
  for (int k = 0; k < n.nq && still; ++k) q_after[k] = q[k];
}

}  // namespace sinew::device
