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

// Springs and dampers of freedom k.
template <class R>
SINEW_HD R calc_passive(const Scene<R>& s, const Workspace<R>& w, int k) {
  using std::abs;
  const SceneDof<R>& d = s.dof[k];
  const R u = w.v[k];
  R out = 0;
  for (int i = d.spring; i < d.spring + d.springs; ++i) {
    const SceneSpring<R>& p = s.spring[i];
    R x = w.q[p.q] - p.rest;
    if (p.axis >= 0) {
      const Vec3<R> turn = log(detail::get_quaternion(w.q + p.q));
      x = p.axis == 0 ? turn.x : p.axis == 1 ? turn.y : turn.z;
    }
    out -= p.stiffness * (x + s.options.dt * u) + (p.stiffness_terms[0] + p.stiffness_terms[1] * x) * x * x;
    out -= p.damping * u + (p.damping_terms[0] * abs(u) + p.damping_terms[1] * u * u) * u;
  }
  return out;
}

// Force of an actuator at the start of the step, without limits. u: of its freedom.
template <class R>
SINEW_HD R calc_plain_force(const SceneActuator<R>& a, const R* q, const R& u, const R* control) {
  const R x = control[a.control];
  const R input = x < a.control_lower ? a.control_lower : a.control_upper < x ? a.control_upper : x;
  const R length = a.gear * q[a.q], speed = a.gear * u;
  return (a.gain[0] + a.gain[1] * length + a.gain[2] * speed) * input + a.bias[0] + a.bias[1] * length +
         a.bias[2] * speed;
}

// The bound that a force is beyond; infinite: none. Within rounding of a bound: as it was.
template <class R>
SINEW_HD R find_bound(const R& x, const R& lower, const R& upper, const R& before) {
  using std::abs;
  constexpr R kRounding = R(Numbers<R>::kSingle ? 1e-5 : 1e-12);
  const auto is_at = [&](const R& bound) {
    return abs(bound) <= Numbers<R>::kLargest && abs(x - bound) <= kRounding * abs(bound);
  };
  if (is_at(lower) || is_at(upper)) return before;
  return x > upper ? upper : x < lower ? lower : Numbers<R>::kInfinity;
}

// Which limits hold freedom k at the end of a step to the velocity u_after; true: others than before. As
// Drives::find_limits.
template <class R>
SINEW_HD bool find_limits(const Scene<R>& s, const Workspace<R>& w, int k, const R* control, const R& u_after) {
  const SceneDof<R>& d = s.dof[k];
  const R u = w.v[k];
  R sum = 0;
  bool changed = false;
  const auto update = [&](R& limit, const R& force, const R& lower, const R& upper) {
    const R found = find_bound(force, lower, upper, limit);
    changed = changed || found != limit, limit = found;
  };
  for (int i = d.actuator; i < d.actuator + d.actuators; ++i) {
    const SceneActuator<R>& a = s.actuator[i];
    const R plain = calc_plain_force(a, w.q, u, control);
    const R change = s.options.dt * a.stiffness * u_after + a.damping * (u_after - u);
    const R force = change == R(0) ? plain : plain - change / a.gear;
    update(w.limit[i], force, a.force_lower, a.force_upper);
    sum += a.gear * (w.limit[i] < Numbers<R>::kInfinity ? w.limit[i] : force);
  }
  if (d.actuators > 0) update(w.limit[s.actuators + k], sum, -d.max_effort, d.max_effort);
  return changed;
}

// Actuators of freedom k, where those at a limit push with that; without: their armature, which is taken away.
template <class R>
SINEW_HD R calc_driven(const Scene<R>& s, const Workspace<R>& w, int k, const R* control, R& without) {
  const SceneDof<R>& d = s.dof[k];
  const R u = w.v[k];
  R driven = 0, all = 0;
  without = 0;
  for (int i = d.actuator; i < d.actuator + d.actuators; ++i) {
    const SceneActuator<R>& a = s.actuator[i];
    const bool limited = w.limit[i] < Numbers<R>::kInfinity;
    driven +=
        limited ? a.gear * w.limit[i] : a.gear * calc_plain_force(a, w.q, u, control) - s.options.dt * a.stiffness * u;
    without += limited ? a.armature : R(0), all += a.armature;
  }
  if (const R effort = w.limit[s.actuators + k]; d.actuators > 0 && effort < Numbers<R>::kInfinity)
    driven = effort, without = all;
  if (d.weightless) without = 0;
  return driven;
}

// Takes the armature of actuators at their limits out of M. w.x, the forces that dv/dt = 0 asks for, becomes the
// impulse of all forces but those of contacts in the step. Limits are those of w.limit where they are known, else those
// that the velocity at the start would meet.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_impulse(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* control,
                           const R* applied, bool limits_known) {
  const R dt = s.options.dt;
  team.each(s.dofs, [&](int k) {
    const SceneDof<R>& d = s.dof[k];
    if (!limits_known) {
      for (int i = d.actuator; i < d.actuator + d.actuators; ++i) w.limit[i] = Numbers<R>::kInfinity;
      w.limit[s.actuators + k] = Numbers<R>::kInfinity;
      find_limits(s, w, k, control, w.v[k]);
    }
    R without;
    const R driven = calc_driven(s, w, k, control, without);
    w.x[k] = dt * (applied[d.v] + calc_passive(s, w, k) + driven - w.x[k]);
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
