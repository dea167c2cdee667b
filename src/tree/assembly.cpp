// src/tree/assembly.cpp
#include "sinew/tree/assembly.hpp"

#include "base/scalar_pass.hpp"
#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kernel/articulated_steps.hpp"

namespace sinew {
namespace {

template <class T>
InverseInertia<T> inverse_from_dense(const Mat6<T>& a) {
  return {lower_triangle(detail::get_block(a, 0, 0)), detail::get_block(a, 0, 3),
          lower_triangle(detail::get_block(a, 3, 3))};
}
// The force that tau exerts along the coordinates: T_a tau.
template <class T>
Force<T> active_force(const AssemblyJoint<T>& j) {
  Force<T> out{};
  for (int k = 0; k < j.nv; ++k) out += j.tau[k] * j.forces.active[k];
  return out;
}
// Y = T^T Phi T, ready to solve.
template <class T>
linear::SmallLdl<T> constraint_matrix(const AssemblyJoint<T>& j, const InverseInertia<T>& Phi) {
  linear::SmallLdl<T> Y{6 - j.nv, {}};
  for (int k = 0; k < Y.n; ++k) {
    const Motion<T> moved = Phi * j.forces.constraint[k];
    for (int l = k; l < Y.n; ++l) Y.a[l][k] = dot(moved, j.forces.constraint[l]);
  }
  Y.factor();
  return Y;
}
// T Y^-1 T^T a
template <class T>
Force<T> constraint_force(const AssemblyJoint<T>& j, const linear::SmallLdl<T>& Y, const Motion<T>& a) {
  T x[6];
  for (int k = 0; k < Y.n; ++k) x[k] = dot(a, j.forces.constraint[k]);
  Y.solve(x);
  Force<T> out{};
  for (int k = 0; k < Y.n; ++k) out += x[k] * j.forces.constraint[k];
  return out;
}
template <class T>
Motion<T> unit_motion(int k) {
  std::array<T, 6> e{};
  e[k] = lit<T>(1);
  return to_motion(e);
}
// Column k of a matrix is f(k): a motion or a force.
template <class T, class F>
Mat6<T> columns(F f) {
  Mat6<T> out;
  for (int k = 0; k < 6; ++k) {
    const std::array<T, 6> e = to_array(f(k));
    for (int i = 0; i < 6; ++i) out(i, k) = e[i];
  }
  return out;
}

}  // namespace

template <class T>
ArticulatedBody<T> assemble(const ArticulatedBody<T>& body1, const ArticulatedBody<T>& body2,
                            const AssemblyJoint<T>& joint) {
  ArticulatedInertia<T> Ia = body2.I;
  Force<T> pa = body2.p;
  for (int k = joint.nv - 1; k >= 0; --k) let_move(Ia, pa, joint.S[k], joint.tau[k], lit<T>(0));
  return {body1.I + Ia, body1.p + pa + Ia * joint.c};  // [F08 7.19, 7.20]
}

template <class T>
ArticulatedBody<T> assemble_implicit(const ArticulatedBody<T>& body1, const ArticulatedBody<T>& body2,
                                     const AssemblyJoint<T>& joint) {
  const InverseBody<T> inverse2 = to_inverse(body2);
  const linear::SmallLdl<T> Y = constraint_matrix(joint, inverse2.Phi);
  const Force<T> active = active_force(joint);
  const Motion<T> z = joint.c - inverse2.Phi * active - inverse2.b;  // -Phi2 p2 = b2
  const Mat6<T> held = columns<T>([&](int k) { return constraint_force(joint, Y, unit_motion<T>(k)); });
  return {body1.I + articulated_from_dense(held), body1.p + active + constraint_force(joint, Y, z)};  // [F08 Table 7.2]
}

template <class T>
InverseBody<T> assemble_inverse(const InverseBody<T>& body1, const InverseBody<T>& body2,
                                const AssemblyJoint<T>& joint) {
  const InverseInertia<T> sum = body1.Phi + body2.Phi;
  const linear::SmallLdl<T> Y = constraint_matrix(joint, sum);
  const Force<T> active = active_force(joint);
  const Motion<T> z = joint.c + body1.b - body2.b - sum * active;
  const Mat6<T> Phi1 = to_dense(body1.Phi);
  // Phi1 - Phi1 T Y^-1 T^T Phi1, by columns
  const Mat6<T> Phi = columns<T>([&](int k) {
    std::array<T, 6> column;
    for (int i = 0; i < 6; ++i) column[i] = Phi1(i, k);
    const Motion<T> a = to_motion(column);
    return a - body1.Phi * constraint_force(joint, Y, a);
  });
  return {inverse_from_dense(Phi), body1.b - body1.Phi * (active + constraint_force(joint, Y, z))};  // [F08 Table 7.2]
}

template <class T>
InverseBody<T> to_inverse(const ArticulatedBody<T>& body) {
  const InverseInertia<T> Phi = inverse_from_dense(linear::inverse_of(to_dense(body.I)));
  return {Phi, -(Phi * body.p)};
}
template <class T>
ArticulatedBody<T> to_articulated(const InverseBody<T>& body) {
  const ArticulatedInertia<T> I = articulated_from_dense(linear::inverse_of(to_dense(body.Phi)));
  return {I, -(I * body.b)};  // [F08 7.12, 7.13]
}

template <class T>
void calc_joint_accelerations(const AssemblyJoint<T>& joint, const Motion<T>& a1, const Motion<T>& a2, T* qdd) {
  for (int k = 0; k < joint.nv; ++k) qdd[k] = dot(a2 - a1 - joint.c, joint.forces.active[k]);
}

#define SINEW_INSTANTIATE(T)                                                                                           \
  template ArticulatedBody<T> assemble(const ArticulatedBody<T>&, const ArticulatedBody<T>&, const AssemblyJoint<T>&); \
  template ArticulatedBody<T> assemble_implicit(const ArticulatedBody<T>&, const ArticulatedBody<T>&,                  \
                                                const AssemblyJoint<T>&);                                              \
  template InverseBody<T> assemble_inverse(const InverseBody<T>&, const InverseBody<T>&, const AssemblyJoint<T>&);     \
  template InverseBody<T> to_inverse(const ArticulatedBody<T>&);                                                       \
  template ArticulatedBody<T> to_articulated(const InverseBody<T>&);                                                   \
  template void calc_joint_accelerations(const AssemblyJoint<T>&, const Motion<T>&, const Motion<T>&, T*);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
