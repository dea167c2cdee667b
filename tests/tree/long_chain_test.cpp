// tests/tree/long_chain_test.cpp - forward dynamics of long chains: ABA keeps its digits, CRBA with L^T D L does not
// [F08 section 10.1] (TREE-6)
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "sinew/model/builder.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/ltl.hpp"
#include "support/random_spatial.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// Rods of unit length and mass whose numbers, and those of quarter turns between them, are exact in binary: nothing is
// rounded before the algorithms start, so what differs from the answer is theirs alone.
enum class ChainShape { straight, universal, staircase };

Rotation<double> quarter_turn(ChainShape shape, int i) {
  Rotation<double> E;  // child's axes in the parent's, by rows
  const double side = i % 2 == 0 ? 1 : -1;
  if (shape == ChainShape::universal) E.m = {1, 0, 0, 0, 0, side, 0, -side, 0};  // about x, along the rod
  if (shape == ChainShape::staircase) E.m = {0, side, 0, -side, 0, 0, 0, 0, 1};  // about z, the joint's axis
  return E;
}
Model long_chain(int n, ChainShape shape) {
  ModelBuilder b("rods");
  std::string last = "world";
  for (int i = 0; i < n; ++i) {
    const std::string name = "rod" + std::to_string(i);
    b.body(name).mass(1, {0.5, 0, 0}, Sym3<double>::diagonal(0.125, 0.125, 0.125));
    b.revolute("pin" + std::to_string(i), last, name).axis({0, 0, 1});
    b.spec().joints.back().placement = {quarter_turn(shape, i), {i == 0 ? 0.0 : 1.0, 0, 0}};
    last = name;
  }
  b.gravity({0, 0, 0});
  return b.build().value();
}

// The articulated-body algorithm at rest, with 6x6 matrices and in long double. [F08 Table 7.1]
using Long = long double;
using Matrix6 = Eigen::Matrix<Long, 6, 6>;
using Vector6 = Eigen::Matrix<Long, 6, 1>;
using Matrix3 = Eigen::Matrix<Long, 3, 3>;
Matrix3 cross_matrix(Long x, Long y, Long z) {
  Matrix3 s;
  s << 0, -z, y, z, 0, -x, -y, x, 0;
  return s;
}
std::vector<Long> reference_aba(int n, ChainShape shape, const std::vector<double>& tau) {
  Matrix6 I = Matrix6::Zero();
  const Matrix3 c = cross_matrix(0.5L, 0, 0);
  I.topLeftCorner<3, 3>() = 0.125L * Matrix3::Identity() + c * c.transpose();
  I.topRightCorner<3, 3>() = c, I.bottomLeftCorner<3, 3>() = c.transpose();
  I.bottomRightCorner<3, 3>().setIdentity();
  std::vector<Matrix6> X(static_cast<std::size_t>(n)), IA(X.size(), I);
  std::vector<Vector6> pA(X.size(), Vector6::Zero()), U(X.size());
  std::vector<Long> D(X.size()), u(X.size()), qdd(X.size());
  for (int i = 0; i < n; ++i) {  // child <- parent
    const Mat3<double> m = quarter_turn(shape, i).m;
    Matrix3 E;
    E << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
    Matrix6& x = X[static_cast<std::size_t>(i)];
    x.setZero();
    x.topLeftCorner<3, 3>() = x.bottomRightCorner<3, 3>() = E;
    x.bottomLeftCorner<3, 3>() = -E * cross_matrix(i == 0 ? 0 : 1, 0, 0);
  }
  for (std::size_t i = X.size(); i-- > 0;) {
    U[i] = IA[i].col(2), D[i] = U[i][2], u[i] = Long(tau[i]) - pA[i][2];
    if (i == 0) break;
    const Matrix6 Ia = IA[i] - U[i] * U[i].transpose() / D[i];
    IA[i - 1] += X[i].transpose() * Ia * X[i];
    pA[i - 1] += X[i].transpose() * (pA[i] + U[i] * (u[i] / D[i]));
  }
  Vector6 a = Vector6::Zero();
  for (std::size_t i = 0; i < X.size(); ++i) {
    a = X[i] * a;
    qdd[i] = (u[i] - U[i].dot(a)) / D[i];
    a[2] += qdd[i];
  }
  return qdd;
}

struct Errors {
  double aba = 0, crba = 0;  // relative to the largest acceleration
};
Errors find_errors(int n, ChainShape shape) {
  const Model m = long_chain(n, shape);
  const DofTree& tree = m.dof_tree();
  Random rng(static_cast<std::uint64_t>(n));
  const std::vector<double> rest(static_cast<std::size_t>(n));
  std::vector<double> tau, a(rest.size()), x(rest.size());
  for (int i = 0; i < n; ++i) tau.push_back(rng.uniform(-1, 1));
  AbaWorkspace<double> aba_ws(m);
  aba(m, aba_ws, rest, rest, tau, a);
  CrbaWorkspace<double> crba_ws(m);
  LtdlFactor<double> H(tree);
  crba_packed(m, crba_ws, rest, H.packed);
  factor(tree, H);
  to_tree_order(tree, tau, x);
  solve(tree, H, x);
  std::vector<double> b(rest.size());
  to_velocity_order(tree, x, b);
  const std::vector<Long> exact = reference_aba(n, shape, tau);
  Errors out;
  Long size = 0;
  for (const Long e : exact) size = std::max(size, std::abs(e));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    out.aba = std::max(out.aba, static_cast<double>(std::abs(a[i] - exact[i]) / size));
    out.crba = std::max(out.crba, static_cast<double>(std::abs(b[i] - exact[i]) / size));
  }
  return out;
}

}  // namespace

// The matrix of N rods has a condition of about 4 N^4, and so much of the accuracy is lost with it. ABA never forms it.
TEST(LongChains, AbaIsMoreAccurateThanCrbaWithLtdl) {
  for (const ChainShape shape : {ChainShape::straight, ChainShape::universal, ChainShape::staircase}) {
    SCOPED_TRACE("shape " + std::to_string(static_cast<int>(shape)));
    std::vector<Errors> errors;
    for (const int n : {10, 40, 160, 640}) {
      SCOPED_TRACE("n = " + std::to_string(n));
      errors.push_back(find_errors(n, shape));
      EXPECT_TRUE(is_small(errors.back().aba, 1e-14));
      EXPECT_GT(errors.back().crba, n * errors.back().aba);
    }
    EXPECT_NEAR(std::log(errors.back().crba / errors.front().crba) / std::log(64), 4.3, 0.7);
  }
}

}  // namespace sinew::test
