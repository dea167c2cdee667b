// src/constraint/rows/frame_pair.hpp - how frame b moves relative to frame a, in the coordinates of frame b
#pragma once
#include "constraint/rows/constraint_entry.hpp"

namespace sinew {

struct RelativeMotion {
  Transform<double> X;      // b <- a
  Motion<double> v_a, v_b;  //
  Motion<double> a_a, a_b;  // where dv/dt = 0
  Motion<double> velocity() const { return v_b - v_a; }
  // The rate of the relative velocity that b sees where dv/dt = 0: (d/dt - v_b x)(v_b - v_a).
  Motion<double> acceleration() const { return a_b - a_a + cross(v_b, v_a); }
};

inline RelativeMotion calc_relative_motion(const FramePair& f, const VelocityWorkspace<double>& motion) {
  const auto a = static_cast<std::size_t>(f.node_a), b = static_cast<std::size_t>(f.node_b);
  const Transform<double> X_a = f.in_a * motion.kinematics.X[a], X_b = f.in_b * motion.kinematics.X[b];
  // Positions are subtracted before they are turned: nothing is lost far from the world's origin.
  RelativeMotion out;
  out.X = {X_b.E * inverse(X_a.E), apply(X_a.E, X_b.r - X_a.r)};
  const auto in_frame = [](const Transform<double>& in_node, const Transform<double>& X, const Motion<double>& m) {
    return apply(in_node, Motion<double>{apply(X.E, m.ang), apply(X.E, m.lin)});
  };
  out.v_a = apply(out.X, in_frame(f.in_a, motion.kinematics.X[a], motion.v[a]));
  out.a_a = apply(out.X, in_frame(f.in_a, motion.kinematics.X[a], motion.a[a]));
  out.v_b = in_frame(f.in_b, motion.kinematics.X[b], motion.v[b]);
  out.a_b = in_frame(f.in_b, motion.kinematics.X[b], motion.a[b]);
  return out;
}

// Writes the force f (frame b's coordinates) on b and its reaction on a; returns the place after them.
inline Force<double>* put_on_both_sides(const FramePair& frames, const Transform<double>& X, const Force<double>& f,
                                        Force<double>* K) {
  if (frames.node_b > 0) *K++ = apply_inverse(frames.in_b, f);
  if (frames.node_a > 0) *K++ = -apply_inverse(frames.in_a, apply_inverse(X, f));
  return K;
}

}  // namespace sinew
