// tests/cuda/spatial_kernels.hpp - one text of a kernel, for every scalar and for the device
// One joint of an articulated-body sweep, written with the spatial types, and a round trip through exp and log.
#pragma once
#include "sinew/spatial/exponential.hpp"
#include "sinew/spatial/line.hpp"
#include "sinew/spatial/revolute_inertia.hpp"
#include "sinew/spatial/xtov.hpp"

namespace sinew::test {

template <class T>
struct StepInput {
  T q{}, qd{}, tau{};
  Transform<T> tree;            // from the parent to the joint's frame
  Motion<T> v;                  // of the parent
  RigidInertia<T> I;            // of the body
  ArticulatedInertia<T> below;  // of what hangs on the body
};

template <class T>
struct StepOutput {
  Motion<T> v;                      // of the body
  ArticulatedInertia<T> IA;         // handed to the parent
  ArticulatedInertia<T> by_screws;  // the same through two axial screws
  Force<T> pA;
  T qdd{};
  Motion<T> moved;  // exp, then log, of v
  Motion<T> error;  // xtov
  T pitch{};        // of v's screw
};

template <class T, class S>
StepInput<T> cast(const StepInput<S>& in) {
  return {lit<T>(in.q),  lit<T>(in.qd), lit<T>(in.tau),   cast<T>(in.tree),
          cast<T>(in.v), cast<T>(in.I), cast<T>(in.below)};
}

template <class T>
SINEW_HD StepOutput<T> step(const StepInput<T>& in) {
  const T one = lit<T>(1), o = lit<T>(0);
  const Motion<T> S{{o, o, one}, {}};
  const Transform<T> X = rotate_frame(rotation_z(in.q)) * in.tree;
  StepOutput<T> out;
  out.v = apply(X, in.v) + in.qd * S;
  const Motion<T> c = cross(out.v, in.qd * S);
  const ArticulatedInertia<T> IA = in.below + in.I;
  const Force<T> p = cross(out.v, in.I * out.v), U = IA * S;
  const T D = dot(S, U), u = in.tau - dot(S, p);
  const ArticulatedInertia<T> Ia = IA - dyad(one / D, U);
  out.IA = apply_inverse(X, Ia);
  out.pA = apply_inverse(X, p + Ia * c + (u / D) * U);
  out.qdd = (u - dot(U, c)) / D;

  const AxialScrew<Axis::z, T> Sz = make_screw<Axis::z>(in.q, in.tau);
  const AxialScrew<Axis::x, T> Sx = make_screw<Axis::x>(in.qd, in.q);
  out.by_screws = apply_inverse(Sx, apply_inverse(Sz, to_revolute(Ia)));
  out.moved = log(exp(lit<T>(0.25) * out.v));
  out.error = xtov(X);
  out.pitch = screw_of(out.v).pitch;
  return out;
}

}  // namespace sinew::test
