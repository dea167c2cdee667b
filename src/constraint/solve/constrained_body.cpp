// src/constraint/solve/constrained_body.cpp
#include "sinew/constraint/solve/constrained_body.hpp"

#include <Eigen/LU>

namespace sinew {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Lu = Eigen::FullPivLU<Eigen::MatrixXd>;  // one kind only: each costs seconds to compile

template <class V>
Vector6 to_eigen(const V& v) {
  Vector6 x;
  x << v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z;
  return x;
}
Motion<double> to_motion(const Vector6& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

template <class V>
Eigen::MatrixXd to_eigen(const Basis<V>& basis) {
  Eigen::MatrixXd m(6, basis.size());
  for (int i = 0; i < basis.size(); ++i) m.col(i) = to_eigen(basis[i]);
  return m;
}
Eigen::Matrix<double, 6, 6> to_eigen(const RigidInertia<double>& I) {
  Eigen::Matrix<double, 6, 6> m;
  for (int k = 0; k < 6; ++k) m.col(k) = to_eigen(I * to_motion(Vector6::Unit(k)));
  return m;
}

Force<double> constraint_force(const ConstrainedBody& b, const Motion<double>& a, const Force<double>& f) {
  return b.I * a + b.p - f;  // [F08 3.45]
}

}  // namespace

std::vector<double> accelerate_coordinates(const ConstrainedBody& b, const std::vector<double>& tau) {
  if (b.S.size() == 0) return {};
  const Eigen::MatrixXd S = to_eigen(b.S);
  const Eigen::MatrixXd IS = to_eigen(b.I).lazyProduct(S);
  const Eigen::MatrixXd H = S.transpose().lazyProduct(IS);                                              // [F08 3.63]
  const Eigen::VectorXd C = S.transpose().lazyProduct(to_eigen(Force<double>(b.I * b.Sdot_qd + b.p)));  // [F08 3.64]
  const Eigen::VectorXd qdd = Lu(H).solve(Eigen::Map<const Eigen::VectorXd>(tau.data(), S.cols()) - C);
  return {qdd.begin(), qdd.end()};
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
  const Eigen::MatrixXd T = to_eigen(dual_forces(b.S).constraint);
  const Eigen::Index nc = T.cols();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6 + nc, 6 + nc);
  A.topLeftCorner(6, 6) = to_eigen(b.I);
  A.topRightCorner(6, nc) = T;
  A.bottomLeftCorner(nc, 6) = T.transpose();
  Eigen::VectorXd rhs(6 + nc);
  // T^T a = -Tdot^T v = T^T Sdot qd, since T^T S = 0 at all times.
  rhs << to_eigen(Force<double>(f - b.p)), T.transpose().lazyProduct(to_eigen(b.Sdot_qd));
  const Motion<double> a = to_motion(Lu(A).solve(rhs).head<6>());  // [F08 3.60]
  return {a, constraint_force(b, a, f)};
}

ApparentInertia calc_apparent_inertia(const ConstrainedBody& b) {
  const InverseInertia<double> Phi = constrained_inverse(b.S, b.I);  // [F08 3.54]
  return {Phi, b.Sdot_qd - Phi * (b.I * b.Sdot_qd + b.p)};           // [F08 3.55]
}

}  // namespace sinew
