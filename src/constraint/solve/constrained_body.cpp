// src/constraint/solve/constrained_body.cpp
#include "sinew/constraint/solve/constrained_body.hpp"

#include <algorithm>

#include "linear/matrix.hpp"
#include "sinew/linear/pivoted_elimination.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

Force<double> constraint_force(const ConstrainedBody& b, const Motion<double>& a, const Force<double>& f) {
  return b.I * a + b.p - f;  // [F08 3.45]
}

}  // namespace

std::vector<double> accelerate_coordinates(const ConstrainedBody& b, const std::vector<double>& tau) {
  const int n = b.S.size();
  linear::Matrix H(n, n);
  std::vector<double> rest(at(n));
  const Force<double> bias = b.I * b.Sdot_qd + b.p;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) H(i, j) = dot(b.S[i], b.I * b.S[j]);  // [F08 3.63]
    rest[i] = tau[i] - dot(b.S[i], bias);                             // [F08 3.64]
  }
  return linear::solve(H, rest);
}

ConstrainedAcceleration accelerate_by_projection(const ConstrainedBody& b, const Force<double>& f) {
  std::vector<double> tau;
  for (const Motion<double>& s : b.S) tau.push_back(dot(s, f));  // [F08 3.61]
  const std::vector<double> qdd = accelerate_coordinates(b, tau);
  Motion<double> a = b.Sdot_qd;
  for (int i = 0; i < b.S.size(); ++i) a += qdd[i] * b.S[i];  // [F08 3.49]
  return {a, constraint_force(b, a, f)};
}

ConstrainedAcceleration accelerate_by_multipliers(const ConstrainedBody& b, const Force<double>& f) {
  const ForceSubspace T = dual_forces(b.S).constraint;
  linear::Matrix A(6 + T.size(), 6 + T.size());
  std::vector<double> rhs(at(6 + T.size()));
  const Mat6<double> I = to_dense(b.I);
  const auto force = to_array(f - b.p);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) A(i, j) = I(i, j);
    rhs[i] = force[at(i)];
  }
  for (int r = 0; r < T.size(); ++r) {
    const auto column = to_array(T[r]);
    for (int i = 0; i < 6; ++i) A(i, 6 + r) = A(6 + r, i) = column[at(i)];
    rhs[6 + r] = dot(b.Sdot_qd, T[r]);  // T^T a = -Tdot^T v = T^T Sdot qd, since T^T S = 0 at all times
  }
  const std::vector<double> x = linear::solve(A, rhs);  // [F08 3.60]
  const Motion<double> a{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  return {a, constraint_force(b, a, f)};
}

ApparentInertia calc_apparent_inertia(const ConstrainedBody& b) {
  const InverseInertia<double> Phi = constrained_inverse(b.S, b.I);  // [F08 3.54]
  return {Phi, b.Sdot_qd - Phi * (b.I * b.Sdot_qd + b.p)};           // [F08 3.55]
}

}  // namespace sinew
