// src/constraint/rows/mask_rows.cpp - some of the six axes of frame b blocked: held still or moved by laws of time
#include <algorithm>

#include "constraint/rows/nearest_pose.hpp"
#include "constraint/rows/pair_rows.hpp"
#include "sinew/base/dual.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/spatial/xtov.hpp"

namespace sinew {
namespace {

// The frame that b is held to: it moves away from frame a as the laws say.
struct Lead {
  Transform<double> X;  // lead <- a
  Motion<double> v, c;  // relative to a and its apparent rate, in the lead's coordinates
};

Lead calc_lead(const std::array<MotionLaw, 6>& laws, double time) {
  MotionSample s[6];
  for (std::size_t k = 0; k < 6; ++k)
    if (laws[k]) s[k] = laws[k](time);
  const Vec3<double> r{s[3].position, s[4].position, s[5].position}, dr{s[3].velocity, s[4].velocity, s[5].velocity},
      ddr{s[3].acceleration, s[4].acceleration, s[5].acceleration};
  const Vec3<double> turn{s[0].position, s[1].position, s[2].position}, w{s[0].velocity, s[1].velocity, s[2].velocity},
      dw{s[0].acceleration, s[1].acceleration, s[2].acceleration};
  const Rotation<double> E = to_rotation(exp(turn));  // at most one of the three turns
  const Vec3<double> speed = apply(E, dr);
  return {{E, r}, {w, speed}, {dw, apply(E, ddr) - cross(w, speed)}};
}

// The pose nearest to that of b that the free axes allow.
template <class T>
Transform<T> nearest_free_pose(const std::array<bool, 6>& blocked, const Transform<T>& X) {
  Transform<T> out;
  int axis = 0, turns = 0;
  for (int k = 0; k < 3; ++k)
    if (!blocked[k]) axis = k, ++turns;
  if (turns == 3) out.E = X.E;
  if (turns == 1) {
    const T angle = nearest_turn(X.E, axis);
    out.E = axis == 0 ? rotation_x(angle) : axis == 1 ? rotation_y(angle) : rotation_z(angle);
  }
  const T o = lit<T>(0);
  out.r = {blocked[3] ? o : X.r.x, blocked[4] ? o : X.r.y, blocked[5] ? o : X.r.z};
  return out;
}

// Rows along the world's axes, through the origin of frame b. A world axis turns as b sees it: dT/dt = -w_b x T.
void calc_rows_along_world(const MaskRows& mask, const ConstraintState& state, RowWriter out) {
  const RelativeMotion m = calc_relative_motion(mask.frames, state.motion);
  const Rotation<double> E = mask.frames.in_b.E * state.motion.kinematics.X[at(mask.frames.node_b)].E;
  const Motion<double> velocity = m.velocity(), rate = m.acceleration();
  calc_world_positions(mask, m.X, E, out.position);
  int r = 0;
  for (int k = 0; k < 6; ++k) {
    if (!mask.blocked[k]) continue;
    const Force<double> axis = detail::unit_force<double>(k);
    const Force<double> T{apply(E, axis.ang), apply(E, axis.lin)};
    const Force<double> dT{cross(T.ang, m.v_b.ang), cross(T.lin, m.v_b.ang)};
    out.K = put_on_both_sides(mask.frames, m.X, T, out.K);
    out.k[r] = -dot(T, rate) - dot(dT, velocity);
    out.velocity[r] = dot(T, velocity);
    ++r;
  }
}

}  // namespace

bool has_constant_forces(const MaskRows& mask) {
  return !mask.world_axes &&
         std::none_of(mask.laws.begin(), mask.laws.end(), [](const MotionLaw& law) { return bool(law); });
}

template <class T>
void calc_world_positions(const MaskRows& mask, const Transform<T>& X, const Rotation<T>& E, T* out) {
  const T o = lit<T>(0);
  const Vec3<T> turn = xtov_exact(Transform<T>{X.E, {o, o, o}}).ang, shift = apply(X.E, X.r);
  for (int k = 0; k < 6; ++k) {
    if (!mask.blocked[k]) continue;
    const Force<T> axis = detail::unit_force<T>(k);
    *out++ = (mask.holds_turns ? dot(apply(E, axis.ang), turn) : o) +
             (mask.holds_shifts ? dot(apply(E, axis.lin), shift) : o);
  }
}
template void calc_world_positions(const MaskRows&, const Transform<double>&, const Rotation<double>&, double*);
template void calc_world_positions(const MaskRows&, const Transform<Dual>&, const Rotation<Dual>&, Dual*);

template <class T>
void calc_pair_rows(const MaskRows& mask, const PairState<T>& m, double time, PairRow<T>* out) {
  // From frame a to the frame that b is held to: like one more joint, whose motion is given.
  const Lead lead = calc_lead(mask.laws, time);
  const Transform<T> X = m.X * inverse(cast<T>(lead.X));
  const Motion<T> v_lead = apply(X, cast<T>(lead.v));
  const Motion<T> velocity = m.u - v_lead, rate = m.w - apply(X, cast<T>(lead.c)) + cross(m.u, v_lead);

  Motion<T> d{};
  if (mask.holds_positions) d = xtov_exact(X * inverse(nearest_free_pose(mask.blocked, X)));
  for (int k = 0; k < 6; ++k) {
    if (!mask.blocked[k]) continue;
    const Force<T> f = detail::unit_force<T>(k);
    *out++ = {f, dot(f, rate), dot(f, d), dot(f, velocity)};
  }
}
template void calc_pair_rows(const MaskRows&, const PairState<double>&, double, PairRow<double>*);
template void calc_pair_rows(const MaskRows&, const PairState<Dual>&, double, PairRow<Dual>*);

void calc_rows(const MaskRows& mask, const ConstraintState& state, RowWriter out) {
  if (mask.world_axes) return calc_rows_along_world(mask, state, out);
  const PairState<double> m = to_pair_state(calc_relative_motion(mask.frames, state.motion));
  PairRow<double> rows[6];
  calc_pair_rows(mask, m, state.time, rows);
  write_rows(mask.frames, m.X, rows, static_cast<int>(std::count(mask.blocked.begin(), mask.blocked.end(), true)), out);
}

}  // namespace sinew
