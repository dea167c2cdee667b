// src/constraint/rows/mask_rows.cpp - some of the six axes of frame b blocked: held still or moved by laws of time
#include "constraint/rows/frame_pair.hpp"
#include "constraint/rows/nearest_pose.hpp"
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
Transform<double> nearest_free_pose(const std::array<bool, 6>& blocked, const Transform<double>& X) {
  Transform<double> out;
  int axis = 0, turns = 0;
  for (int k = 0; k < 3; ++k)
    if (!blocked[k]) axis = k, ++turns;
  if (turns == 3) out.E = X.E;
  if (turns == 1) {
    const double angle = nearest_turn(X.E, axis);
    out.E = axis == 0 ? rotation_x(angle) : axis == 1 ? rotation_y(angle) : rotation_z(angle);
  }
  out.r = {blocked[3] ? 0 : X.r.x, blocked[4] ? 0 : X.r.y, blocked[5] ? 0 : X.r.z};
  return out;
}

// Rows along the world's axes, through the origin of frame b. A world axis turns as b sees it: dT/dt = -w_b x T.
void calc_rows_along_world(const MaskRows& mask, const ConstraintState& state, RowWriter out) {
  const RelativeMotion m = calc_relative_motion(mask.frames, state.motion);
  const Rotation<double> E = mask.frames.in_b.E * state.motion.kinematics.X[at(mask.frames.node_b)].E;
  const Vec3<double> turn = xtov_exact(Transform<double>{m.X.E, {}}).ang, shift = apply(m.X.E, m.X.r);
  const Motion<double> velocity = m.velocity(), rate = m.acceleration();
  int r = 0;
  for (int k = 0; k < 6; ++k) {
    if (!mask.blocked[k]) continue;
    const Force<double> axis = detail::unit_force<double>(k);
    const Force<double> T{apply(E, axis.ang), apply(E, axis.lin)};
    const Force<double> dT{cross(T.ang, m.v_b.ang), cross(T.lin, m.v_b.ang)};
    out.K = put_on_both_sides(mask.frames, m.X, T, out.K);
    out.k[r] = -dot(T, rate) - dot(dT, velocity);
    out.position[r] = (mask.holds_turns ? dot(T.ang, turn) : 0) + (mask.holds_shifts ? dot(T.lin, shift) : 0);
    out.velocity[r] = dot(T, velocity);
    ++r;
  }
}

}  // namespace

void calc_rows(const MaskRows& mask, const ConstraintState& state, RowWriter out) {
  if (mask.world_axes) return calc_rows_along_world(mask, state, out);
  RelativeMotion m = calc_relative_motion(mask.frames, state.motion);
  const Transform<double> X_ba = m.X;
  // From frame a to the frame that b is held to: like one more joint, whose motion is given.
  const Lead lead = calc_lead(mask.laws, state.time);
  m.X = m.X * inverse(lead.X);
  const Motion<double> v_lead = apply(m.X, lead.v);
  m.v_a += v_lead;
  m.a_a += apply(m.X, lead.c) + cross(m.v_a, v_lead);

  Motion<double> d{};
  if (mask.holds_positions) d = xtov_exact(m.X * inverse(nearest_free_pose(mask.blocked, m.X)));
  const Motion<double> velocity = m.velocity(), rate = m.acceleration();
  int r = 0;
  for (int k = 0; k < 6; ++k) {
    if (!mask.blocked[k]) continue;
    const Force<double> T = detail::unit_force<double>(k);
    out.K = put_on_both_sides(mask.frames, X_ba, T, out.K);
    out.k[r] = -dot(T, rate);
    out.position[r] = dot(T, d);
    out.velocity[r] = dot(T, velocity);
    ++r;
  }
}

}  // namespace sinew
