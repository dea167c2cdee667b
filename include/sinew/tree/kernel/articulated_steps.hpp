// sinew/tree/kernel/articulated_steps.hpp - steps of the articulated-body algorithms, one joint coordinate at a time
// A joint of n freedoms is treated as n joints of one freedom, the last first: the Schur complement by D = S^T I^A S of
// [F08 7.39], [F08 7.40] is then n divisions by numbers, and no matrix D is kept.
#pragma once
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// What one coordinate stores on the way in, for the way out.
template <class T>
struct CoordinateStep {
  Force<T> U;  // I^A S
  T w{};       // 1 / D
  T u{};       // tau - S^T p^A
};

// On the way in: I^A -> I^a and p^A -> p^a of a joint along S whose force is tau.
template <class T>
SINEW_HD CoordinateStep<T> let_move(ArticulatedInertia<T>& I, Force<T>& p, const Motion<T>& S, const T& tau,
                                    const T& armature) {
  CoordinateStep<T> step;
  step.U = I * S;                                    // [F08 7.43]
  step.w = lit<T>(1) / (dot(S, step.U) + armature);  // [F08 7.44]
  step.u = tau - dot(S, p);                          // [F08 7.45]
  I = I - dyad(step.w, step.U);                      // [F08 7.47]
  p = p + (step.w * step.u) * step.U;                // [F08 7.48], without I^a c
  return step;
}
// On the way out: the acceleration of the coordinate; a' -> a.
template <class T>
SINEW_HD T accelerate(const CoordinateStep<T>& step, const Motion<T>& S, Motion<T>& a) {
  const T qdd = step.w * (step.u - dot(a, step.U));  // [F08 7.49]
  a += qdd * S;                                      // [F08 7.50]
  return qdd;
}

// I^-1 f, for a positive definite I: the acceleration of a free body.
template <class T>
__attribute__((noinline)) Motion<T> solve_by_coordinates(ArticulatedInertia<T> I, const Force<T>& f) {
  const T o = lit<T>(0), i = lit<T>(1);
  const Motion<T> axes[6] = {{{i, o, o}, {}}, {{o, i, o}, {}}, {{o, o, i}, {}},
                             {{}, {i, o, o}}, {{}, {o, i, o}}, {{}, {o, o, i}}};
  CoordinateStep<T> steps[6];
  Force<T> p = -f;
  for (int k = 5; k >= 0; --k) steps[k] = let_move(I, p, axes[k], o, o);
  Motion<T> a{};
  for (int k = 0; k < 6; ++k) accelerate(steps[k], axes[k], a);
  return a;
}

}  // namespace sinew
