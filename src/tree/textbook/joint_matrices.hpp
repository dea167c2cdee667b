// src/tree/textbook/joint_matrices.hpp - the small matrices of one joint, and what the three algorithms read of a model
// S, U and F are 6 x n, kept as n columns; D is n x n, n the freedoms of the joint, 0 to 6. A vector or matrix of n has
// room for six, the rest is zero.
#pragma once
#include <array>
#include <vector>

#include "sinew/joint/armature.hpp"
#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/model/model.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/spatial/subspace.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::textbook {

// [X_J, S, v_J, c_J] = jcalc(jtype, q, qd) of [F08 section 4.4]
struct JointValues {
  Transform<double> XJ;
  MotionSubspace S;
  Motion<double> vJ, cJ;
};
inline JointValues jcalc(const Node& body, In<double> q, In<double> qd, double time) {
  JointMotion<double> motion;
  calc_joint(body.joint, q.data() + body.q, qd.data() + body.v, time, motion);
  JointValues out{motion.X, {}, motion.v, motion.c};
  for (int k = 0; k < body.nv; ++k) out.S.push_back(motion.S[k]);
  return out;
}

// f^x of each node: those of its bodies, in its coordinates.
inline std::vector<Force<double>> external_forces(const char* call, const Model& model, const Surroundings<double>& s) {
  std::vector<Force<double>> fx(model.nodes().size());
  if (s.external.size() != 0) check_size(call, "external", s.external.size(), model.bodies().size());
  for (std::size_t b = 0; b < s.external.size(); ++b)
    fx[model.bodies()[b].node] += apply_inverse(model.bodies()[b].in_node, s.external[b]);
  return fx;
}

// q_i of q, and back.
using Coordinates = std::array<double, 6>;
inline Coordinates get_part(const Node& body, In<double> all) {
  Coordinates out{};
  for (int k = 0; k < body.nv; ++k) out[k] = all[body.v + k];
  return out;
}
inline void set_part(const Node& body, Out<double> all, const Coordinates& part) {
  for (int k = 0; k < body.nv; ++k) all[body.v + k] = part[k];
}
inline Coordinates operator+(Coordinates a, const Coordinates& b) {
  for (std::size_t k = 0; k < 6; ++k) a[k] += b[k];
  return a;
}
inline Coordinates operator-(Coordinates a, const Coordinates& b) {
  for (std::size_t k = 0; k < 6; ++k) a[k] -= b[k];
  return a;
}

// n x n
using JointMatrix = Mat6<double>;
inline JointMatrix operator+(JointMatrix A, const JointMatrix& B) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) A(i, j) += B(i, j);
  return A;
}
inline Coordinates operator*(const JointMatrix& A, const Coordinates& x) {
  Coordinates out{};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out[i] += A(i, j) * x[j];
  return out;
}
inline JointMatrix inverse(JointMatrix D, int n) {
  for (int k = n; k < 6; ++k) D(k, k) = 1;
  return linear::inverse_of(D);
}
// Rotor inertia of the joint's coordinates.
inline JointMatrix armature_of(const Model& model, const Node& body) {
  JointMatrix out;
  for (int k = 0; k < body.nv; ++k) out(k, k) = model.armature()[body.v + k];
  return out;
}

// What they ask for at qdd = 0 where velocities turn with the child.
inline Coordinates armature_bias_of(const Model& model, const Node& body, In<double> qd) {
  Coordinates out{};
  const double* A = model.armature().data() + body.v;
  if (has_armature_bias(body.joint.kind, A)) calc_armature_bias(body.joint.kind, A, qd, body.v, out.data());
  return out;
}

// A^T b: S^T f, U^T a. A^T B: S^T U, F^T S.
template <class V, class W>
Coordinates transpose_times(const Basis<V>& A, const W& b) {
  Coordinates out{};
  for (int k = 0; k < A.size(); ++k) out[k] = dot(A[k], b);
  return out;
}
template <class V, class W>
JointMatrix transpose_times(const Basis<V>& A, const Basis<W>& B) {
  JointMatrix out;
  for (int i = 0; i < A.size(); ++i)
    for (int j = 0; j < B.size(); ++j) out(i, j) = dot(A[i], B[j]);
  return out;
}
// I S, U D^-1 and X^T F, column by column.
template <class Inertia>
ForceSubspace operator*(const Inertia& I, const MotionSubspace& S) {
  ForceSubspace out;
  for (const Motion<double>& s : S) out.push_back(I * s);
  return out;
}
inline ForceSubspace operator*(const ForceSubspace& U, const JointMatrix& A) {
  ForceSubspace out;
  for (int k = 0; k < U.size(); ++k) {
    Force<double> column{};
    for (int j = 0; j < U.size(); ++j) column += A(j, k) * U[j];
    out.push_back(column);
  }
  return out;
}
inline ForceSubspace apply_inverse(const Transform<double>& X, const ForceSubspace& F) {
  ForceSubspace out;
  for (const Force<double>& f : F) out.push_back(apply_inverse(X, f));
  return out;
}
// A B^T where that is symmetric: U D^-1 U^T.
inline ArticulatedInertia<double> times_transpose(const ForceSubspace& A, const ForceSubspace& B) {
  Mat6<double> out;
  for (int k = 0; k < A.size(); ++k) {
    const Coordinates a = to_array(A[k]), b = to_array(B[k]);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) out(i, j) += a[i] * b[j];
  }
  return articulated_from_dense(out);
}

}  // namespace sinew::textbook
