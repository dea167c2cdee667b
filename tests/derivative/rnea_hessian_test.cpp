// tests/derivative/rnea_hessian_test.cpp - second derivatives of inverse dynamics against dual numbers over the first
#include "sinew/derivative/rnea_hessian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "derivative/derivative_case.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

Hessian run_hessian(const Model& m, const TreeState& s, const std::vector<double>& lambda,
                    const std::vector<Force<double>>& forces = {}, double time = 0) {
  RneaHessianWorkspace<double> ws(m);
  Hessian out(m.nv());
  for (Matrix* x : {&out.qq, &out.qv, &out.vv, &out.qx}) std::fill(x->numbers.begin(), x->numbers.end(), NAN);
  calc_rnea_hessian(m, ws, s.q, s.v, s.a, lambda, out.qq, out.qv, out.vv, out.qx, {forces, time});
  return out;
}
Hessian dual_hessian(const Model& m, const TreeState& s, const std::vector<double>& lambda,
                     const std::vector<Force<double>>& forces, double time) {
  RneaDerivativesWorkspace<Dual> ws(m);
  const auto external = constant(forces);
  std::vector<Dual> tau(s.v.size());
  Grid<Dual> M(m.nv(), m.nv());
  return differentiate_twice(m, s, lambda, [&](const auto& q, const auto& v, const auto& a, auto& dq, auto& dv) {
    calc_rnea_derivatives(m, ws, q, v, a, tau, dq, dv, M, {external, time});
  });
}
void expect_dual_hessian(const Model& m, Random& rng, const Allowed& n, double time = 0,
                         const std::source_location& where = std::source_location::current()) {
  const TreeState s = random_state(m, rng);
  const std::vector<double> lambda = random_numbers(rng, m.nv());
  const auto forces = some_forces(m, rng);
  const Hessian got = run_hessian(m, s, lambda, forces, time), want = dual_hessian(m, s, lambda, forces, time);
  const double scale = std::max(1.0, largest(want.qq.numbers));
  EXPECT_TRUE(near_numbers(got.qq.numbers, want.qq.numbers, n, scale, 0x1p-52, where)) << "dq dq of " << m.name();
  EXPECT_TRUE(near_numbers(got.qv.numbers, want.qv.numbers, n, scale, 0x1p-52, where)) << "dq dv of " << m.name();
  EXPECT_TRUE(near_numbers(got.vv.numbers, want.vv.numbers, n, scale, 0x1p-52, where)) << "dv dv of " << m.name();
  EXPECT_TRUE(near_numbers(got.qx.numbers, want.qx.numbers, n, scale, 0x1p-52, where)) << "dq da of " << m.name();
}

// A pendulum: tau = m l^2 a + m g l sin q.
TEST(RneaHessian, OfAPendulum) {
  ModelBuilder b("pendulum");
  b.body("weight").mass(1.3, {0, 0, -0.7}, {});
  b.revolute("pivot", "world", "weight").axis({0, 1, 0});
  Hessian out = run_hessian(b.build().value(), {{0.4}, {0.9}, {-0.3}}, {2});
  EXPECT_TRUE(near(out.qq(0, 0), -2 * 1.3 * 9.81 * 0.7 * std::sin(0.4), 10));
  EXPECT_TRUE(near(out.vv(0, 0), 0.0, 1));
}

// The planar 2R arm without weight: lambda_1 of -k (2 v1 + v2) v2 and lambda_2 of k v1^2, k = m2 l1 c2 sin q2.
TEST(RneaHessian, OfAPlanarArm) {
  const double l1 = 0.8, c2 = 0.3, m2 = 1.7, v1 = 0.6, v2 = -1.1, q2 = 0.9;
  ModelBuilder b("2R");
  b.gravity({0, 0, 0});
  b.body("upper").mass(2, {0.4, 0, 0}, Sym3<double>::diagonal(0.01, 0.02, 0.02));
  b.body("fore").mass(m2, {c2, 0, 0}, Sym3<double>::diagonal(0.01, 0.03, 0.03));
  b.revolute("shoulder", "world", "upper");
  b.revolute("elbow", "upper", "fore").at({l1, 0, 0});
  Hessian out = run_hessian(b.build().value(), {{0.4, q2}, {v1, v2}, {0, 0}}, {1, 10});
  const double k = m2 * l1 * c2 * std::sin(q2), dk = m2 * l1 * c2 * std::cos(q2);
  EXPECT_TRUE(near(out.vv.numbers, std::vector<double>{20 * k, -2 * k, -2 * k, -2 * k}, 30));
  EXPECT_TRUE(near(out.qv.numbers, std::vector<double>{0, 0, -2 * dk * v2 + 20 * dk * v1, -2 * dk * (v1 + v2)}, 30));
  EXPECT_TRUE(near(out.qq(1, 1), k * (2 * v1 + v2) * v2 - 10 * k * v1 * v1, 30));
}

// Trees of all joints with constant S, with armature, external forces and prescribed motion.
TEST(RneaHessian, IsThatOfDualNumbers) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_dual_hessian(constant_subspace_tree(seed, 1 + static_cast<int>(seed) % 9), rng, 300, 0.2);
  }
  for (const ModelSpec& spec : {mechanisms::humanoid(), mechanisms::hand(), mechanisms::chain(12)}) {
    Random rng(4);
    expect_dual_hessian(compile(spec).value(), rng, 300);
  }
}

TEST(RneaHessian, AllocatesNothing) {
  const Model m = compile(mechanisms::humanoid()).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  RneaHessianWorkspace<double> ws(m);
  Hessian once(m.nv()), again(m.nv());
  calc_rnea_hessian(m, ws, s.q, s.v, s.a, s.a, once.qq, once.qv, once.vv, once.qx);
  AllocationCount allocations;
  calc_rnea_hessian(m, ws, s.q, s.v, s.a, s.a, again.qq, again.qv, again.vv, again.qx);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.qq.numbers, again.qq.numbers);
}

TEST(RneaHessian, RefusesJointsWhoseSubspaceChanges) {
  const Model m = compile(random_tree(1, {1, {JointKind::universal}, 0})).value();
  try {
    RneaHessianWorkspace<double> ws(m);
    FAIL() << "taken";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("'joint0'"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sinew::test
